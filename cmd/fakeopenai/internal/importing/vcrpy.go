package importing

import (
	"errors"
	"fmt"
	"net/http"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// errNoInteraction is the error for an empty cassette.
var errNoInteraction = errors.New("the cassette has no interaction")

// vcrPyInteraction is a call in a cassette of VCR.py.
type vcrPyInteraction struct {
	Request struct {
		Body    yaml.Node   `yaml:"body"`
		Headers vcrPyHeader `yaml:"headers"`
		Parsed  yaml.Node   `yaml:"parsed_body"` // Parsed is a JSON body written as YAML, by serializers for readable cassettes.
		Method  string      `yaml:"method"`
		URI     string      `yaml:"uri"`
	} `yaml:"request"`
	Response struct {
		Body    yaml.Node   `yaml:"body"`
		Headers vcrPyHeader `yaml:"headers"`
		Parsed  yaml.Node   `yaml:"parsed_body"`
		Status  struct {
			Code int `yaml:"code"`
		} `yaml:"status"`
		StatusCode int `yaml:"status_code"` // StatusCode replaces Status in cassettes of httpx.
	} `yaml:"response"`
}

// vcrPyHeader is a header whose values are strings or lists of strings in YAML.
type vcrPyHeader http.Header

func (h *vcrPyHeader) UnmarshalYAML(n *yaml.Node) error {
	var fields map[string]yaml.Node
	if err := n.Decode(&fields); err != nil {
		return err
	}
	*h = vcrPyHeader{}
	for name, value := range fields {
		var list []string
		if value.Kind == yaml.ScalarNode {
			list = []string{value.Value}
		} else if err := value.Decode(&list); err != nil {
			return err
		}
		for _, v := range list {
			http.Header(*h).Add(name, v)
		}
	}
	return nil
}

// readVCRPy reads a cassette of VCR.py, in YAML or in JSON.
func readVCRPy(data []byte, a *adding) {
	eachInteraction(data, a, func(n *yaml.Node) (*recording.Exchange, error) {
		var in vcrPyInteraction
		if err := n.Decode(&in); err != nil {
			return nil, plainYAML(err)
		}
		body, err := vcrPyBody(&in.Request.Body, &in.Request.Parsed)
		if err != nil {
			return nil, fmt.Errorf("request.body: %w", err)
		}
		answer, err := vcrPyBody(&in.Response.Body, &in.Response.Parsed)
		if err != nil {
			return nil, fmt.Errorf("response.body: %w", err)
		}
		c := call{
			method: in.Request.Method, url: in.Request.URI, header: http.Header(in.Request.Headers), body: body,
			status: in.Response.Status.Code, answerHeader: http.Header(in.Response.Headers), answer: answer,
		}
		if c.status == 0 {
			c.status = in.Response.StatusCode
		}
		return c.exchange()
	})
}

// vcrPyBody reads a body: a text, bytes in base64 (!!binary), or a mapping with one of
// these as string or base64_string. If n is absent, parsed is the JSON body as YAML.
func vcrPyBody(n, parsed *yaml.Node) ([]byte, error) {
	if n.Kind == 0 && parsed.Kind != 0 {
		v, err := jsonOf(parsed, 0)
		return v.Append(nil), err
	}
	switch n.Kind {
	case yaml.MappingNode:
		if text := member(n, "base64_string"); text != nil {
			return unbase64(text.Value)
		}
		if text := member(n, "string"); text != nil {
			return vcrPyBody(text, parsed)
		}
		return nil, errors.New("it has neither string nor base64_string")
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return nil, nil
		}
		if n.ShortTag() == "!!binary" {
			return unbase64(n.Value)
		}
		return []byte(n.Value), nil
	case yaml.AliasNode:
		if n.Alias.Kind == yaml.ScalarNode {
			return vcrPyBody(n.Alias, parsed)
		}
	case 0:
		return nil, nil
	}
	return nil, errors.New("it is no text")
}

// deepest is the largest depth of nested YAML.
const deepest = 100

// jsonOf converts a YAML value to JSON.
func jsonOf(n *yaml.Node, depth int) (ojson.Value, error) {
	if depth > deepest {
		return ojson.Value{}, errors.New("it nests too deep")
	}
	switch n.Kind {
	case yaml.MappingNode:
		var members []ojson.Member
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := jsonOf(n.Content[i+1], depth+1)
			if err != nil {
				return v, err
			}
			members = append(members, ojson.M(n.Content[i].Value, v))
		}
		return ojson.Object(members...), nil
	case yaml.SequenceNode:
		var items []ojson.Value
		for _, item := range n.Content {
			v, err := jsonOf(item, depth+1)
			if err != nil {
				return v, err
			}
			items = append(items, v)
		}
		return ojson.Array(items...), nil
	case yaml.ScalarNode:
		return jsonScalar(n), nil
	}
	return ojson.Value{}, fmt.Errorf("line %d: aliases are not read; write out what they stand for", n.Line)
}

// jsonScalar converts a scalar. Numbers in forms that JSON lacks become strings.
func jsonScalar(n *yaml.Node) ojson.Value {
	switch n.ShortTag() {
	case "!!null":
		return ojson.Null()
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return ojson.Bool(b)
		}
	case "!!int", "!!float":
		if v, err := ojson.Parse([]byte(n.Value)); err == nil {
			return v
		}
	}
	return ojson.String(n.Value)
}
