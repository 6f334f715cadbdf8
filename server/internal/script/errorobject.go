package script

import (
	"cmp"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
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
	return object, placed(e.Pos, failed)
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
	message, kind, code := errorDefaults(cmp.Or(e.Status, defaultStatus))
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
		if !m.text.Present {
			object.Set(m.name, m.fallback)
			continue
		}
		object.Set(m.name, member(m.text))
	}
	for _, m := range value(e.Extra).Members() {
		object.Set(m.Name, m.Value)
	}
	return object
}

// defaultStatus is the status of an error that has none.
const defaultStatus = 500

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
