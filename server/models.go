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

// models lists OpenAI's models, those that conditions of scenarios name, and for each
// scenario the model fake:NAME, with which a request asks for it.
func (c *catalog) models() []surface.ListedModel {
	list := surface.ListedModels()
	listed := map[string]bool{}
	for _, m := range list {
		listed[m.ID] = true
	}
	add := func(id string) {
		if id != "" && !listed[id] {
			listed[id] = true
			list = append(list, surface.ListedModel{ID: id, Created: ownModelsCreated, Owner: owner})
		}
	}
	named := func(w *scenarios.When) {
		if !strings.ContainsAny(w.Model, "*?") {
			add(w.Model)
		}
	}
	for _, s := range c.set.Scenarios() {
		named(&s.When)
		for i := range s.Replies {
			named(&s.Replies[i].When)
		}
	}
	for _, s := range c.set.Scenarios() {
		add("fake:" + s.Name)
	}
	return list
}

// model returns the model with the id, or false if no request for it could be answered.
// Strict is the server's setting, for scenarios that have none.
func (c *catalog) model(id string, strict bool) (surface.ListedModel, bool) {
	listed := c.models()
	if i := slices.IndexFunc(listed, func(m surface.ListedModel) bool { return m.ID == id }); i >= 0 {
		return listed[i], true
	}
	for _, m := range listed {
		if surface.Snapshot(m.ID) == id {
			return surface.ListedModel{ID: id, Created: m.Created, Owner: m.Owner}, true
		}
	}
	return surface.ListedModel{ID: id, Created: ownModelsCreated, Owner: owner}, c.hasModel(id) || c.takesModel(id, strict)
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

// takesModel reports whether a reply answers requests for a model that hasModel does not
// know: one without a condition on the model, in a scenario that is not strict.
func (c *catalog) takesModel(id string, strict bool) bool {
	return !strings.HasPrefix(id, "fake:") && slices.ContainsFunc(c.set.Scenarios(), func(s *scenarios.Scenario) bool {
		return !*cmp.Or(s.Strict, &strict) && s.When.Model == "" &&
			slices.ContainsFunc(s.Replies, func(r scenarios.Reply) bool { return r.When.Model == "" })
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
	for _, m := range s.catalogOf(x.entry.APIKey).models() {
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
	m, ok := s.catalogOf(x.entry.APIKey).model(id, s.config.Strict)
	if !ok {
		x.fail(&apiError{Error: apierror.UnknownModel(id)})
		return
	}
	x.replyJSON(modelJSON(m))
}

// replyJSON answers with JSON in the layout of the endpoints of models: indented by two
// spaces, without a final line feed.
func (x *exchange) replyJSON(v ojson.Value) {
	h := http.Header{"Content-Type": {"application/json"}}
	x.reply(http.StatusOK, h, ojson.Style{Indent: "  "}.Append(nil, v))
}
