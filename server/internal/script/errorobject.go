package script

import (
	"cmp"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// ErrorObject is the error object of e for the selection's request: message,
// type, param, code and what Extra adds, with what was left out filled in as the
// real service would.
func ErrorObject(sel *scenarios.Selection, e *scenarios.APIError) (ojson.Value, error) {
	r := render.New(sel, "error")
	var failed error
	object := ErrorMembers(e, func(o scenarios.Opt[scenarios.Text]) ojson.Value {
		if !o.Present || o.Null {
			return optional(o)
		}
		text, err := r.Text(o.Value)
		failed = cmp.Or(failed, err)
		return ojson.String(text)
	}, func(v ojson.Value) ojson.Value {
		v, err := r.Value(v)
		failed = cmp.Or(failed, err)
		return v
	})
	return object, atPosition(e.Pos, failed)
}

// optional is the value of a text that is left out or null.
func optional(o scenarios.Opt[scenarios.Text]) ojson.Value {
	if o.Null {
		return ojson.Null()
	}
	return ojson.Value{}
}

// ErrorMembers is the error object of e with its texts and values as the two
// functions make them.
func ErrorMembers(e *scenarios.APIError, member func(scenarios.Opt[scenarios.Text]) ojson.Value, value func(ojson.Value) ojson.Value) ojson.Value {
	standard := apierror.Default(cmp.Or(e.Status, apierror.DefaultStatus)).Object()
	object := ojson.Object()
	for _, m := range []struct {
		name string
		text scenarios.Opt[scenarios.Text]
	}{{"message", e.Message}, {"type", e.Type}, {"param", e.Param}, {"code", e.Code}} {
		if !m.text.Present {
			object.Set(m.name, standard.Get(m.name))
			continue
		}
		object.Set(m.name, member(m.text))
	}
	for _, m := range value(e.Extra).Members() {
		object.Set(m.Name, m.Value)
	}
	return object
}
