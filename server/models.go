package server

import (
	"net/http"
	"net/url"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// ownModelsCreated is when the models were made that the real service does not
// have.
const ownModelsCreated = 1735689600 // the first second of 2025

// allModels are the known models, those that conditions of scenarios name, and
// for each scenario the model fake:NAME by which it can be asked for.
func (c *catalog) allModels() []model.Entry {
	list := model.Listed()
	listed := map[string]bool{}
	for _, m := range list {
		listed[m.ID] = true
	}
	add := func(id string) {
		if !listed[id] {
			listed[id] = true
			list = append(list, model.Entry{ID: id, Created: ownModelsCreated, Owner: organization})
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

func modelJSON(m model.Entry) ojson.Value {
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
	data := ojson.Array()
	for _, m := range s.catalogs.Load().of(request.APIKey(x.r.Header)).allModels() {
		data.Push(modelJSON(m))
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
	for _, m := range s.catalogs.Load().of(request.APIKey(x.r.Header)).allModels() {
		if m.ID == id {
			x.replyJSON(modelJSON(m))
			return
		}
	}
	x.fail(&apiError{Error: apierror.UnknownModel(id)})
}

// replyJSON answers in the layout of the models endpoints: two spaces, no final
// line feed.
func (x *exchange) replyJSON(v ojson.Value) {
	h := http.Header{"Content-Type": {"application/json"}}
	x.reply(http.StatusOK, h, ojson.Style{Indent: "  "}.Append(nil, v))
}
