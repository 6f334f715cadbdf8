package recording

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Writing says how exchanges are written as scenarios, where there is a choice.
type Writing struct {
	// AsMessage writes a stream as a message if the message sends the same events in the
	// same layout, except for the values of obfuscation and the places where texts are
	// cut. Its chunks are spaced evenly between the times of the first and the last one.
	AsMessage bool

	// asFile says that each try is written as YAML and loaded again, which takes far longer.
	asFile bool
}

// Write is [Writing.Write] of the zero Writing.
func Write(x *Exchange, name string) (*scenarios.Scenario, error) { return Writing{}.Write(x, name) }

// Write turns an exchange into a scenario of this name, without conditions. For the same
// request the scenario gives the same status, bytes and ending, with pauses that differ
// by less than a millisecond, except for what AsMessage changes. The error says why no
// scenario can do that.
func (how Writing) Write(x *Exchange, name string) (*scenarios.Scenario, error) {
	sc, err := how.write(x, name)
	if err == nil && sameAsFile(sc, x) {
		return sc, nil
	}
	how.asFile = true // No file can hold a value of it. The search in files finds other words for that event.
	return how.write(x, name)
}

func (how Writing) write(x *Exchange, name string) (*scenarios.Scenario, error) {
	base := scenarios.Scenario{Name: name}
	if surface, ok := surfaceOf(x.Path); ok && surface != scenarios.DefaultSurface {
		base.When.Surface = surface
	}
	switch {
	case x.Status == 0:
		base.End = scenarios.End{Kind: scenarios.EndRefuse, Reset: x.Ending == EndedReset}
		base.Replies = []scenarios.Reply{{Stream: &[]scenarios.Step{}}}
		return &base, nil
	case x.IsStream():
		return how.streamScenario(x, base)
	case x.Status >= http.StatusBadRequest:
		if sc, ok := how.errorScenario(x, base); ok {
			return sc, nil
		}
	}
	if sc, ok := how.bodyMessage(x, base); ok {
		return sc, how.writeHeader(sc, x, "application/json")
	}
	return how.bodyScenario(x, base)
}

// errorScenario is an HTTP error with OpenAI's error object as a scenario; ok says that
// it gives the same bytes.
func (how Writing) errorScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, bool) {
	v, err := ojson.Parse(x.bodyBytes())
	if err != nil || v.Get("error").Kind() != ojson.ObjectKind || x.Ending != EndedComplete {
		return nil, false
	}
	e := errorOf(v)
	e.Status = x.Status
	base.Replies = []scenarios.Reply{{Error: &e}}
	for _, style := range append([]*scenarios.JSONStyle{nil}, bodyStyles()...) {
		base.Wire.JSONStyle = style
		answer, err := how.replay(&base, x)
		if err == nil && answer.status == x.Status && bytes.Equal(answer.body(), x.bodyBytes()) {
			e.Headers = headersOf(x, answer.header)
			if at := x.HeaderAt.Round(precision); at > 0 {
				base.Wire.HeaderDelay = &at
			}
			return &base, true
		}
	}
	return nil, false
}

// bodyStyles are the JSON styles in which servers write a whole body.
func bodyStyles() []*scenarios.JSONStyle {
	var list []*scenarios.JSONStyle
	for i := range styles {
		list = append(list, &styles[i])
	}
	return append(list, &scenarios.JSONStyle{Indent: 2}, &scenarios.JSONStyle{Indent: 4})
}

// bodyScenario is an answer in one piece as a scenario with the literal body.
func (how Writing) bodyScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, error) {
	body := literal(string(x.bodyBytes()))
	base.Wire.Body = &body
	base.End = endOf(x)
	base.Wire.HeaderDelay = x.wholeAt(len(body.Source))
	return &base, how.writeHeader(&base, x, "text/plain; charset=utf-8")
}

// wholeAt is the delay of a body of length bytes: when its last byte came, since a body
// that is not streamed is sent at once. Nil is no delay.
func (x *Exchange) wholeAt(length int) *time.Duration {
	if at := x.cameAt(length - 1).Round(precision); at > 0 {
		return &at
	}
	return nil
}

// writeHeader adds the header fields that the server does not send by itself; usual is
// the content type that it sends.
func (how Writing) writeHeader(sc *scenarios.Scenario, x *Exchange, usual string) error {
	sc.Wire.ContentType, sc.Wire.Status = unusual(x, usual)
	answer, err := how.replay(sc, x)
	if err != nil {
		return err
	}
	sc.Wire.Headers = headersOf(x, answer.header)
	_, err = how.replay(sc, x)
	return err
}

// unusual are the content type and the status of an answer, as far as they differ from the
// usual ones.
func unusual(x *Exchange, usual string) (contentType *scenarios.Text, status int) {
	if text := literal(x.AnswerHeader.Get("Content-Type")); text.Source != usual {
		contentType = &text
	}
	if x.Status != http.StatusOK {
		status = x.Status
	}
	return contentType, status
}

// unrecorded are header fields that belong to the connection or to the moment.
var unrecorded = []string{
	"Age", "Alt-Svc", "Cf-Cache-Status", "Cf-Ray", "Connection", "Content-Encoding", "Content-Length", "Date", "Keep-Alive", "Nel", "Report-To",
	"Server-Timing", "Set-Cookie", "Trailer", "Transfer-Encoding", "Upgrade", "Via",
}

// sentAnyway reports whether the server may send a field with any answer by itself.
func sentAnyway(name string) bool {
	return strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Access-Control-") ||
		slices.Contains([]string{"Openai-Organization", "Openai-Processing-Ms", "Openai-Version", "X-Content-Type-Options"}, name)
}

// headersOf are the header fields of the answer that differ from own, those that the
// server sends by itself, in alphabetical order. In an answer that is no error, a field
// that the server sends by itself counts as equal whatever its value, such as the rest
// of a rate limit.
func headersOf(x *Exchange, own http.Header) []scenarios.Header {
	var list []scenarios.Header
	for name, values := range x.AnswerHeader {
		value := strings.Join(values, ", ")
		same := own.Get(name) == value || x.Status < http.StatusBadRequest && (own.Get(name) != "" || sentAnyway(name))
		if slices.Contains(unrecorded, name) || name == "X-Request-Id" || same {
			continue
		}
		list = append(list, scenarios.Header{Name: name, Value: literal(value)})
	}
	slices.SortFunc(list, func(a, b scenarios.Header) int { return strings.Compare(a.Name, b.Name) })
	return list
}
