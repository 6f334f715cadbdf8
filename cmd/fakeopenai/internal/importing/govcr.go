package importing

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/server/recording"
)

// goVCRInteraction is a call in a cassette of go-vcr, versions 2 to 4.
type goVCRInteraction struct {
	Request struct {
		Body    string      `yaml:"body"`
		Headers http.Header `yaml:"headers"`
		URL     string      `yaml:"url"`
		Method  string      `yaml:"method"`
	} `yaml:"request"`
	Response struct {
		Body     string      `yaml:"body"`
		Headers  http.Header `yaml:"headers"`
		Code     int         `yaml:"code"`
		Duration yaml.Node   `yaml:"duration"`
	} `yaml:"response"`
}

// readGoVCR reads a cassette of go-vcr.
func readGoVCR(data []byte, a *adding) {
	eachInteraction(data, a, func(n *yaml.Node) (*recording.Exchange, error) {
		var in goVCRInteraction
		if err := n.Decode(&in); err != nil {
			return nil, plainYAML(err)
		}
		took, err := goVCRDuration(in.Response.Duration.Value)
		if err != nil {
			return nil, err
		}
		c := call{
			method: in.Request.Method, url: in.Request.URL, header: in.Request.Headers, body: []byte(in.Request.Body),
			status: in.Response.Code, answerHeader: in.Response.Headers, answer: []byte(in.Response.Body), headerAt: took,
		}
		return c.exchange()
	})
}

// goVCRDuration reads the time until the header came: a Go duration or a number of
// nanoseconds; "" is 0.
func goVCRDuration(text string) (time.Duration, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return min(max(0, time.Duration(n)), longest), nil
	}
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("response.duration: %q is no duration", text)
	}
	return min(max(0, d), longest), nil
}

// eachInteraction calls read for each interaction of a cassette.
func eachInteraction(data []byte, a *adding, read func(*yaml.Node) (*recording.Exchange, error)) {
	doc, err := yamlDocument(data)
	if err != nil {
		a.unread("", err)
		return
	}
	list := items(member(doc, "interactions"))
	if len(list) == 0 {
		a.unread(fmt.Sprintf("line %d", doc.Line), errNoInteraction)
	}
	for i, n := range list {
		x, err := read(n)
		a.add(fmt.Sprintf("line %d, interactions[%d]", n.Line, i), x, err)
	}
}
