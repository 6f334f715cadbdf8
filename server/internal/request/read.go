package request

import (
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// notJSON is what the real service answers to a body that is no JSON text.
const notJSON = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. " +
	"The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, " +
	"please contact us through our help center at help.openai.com.)"

// The bounds of numbers that decide how much an answer holds. They are kept
// whether or not requests are checked strictly.
const (
	maxChoices     = 128
	MaxTopLogprobs = 20
)

// ParseRequest reads the body of a request to a surface. It is lenient: only
// the members that scenarios look at must have the right type, others may be
// missing, unknown or wrong. See [CheckRequest] for the rest.
//
// Attempt is 1; it is the server that counts. The error is a [*RequestError].
func Parse(surface string, header map[string][]string, body []byte) (*scenarios.Request, error) {
	doc, err := ojson.Parse(body)
	if err != nil {
		return nil, Bad("", "", notJSON)
	}
	if doc.Kind() != ojson.ObjectKind {
		return nil, Bad("", "invalid_type", "Invalid type for request body: expected an object, but got %s instead.", doc.TypeInWords())
	}
	req := &scenarios.Request{
		Surface: surface, Header: header, Body: doc, RawBody: body,
		N: 1, Attempt: 1, IncludeObfuscation: true,
	}
	r := requestReader{}
	r.common(req)
	if surface == "chat" {
		r.chat(req)
	}
	if r.err != nil {
		return nil, r.err
	}
	req.APIKey = APIKey(header)
	req.Scenario = askedFor(req)
	return req, nil
}

// askedFor is the name of the scenario that the request asks for, if it does.
func askedFor(req *scenarios.Request) string {
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

// A requestReader reads members of a request's body and keeps the first error.
// All its methods take a member that is null for one that is not there.
type requestReader struct{ err error }

func (r *requestReader) common(req *scenarios.Request) {
	req.Model = r.text(req.Body.Get("model"), "model")
	req.Stream = r.boolean(req.Body.Get("stream"), "stream", false)
	req.User = r.text(req.Body.Get("user"), "user")
}

func (r *requestReader) chat(req *scenarios.Request) {
	body := req.Body
	req.N = r.integer(body.Get("n"), "n", 1, 1, maxChoices)
	req.Logprobs = r.boolean(body.Get("logprobs"), "logprobs", false)
	req.TopLogprobs = r.integer(body.Get("top_logprobs"), "top_logprobs", 0, 0, MaxTopLogprobs)
	options := r.object(body.Get("stream_options"), "stream_options")
	req.IncludeUsage = r.boolean(options.Get("include_usage"), "stream_options.include_usage", false)
	req.IncludeObfuscation = r.boolean(options.Get("include_obfuscation"), "stream_options.include_obfuscation", true)
	r.messages(req)
	r.tools(req)
	format := r.object(body.Get("response_format"), "response_format")
	req.Schema = r.object(format.Get("json_schema"), "response_format.json_schema").Get("schema")
}

func (r *requestReader) messages(req *scenarios.Request) {
	req.Turn = 1
	for i, m := range r.list(req.Body.Get("messages"), "messages", "an array of objects") {
		path := "messages[" + strconv.Itoa(i) + "]"
		if m.Kind() != ojson.ObjectKind {
			r.fail(invalidType(path, "an object", m))
			return
		}
		msg := scenarios.RequestMessage{
			Role:       r.text(m.Get("role"), path+".role"),
			Text:       r.content(m.Get("content"), path+".content"),
			ToolCallID: r.text(m.Get("tool_call_id"), path+".tool_call_id"),
			Name:       r.text(m.Get("name"), path+".name"),
		}
		req.Messages = append(req.Messages, msg)
		switch msg.Role {
		case "assistant":
			req.Turn++
		case "user":
			req.LastUser = msg.Text
		}
	}
}

// content is a message's content: a text, or the texts of its parts.
func (r *requestReader) content(v ojson.Value, path string) string {
	if v.Kind() == ojson.StringKind {
		return v.Text()
	}
	var texts []string
	for i, part := range r.list(v, path, "one of a string or array of objects") {
		at := path + "[" + strconv.Itoa(i) + "]"
		text := r.object(part, at).Get("text")
		if !text.IsAbsent() {
			texts = append(texts, r.text(text, at+".text"))
		}
	}
	return strings.Join(texts, "\n")
}

func (r *requestReader) tools(req *scenarios.Request) {
	for i, t := range r.list(req.Body.Get("tools"), "tools", "an array of objects") {
		path := "tools[" + strconv.Itoa(i) + "]"
		t = r.object(t, path)
		kind := r.text(t.Get("type"), path+".type")
		if kind != "custom" {
			kind = "function"
		}
		path += "." + kind
		r.tool(req, kind, r.object(t.Get(kind), path), path)
	}
	for i, f := range r.list(req.Body.Get("functions"), "functions", "an array of objects") {
		path := "functions[" + strconv.Itoa(i) + "]"
		r.tool(req, "function", r.object(f, path), path)
	}
}

func (r *requestReader) tool(req *scenarios.Request, kind string, t ojson.Value, path string) {
	req.Tools = append(req.Tools, scenarios.Tool{
		Type:       kind,
		Name:       r.text(t.Get("name"), path+".name"),
		Parameters: r.object(t.Get("parameters"), path+".parameters"),
	})
}

func (r *requestReader) fail(err *Error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *requestReader) text(v ojson.Value, path string) string {
	if v.IsNullOrAbsent() {
		return ""
	}
	if v.Kind() != ojson.StringKind {
		r.fail(invalidType(path, "a string", v))
	}
	return v.Text()
}

func (r *requestReader) boolean(v ojson.Value, path string, otherwise bool) bool {
	if v.IsNullOrAbsent() {
		return otherwise
	}
	b, ok := v.Bool()
	if !ok {
		r.fail(invalidType(path, "a boolean", v))
	}
	return b
}

func (r *requestReader) integer(v ojson.Value, path string, otherwise, least, most int64) int {
	if v.IsNullOrAbsent() {
		return int(otherwise)
	}
	if !v.IsInteger() {
		r.fail(invalidType(path, "an integer", v))
		return 0
	}
	if err := integerOutside(v, path, least, most); err != nil {
		r.fail(err)
		return 0
	}
	n, _ := v.Int()
	return int(n)
}

func (r *requestReader) object(v ojson.Value, path string) ojson.Value {
	if v.IsNullOrAbsent() {
		return ojson.Value{}
	}
	if v.Kind() != ojson.ObjectKind {
		r.fail(invalidType(path, "an object", v))
	}
	return v
}

func (r *requestReader) list(v ojson.Value, path, expected string) []ojson.Value {
	if v.IsNullOrAbsent() {
		return nil
	}
	if v.Kind() != ojson.ArrayKind {
		r.fail(invalidType(path, expected, v))
	}
	return v.Items()
}

// integerOutside is the error for an integer below least or above most, or nil.
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
