package request

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// NotJSON is the real service's message for a body that is not JSON.
const NotJSON = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. " +
	"The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, " +
	"please contact us through our help center at help.openai.com.)"

// Limits of numbers that decide about the size of an answer. They apply even where
// requests are not checked strictly.
const (
	MaxChoices     = 128
	MaxTopLogprobs = 20
)

// Parse reads the body of a request to a surface: the members that all surfaces share,
// then those that read knows. It is lenient: only members that scenarios can look at
// must have the right type; others may be missing, unknown or wrong. See [Check] for
// the rest.
//
// Of members with the same name the last one counts, as with nearly all parsers.
// Attempt is 1: the server counts attempts later. The error wraps an [*Error].
func Parse(surface string, header map[string][]string, body []byte, read func(*Reader, *scenarios.Request)) (*scenarios.Request, error) {
	doc, err := ReadObject("request body", body)
	if err != nil {
		return nil, err
	}
	req := &scenarios.Request{
		Surface: surface, Header: header, Body: doc, RawBody: body,
		N: 1, Attempt: 1, IncludeObfuscation: true,
	}
	r := Reader{}
	r.readCommon(req)
	read(&r, req)
	if r.err != nil {
		return nil, r.err
	}
	req.APIKey = APIKey(header)
	req.Scenario = ScenarioAskedFor(req)
	return req, nil
}

// ScenarioAskedFor is the name of the scenario that the request asks for, in a header
// or by the model fake:NAME; "" for none.
func ScenarioAskedFor(req *scenarios.Request) string {
	for _, name := range req.HeaderValues("X-Fakeopenai-Scenario") {
		if name != "" {
			return name
		}
	}
	name, _ := strings.CutPrefix(req.Model, "fake:")
	if name == req.Model {
		return ""
	}
	return name
}

// Reader reads members of a request's body and keeps the first error. All methods treat
// null as missing.
type Reader struct{ err error }

func (r *Reader) readCommon(req *scenarios.Request) {
	req.Model = r.Text(req.Body.Get("model"), At("model"))
	req.Stream = r.Boolean(req.Body.Get("stream"), At("stream"), false)
	req.User = r.Text(req.Body.Get("user"), At("user"))
}

// Fail records an error, unless there was one before.
func (r *Reader) Fail(err *Error) {
	if r.err == nil {
		r.err = err
	}
}

// Err returns the first error, an [*Error]; nil if there was none.
func (r *Reader) Err() error { return r.err }

// Text reads a string; "" if there is none.
func (r *Reader) Text(v ojson.Value, at Place) string {
	if v.IsNullOrAbsent() {
		return ""
	}
	if v.Kind() != ojson.StringKind {
		r.Fail(InvalidType(at.String(), "a string", v))
	}
	return v.Text()
}

// Boolean reads a boolean; it returns otherwise if there is none.
func (r *Reader) Boolean(v ojson.Value, at Place, otherwise bool) bool {
	if v.IsNullOrAbsent() {
		return otherwise
	}
	b, ok := v.Bool()
	if !ok {
		r.Fail(InvalidType(at.String(), "a boolean", v))
	}
	return b
}

// Integer reads an integer from least to most; it returns otherwise if there is none.
func (r *Reader) Integer(v ojson.Value, at Place, otherwise, least, most int64) int {
	if v.IsNullOrAbsent() {
		return int(otherwise)
	}
	if !v.IsInteger() {
		r.Fail(InvalidType(at.String(), "an integer", v))
		return 0
	}
	n, ok := v.Int()
	if !ok || n < least || n > most {
		r.Fail(integerOutside(v, at.String(), least, most))
		return 0
	}
	return int(n)
}

// Object reads an object; Absent if there is none.
func (r *Reader) Object(v ojson.Value, at Place) ojson.Value {
	if v.IsNullOrAbsent() {
		return ojson.Value{}
	}
	if v.Kind() != ojson.ObjectKind {
		r.Fail(InvalidType(at.String(), "an object", v))
	}
	return v
}

// List reads the items of an array; nil if there is none. Expected names the type
// in the error.
func (r *Reader) List(v ojson.Value, at Place, expected string) []ojson.Value {
	if v.IsNullOrAbsent() {
		return nil
	}
	if v.Kind() != ojson.ArrayKind {
		r.Fail(InvalidType(at.String(), expected, v))
	}
	return v.Items()
}

// integerOutside returns the error for an integer below least or above most; nil if it
// is within the bounds.
func integerOutside(v ojson.Value, path string, least, most int64) *Error {
	n, fits := v.Int()
	low := n < least
	if !fits {
		low = strings.HasPrefix(v.Text(), "-")
	}
	switch {
	case fits && n >= least && n <= most:
		return nil
	case low:
		return Bad(path, "integer_below_min_value",
			"Invalid '%s': integer below minimum value. Expected a value >= %d, but got %s instead.", path, least, v.Text())
	}
	return Bad(path, "integer_above_max_value",
		"Invalid '%s': integer above maximum value. Expected a value <= %d, but got %s instead.", path, most, v.Text())
}
