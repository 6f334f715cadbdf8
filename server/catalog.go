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
	holds  []string // the names of all holds, each once
	models []string // that conditions name without a wildcard
}

func newCatalog(set *scenarios.Set) *catalog {
	c := &catalog{set: set, holds: set.Holds()}
	for _, s := range set.Scenarios() {
		c.addModel(s.When.Model)
		for i := range s.Replies {
			c.addModel(s.Replies[i].When.Model)
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
