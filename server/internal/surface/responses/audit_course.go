package responses

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// itemOf returns the open item of an event; nil, with a report, if there is none. Some events
// have no item_id: their output_index names the item.
func (a *audit) itemOf(e ojson.Value, name string) *heard {
	id := e.Get("item_id")
	at, ok := e.Get("output_index").Int()
	if id.IsAbsent() && hosted.NamesNoItem(name) && ok && at >= 0 && at < int64(len(a.order)) {
		id = ojson.String(a.order[at].id)
	}
	return a.item(id)
}

// course checks an event in the course of an item.
func (a *audit) course(e ojson.Value, i *heard, name string) {
	stage := hosted.Named(i.kind).Stage(name)
	switch {
	case stage < 0:
		a.report("item-events-wrong", "%s is no event of a %s", name, diag.Shorten(i.kind))
		return
	case stage < i.stage:
		a.report("item-events-wrong", "%s comes after a later event of its item", name)
		return
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
	t := hosted.Named(i.kind)
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
	for _, name := range t.Always() {
		if !slices.Contains(i.course, name) {
			a.report("item-events-wrong", "the item is closed, and there was no %s", name)
			return
		}
	}
}
