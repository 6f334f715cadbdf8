package server

import (
	"net/http"
	"net/url"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

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
	var data []ojson.Value
	for _, m := range s.catalogs.Load().Of(request.APIKey(x.r.Header)).Models() {
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
	m, ok := s.catalogs.Load().Of(request.APIKey(x.r.Header)).Model(id, s.config.Strict)
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
