package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// ErrorObject is the error object of e: message, type, param, code and what Extra
// adds, with what was left out filled in as the real service would.
func ErrorObject(sel *scenarios.Selection, e *scenarios.APIError) (ojson.Value, error) {
	object, err := errorObject(render.New(sel, "error"), e, false)
	return object, render.Placed(e.Pos, err)
}

// defaultStatus is the status of an error that has none.
const defaultStatus = 500

func errorObject(r *render.Renderer, e *scenarios.APIError, draft bool) (ojson.Value, error) {
	status := e.Status
	if status == 0 {
		status = defaultStatus
	}
	message, kind, code := errorDefaults(status)
	object := ojson.Object()
	for _, m := range []struct {
		name     string
		text     scenarios.Opt[scenarios.Text]
		fallback ojson.Value
	}{
		{"message", e.Message, ojson.String(message)},
		{"type", e.Type, ojson.String(kind)},
		{"param", e.Param, ojson.Null()},
		{"code", e.Code, code},
	} {
		value, err := errorMember(r, m.text, m.fallback, draft)
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

// errorDefaults is what the real service says with a status.
func errorDefaults(status int) (message, kind string, code ojson.Value) {
	switch status {
	case 401:
		return "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
			"invalid_request_error", ojson.String("invalid_api_key")
	case 403:
		return "Country, region, or territory not supported", "request_forbidden",
			ojson.String("unsupported_country_region_territory")
	case 429:
		return "Rate limit reached for requests. Please try again later.", "requests",
			ojson.String("rate_limit_exceeded")
	case 503:
		return "That model is currently overloaded with other requests. You can retry your request, or contact us through our help center at help.openai.com if the error persists.",
			"server_error", ojson.Null()
	}
	if status >= 500 {
		return "The server had an error while processing your request. Sorry about that!", "server_error", ojson.Null()
	}
	return "The request cannot be answered.", "invalid_request_error", ojson.Null()
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
