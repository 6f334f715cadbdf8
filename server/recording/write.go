package recording

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/recording/internal/wording"
)

// Writing says how exchanges are written as scenarios, where there is a choice.
type Writing struct {
	// AsMessage writes a stream as a message, where that is what it is a way to send: the
	// message then sends the same events, in the same layout, but for the values of
	// obfuscation and for where texts are cut. Its chunks come as evenly as they can
	// between the first and the last that were recorded.
	AsMessage bool
	// KeepWrites cuts a stream into the writes in which its bytes came, as far as the
	// network left them apart. Its pauses are then those between the writes. It goes
	// without AsMessage.
	KeepWrites bool
}

// Write is [Writing.Write] without choices.
func Write(x *Exchange, name string) (*scenarios.Scenario, error) { return Writing{}.Write(x, name) }

// Write is an exchange as a scenario of this name, without conditions. Played to
// the same request it gives the same status, the same bytes and the same ending, and
// pauses that differ by less than a millisecond, but for what the choices give up. The
// error says why no scenario gives them.
func (how Writing) Write(x *Exchange, name string) (*scenarios.Scenario, error) {
	base := scenarios.Scenario{Name: name}
	if surface, ok := surfaceOf(x.Path); ok && surface != chatSurface {
		base.When.Surface = surface
	}
	contentType := x.AnswerHeader.Get("Content-Type")
	switch kind, _, _ := mime.ParseMediaType(contentType); {
	case x.Status == 0:
		base.End = scenarios.End{Kind: scenarios.EndRefuse, Reset: x.Ending == EndedReset}
		base.Replies = []scenarios.Reply{{Stream: &[]scenarios.Step{}}}
		return &base, nil
	case kind == "text/event-stream":
		sc, err := how.streamScenario(x, base)
		if err == nil {
			err = writeHeader(sc, x, "text/event-stream; charset=utf-8")
		}
		return sc, err
	case x.Status >= http.StatusBadRequest:
		if sc, ok := errorScenario(x, base); ok {
			return sc, nil
		}
	}
	if sc, ok := bodyMessage(x, base); ok {
		return sc, writeHeader(sc, x, "application/json")
	}
	return bodyScenario(x, base)
}

// errorScenario is an HTTP error with OpenAI's error object; ok says that it gives
// the same bytes.
func errorScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, bool) {
	v, err := ojson.Parse(x.bodyBytes())
	if err != nil || v.Get("error").Kind() != ojson.ObjectKind || x.Ending != EndedComplete {
		return nil, false
	}
	e := wording.Error(v)
	e.Status = x.Status
	base.Replies = []scenarios.Reply{{Error: &e}}
	for _, style := range append([]*scenarios.JSONStyle{nil}, bodyStyles()...) {
		base.Wire.JSONStyle = style
		answer, err := replay(&base, x)
		if err == nil && answer.status == x.Status && bytes.Equal(answer.body(), x.bodyBytes()) {
			e.Headers = headersOf(x, answer.header, "application/json")
			if at := x.HeaderAt.Round(precision); at > 0 {
				base.Wire.HeaderDelay = &at
			}
			return &base, true
		}
	}
	return nil, false
}

// bodyStyles are the ways in which servers write a whole body.
func bodyStyles() []*scenarios.JSONStyle {
	var list []*scenarios.JSONStyle
	for i := range styles {
		list = append(list, &styles[i])
	}
	return append(list, &scenarios.JSONStyle{Indent: 2}, &scenarios.JSONStyle{Indent: 4})
}

// bodyScenario is an answer in one piece: its body as it is.
func bodyScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, error) {
	body := wording.Literal(string(x.bodyBytes()))
	base.Wire.Body = &body
	if x.Status != http.StatusOK {
		base.Wire.Status = x.Status
	}
	s := stream{exchange: x, base: base}
	s.ending()
	base = s.base
	base.Wire.HeaderDelay = x.wholeAt(len(body.Source))
	return &base, writeHeader(&base, x, "text/plain; charset=utf-8")
}

// wholeAt is when the last byte of a body of so many came, as a delay: what is not
// streamed comes at once. Nil is none.
func (x *Exchange) wholeAt(length int) *time.Duration {
	if at := x.cameAt(length - 1).Round(precision); at > 0 {
		return &at
	}
	return nil
}

// writeHeader writes the fields of the answer's header that the server does not send
// by itself; usual is the content type that needs no word.
func writeHeader(sc *scenarios.Scenario, x *Exchange, usual string) error {
	if contentType := x.AnswerHeader.Get("Content-Type"); contentType != usual {
		text := wording.Literal(contentType)
		sc.Wire.ContentType = &text
	}
	if x.Status != http.StatusOK {
		sc.Wire.Status = x.Status
	}
	answer, err := replay(sc, x)
	if err != nil {
		return err
	}
	sc.Wire.Headers = headersOf(x, answer.header, x.AnswerHeader.Get("Content-Type"))
	_, err = replay(sc, x)
	return err
}

// unrecorded are the fields of a header that belong to the connection or to the
// moment.
var unrecorded = []string{
	"Age", "Alt-Svc", "Cf-Cache-Status", "Cf-Ray", "Connection", "Content-Encoding", "Content-Length", "Date", "Keep-Alive", "Nel", "Report-To",
	"Server-Timing", "Set-Cookie", "Trailer", "Transfer-Encoding", "Upgrade", "Via",
}

// sentAnyway reports whether the server sends a field beside each answer, although no
// scenario says so.
func sentAnyway(name string) bool {
	return strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Access-Control-") ||
		slices.Contains([]string{"Openai-Organization", "Openai-Processing-Ms", "Openai-Version", "X-Content-Type-Options"}, name)
}

// headersOf are the fields of the answer's header that are no others than the
// server's own, in alphabetical order. In an answer that is no error, what the
// server sends by itself counts as the same: ids of requests, what is left of a
// limit.
func headersOf(x *Exchange, own http.Header, contentType string) []scenarios.Header {
	var list []scenarios.Header
	for name, values := range x.AnswerHeader {
		value := strings.Join(values, ", ")
		same := own.Get(name) == value || x.Status < http.StatusBadRequest && (own.Get(name) != "" || sentAnyway(name))
		if slices.Contains(unrecorded, name) || name == "X-Request-Id" || name == "Content-Type" && value == contentType || same {
			continue
		}
		list = append(list, scenarios.Header{Name: name, Value: wording.Literal(value)})
	}
	slices.SortFunc(list, func(a, b scenarios.Header) int { return strings.Compare(a.Name, b.Name) })
	return list
}
