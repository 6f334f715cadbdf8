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
	object := ErrorMembers(e, sel.Request.APIKey, func(o scenarios.Opt[scenarios.Text]) ojson.Value {
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

// ErrorStatus is the status of an error: its own, or that of its code.
func ErrorStatus(e *scenarios.APIError) int {
	return apierror.Default(apierror.Given{Status: e.Status, Code: codeOf(e)}).Status
}

// codeOf is the code that decides what is filled in. An account without money is
// told by the type alone, too.
func codeOf(e *scenarios.APIError) string {
	const quota = "insufficient_quota"
	if !e.Code.Present && e.Type.Value.Source == quota {
		return quota
	}
	return e.Code.Value.Source
}

// modelAsked is a template for the name of the model that a request asks for.
const modelAsked = `{{ or .request.model "gpt-4o" }}`

// standardObject is the error object that the real service sends for what e
// names. Model stands for the name of the model.
func standardObject(e *scenarios.APIError, apiKey, model string) ojson.Value {
	given := apierror.Given{Status: e.Status, Code: codeOf(e), Model: model, Key: apiKey}
	if e.RetryAfter != nil {
		given.RetryAfter = *e.RetryAfter
	}
	return apierror.Default(given).Object()
}

// standardMessage is the message of the standard object: a template only where it
// names the model, because a key may hold anything.
func standardMessage(e *scenarios.APIError, apiKey string) scenarios.Opt[scenarios.Text] {
	message := func(model string) string { return standardObject(e, apiKey, model).Get("message").Text() }
	text := scenarios.Text{Source: message(modelAsked), Pos: e.Pos}
	text.Literal = text.Source == message("")
	return scenarios.Some(text)
}

// ErrorMembers is the error object of e with its texts and values as the two
// functions make them. The API key is that of the request, or "" while there is
// none.
func ErrorMembers(e *scenarios.APIError, apiKey string, member func(scenarios.Opt[scenarios.Text]) ojson.Value, value func(ojson.Value) ojson.Value) ojson.Value {
	standard := standardObject(e, apiKey, modelAsked)
	if !e.Message.Present {
		standard.Set("message", member(standardMessage(e, apiKey)))
	}
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
