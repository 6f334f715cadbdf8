package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// model is an entry of GET /v1/models.
type model struct {
	id      string
	created int64
	owner   string
}

// ownModelsCreated is when the models were made that the real service does not
// have.
const ownModelsCreated = 1735689600 // the first second of 2025

// knownModels are a few that programs look for, as the real service lists them.
func knownModels() []model {
	return []model{
		{"gpt-3.5-turbo", 1677610602, "openai"},
		{"gpt-4", 1687882411, "openai"},
		{"gpt-4-turbo", 1712361441, "system"},
		{"gpt-4o", 1715367049, "system"},
		{"gpt-4o-mini", 1721172741, "system"},
		{"gpt-4.1", 1744316542, "system"},
		{"gpt-4.1-mini", 1744318173, "system"},
		{"gpt-5", 1754425777, "system"},
		{"gpt-5-mini", 1754425928, "system"},
		{"o3", 1744225308, "system"},
		{"o4-mini", 1744225351, "system"},
	}
}

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

// allModels are the known ones, those that conditions of scenarios name, and one
// for each scenario by which it can be asked for.
func (c *catalog) allModels() []model {
	list := knownModels()
	add := func(id string) {
		if !slices.ContainsFunc(list, func(m model) bool { return m.id == id }) {
			list = append(list, model{id, ownModelsCreated, organization})
		}
	}
	for _, id := range c.models {
		add(id)
	}
	for _, s := range c.set.Scenarios() {
		add("fake:" + s.Name)
	}
	return list
}

func (m model) json() ojson.Value {
	return ojson.Object(
		ojson.M("id", ojson.String(m.id)),
		ojson.M("object", ojson.String("model")),
		ojson.M("created", ojson.Int(m.created)),
		ojson.M("owned_by", ojson.String(m.owner)),
	)
}

// listModels answers GET /v1/models.
func (s *Server) listModels(x *exchange) {
	if e := s.authorize(x.r); e != nil {
		x.fail(e)
		return
	}
	data := ojson.Array()
	for _, m := range s.catalog.Load().allModels() {
		data.Push(m.json())
	}
	x.replyJSON(ojson.Object(ojson.M("object", ojson.String("list")), ojson.M("data", data)))
}

// oneModel answers GET /v1/models/{id}.
func (s *Server) oneModel(x *exchange) {
	if e := s.authorize(x.r); e != nil {
		x.fail(e)
		return
	}
	id, err := url.PathUnescape(mux.Vars(x.r)["id"])
	if err != nil {
		x.fail(unknownURL(x.r))
		return
	}
	for _, m := range s.catalog.Load().allModels() {
		if m.id == id {
			x.replyJSON(m.json())
			return
		}
	}
	x.fail(unknownModel(id))
}

// replyJSON answers in the layout of the models endpoints: two spaces, no final
// line feed.
func (x *exchange) replyJSON(v ojson.Value) {
	h := http.Header{"Content-Type": {"application/json"}}
	x.reply(http.StatusOK, h, ojson.Style{Indent: "  "}.Append(nil, v))
}
