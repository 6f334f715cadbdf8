package admin

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// description is a description of the endpoints in OpenAPI 3.1.
type description struct {
	OpenAPI    string                          `json:"openapi"`
	Info       map[string]string               `json:"info"`
	Security   []map[string][]string           `json:"security,omitempty"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components components                      `json:"components"`
}

type operation struct {
	ID          string               `json:"operationId"`
	Summary     string               `json:"summary"`
	Security    *[]map[string]string `json:"security,omitempty"` // Security points to an empty list if the endpoint needs no token.
	Parameters  []parameter          `json:"parameters,omitempty"`
	RequestBody *content             `json:"requestBody,omitempty"`
	Responses   map[string]content   `json:"responses"`
}

type parameter struct {
	Name        string         `json:"name"`
	In          string         `json:"in"`
	Required    bool           `json:"required,omitempty"`
	Description string         `json:"description"`
	Schema      map[string]any `json:"schema"`
}

// content describes the body of a request or of an answer.
type content struct {
	Description string               `json:"description"`
	Required    bool                 `json:"required,omitempty"`
	Content     map[string]mediaType `json:"content,omitempty"`
}

type mediaType struct {
	Schema map[string]any `json:"schema"`
}

type components struct {
	Schemas map[string]any            `json:"schemas"`
	Schemes map[string]map[string]any `json:"securitySchemes,omitempty"`
}

// parameters describes all variables of paths and parameters of queries, by name.
var parameters = map[string]parameter{
	"id":             {In: "path", Description: "The number of the request.", Schema: map[string]any{"type": "integer", "minimum": 1}},
	"name":           {In: "path", Description: "The name of the hold.", Schema: text()},
	apiKeyParameter:  {In: "query", Description: "Limits the call to what belongs to this API key. Without it, all is meant.", Schema: text()},
	countParameter:   {In: "query", Description: "How many to wait for.", Schema: map[string]any{"type": "integer", "minimum": 1, "default": 1}},
	outcomeParameter: {In: "query", Description: "Counts only calls that went so; without it all that have ended.", Schema: map[string]any{"type": "string", "enum": []any{"succeeded", "failed"}}},
	timeoutParameter: {In: "query", Description: "How long to wait, after which the answer is 408.", Schema: durationText(defaultAwait.String())},
	forParameter:     {In: "query", Description: "How long connections are refused, at most 1m.", Schema: durationText(defaultDown.String())},
}

func text() map[string]any { return map[string]any{"type": "string"} }

func durationText(preset string) map[string]any {
	return map[string]any{"type": "string", "default": preset, "examples": []string{"5s", "500ms"}}
}

func (h *Handler) describe(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, h.description())
}

// description describes the endpoints below /_fake/. OpenAI itself describes those of its
// API.
func (h *Handler) description() description {
	d := description{
		OpenAPI: "3.1.0",
		Info:    map[string]string{"title": "fakeopenai", "version": "1", "description": "The server's own endpoints: what it plays, remembers and waits for."},
		Paths:   map[string]map[string]operation{},
	}
	s := schemas{}
	failure := jsonContent("an error", s.of(errorInfo{}))
	for i := range h.endpoints {
		e := &h.endpoints[i]
		if !strings.HasPrefix(e.Path, Path) {
			continue
		}
		if d.Paths[e.Path] == nil {
			d.Paths[e.Path] = map[string]operation{}
		}
		op := operation{ID: operationID(e), Summary: e.Does, Parameters: e.parameters(), Responses: map[string]content{"default": failure}}
		if e.takes != "" {
			op.Responses["408"], op.Responses["413"] = failure, failure
			op.RequestBody = &content{Description: "scenarios", Required: true, Content: map[string]mediaType{e.takes: {text()}}}
		}
		for status, body := range e.answers {
			op.Responses[strconv.Itoa(status)] = s.answer(status, body)
		}
		if e.Path == Path {
			op.Responses["200"].Content["text/html"] = mediaType{text()}
		}
		if e.open && h.fake.Token != "" {
			op.Security = &[]map[string]string{}
		}
		d.Paths[e.Path][strings.ToLower(e.Method)] = op
		if h.paths[e.Path][http.MethodHead] != nil {
			op.ID, op.Responses = "head"+strings.TrimPrefix(op.ID, "get"), withoutContent(op.Responses)
			d.Paths[e.Path]["head"] = op
		}
	}
	d.Components.Schemas = s
	if h.fake.Token != "" {
		d.Security = []map[string][]string{{"adminToken": {}}}
		d.Components.Schemes = map[string]map[string]any{"adminToken": {"type": "http", "scheme": "bearer"}}
	}
	return d
}

// variable matches a variable in a path, such as {id}.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(\w+)\}`) })

// parameters returns the variables of the endpoint's path and the parameters of its query.
func (e *Endpoint) parameters() []parameter {
	var list []parameter
	for _, m := range variable().FindAllStringSubmatch(e.Path, -1) {
		p := parameters[m[1]]
		p.Name, p.Required = m[1], true
		list = append(list, p)
	}
	for _, name := range e.Parameters {
		p := parameters[name]
		p.Name = name
		list = append(list, p)
	}
	return list
}

// operationID returns the endpoint's operationId, such as getRequestsIdWait.
func operationID(e *Endpoint) string {
	words := strings.FieldsFunc(strings.TrimPrefix(e.Path, Path), func(r rune) bool { return strings.ContainsRune("/{}.", r) })
	if len(words) == 0 {
		words = []string{"endpoints"}
	}
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.ToLower(e.Method) + strings.Join(words, "")
}

// answer describes an answer by a value of the type of its body. A nil body is none; []byte
// is a body of any bytes, and string a text.
func (s schemas) answer(status int, body any) content {
	switch body.(type) {
	case nil:
		return content{Description: http.StatusText(status)}
	case []byte:
		return content{Description: http.StatusText(status), Content: map[string]mediaType{"application/octet-stream": {map[string]any{}}}}
	case string:
		return content{Description: http.StatusText(status), Content: map[string]mediaType{"text/plain": {text()}}}
	}
	return jsonContent(http.StatusText(status), s.of(body))
}

func jsonContent(what string, schema map[string]any) content {
	return content{Description: what, Content: map[string]mediaType{"application/json": {schema}}}
}

func withoutContent(responses map[string]content) map[string]content {
	bare := map[string]content{}
	for status, c := range responses {
		bare[status] = content{Description: c.Description}
	}
	return bare
}
