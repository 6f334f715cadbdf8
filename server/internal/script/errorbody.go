package script

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// This file makes the JSON of errors that scenarios write, for HTTP as for streams. It fills in
// what they leave out, as the real service would.

// ErrorBody returns the JSON body of e for the selection's request.
func ErrorBody(sel *scenarios.Selection, e *scenarios.APIError) (ojson.Value, error) {
	r := render.New(sel, "error")
	var failed error
	value := func(v ojson.Value) ojson.Value {
		v, err := r.Value(v)
		failed = cmp.Or(failed, err)
		return v
	}
	member := func(o scenarios.Opt[scenarios.Text]) ojson.Value {
		switch {
		case o.Null:
			return ojson.Null()
		case !o.Present:
			return ojson.Value{}
		}
		text, err := r.Text(o.Value)
		failed = cmp.Or(failed, err)
		return ojson.String(text)
	}
	body, _ := errorParts(e, errorObject(e, sel.Request.APIKey, member, value), value)
	return body.JSON(), render.Placed(e.Pos, failed)
}

// JSON returns the body with the error object and the members beside it. A flat body has the
// object's members itself.
func (e Error) JSON() ojson.Value {
	v := ojson.Object(ojson.M("error", e.Object))
	if e.Flat {
		v = e.Object.Clone()
	}
	v.SetAll(e.Beside.Members())
	return v
}

// errorParts returns the body with an error object, with what e adds beside it and changes in
// it. The problems are paths that do not exist.
func errorParts(e *scenarios.APIError, object ojson.Value, value func(ojson.Value) ojson.Value) (Error, diag.List) {
	body := Error{Object: object, Beside: value(e.Beside)}.JSON().Clone()
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
	object = body.Get("error")
	if e.Flat && object.Kind() != ojson.ObjectKind {
		problems = append(problems, diag.Problem{Pos: e.Pos, Message: "flat has no effect: the error is not an object", Hint: "leave flat out"})
	}
	body.Remove(ojson.Path{{Name: "error"}})
	return Error{Object: object, Beside: body, Flat: e.Flat, Status: ErrorStatus(e)}, problems
}

func (b *Builder) errorBeat(st *scenarios.Step) Error {
	e := st.Error
	var beat Error
	if e.Body != nil {
		text := b.Text(*e.Body)
		beat = Error{Body: &text, Flat: e.Flat, Status: ErrorStatus(&e.APIError)}
	} else {
		edited := e.APIError
		edited.Omit, edited.Set = slices.Concat(st.Omit, e.Omit), slices.Concat(st.Set, e.Set)
		beat, _ = errorParts(&edited, errorObject(&edited, "", b.Member, b.Value), b.Value)
	}
	beat.Event = e.Event
	return beat
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

// ErrorProblems reports the paths in e that its body does not have.
func ErrorProblems(e *scenarios.APIError) diag.List {
	asWritten := func(v ojson.Value) ojson.Value { return v }
	text := func(o scenarios.Opt[scenarios.Text]) ojson.Value { return ojson.String(o.Value.Source) }
	_, problems := errorParts(e, errorObject(e, "", text, asWritten), asWritten)
	return problems
}

// ErrorStatus returns the HTTP status of an error: its own, or that of its code.
func ErrorStatus(e *scenarios.APIError) int {
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

// mostTokens is a template for the largest number of tokens that a prompt may have, in the error that refuses a
// prompt: always fewer than the refused prompt has.
const mostTokens = `{{ if and (gt .prompt_tokens 1) (le .prompt_tokens 8192) }}{{ add .prompt_tokens -1 }}{{ else }}8192{{ end }}`

// standardObject is the error object that the real service would send. Model stands for
// the name of the model.
func standardObject(e *scenarios.APIError, apiKey, model string) ojson.Value {
	given := apierror.Given{Status: e.Status, Code: codeOf(e), Model: model, Key: apiKey, RetryAfter: waitSaid(e)}
	if model != "" {
		given.Most, given.Tokens = mostTokens, "{{ .prompt_tokens }}"
	}
	return apierror.Default(given).Object()
}

// waitSaid is how long an error asks to wait: its retry_after or, in whole seconds, its header Retry-After; 0 if it does not say.
func waitSaid(e *scenarios.APIError) (wait time.Duration) {
	for _, h := range e.Headers {
		if seconds, err := strconv.Atoi(h.Value.Source); err == nil && seconds > 0 && strings.EqualFold(h.Name, "Retry-After") {
			wait = time.Duration(seconds) * time.Second
		}
	}
	if e.RetryAfter != nil {
		wait = *e.RetryAfter
	}
	return wait
}

// standardMessage is the message of the standard object. It is a template only if it
// names the model: an API key could contain a template's braces.
func standardMessage(e *scenarios.APIError, apiKey string) scenarios.Opt[scenarios.Text] {
	message := func(model string) string { return standardObject(e, apiKey, model).Get("message").Text() }
	text := scenarios.Text{Source: message(modelAsked), Pos: e.Pos}
	text.Literal = text.Source == message("")
	return scenarios.Some(text)
}

// errorObject is the error object of e. Its texts and values are made by the two functions.
// The API key is that of the request; "" at load.
func errorObject(e *scenarios.APIError, apiKey string, member func(scenarios.Opt[scenarios.Text]) ojson.Value, value func(ojson.Value) ojson.Value) ojson.Value {
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
