// Package errorbody makes the JSON of errors that scenarios write. It fills in what
// they leave out, as the real service would.
package errorbody

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// Of is the JSON body of e for the selection's request: an error object with message,
// type, param and code, filled in as the real service would where e leaves them out.
// Then e's extra, omit and set are applied.
func Of(sel *scenarios.Selection, e *scenarios.APIError) (ojson.Value, error) {
	r := render.New(sel, "error")
	var failed error
	value := func(v ojson.Value) ojson.Value {
		v, err := r.Value(v)
		failed = cmp.Or(failed, err)
		return v
	}
	object := Members(e, sel.Request.APIKey, func(o scenarios.Opt[scenarios.Text]) ojson.Value {
		if !o.Present || o.Null {
			return optional(o)
		}
		text, err := r.Text(o.Value)
		failed = cmp.Or(failed, err)
		return ojson.String(text)
	}, value)
	parts, _ := Parts(e, object, value)
	if e.Flat {
		beside := parts.Clone()
		beside.Remove(ojson.Path{{Name: "error"}})
		parts = JSON(parts.Get("error"), beside, true)
	}
	return parts, render.Placed(e.Pos, failed)
}

// JSON is the body with an error object and the members beside it. A flat body has the
// object's members itself.
func JSON(object, beside ojson.Value, flat bool) ojson.Value {
	v := ojson.Object(ojson.M("error", object))
	if flat {
		v = object.Clone()
	}
	v.SetAll(beside.Members())
	return v
}

// Parts makes the body with an error object, and applies what e adds beside it and
// changes in it. The problems are paths that do not exist.
func Parts(e *scenarios.APIError, object ojson.Value, value func(ojson.Value) ojson.Value) (ojson.Value, diag.List) {
	body := JSON(object, value(e.Beside), false).Clone()
	var problems diag.List
	note := func(word string, p scenarios.Path, edit func(ojson.Path) bool) {
		full := p.Path
		if full[0].Name != "error" {
			full = slices.Concat(ojson.Path{{Name: "error"}}, full)
		}
		before := body.Get("error")
		if !edit(full) {
			problems = append(problems, diag.Problem{Pos: p.Pos, Message: fmt.Sprintf("%s: the error has no %s", word, p), Hint: membersHint(p.Path, before)})
		}
	}
	for _, p := range e.Omit {
		note("omit", p, body.Remove)
	}
	for _, a := range e.Set {
		note("set", a.Path, func(p ojson.Path) bool { return body.Put(p, value(a.Value)) })
	}
	if e.Flat && body.Get("error").Kind() != ojson.ObjectKind {
		problems = append(problems, diag.Problem{Pos: e.Pos, Message: "flat has no effect: the error is not an object", Hint: "leave flat out"})
	}
	return body, problems
}

// membersHint suggests what was probably meant by a path that does not exist.
func membersHint(p ojson.Path, object ojson.Value) string {
	var known []string
	for _, m := range object.Members() {
		known = append(known, m.Name)
	}
	if near := diag.Nearest(strings.TrimPrefix(p.String(), "error."), known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return "error is not an object"
	}
	return "the error has " + strings.Join(known, ", ")
}

// Problems reports the paths in e that its body does not have.
func Problems(e *scenarios.APIError) diag.List {
	asWritten := func(v ojson.Value) ojson.Value { return v }
	text := func(o scenarios.Opt[scenarios.Text]) ojson.Value { return ojson.String(o.Value.Source) }
	_, problems := Parts(e, Members(e, "", text, asWritten), asWritten)
	return problems
}

// optional is the value of a text that may be missing or null.
func optional(o scenarios.Opt[scenarios.Text]) ojson.Value {
	if o.Null {
		return ojson.Null()
	}
	return ojson.Value{}
}

// Status is the HTTP status of an error: its own, or that of its code.
func Status(e *scenarios.APIError) int {
	return apierror.Default(apierror.Given{Status: e.Status, Code: codeOf(e)}).Status
}

// codeOf is the code that decides how an error is filled in. The type
// insufficient_quota alone stands for that code, too.
func codeOf(e *scenarios.APIError) string {
	const quota = "insufficient_quota"
	if !e.Code.Present && e.Type.Value.Source == quota {
		return quota
	}
	return e.Code.Value.Source
}

// modelAsked is a template for the requested model. The name fake:NAME is that of a
// scenario, not of a model.
const modelAsked = `{{ $asked := print (or .request.model "gpt-4o") }}{{ if eq (index (split ":" $asked) 0) "fake" }}gpt-4o{{ else }}{{ $asked }}{{ end }}`

// standardObject is the error object that the real service would send. Model stands for
// the name of the model.
func standardObject(e *scenarios.APIError, apiKey, model string) ojson.Value {
	given := apierror.Given{Status: e.Status, Code: codeOf(e), Model: model, Key: apiKey}
	if e.RetryAfter != nil {
		given.RetryAfter = *e.RetryAfter
	}
	return apierror.Default(given).Object()
}

// standardMessage is the message of the standard object. It is a template only if it
// names the model: an API key could contain a template's braces.
func standardMessage(e *scenarios.APIError, apiKey string) scenarios.Opt[scenarios.Text] {
	message := func(model string) string { return standardObject(e, apiKey, model).Get("message").Text() }
	text := scenarios.Text{Source: message(modelAsked), Pos: e.Pos}
	text.Literal = text.Source == message("")
	return scenarios.Some(text)
}

// Members is the error object of e. Its texts and values are made by the two functions.
// The API key is that of the request; "" at load.
func Members(e *scenarios.APIError, apiKey string, member func(scenarios.Opt[scenarios.Text]) ojson.Value, value func(ojson.Value) ojson.Value) ojson.Value {
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
	object.SetAll(value(e.Extra).Members())
	return object
}
