package server

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// The owned_by and the created of models that the real service does not have.
const (
	owner            = "fakeopenai"
	ownModelsCreated = 1735689600 // the first second of 2025
)

// models lists OpenAI's models and those that conditions of scenarios name, as far as a request
// for them can be answered, and for each scenario the model fake:NAME, with which a request asks
// for it.
func (s *Server) models(from *catalog) (list []surface.ListedModel) {
	listed := map[string]bool{}
	add := func(m surface.ListedModel) {
		if m.ID != "" && !listed[m.ID] && s.takesModel(from, m.ID) {
			listed[m.ID] = true
			list = append(list, m)
		}
	}
	named := func(ids ...string) {
		for _, id := range ids {
			add(surface.ListedModel{ID: id, Created: ownModelsCreated, Owner: owner})
		}
	}
	for _, m := range surface.ListedModels() {
		add(m)
	}
	for _, sc := range from.set.Scenarios() {
		named(sc.When.NamedModels()...)
		for i := range sc.Replies {
			named(sc.Replies[i].When.NamedModels()...)
		}
	}
	for _, sc := range from.set.Scenarios() {
		named("fake:" + sc.Name)
	}
	return list
}

// describe returns the entry of a model, which has the age and the owner of the alias that stands
// for it at OpenAI.
func describe(id string) surface.ListedModel {
	for _, m := range surface.ListedModels() {
		if m.ID == id || surface.Snapshot(m.ID) == id {
			return surface.ListedModel{ID: id, Created: m.Created, Owner: m.Owner}
		}
	}
	return surface.ListedModel{ID: id, Created: ownModelsCreated, Owner: owner}
}

// hasModel reports whether requests that are checked strictly can use a model: one of
// OpenAI's, one that conditions name, or fake:NAME of a scenario.
func (c *catalog) hasModel(id string) bool {
	if name, ok := strings.CutPrefix(id, "fake:"); ok {
		return c.set.Lookup(name) != nil
	}
	return surface.IsKnownModel(id) || slices.ContainsFunc(c.set.Scenarios(), func(s *scenarios.Scenario) bool {
		return s.When.NamesModel(id) || slices.ContainsFunc(s.Replies, func(r scenarios.Reply) bool { return r.When.NamesModel(id) })
	})
}

// takesModel reports whether a reply can answer requests for a model, as far as the conditions on
// the model say.
func (s *Server) takesModel(from *catalog, id string) bool {
	if name, ok := strings.CutPrefix(id, "fake:"); ok {
		return from.set.Lookup(name) != nil
	}
	takes := func(w *scenarios.When) bool { return len(w.Model) == 0 || w.NamesModel(id) }
	standard := s.config.defaultFor(from.withOwn)
	return slices.ContainsFunc(from.set.Unnamed(standard), func(sc *scenarios.Scenario) bool {
		return (!*cmp.Or(sc.Strict, &s.config.Strict) || from.hasModel(id)) && (takes(&sc.When) || sc.Name == standard) &&
			slices.ContainsFunc(sc.Replies, func(r scenarios.Reply) bool { return takes(&r.When) })
	})
}

func modelJSON(m surface.ListedModel) ojson.Value {
	return ojson.Object(
		ojson.M("id", ojson.String(m.ID)),
		ojson.M("object", ojson.String("model")),
		ojson.M("created", ojson.Int(m.Created)),
		ojson.M("owned_by", ojson.String(m.Owner)),
	)
}

// listModels answers GET /v1/models.
func (s *Server) listModels(x *exchange) {
	if e := s.authorize(x.r); e != nil {
		x.fail(e)
		return
	}
	var data []ojson.Value
	for _, m := range s.models(s.catalogOf(x.entry.APIKey)) {
		data = append(data, modelJSON(m))
	}
	x.replyJSON(ojson.Object(ojson.M("object", ojson.String("list")), ojson.M("data", ojson.Array(data...))))
}

// oneModel answers GET /v1/models/{id}.
func (s *Server) oneModel(x *exchange) {
	if e := s.authorize(x.r); e != nil {
		x.fail(e)
		return
	}
	id, err := url.PathUnescape(x.vars["id"])
	if err != nil {
		x.fail(unknownURL(x.r))
		return
	}
	if !s.takesModel(s.catalogOf(x.entry.APIKey), id) {
		x.fail(&apiError{Error: apierror.UnknownModel(id)})
		return
	}
	x.replyJSON(modelJSON(describe(id)))
}

// replyJSON answers with JSON in the layout of the endpoints of models: indented by two
// spaces, without a final line feed.
func (x *exchange) replyJSON(v ojson.Value) {
	h := http.Header{"Content-Type": {"application/json"}}
	x.reply(http.StatusOK, h, ojson.Style{Indent: "  "}.Append(nil, v))
}
