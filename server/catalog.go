package server

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// catalog is a set of scenarios and what the endpoints tell about it. It is
// immutable.
type catalog struct {
	set    *scenarios.Set
	holds  []string // names, in order of appearance
	models []string // that conditions name without a wildcard
}

func newCatalog(set *scenarios.Set) *catalog {
	c := &catalog{set: set}
	for _, s := range set.Scenarios() {
		c.addModel(s.When.Model)
		for i := range s.Replies {
			c.addModel(s.Replies[i].When.Model)
			c.addHolds(s.Replies[i].Stream)
		}
	}
	return c
}

func (c *catalog) addModel(glob string) {
	if glob == "" || strings.ContainsAny(glob, "*?") || slices.Contains(c.models, glob) {
		return
	}
	c.models = append(c.models, glob)
}

func (c *catalog) addHolds(stream *[]scenarios.Step) {
	if stream == nil {
		return
	}
	for i := range *stream {
		name := (*stream)[i].Hold
		if name != "" && !slices.Contains(c.holds, name) {
			c.holds = append(c.holds, name)
		}
	}
}
