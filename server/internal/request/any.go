package request

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// ParseAny reads the body of a request to a path that is that of no API. Conditions and templates see as its
// body JSON, the fields of a form (multipart/form-data or urlencoded), or nothing. An object or a list of JSON is known
// as one if it is called a form, too, as some clients do by default. A field that is there several times, or whose
// name ends with [], is a list. A file is an object with filename,
// content_type, bytes and sha256. The RawBody of a form with files is that object, so that nobody keeps the
// files. The error wraps an [*Error].
func ParseAny(surface string, header map[string][]string, body []byte) (*scenarios.Request, error) {
	req := &scenarios.Request{Surface: surface, Header: header, RawBody: body, N: 1, Attempt: 1, Turn: 1, APIKey: APIKey(header)}
	kind, parameters := contentType(req)
	var err error
	switch {
	case kind == "multipart/form-data":
		req.Body, err = readForm(body, parameters["boundary"])
		req.RawBody = []byte(req.Body.String())
	case isJSON(kind) && len(bytes.TrimSpace(body)) > 0, (kind == "" || kind == urlencoded) && looksLikeJSON(body):
		req.Body, err = readValue(body)
	case kind == urlencoded:
		req.Body, err = readFields("form", string(body))
	}
	if err != nil {
		return nil, err
	}
	if model := req.Body.Get("model"); model.Kind() == ojson.StringKind {
		req.Model = model.Text()
	}
	stream := req.Body.Get("stream")
	asked, _ := stream.Bool()
	req.Stream = asked || stream.Text() == "true" // in a form
	req.Scenario = ScenarioAskedFor(req)
	return req, readSeed(req)
}

// SetPath sets the method and the path of a request to no API. The path is escaped as in a URL.
func SetPath(req *scenarios.Request, method, escaped string) error {
	path, err := scenarios.DecodePath(escaped)
	_, below := CutPrefix(path)
	req.Method, req.Path, req.APIPath = method, path, "/v1"+below
	return err
}

// contentType is the media type of a request's body in lower case, with its parameters.
func contentType(req *scenarios.Request) (kind string, parameters map[string]string) {
	for _, value := range req.HeaderValues("Content-Type") {
		kind, parameters, _ = mime.ParseMediaType(value)
		return kind, parameters
	}
	return "", nil
}

const urlencoded = "application/x-www-form-urlencoded"

// looksLikeJSON reports whether a body is an object or a list of JSON.
func looksLikeJSON(body []byte) bool {
	trimmed := bytes.TrimSpace(body)
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(trimmed)
}

func isJSON(kind string) bool { return kind == "application/json" || strings.HasSuffix(kind, "+json") }

// ReadQuery returns the parameters of a query, which are the body of a request without one.
func ReadQuery(query string) (ojson.Value, error) { return readFields("query", query) }

func readFields(what, encoded string) (ojson.Value, error) {
	var f form
	for pair := range strings.SplitSeq(encoded, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, wrong := url.QueryUnescape(name)
		value, err := url.QueryUnescape(value)
		if err = errors.Join(wrong, err); err != nil {
			return ojson.Value{}, Bad("", "", "The %s of the request cannot be read: %v.", what, err)
		}
		f.add(name, ojson.String(value))
	}
	return f.object(), f.err()
}

func readForm(body []byte, boundary string) (ojson.Value, error) {
	if boundary == "" {
		return ojson.Value{}, Bad("", "", "The Content-Type of the request is multipart/form-data without a boundary.")
	}
	if !bytes.Contains(body, []byte("--"+boundary+"--")) { // package multipart takes some early ends for the end
		return ojson.Value{}, Bad("", "", "The form of the request cannot be read: its last boundary is missing.")
	}
	var f form
	for parts := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return f.object(), f.err()
		}
		var value ojson.Value
		if err == nil {
			value, err = readPart(part)
		}
		if err != nil {
			return ojson.Value{}, Bad("", "", "The form of the request cannot be read: %v.", err)
		}
		f.add(part.FormName(), value)
	}
}

// readPart reads a field of a form: a text or, for a file, what is known of it.
func readPart(part *multipart.Part) (ojson.Value, error) {
	if part.FileName() == "" {
		text, err := io.ReadAll(part)
		return ojson.String(valid(string(text))), err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, part)
	return ojson.Object(
		ojson.M("filename", ojson.String(valid(part.FileName()))), ojson.M("content_type", ojson.String(valid(part.Header.Get("Content-Type")))),
		ojson.M("bytes", ojson.Int(n)), ojson.M("sha256", ojson.String(hex.EncodeToString(sum.Sum(nil)))),
	), err
}

func valid(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }

// maxFields is how many fields a form can have.
const maxFields = 10_000

// form is the fields of a form, in their order.
type form struct {
	names  []string
	values map[string][]ojson.Value
	count  int
}

func (f *form) add(name string, v ojson.Value) {
	if f.count++; f.count > maxFields {
		return
	}
	name = valid(name)
	if f.values == nil {
		f.values = map[string][]ojson.Value{}
	}
	if _, known := f.values[name]; !known {
		f.names = append(f.names, name)
	}
	f.values[name] = append(f.values[name], v)
}

func (f *form) err() error {
	if f.count > maxFields {
		return Bad("", "", "The form of the request has %d fields; this server reads at most %d.", f.count, maxFields)
	}
	return nil
}

func (f *form) object() ojson.Value {
	var members []ojson.Member
	for _, name := range f.names {
		values := f.values[name]
		if short, isList := strings.CutSuffix(name, "[]"); isList || len(values) > 1 {
			members = append(members, ojson.M(short, ojson.Array(values...)))
			continue
		}
		members = append(members, ojson.M(name, values[0]))
	}
	v := ojson.Object(members...)
	v.KeepLast() // a[] and a are both called a
	return v
}

// inQuery are the body members that a query can hold, in the order of the body. The
// value of a text is the text itself, others are JSON.
var inQuery = []struct {
	name string
	text bool
}{
	{"model", true}, {"messages", false}, {"prompt", true}, {"stream", false}, {"stream_options", false},
	{"n", false}, {"tools", false}, {"user", true},
}

// FromQuery makes a body from a query, for clients that can only GET, such as a
// browser's EventSource. The answer streams unless the query says otherwise. The error
// is an [*Error].
func FromQuery(query string) ([]byte, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, Bad("", "", "The query of the request cannot be read: %v.", err)
	}
	if err := checkNames(values); err != nil {
		return nil, err
	}
	body := ojson.Object(ojson.M("stream", ojson.Bool(true)))
	for _, m := range inQuery {
		given, ok := values[m.name]
		switch {
		case !ok:
			continue
		case len(given) > 1:
			return nil, Bad(m.name, "", "The query of the request has '%s' %d times.", m.name, len(given))
		case m.text:
			body.Set(m.name, ojson.String(given[0]))
			continue
		}
		value, err := parseJSON([]byte(given[0]))
		if err != nil {
			return nil, Bad(m.name, "", "The value of '%s' in the query of the request %v.", m.name, err)
		}
		body.Set(m.name, value)
	}
	return []byte(body.String()), nil
}

// checkNames reports an unknown parameter. Azure's api-version is allowed, because its
// clients send it with every request.
func checkNames(values url.Values) error {
	var known []string
	for _, m := range inQuery {
		known = append(known, m.name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name == "api-version" || slices.Contains(known, name) {
			continue
		}
		return Bad(name, "unknown_parameter", "Unknown parameter: '%s' in the query of the request. It can have %s.", name, strings.Join(known, ", "))
	}
	return nil
}
