package comparing

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// answer is the body of an answer, cut into events for comparing.
type answer struct {
	body   []byte
	stream bool // stream says that the body consists of server-sent events.
	events []event
}

// event is an event of a stream, or a whole body that is no stream.
type event struct {
	kind  string      // kind is what the event says: role, content, finish … See kindOf.
	json  ojson.Value // json is the data; absent if that is no JSON.
	data  string
	lines []line
}

// line is one line of an event.
type line struct {
	name, value string // name is the name of the field; "" for a comment.
	space       bool   // space says that a space follows the colon.
}

const byteOrderMark = "\xef\xbb\xbf"

// read cuts the body of an answer into events.
func read(p server.Plan) answer {
	var a answer
	for _, f := range p.Frames {
		a.body = append(a.body, f.Bytes...)
	}
	a.stream = strings.HasPrefix(p.Header.Get("Content-Type"), "text/event-stream")
	if !a.stream {
		e := event{kind: "body", data: string(a.body)}
		if v, err := ojson.Parse(a.body); err == nil {
			e.json = v
		}
		a.events = []event{e}
		return a
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(a.body), byteOrderMark))
	for part := range strings.SplitSeq(text, "\n\n") {
		if part = strings.Trim(part, "\n"); part != "" {
			a.events = append(a.events, eventOf(part))
		}
	}
	return a
}

func eventOf(text string) event {
	var e event
	var data []string
	name := ""
	for part := range strings.SplitSeq(text, "\n") {
		l := line{}
		l.name, l.value, _ = strings.Cut(part, ":")
		l.value, l.space = strings.CutPrefix(l.value, " ")
		e.lines = append(e.lines, l)
		switch l.name {
		case "data":
			data = append(data, l.value)
		case "event":
			name = l.value
		}
	}
	e.data = strings.Join(data, "\n")
	v, err := ojson.Parse([]byte(e.data))
	switch {
	case data == nil && name == "":
		e.kind = "comment"
		if slices.ContainsFunc(e.lines, func(l line) bool { return l.name != "" }) {
			e.kind = "no data"
		}
	case e.data == "[DONE]":
		e.kind = "[DONE]"
	case err != nil:
		e.kind = "no JSON"
	default:
		e.json, e.kind = v, kindOf(v)
	}
	return e
}

// kindOf returns the kind of an event by the content of its JSON.
func kindOf(v ojson.Value) string {
	if name := v.Get("type"); name.Kind() == ojson.StringKind {
		return name.Text() // an event of the Responses API
	}
	choices := v.Get("choices").Items()
	switch {
	case !v.Get("error").IsNullOrAbsent():
		return "error"
	case len(choices) == 0 && !v.Get("usage").IsNullOrAbsent():
		return "usage"
	case len(choices) == 0:
		return "chunk without choices"
	}
	kind := kindOfChoice(choices[0])
	if index, ok := choices[0].Get("index").Int(); ok && index > 0 {
		kind = fmt.Sprintf("%s of choice %d", kind, index)
	}
	return kind
}

func kindOfChoice(choice ojson.Value) string {
	delta := choice.Get("delta")
	calls := delta.Get("tool_calls").Items()
	switch {
	case !choice.Get("finish_reason").IsNullOrAbsent():
		return "finish"
	case len(calls) > 0 && !calls[0].Get("id").IsNullOrAbsent():
		return "tool call"
	case len(calls) > 0:
		return "arguments"
	case !delta.Get("role").IsNullOrAbsent() && delta.Get("content").Text() == "":
		return "role"
	}
	for _, m := range append(delta.Members(), ojson.M("text", choice.Get("text"))) {
		if m.Name != "role" && !m.Value.IsNullOrAbsent() {
			return m.Name
		}
	}
	return "empty delta"
}

// order compares the sequences of kinds of events. Several events of one kind in a row
// count as one, because the number of pieces of a text is no difference.
func (c *comparison) order(a, b answer) {
	was, is := a.kinds(), b.kinds()
	common := commonOf(was, is)
	after := "the start"
	for len(was)+len(is) > 0 {
		switch {
		case len(common) > 0 && len(was) > 0 && len(is) > 0 && was[0] == common[0] && is[0] == common[0]:
			after, was, is, common = common[0], was[1:], is[1:], common[1:]
		case len(was) > 0 && (len(common) == 0 || was[0] != common[0]):
			c.add(Order, was[0], "vanished after %s", after)
			was = was[1:]
		default:
			c.add(Order, is[0], "appeared after %s", after)
			is = is[1:]
		}
	}
}

// kinds returns the sequence of kinds of events, without repetitions and without
// comments, which belong to the framing.
func (a answer) kinds() []string {
	var list []string
	for _, e := range a.events {
		if e.kind != "comment" {
			list = append(list, e.kind)
		}
	}
	return slices.Compact(list)
}

// mostKinds is the number of kinds that commonOf compares; its time grows with the
// square.
const mostKinds = 2000

// commonOf returns the longest common subsequence of the beginnings of both lists.
func commonOf(a, b []string) []string {
	a, b = a[:min(len(a), mostKinds)], b[:min(len(b), mostKinds)]
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); x == y {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	var common []string
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common = append(common, a[i])
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}

// lineEnds names the line ends in the body: LF, CR LF, CR.
func (a answer) lineEnds() string {
	crlf := bytes.Count(a.body, []byte("\r\n"))
	var list []string
	for _, end := range []struct {
		name  string
		count int
	}{{"LF", bytes.Count(a.body, []byte("\n")) - crlf}, {"CR LF", crlf}, {"CR", bytes.Count(a.body, []byte("\r")) - crlf}} {
		if end.count > 0 {
			list = append(list, end.name)
		}
	}
	return strings.Join(list, " and ")
}
