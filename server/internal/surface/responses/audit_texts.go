package responses

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

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
	if isPart && verb == "added" {
		a.openedPart(e.Get("part"), i, list)
	}
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

// openedPart checks that a part is opened empty, and is of a type that the list can have.
func (a *audit) openedPart(part ojson.Value, i *heard, list string) {
	known := func(of *textKind) bool {
		return of.item == i.kind && of.list() == list && of.part == part.Get("type").Text()
	}
	if !slices.ContainsFunc(textKinds, known) {
		a.report("event-incomplete", "the type of the part is %s, which the %s of a %s does not have", inWordsOf(part.Get("type")), list, diag.Shorten(i.kind))
	}
	if textIn(part).Text() != "" {
		a.report("opened-with-content", "the part is opened with its text")
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

// closed notes that a part or an item with this text is closed.
func (a *audit) closed(text *spelled, name string) {
	if !text.done {
		a.report("text-not-done", "%s comes, and no event told the whole text", name)
	}
	text.done = true
}

func (a *audit) annotation(e ojson.Value, p *heardPart) {
	if n, ok := e.Get("annotation_index").Int(); !ok || n != int64(len(p.annotations.Items())) {
		a.report("annotation-index-wrong", "the annotation_index is %s, and %d were added", inWordsOf(e.Get("annotation_index")), len(p.annotations.Items()))
	}
	p.annotations.Push(e.Get("annotation"))
}

func (a *audit) course(e ojson.Value, i *heard, name string) {
	stage := ItemNamed(i.kind).Stage(name)
	switch {
	case stage < 0:
		a.report("item-events-wrong", "%s is no event of a %s", name, diag.Shorten(i.kind))
		return
	case stage < i.stage:
		a.report("item-events-wrong", "%s comes after a later event of its item", name)
		return
	case slices.Contains(i.course, name) && ItemNamed(i.kind).isOnce(name):
		a.report("item-events-wrong", "%s comes a second time", name)
	}
	i.stage = stage
	i.course = append(i.course, name)
	at := strings.LastIndexByte(name, '.')
	n, _ := e.Get("command_index").Int()
	text := i.textOf(name[:at], n)
	switch delta := e.Get("delta"); {
	case name[at+1:] == "done" && !textIn(e).IsAbsent():
		a.same(text, textIn(e), name)
	case delta.Kind() == ojson.StringKind:
		text.WriteString(delta.Text())
	case delta.Kind() == ojson.RawKind:
		text.open = true
	}
}

// textOf returns the text that events with this beginning of their names spell; n counts
// several of them.
func (i *heard) textOf(events string, n int64) *spelled {
	key := fmt.Sprint(events, n)
	if i.texts[key] == nil {
		i.texts[key] = &spelled{}
	}
	return i.texts[key]
}

// closeCourse compares the texts of a closed item with those of the deltas before.
func (a *audit) closeCourse(i *heard, item ojson.Value) {
	t := ItemNamed(i.kind)
	for _, text := range t.Streamed(item) {
		if text.Of != "" {
			heard := i.textOf(text.Of, int64(text.At))
			a.same(heard, text.Value, "output_item.done")
			heard.Reset()
		}
	}
	for _, key := range slices.Sorted(maps.Keys(i.texts)) { // texts of deltas that the item does not have
		a.same(i.texts[key], ojson.Value{}, "output_item.done")
	}
	for _, name := range t.announces(t.outcome(item)) {
		if !slices.Contains(i.course, name) {
			a.report("item-events-wrong", "the item is closed, and there was no %s", name)
			return
		}
	}
}
