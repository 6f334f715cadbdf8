package responses

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// audit follows the events of one stream as a strict client does. It reports events that come
// in a wrong order, and events that repeat earlier ones with other values.
type audit struct {
	tell     lint.Report
	id       scenarios.Opt[scenarios.Text] // id is the response's id in the envelope.
	group    *script.Group                 // group is the group of the current event.
	number   int                           // number is the sequence number that the next event should have.
	openers  []string                      // openers has the names of the events so far that a stream begins with.
	started  bool                          // started says that another event came after them.
	response ojson.Value                   // response is the id of the response so far.
	items    map[string]*heard             // items are the items so far, by their ids.
	order    []*heard                      // order has the same items.
	over     bool                          // over says that the event came that ends the answer.
	// why is the finish reason in the script; status and reason are those of a response with it.
	why, status, reason string
}

// heard is an item as its events so far tell it.
type heard struct {
	index  int64
	id     string
	closed bool
	parts  map[string][]*heardPart // parts are the parts so far, by "content" and "summary".
	kind   string                  // kind is the type of the item.
	text   spelled                 // text is the text of the deltas of a call.
	course []string                // course has the names of the events between output_item.added and output_item.done.
	stage  int                     // stage is the position in the item's course that the events have reached.
	texts  map[string]*spelled     // texts are the texts of the deltas in the course; see textOf.
	done   ojson.Value             // done is the item in output_item.done.
	group  *script.Group
}

// heardPart is a part as its events so far tell it.
type heardPart struct {
	closed      bool
	text        spelled
	annotations ojson.Value // annotations are the annotations so far.
}

// spelled is the text of deltas. Open says that only a request tells some of it; done says that
// an event has repeated the whole of it.
type spelled struct {
	strings.Builder
	open, done bool
}

func (a *audit) report(rule, format string, args ...any) {
	a.tell(rule, lint.At(a.group, format, args...))
}

// hear checks one event, which comes from the group.
func (a *audit) hear(e ojson.Value, g *script.Group) {
	first := a.group == nil
	a.group = g
	kind := e.Get("type").Text()
	name := strings.TrimPrefix(kind, "response.")
	a.checkNumber(e, kind)
	if a.over {
		a.report("event-after-end", "%s comes after the event that ends the answer", diag.Shorten(kind))
		return
	}
	if kind != "response.created" && first {
		a.report("event-before-created", "%s comes before response.created", diag.Shorten(kind))
	}
	a.begin(e, name)
	if _, known := required[name]; !known {
		a.report("unknown-event", "there is no event %s", diag.Shorten(kind))
		return
	}
	a.members(e, name)
	if statusesOf(name) != nil {
		a.checkStatus(e.Get("response"), name)
	}
	switch {
	case name == "output_item.added":
		a.open(e)
	case name == "output_item.done":
		a.close(e)
	case name == "completed" || name == "incomplete" || name == "failed":
		a.end(e, name)
	case strings.Contains(name, "."):
		a.inside(e, name)
	}
}

func (a *audit) checkNumber(e ojson.Value, kind string) {
	n, ok := e.Get("sequence_number").Int()
	switch {
	case !ok:
		a.report("sequence-number-wrong", "%s has no sequence_number", diag.Shorten(kind))
		n = int64(a.number)
	case n != int64(a.number):
		a.report("sequence-number-wrong", "the sequence_number of %s is %d, not %d", diag.Shorten(kind), n, a.number)
	}
	a.number = int(n) + 1
}

func (a *audit) open(e ojson.Value) {
	id := e.Get("item").Get("id").Text()
	i := &heard{index: int64(len(a.order)), id: id, kind: e.Get("item").Get("type").Text(), group: a.group, texts: map[string]*spelled{}, parts: map[string][]*heardPart{}}
	if a.items[id] != nil {
		a.report("item-not-open", "the item %s is opened a second time", diag.Shorten(id))
	}
	a.index(e, i)
	a.items[id] = i
	a.order = append(a.order, i)
}

// index checks the output_index of an event of an item.
func (a *audit) index(e ojson.Value, i *heard) {
	if n, ok := e.Get("output_index").Int(); !ok || n != i.index {
		a.report("output-index-wrong", "the output_index is %s, and the item is number %d", inWordsOf(e.Get("output_index")), i.index)
	}
}

func inWordsOf(v ojson.Value) string {
	if v.IsAbsent() {
		return "missing"
	}
	return diag.Shorten(v.String())
}

// item returns the open item with an id; nil, with a report, if there is none.
func (a *audit) item(id ojson.Value) *heard {
	i := a.items[id.Text()]
	switch {
	case i == nil:
		a.report("item-not-open", "the item %s was not opened", inWordsOf(id))
		return nil
	case i.closed:
		a.report("item-not-open", "the item %s is closed", inWordsOf(id))
		return nil
	}
	return i
}

// inside checks an event inside of an item.
func (a *audit) inside(e ojson.Value, name string) {
	i := a.itemOf(e, name)
	if i == nil {
		return
	}
	a.index(e, i)
	if slices.Contains(inCourses, name) {
		a.course(e, i, name)
		return
	}
	dot := strings.LastIndexByte(name, '.')
	of, verb := name[:dot], name[dot+1:]
	if of == functionText.events || of == customText.events {
		a.spell(e, &i.text, verb)
		return
	}
	list := "content"
	if strings.HasPrefix(of, "reasoning_summary") {
		list = "summary"
	}
	isPart := of == answerText.partEvents() || of == summaryText.partEvents()
	index, isIndex := e.Get(list + "_index").Int()
	if isPart && verb == "added" && isIndex && index == int64(len(i.parts[list])) {
		i.parts[list] = append(i.parts[list], &heardPart{annotations: ojson.Array()})
		return
	}
	if isPart && verb == "added" || !isIndex || index < 0 || index >= int64(len(i.parts[list])) || i.parts[list][index].closed {
		a.report("part-not-open", "%s belongs to a part that is not open", name)
		return
	}
	switch p := i.parts[list][index]; {
	case isPart:
		p.closed = true
		a.closed(&p.text, name)
		if annotations := e.Get("part").Get("annotations"); !annotations.IsAbsent() && !ojson.Equal(annotations, p.annotations) {
			a.report("done-differs", "%s has other annotations than those that were added", name)
		}
		a.same(&p.text, textIn(e.Get("part")), name)
	case of == "output_text.annotation":
		a.annotation(e, p)
	default:
		a.spell(e, &p.text, verb)
	}
}

// spell adds a delta to a text, or compares the text with the whole text in a done event.
func (a *audit) spell(e ojson.Value, text *spelled, verb string) {
	if text.done {
		a.report("text-after-done", "%s comes after the event that told the whole text", strings.TrimPrefix(e.Get("type").Text(), "response."))
	}
	switch verb {
	case "delta":
		delta := e.Get("delta")
		text.open = text.open || delta.Kind() == ojson.RawKind
		text.WriteString(delta.Text())
	case "done":
		text.done = true
		a.same(text, textIn(e), e.Get("type").Text())
	}
}

func (a *audit) same(text *spelled, said ojson.Value, name string) {
	if !text.open && said.Text() != text.String() {
		a.report("done-differs", "%s says %s, and the events before it spell %s", strings.TrimPrefix(name, "response."),
			diag.Quote(diag.Shorten(said.Text())), diag.Quote(diag.Shorten(text.String())))
	}
}

// textIn returns the text in an event or a part, whatever its name.
func textIn(v ojson.Value) ojson.Value {
	for _, name := range []string{"text", "refusal", "arguments", "input", "code", "diff", "command"} {
		if text := v.Get(name); !text.IsAbsent() {
			return text
		}
	}
	return ojson.Value{}
}

// close checks output_item.done.
func (a *audit) close(e ojson.Value) {
	item := e.Get("item")
	i := a.item(item.Get("id"))
	if i == nil {
		return
	}
	a.index(e, i)
	i.closed, i.done = true, item
	if slices.ContainsFunc(slices.Concat(i.parts["summary"], i.parts["content"]), func(p *heardPart) bool { return !p.closed }) {
		a.report("part-not-closed", "the item is closed, and a part of it is still open")
	}
	switch i.kind {
	case hosted.Function, hosted.Custom:
		if arguments := textIn(item); !arguments.IsAbsent() {
			a.closed(&i.text, "output_item.done")
			a.same(&i.text, arguments, "output_item.done")
		}
	case hosted.Message, hosted.Reasoning:
		a.closeParts(i, item)
	default:
		a.closeCourse(i, item)
	}
}

// closeParts compares the parts of a closed item with those of the events before.
func (a *audit) closeParts(i *heard, item ojson.Value) {
	for _, list := range []string{"summary", "content"} {
		said, opened := item.Get(list).Items(), i.parts[list]
		if len(said) != len(opened) {
			a.report("done-differs", "the item has %d parts in its %s, and %d were opened", len(said), list, len(opened))
			continue
		}
		for n, part := range said {
			a.same(&opened[n].text, textIn(part), "output_item.done")
		}
	}
}

// end checks the last event. A failed response leaves its items open.
func (a *audit) end(e ojson.Value, name string) {
	a.over = true
	if name == "failed" {
		return
	}
	done := ojson.Array()
	for _, i := range a.order {
		if !i.closed {
			a.report("item-not-closed", "the answer ends, and its item %d is still open", i.index)
			continue
		}
		done.Push(i.done)
	}
	if output := e.Get("response").Get("output"); !ojson.Equal(output, done) {
		a.report("output-differs", "the output of the answer is not the items that were sent")
	}
}
