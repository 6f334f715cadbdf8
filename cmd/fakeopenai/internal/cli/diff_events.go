package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// answer is the body of an answer, cut into events for comparing.
type answer struct {
	body   []byte
	stream bool // stream says that the body consists of server-sent events.
	events []event
}

// event is a block of a stream, or a whole body that is no stream.
type event struct {
	server.Block
	kind   string      // kind is what the event says: role, content, finish … See kindOf.
	choice int         // choice is the number of the choice that the event speaks for; -1 for none.
	json   ojson.Value // json is the data; absent if that is no JSON.
	data   string
}

func readAnswer(p server.Plan) answer {
	a := answer{body: bodyOf(p)}
	kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
	a.stream = kind == "text/event-stream"
	if !a.stream {
		e := event{kind: "body", data: string(a.body)}
		if v, err := ojson.Parse(a.body); err == nil {
			e.json = v
		}
		a.events = []event{e}
		return a
	}
	for _, b := range server.Blocks(a.body) {
		if !b.Blank() {
			a.events = append(a.events, eventOf(b))
		}
	}
	return a
}

func bodyOf(p server.Plan) (body []byte) {
	for _, f := range p.Frames {
		body = append(body, f.Bytes...)
	}
	return body
}

func eventOf(b server.Block) event {
	e := event{Block: b, choice: -1}
	data, hasData := b.Data()
	name, _ := b.Event()
	v, err := ojson.Parse([]byte(data))
	switch {
	case !hasData && name == "":
		e.kind = "comment"
		if slices.ContainsFunc(slices.Collect(b.Lines()), func(l server.Line) bool { return l.Name != "" }) {
			e.kind = "no data"
		}
	case data == "[DONE]":
		e.kind = "[DONE]"
	case err != nil:
		e.kind = "no JSON"
	default:
		e.json = v
		e.kind, e.choice = kindOf(v)
	}
	e.data = data
	return e
}

// kindOf returns the kind of an event by the content of its JSON, and the choice that it speaks for; -1 for
// none.
func kindOf(v ojson.Value) (kind string, choice int) {
	if name := v.Get("type"); name.Kind() == ojson.StringKind {
		return name.Text(), -1 // an event of the Responses API
	}
	if !v.Get("error").IsNullOrAbsent() {
		return "error", -1
	}
	said := firstChoice(server.Hear(v))
	switch {
	case said == nil && !v.Get("usage").IsNullOrAbsent():
		return "usage", -1
	case said == nil:
		return "chunk without choices", -1
	}
	kind, choice = mainKind(said), said[0].Choice
	if choice > 0 {
		kind = fmt.Sprintf("%s of choice %d", kind, choice)
	}
	return kind, choice
}

// mainKind returns the kind of what a choice says in the main: its finish or a call rather
// than a text, and a role only if there is no text beside it.
func mainKind(said []server.Said) string {
	of := func(kinds ...string) int {
		return slices.IndexFunc(said, func(s server.Said) bool { return slices.Contains(kinds, s.Kind) })
	}
	for _, i := range []int{of("finish"), of(server.SaidCall, server.SaidArguments)} {
		if i >= 0 {
			return said[i].Kind
		}
	}
	role, content := of("role"), of("content")
	if role >= 0 && (content < 0 || said[content].Text == "") {
		return said[role].Kind
	}
	return said[(role+1)%len(said)].Kind
}

// order compares the sequences of kinds of events, those of each choice by themselves: choices
// come by turns in any order. Several events of one kind in a row
// count as one, because the number of pieces of a text is no difference.
func (c *comparison) order(a, b answer) {
	after := "the start"
	was, is := a.byChoice(), b.byChoice()
	if bytes.Equal(was.kinds(), is.kinds()) && !bytes.Equal(a.kinds(), b.kinds()) {
		c.add(kindOrder, "choices", "come by turns in another order; each by itself is the same")
	}
	found := diff.Diff("was", was.kinds(), "is", is.kinds())
	_, found, _ = bytes.Cut(found, []byte("+++ is\n")) // the head ends with it
	for line := range bytes.Lines(found) {
		kind, _, _ := strings.Cut(string(line[1:]), "\t")
		switch line[0] {
		case '-':
			c.add(kindOrder, kind, "vanished after %s", after)
		case '+':
			c.add(kindOrder, kind, "appeared after %s", after)
		case ' ':
			after = kind
		}
	}
}

// byChoice returns the answer without comments, and with events in a row that speak for choices in the order
// of these.
func (a answer) byChoice() answer {
	a.events = slices.DeleteFunc(slices.Clone(a.events), func(e event) bool { return e.kind == "comment" })
	for from := 0; from < len(a.events); from++ {
		to := from
		for to < len(a.events) && a.events[to].choice >= 0 {
			to++
		}
		slices.SortStableFunc(a.events[from:to], func(x, y event) int { return cmp.Compare(x.choice, y.choice) })
		from = to
	}
	return a
}

// kinds returns the kinds of events, one on each line, without repetitions and without
// comments, which belong to the framing. After a tab stands how often the kind was there
// before, because a diff finds what two texts share by lines that they have only once.
func (a answer) kinds() []byte {
	var text []byte
	times, last := map[string]int{}, ""
	for _, e := range a.events {
		if e.kind != "comment" && e.kind != last {
			text = fmt.Appendf(text, "%s\t%d\n", strings.NewReplacer("\t", " ", "\n", " ").Replace(e.kind), times[e.kind])
			times[e.kind]++
			last = e.kind
		}
	}
	return text
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
