package responses

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// inPart returns what checks an event of an open part in this list.
func inPart(list string, hear func(a *audit, e ojson.Value, p *heardPart, name string)) func(*audit, ojson.Value, *heard, string) {
	return func(a *audit, e ojson.Value, i *heard, name string) {
		index, ok := e.Get(list + "_index").Int()
		if parts := i.parts[list]; ok && index >= 0 && index < int64(len(parts)) && !parts[index].closed {
			hear(a, e, parts[index], name)
			return
		}
		a.report("part-not-open", "%s belongs to a part that is not open", name)
	}
}

// openPart returns what checks that an event opens the next part in this list, that it opens it empty, and that the part
// is of a type that the list can have.
func openPart(list string) func(*audit, ojson.Value, *heard, string) {
	return func(a *audit, e ojson.Value, i *heard, name string) {
		part := e.Get("part")
		known := func(of *textKind) bool {
			return of.item == i.kind && of.list() == list && of.part == part.Get("type").Text()
		}
		if !slices.ContainsFunc(textKinds, known) {
			a.report("event-incomplete", "the type of the part is %s, which the %s of a %s does not have", inWordsOf(part.Get("type")), list, diag.Shorten(i.kind))
		}
		if textIn(part).Text() != "" {
			a.report("opened-with-content", "the part is opened with its text")
		}
		if index, ok := e.Get(list + "_index").Int(); !ok || index != int64(len(i.parts[list])) {
			a.report("part-not-open", "%s belongs to a part that is not open", name)
			return
		}
		i.parts[list] = append(i.parts[list], &heardPart{annotations: ojson.Array()})
	}
}

// closePart checks the event that closes a part.
func (a *audit) closePart(e ojson.Value, p *heardPart, name string) {
	p.closed = true
	a.closed(&p.text, name)
	if annotations := e.Get("part").Get("annotations"); !annotations.IsAbsent() && !ojson.Equal(annotations, p.annotations) {
		a.report("done-differs", "%s has other annotations than those that were added", name)
	}
	a.same(&p.text, textIn(e.Get("part")), name)
}

// spell adds a delta to a text, or compares the text with the whole text in a done event.
func (a *audit) spell(e ojson.Value, p *heardPart, name string) {
	text, delta := &p.text, e.Get("delta")
	if text.done {
		a.report("text-after-done", "%s comes after the event that told the whole text", name)
	}
	if strings.HasSuffix(name, ".done") {
		text.done = true
		a.same(text, textIn(e), name)
		return
	}
	text.open = text.open || delta.Kind() == ojson.RawKind
	text.WriteString(delta.Text())
}

func (a *audit) same(text *spelled, said ojson.Value, name string) {
	if !text.open && said.Text() != text.String() {
		a.report("done-differs", "%s says %s, and the events before it spell %s", name,
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

func (a *audit) annotation(e ojson.Value, p *heardPart, _ string) {
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
