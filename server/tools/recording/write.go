package recording

import (
	"net/http"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Writing says how exchanges are written as scenarios, where there is a choice.
type Writing struct {
	// AnyModel also writes what the server would otherwise choose by the model that is asked for,
	// for scenarios without a condition on the model.
	AnyModel bool
	before   *before // before is what was written before; nil remembers nothing.
}

// Write is [Writing.Write] of the zero Writing.
func Write(x *Exchange, name string) (*scenarios.Scenario, error) { return Writing{}.Write(x, name) }

// Write turns an exchange into a scenario of this name, without conditions. For the same
// request the scenario gives the same status, bytes and ending, with pauses that differ
// by less than a millisecond. The error says why no scenario can do that.
func (how Writing) Write(x *Exchange, name string) (*scenarios.Scenario, error) {
	base := scenarios.Scenario{Name: name}
	if how.before == nil {
		how.before = new(before)
	}
	base.When = addressed(requestOf(x))
	switch {
	case x.TooLong:
		return nil, ErrTooLong
	case x.Status == 0:
		base.End = scenarios.End{Kind: scenarios.EndRefuse, Reset: x.Ending == EndedReset}
		base.Replies = []scenarios.Reply{{Stream: &[]scenarios.Step{}}}
		return &base, nil
	case x.IsStream() && !slices.Contains(scenarios.WholeSurfaces(), x.surface()):
		sc, err := streamScenario(x, base)
		return how.pinned(sc, x), err
	}
	sc, err := how.bodyScenario(x, base)
	return how.pinned(sc, x), err
}

// pinned returns the scenario of an exchange with edits that keep members of the answer as they were recorded when a
// request asks for another model.
func (how Writing) pinned(sc *scenarios.Scenario, x *Exchange) *scenarios.Scenario {
	if sc == nil || !how.AnyModel || !speaksItems(sc.When.Surface) || sc.Wire.Body != nil {
		return sc
	}
	response := responseIn(x)
	for _, name := range []string{"reasoning", "top_p"} {
		if v := response.Get(name); !v.IsAbsent() {
			addEdit(&sc.Envelope.Omit, &sc.Envelope.Set, ojson.Path{{Name: name}}, v)
		}
	}
	return sc
}

// bodyStyles are the JSON styles in which servers write a whole body.
func bodyStyles() []*scenarios.JSONStyle {
	var list []*scenarios.JSONStyle
	for i := range styles {
		list = append(list, &styles[i])
	}
	return append(list, &scenarios.JSONStyle{Indent: 2}, &scenarios.JSONStyle{Indent: 4})
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
