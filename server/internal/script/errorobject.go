package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// ErrorObject is the error object of e: message, type, param, code and what Extra
// adds, with what was left out filled in as the real service would.
func ErrorObject(sel *scenarios.Selection, e *scenarios.APIError) (ojson.Value, error) {
	object, err := errorObject(render.New(sel, "error"), e, false)
	return object, render.Placed(e.Pos, err)
}

func errorObject(r *render.Renderer, e *scenarios.APIError, draft bool) (ojson.Value, error) {
	status := e.Status
	if status == 0 {
		status = apierror.DefaultStatus
	}
	standard := apierror.Default(status).Object()
	object := ojson.Object()
	for _, m := range []struct {
		name string
		text scenarios.Opt[scenarios.Text]
	}{{"message", e.Message}, {"type", e.Type}, {"param", e.Param}, {"code", e.Code}} {
		value, err := errorMember(r, m.text, standard.Get(m.name), draft)
		if err != nil {
			return object, err
		}
		object.Set(m.name, value)
	}
	extra := e.Extra
	if !draft {
		var err error
		if extra, err = r.Value(extra); err != nil {
			return object, err
		}
	}
	for _, m := range extra.Members() {
		object.Set(m.Name, m.Value)
	}
	return object, nil
}

func errorMember(r *render.Renderer, t scenarios.Opt[scenarios.Text], fallback ojson.Value, draft bool) (ojson.Value, error) {
	switch {
	case !t.Present:
		return fallback, nil
	case t.Null:
		return ojson.Null(), nil
	case draft && t.Value.IsTemplate():
		return ojson.String(t.Value.Source), nil
	}
	text, err := r.Text(t.Value)
	return ojson.String(text), err
}

// isTemplate reports whether the error depends on the request.
func isTemplate(e *scenarios.APIError) bool {
	return hasAnyTemplate(e.Message, e.Type, e.Param, e.Code) || scenarios.ValueIsTemplate(e.Extra)
}

// hasAnyTemplate reports whether one of the texts depends on the request.
func hasAnyTemplate(texts ...scenarios.Opt[scenarios.Text]) bool {
	for _, t := range texts {
		if t.Value.IsTemplate() {
			return true
		}
	}
	return false
}
