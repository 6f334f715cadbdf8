package server

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// The owned_by and the created of models that the real service does not have.
const (
	owner            = "fakeopenai"
	ownModelsCreated = 1735689600 // the first second of 2025
)

// models lists OpenAI's models, the models that conditions of scenarios name, and for each scenario the model fake:NAME,
// with which a request asks for that scenario. Models that no scenario answers for, and models that the API key has
// deleted, are left out.
func (s *Server) models(from *catalog, apiKey string) (list []surface.ListedModel) {
	listed := map[string]bool{}
	add := func(m surface.ListedModel) {
		if m.ID != "" && !listed[m.ID] && s.takesModel(from, m.ID) && !s.store.HasDeleted(apiKey, m.ID) {
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

func (s *Server) listModels(x *exchange) {
	var data []ojson.Value
	for _, m := range s.models(s.catalogOf(x.entry.APIKey), x.entry.APIKey) {
		data = append(data, modelJSON(m))
	}
	x.replyJSON(ojson.Object(ojson.M("object", ojson.String("list")), ojson.M("data", ojson.Array(data...))))
}

// oneModel answers GET and DELETE of /v1/models/{id}.
func (s *Server) oneModel(x *exchange) {
	id, err := url.PathUnescape(x.vars["id"])
	if err != nil {
		x.fail(unknownURL(x.r, s.config.Strict))
		return
	}
	switch model, ok := s.findModel(x, id); {
	case !ok || s.store.HasDeleted(x.entry.APIKey, id):
		x.fail(&apiError{Error: apierror.UnknownModel(id)})
	case x.r.Method == http.MethodGet:
		x.replyJSON(model)
	case surface.IsKnownModel(id) && !strings.HasPrefix(id, "ft:"):
		x.fail(&apiError{Error: apierror.Refused(http.StatusForbidden, "model", "", "The model '%s' belongs to OpenAI. Only fine-tuned models can be deleted.", id)})
	default:
		s.store.DeleteModel(x.entry.APIKey, id)
		x.replyJSON(ojson.Object(ojson.M("id", ojson.String(id)), ojson.M("object", ojson.String("model")), ojson.M("deleted", ojson.Bool(true))))
	}
}

// findModel returns the entry of a model: that of the list of models which a scenario has or, without one, our own.
func (s *Server) findModel(x *exchange, id string) (model ojson.Value, ok bool) {
	from := s.catalogOf(x.entry.APIKey)
	data := s.authoredModels(x, from)
	for _, m := range data.Items() {
		if m.Get("id").Text() == id {
			return m, true
		}
	}
	return modelJSON(describe(id)), data.Kind() != ojson.ArrayKind && s.takesModel(from, id)
}

// authoredModels is the member data of what a scenario answers to GET /v1/models, if one does. It uses no reply up.
func (s *Server) authoredModels(x *exchange, from *catalog) ojson.Value {
	req, err := answer.Other.Read(x.r.Header, nil)
	if err != nil || request.SetPath(req, http.MethodGet, "/v1/models") != nil || !from.set.AnswersPath(req) {
		return ojson.Value{}
	}
	if named := from.set.Lookup(req.Scenario); named != nil && !named.AnswersElsewhere() {
		req.Scenario = ""
	}
	req.Time = s.clock(x.entry.Time)
	sel, none := from.set.Match(x.ctx, req, unlimited{}, s.config.defaultFor(from.withOwn), s.config.Seed)
	if none != nil {
		return ojson.Value{}
	}
	plan, _ := planAsked(from.maker, answer.Ask(answer.Other, sel, false)) // what cannot be made has no frames
	var body []byte
	for _, f := range plan.Frames {
		body = append(body, f.Bytes...)
	}
	list, _ := ojson.Parse(body) // what is no list has no data
	return list.Get("data")
}

// replyJSON answers with JSON in the layout of the endpoints of models: indented by two
// spaces, without a final line feed.
func (x *exchange) replyJSON(v ojson.Value) {
	h := http.Header{"Content-Type": {"application/json"}}
	x.reply(http.StatusOK, h, ojson.Style{Indent: "  "}.Append(nil, v))
}

// countInput answers how many tokens the input of a request to the Responses API has, which no
// scenario answers. These tokens do not count against limits, because no model reads them, and the
// request does not count as an attempt at a response with the same body.
func (s *Server) countInput(x *exchange) {
	req, e := s.parseRequest(x, upgradable)
	if e == nil && responses.Previous(req) != "" && req.Body.Get("input").IsAbsent() {
		req.Body.Set("input", ojson.Array()) // the endpoint needs no input beside a previous response
	}
	if e == nil {
		x.entry.Note = "the server answers this endpoint by itself; no scenario is asked"
		s.journal.Put(&x.entry)
		sel := &scenarios.Selection{Request: req, Scenario: &scenarios.Scenario{}, Manner: &scenarios.Manner{}}
		e = s.checkAndAdmit(x, &answer.Asked{Selection: sel, Surface: upgradable})
	}
	if e != nil {
		x.fail(e)
		return
	}
	x.admission.End() // before the client can send its next request
	x.replyJSON(responses.InputTokens(req))
}

// checkAndAdmit checks a request that no scenario answers, and counts it against the limits of
// the server.
func (s *Server) checkAndAdmit(x *exchange, asked *answer.Asked) *apiError {
	req := asked.Request
	if e := s.check(x, asked.Scenario, asked.Surface, req, s.catalogOf(req.APIKey)); e != nil {
		return e
	}
	return s.admit(x, asked)
}
