package compare

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// headOf returns the status, the headers and the ending of an answer.
func headOf(p journal.Plan) *node {
	n := &node{}
	n.set("status", fmt.Sprint(p.Status))
	n.set("end of the body", cmp.Or(p.End, "in order"))
	for name, values := range p.Header {
		value := "…"
		if !isVolatile(strings.ToLower(name)) {
			value = strconv.Quote(strings.Join(values, ", "))
		}
		n.set(name, value)
	}
	slices.Sort(n.order)
	return n
}

// isVolatile reports whether the value of a header field varies with each answer or account.
func isVolatile(name string) bool {
	switch name {
	case "date", "age", "set-cookie", "content-length", "etag", "cf-ray", "openai-organization", "openai-project",
		"openai-processing-ms", "server-timing", "x-envoy-upstream-service-time", "traceparent", "retry-after", "retry-after-ms":
		return true
	}
	return strings.HasPrefix(name, "x-ratelimit-") || strings.HasSuffix(name, "request-id") || strings.HasSuffix(name, "trace-id")
}

// body is the body of an answer, cut into events.
type body struct {
	bytes  []byte
	stream bool // stream says that the body consists of server-sent events.
	list   []event
}

// event is a block of a stream, or a whole body that is no stream.
type event struct {
	sse.Block
	kind   string      // kind is what the event says in the main: role, content, finish …
	choice int         // choice is the number of the choice that the event speaks for; -1 for none.
	json   ojson.Value // json is the data; absent if that is no JSON.
	data   string
}

func readAnswer(p journal.Plan) (b body) {
	for _, f := range p.Frames {
		b.bytes = append(b.bytes, f.Bytes...)
	}
	kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
	if b.stream = kind == "text/event-stream"; !b.stream {
		v, _ := ojson.Parse(b.bytes) // absent if it is no JSON
		b.list = []event{{kind: "body", data: string(b.bytes), json: v}}
	} else {
		for _, block := range sse.Blocks(b.bytes) {
			if !block.Blank() {
				b.list = append(b.list, eventOf(block))
			}
		}
	}
	return b
}

func eventOf(b sse.Block) event {
	e := event{Block: b, choice: -1}
	data, hasData := b.Data()
	name, _ := b.Event()
	v, err := ojson.Parse([]byte(data))
	switch e.data = data; {
	case !hasData && name == "" && hasLine(b, ""):
		e.kind = "comment"
	case !hasData && name == "":
		e.kind = "no data"
	case data == "[DONE]":
		e.kind = data
	case err != nil:
		e.kind = "no JSON"
	default:
		e.json = v
		e.kind, e.choice = kindOf(v)
	}
	return e
}

// kindOf returns what the JSON of an event says in the main, and the choice that it speaks for.
func kindOf(v ojson.Value) (kind string, choice int) {
	if name := v.Get("type"); name.Kind() == ojson.StringKind {
		return name.Text(), -1 // an event of the Responses API
	}
	if !v.Get("error").IsNullOrAbsent() {
		return "error", -1
	}
	said := surface.SaidIn(answer.Hear(v))
	if len(said) == 0 || said[0].Kind == "usage" {
		return cmp.Or(strings.Join(kindsOf(said), ""), "chunk without choices"), -1
	}
	choice = said[0].Choice
	said = slices.DeleteFunc(said, func(s surface.Said) bool { return s.Kind == "usage" || s.Choice != choice })
	kind = mainKind(said)
	if choice > 0 {
		kind = fmt.Sprintf("%s of choice %d", kind, choice)
	}
	return kind, choice
}

func kindsOf(said []surface.Said) (kinds []string) {
	for _, s := range said {
		kinds = append(kinds, s.Kind)
	}
	return kinds
}

// mainKind returns the kind of what a choice says in the main: its finish or a call rather than a text, and a role only
// if there is no text beside it.
func mainKind(said []surface.Said) string {
	kinds := kindsOf(said)
	for _, kind := range []string{"finish", surface.SaidCall, surface.SaidArguments} {
		if slices.Contains(kinds, kind) {
			return kind
		}
	}
	role, content := slices.Index(kinds, "role"), slices.Index(kinds, "content")
	if role >= 0 && (content < 0 || said[content].Text == "") {
		return "role"
	}
	return kinds[(role+1)%len(kinds)]
}

// events compares the kinds of events, their order and their JSON.
func (c *comparison) events(a, b body) {
	was, turns := a.kinds()
	is, otherTurns := b.kinds()
	if slices.Equal(was, is) && !slices.Equal(turns, otherTurns) {
		c.addDifference("", "choices", "come by turns in another order; each by itself is the same")
	}
	c.presence(was, is, "vanished")
	c.presence(is, was, "appeared")
	if was, is := differing(was, is); len(was) > 0 {
		c.addDifference("", "events", "have the order %s, was %s", names(is), names(was))
	}
	one, other := a.shapes(), b.shapes()
	for _, kind := range one.order {
		if other.kids[kind] != nil {
			c.nodes(kind, "", one.kids[kind], other.kids[kind])
		}
	}
}

// presence tells the kinds of events that the other list has not.
func (c *comparison) presence(kinds, other []string, what string) {
	for i, kind := range kinds {
		switch {
		case slices.Contains(other, kind):
		case i == 0:
			c.addDifference("", names(kinds[:1]), "%s after the start", what)
		default:
			c.addDifference("", names(kinds[i:i+1]), "%s after %s", what, names(kinds[i-1:i]))
		}
	}
}

// kinds returns the kinds of events with how often each came before: those of each choice by themselves, because
// choices come by turns in any order, and turn by turn. Events of one kind in a row count as one, because the number of
// pieces of a text is no difference.
func (b body) kinds() (sorted, turns []string) {
	list := slices.DeleteFunc(slices.Clone(b.list), func(e event) bool { return e.kind == "comment" })
	turns = numberRuns(list)
	for from := 0; from < len(list); from++ {
		to := from
		for to < len(list) && list[to].choice >= 0 {
			to++
		}
		slices.SortStableFunc(list[from:to], func(x, y event) int { return cmp.Compare(x.choice, y.choice) })
		from = to
	}
	return numberRuns(list), turns
}

func numberRuns(list []event) (kinds []string) {
	times, last := map[string]int{}, ""
	for _, e := range list {
		if e.kind != last {
			kinds = append(kinds, fmt.Sprintf("%s\t%d", e.kind, times[e.kind]))
			times[e.kind]++
			last = e.kind
		}
	}
	return kinds
}

// names returns kinds without their numbers.
func names(kinds []string) string {
	var list []string
	for _, kind := range kinds {
		name, _, _ := strings.Cut(kind, "\t")
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// shapes returns the structure of the JSON of all events of each kind.
func (b body) shapes() *node {
	all := &node{}
	for _, e := range b.list {
		if all.kids[e.kind] == nil {
			all.order = append(all.order, e.kind)
		}
		if n := all.kid(e.kind); e.json.IsAbsent() {
			n.forms = []string{"no JSON"}
			n.text.WriteString(e.data)
		} else {
			n.read("", e.json)
		}
	}
	return all
}

// read adds a value and everything below it. Name is that of the member.
func (n *node) read(name string, v ojson.Value) {
	n.visits++
	form := types[v.Kind()]
	if isName(name, v) {
		form = v.String()
	}
	n.forms = insertSorted(n.forms, form)
	switch v.Kind() {
	case ojson.StringKind:
		n.text.WriteString(v.Text())
	case ojson.ObjectKind:
		n.objects++
	}
	before := -1
	for _, child := range v.Members() {
		if at := slices.Index(n.order, child.Name); at >= 0 {
			before = max(before, at)
		} else {
			before++
			n.order = slices.Insert(n.order, before, child.Name)
		}
		n.kid(child.Name).read(child.Name, child.Value)
	}
	for i, item := range v.Items() {
		index := "[]"
		if name == "choices" {
			index = fmt.Sprintf("[%d]", i)
		}
		if !slices.Contains(n.order, index) {
			n.order = append(n.order, index)
		}
		n.kid(index).read("", item)
	}
}

// insertSorted returns a sorted list with the value added, unless it is there.
func insertSorted(list []string, value string) []string {
	if at, found := slices.BinarySearch(list, value); !found {
		return slices.Insert(list, at, value)
	}
	return list
}

var types = map[ojson.Kind]string{
	ojson.NullKind: "null", ojson.BoolKind: "a boolean", ojson.NumberKind: "a number",
	ojson.StringKind: "a string", ojson.ArrayKind: "a list", ojson.ObjectKind: "an object",
}

// isName reports whether the value of a member is a name of the protocol, and not content of the answer such as a text
// or a count.
func isName(name string, v ojson.Value) bool {
	switch name {
	case "object", "model", "role", "finish_reason", "type", "status", "code", "param", "service_tier", "reason":
		return v.Kind() == ojson.StringKind
	}
	return v.Kind() == ojson.BoolKind
}

// isContent reports whether the string at a place is content: it neither varies with each answer nor is a name of the
// protocol.
func isContent(place string) bool {
	name := place[strings.LastIndexByte(place, '.')+1:]
	return name != "id" && !strings.HasSuffix(name, "_id") && name != "obfuscation" && name != "system_fingerprint" && !isName(name, ojson.String(""))
}

// Has reports whether an answer has a text, in one event or over several, as it is written or as its JSON says it. Case
// does not matter.
func Has(p journal.Plan, text string) bool {
	b := readAnswer(p)
	text = strings.ToLower(text)
	return strings.Contains(strings.ToLower(string(b.bytes)), text) || b.shapes().has(text)
}

func (n *node) has(text string) bool {
	if strings.Contains(strings.ToLower(n.text.String()), text) {
		return true
	}
	for _, kid := range n.kids {
		if kid.has(text) {
			return true
		}
	}
	return false
}

// framing returns how an answer is written, with inLines as lines.
func (b body) framing(inLines bool) *node {
	n := &node{}
	n.set("JSON", b.jsonStyle())
	if !inLines {
		return n
	}
	var ends, spaces []string
	for _, e := range b.list {
		for l := range e.Lines() {
			if l.End != "" {
				ends = insertSorted(ends, strings.NewReplacer("\r\n", "CR LF", "\r", "CR", "\n", "LF").Replace(l.End))
			}
			if l.Name != "" && l.Value != "" {
				spaces = insertSorted(spaces, presence(l.Space))
			}
		}
	}
	n.set("ends of lines", cmp.Or(strings.Join(ends, " or "), "not there"))
	n.set("byte order mark", presence(bytes.HasPrefix(b.bytes, []byte(sse.ByteOrderMark))))
	n.set("blank line at the end", presence(len(b.list) > 0 && b.list[len(b.list)-1].Whole))
	n.set("space after the colon", cmp.Or(strings.Join(spaces, " and "), "not there"))
	n.set("data in several lines", b.howMany(func(e event) bool { return strings.Contains(e.data, "\n") }))
	n.set("comments", b.howMany(func(e event) bool { return hasLine(e.Block, "") }))
	for _, field := range []string{"event", "id", "retry"} {
		n.set(field+" lines", b.howMany(func(e event) bool { return hasLine(e.Block, field) }))
	}
	return n
}

func presence(is bool) string {
	if is {
		return "there"
	}
	return "not there"
}

func hasLine(b sse.Block, name string) bool {
	return slices.ContainsFunc(slices.Collect(b.Lines()), func(l sse.Line) bool { return l.Name == name && !l.Blank() })
}

// howMany says whether none, some or all events have something. The exact number would depend on how a text is cut.
func (b body) howMany(has func(event) bool) string {
	n := 0
	for _, e := range b.list {
		if has(e) {
			n++
		}
	}
	switch n {
	case 0:
		return "in no event"
	case len(b.list):
		return "in all events"
	}
	return "in some events"
}

func (b body) jsonStyle() string {
	var styles []string
	for _, e := range b.list {
		if e.json.Kind() == ojson.ObjectKind {
			styles = insertSorted(styles, styleOf(strings.TrimSpace(e.data), e.json))
		}
	}
	return cmp.Or(strings.Join(styles, " or "), "not there")
}

func styleOf(text string, v ojson.Value) string {
	for _, style := range []struct {
		name string
		ojson.Style
	}{
		{"compact", ojson.Style{}},
		{"compact, in ASCII", ojson.Style{ASCII: true}},
		{"compact, with HTML escaped", ojson.Style{HTML: true}},
		{"spaced", ojson.Style{Spaces: true}},
		{"spaced, in ASCII", ojson.Style{Spaces: true, ASCII: true}},
	} {
		if text == string(style.Append(nil, v)) {
			return style.name
		}
	}
	if strings.Contains(text, "\n") {
		return "in lines"
	}
	return "irregular"
}

const shownRunes = 60

func quote(text string) string {
	if utf8.RuneCountInString(text) <= shownRunes {
		return strconv.Quote(text)
	}
	return strconv.Quote(string([]rune(text)[:shownRunes])) + "…"
}
