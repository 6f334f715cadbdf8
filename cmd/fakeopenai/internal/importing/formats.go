package importing

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// reader is the reader of one format. Its function do adds entries and errors to a. An
// error in one entry does not remove those already added.
type reader struct {
	name string
	do   func(data []byte, a *adding)
}

// errUnknown is the error for a file in an unknown format.
var errUnknown = errors.New("it is in no format that can be imported: server-sent events (with curl's -i or without), JSON lines of chunks, " +
	"a JSON answer, HAR, go-vcr, VCR.py, httprr or aimock fixtures")

// readerOf returns the reader for a file, by its content.
func readerOf(data []byte) (reader, error) {
	start := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(start) == 0:
		return reader{}, errors.New("it is empty")
	case bytes.HasPrefix(start, []byte(httprrMark)):
		return reader{"httprr", readHTTPRR}, nil
	case bytes.HasPrefix(start, []byte("HTTP/")):
		return reader{"answer with headers", readWithHeaders}, nil
	case isEvents(start):
		return reader{"server-sent events", readEvents}, nil
	case start[0] == '{' || start[0] == '[':
		return jsonReader(start)
	}
	return yamlReader(start)
}

// isEvents reports whether a text begins like server-sent events.
func isEvents(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	name, _, field := bytes.Cut(bytes.TrimRight(line, "\r"), []byte(":"))
	switch string(name) {
	case "data", "event", "id", "retry", "":
		return field
	}
	return false
}

// jsonReader returns the reader for a JSON text, by its first value.
func jsonReader(data []byte) (reader, error) {
	values, err := jsonValues(data)
	if len(values) == 0 {
		return reader{}, fmt.Errorf("it begins like JSON, but is none: %w", err)
	}
	first := values[0].value
	switch {
	case first.Get("log").Get("entries").Kind() == ojson.ArrayKind:
		return reader{"HAR", readHAR}, nil
	case first.Get("fixtures").Kind() == ojson.ArrayKind:
		return reader{"aimock fixtures", readAimock}, nil
	case first.Get("interactions").Kind() == ojson.ArrayKind:
		return yamlReader(data) // a cassette in JSON; all JSON is YAML
	}
	return reader{"JSON", readJSON}, nil
}

// yamlReader returns the reader for a YAML document, by its members.
func yamlReader(data []byte) (reader, error) {
	doc, err := yamlDocument(data)
	if err != nil {
		return reader{}, fmt.Errorf("%w; as YAML: %s", errUnknown, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	list := member(doc, "interactions")
	if list == nil || list.Kind != yaml.SequenceNode {
		return reader{}, errUnknown
	}
	for _, one := range items(list) {
		if member(member(one, "request"), "uri") != nil {
			return reader{"VCR.py", readVCRPy}, nil
		}
	}
	return reader{"go-vcr", readGoVCR}, nil
}

// yamlDocument returns the mapping in the first document of a text.
func yamlDocument(data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it is no mapping")
	}
	return doc.Content[0], nil
}

// items returns the items of a sequence; nil if n is none.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// plainYAML rewords an error of the YAML library without the names of Go types.
func plainYAML(err error) error {
	wrong, ok := errors.AsType[*yaml.TypeError](err)
	if !ok || len(wrong.Errors) == 0 {
		return err
	}
	text, _, _ := strings.Cut(wrong.Errors[0], " into ")
	return errors.New(strings.Replace(text, "cannot unmarshal", "there is no place here for a", 1))
}

// member returns the value of a mapping's member; nil if there is none.
func member(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}
