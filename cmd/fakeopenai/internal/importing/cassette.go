package importing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// interaction is a call in a cassette of VCR.py, of go-vcr, versions 2 to 4, of Ruby's VCR or of betamax.
type interaction struct {
	Request struct {
		cassetteMessage `yaml:",inline"`
		Method          string `yaml:"method"`
		URI             string `yaml:"uri"` // URI is the URL in cassettes of VCR.py.
		URL             string `yaml:"url"`
	} `yaml:"request"`
	Response struct {
		cassetteMessage `yaml:",inline"`
		Status          cassetteStatus `yaml:"status"`
		StatusCode      int            `yaml:"status_code"` // StatusCode replaces Status in cassettes of httpx.
		Code            int            `yaml:"code"`        // Code is the status in cassettes of go-vcr.
		Content         yaml.Node      `yaml:"content"`     // Content replaces Body in cassettes of httpx.
		Duration        yaml.Node      `yaml:"duration"`
	} `yaml:"response"`
}

// cassetteMessage is what requests and answers have in common.
type cassetteMessage struct {
	Body    yaml.Node      `yaml:"body"`
	Headers cassetteHeader `yaml:"headers"`
	Parsed  yaml.Node      `yaml:"parsed_body"` // Parsed is a JSON body written as YAML, by serializers of VCR.py for readable cassettes.
}

// cassetteStatus is a status as VCR.py writes it, a mapping with code; 0 for anything else.
type cassetteStatus int

func (s *cassetteStatus) UnmarshalYAML(n *yaml.Node) error {
	if code := member(n, "code"); code != nil {
		return code.Decode((*int)(s))
	}
	return nil
}

// cassetteHeader is a header whose values are strings or lists of strings in YAML.
type cassetteHeader http.Header

func (h *cassetteHeader) UnmarshalYAML(n *yaml.Node) error {
	*h = cassetteHeader{}
	if n.Kind != yaml.MappingNode {
		return n.Decode(&map[string]string{}) // This says what it is.
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if len(name.Content) == 1 { // Python's aiohttp has names of a type of its own, which a list of one text makes.
			name = name.Content[0]
		}
		var list []string
		if value.Kind == yaml.ScalarNode {
			list = []string{value.Value}
		} else if err := value.Decode(&list); err != nil {
			return err
		}
		(*h)[name.Value] = append((*h)[name.Value], list...)
	}
	return nil
}

func readCassette(data []byte, a *fileImport) {
	doc, err := yamlDocument(data)
	if err != nil {
		a.unread("", err)
		return
	}
	list, _ := interactionsIn(doc)
	if len(list) == 0 {
		a.unread(fmt.Sprintf("line %d", doc.Line), errors.New("the cassette has no interaction"))
	}
	for i, n := range list {
		var in interaction
		var x *recording.Exchange
		err := plainYAML(n.Decode(&in))
		if err == nil {
			x, err = in.exchange()
		}
		a.add(fmt.Sprintf("line %d, interactions[%d]", n.Line, i), x, err)
	}
}

// interactionsIn are the calls in a cassette: those of its list or, where a file has one call, the file.
func interactionsIn(doc *yaml.Node) (list []*yaml.Node, ok bool) {
	if list := cmp.Or(member(doc, "interactions"), member(doc, "http_interactions")); list != nil {
		return list.Content, list.Kind == yaml.SequenceNode
	}
	return []*yaml.Node{doc}, member(doc, "request") != nil && member(doc, "response") != nil
}

func (in *interaction) exchange() (*recording.Exchange, error) {
	ask, answer := &in.Request, &in.Response
	c := call{
		method: ask.Method, url: cmp.Or(ask.URI, ask.URL), header: http.Header(ask.Headers),
		status: cmp.Or(answer.Code, answer.StatusCode, int(answer.Status)), answerHeader: http.Header(answer.Headers),
	}
	var err error
	if c.body, err = cassetteBody(&ask.Body, &ask.Parsed); err != nil {
		return nil, fmt.Errorf("request.body: %w", err)
	}
	if form, err := unbase64(string(c.body)); err == nil && bytes.HasPrefix(form, []byte("--")) {
		c.body = form // VCR.py does not say so where a form has bytes that are no text.
	}
	if answer.Body.Kind == 0 {
		answer.Body = answer.Content
	}
	if c.answer, err = cassetteBody(&answer.Body, &answer.Parsed); err != nil {
		return nil, fmt.Errorf("response.body: %w", err)
	}
	if c.headerAt, err = cassetteDuration(answer.Duration.Value); err != nil {
		return nil, err
	}
	return c.exchange()
}

// cassetteDuration reads the time until the header came: a Go duration or a number of
// nanoseconds; "" is 0.
func cassetteDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if n, number := strconv.ParseInt(text, 10, 64); number == nil {
		d, err = time.Duration(n), nil
	}
	if err != nil {
		return 0, fmt.Errorf("response.duration: %q is no duration", text)
	}
	return min(max(0, d), longest), nil
}

// cassetteBody reads a body: a text, bytes in base64 (!!binary), a mapping with one of
// these as string or base64_string, or the JSON body as YAML. If n is absent, that is parsed.
func cassetteBody(n, parsed *yaml.Node) ([]byte, error) {
	if n.Kind == 0 && parsed.Kind != 0 {
		var v any
		if err := parsed.Decode(&v); err != nil {
			return nil, plainYAML(err)
		}
		return json.Marshal(v)
	}
	switch n.Kind {
	case yaml.MappingNode:
		if text := member(n, "base64_string"); text != nil {
			return unbase64(text.Value)
		}
		if text := member(n, "string"); text != nil {
			return cassetteBody(text, parsed)
		}
		return cassetteBody(new(yaml.Node), n)
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return nil, nil
		}
		if n.ShortTag() == "!!binary" || n.Tag == "!binary" { // Ruby's is !binary.
			return unbase64(n.Value)
		}
		return []byte(n.Value), nil
	case yaml.AliasNode:
		if n.Alias.Kind == yaml.ScalarNode {
			return cassetteBody(n.Alias, parsed)
		}
	case 0:
		return nil, nil
	}
	return nil, errors.New("it is no text")
}
