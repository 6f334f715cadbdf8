package responses

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

var _ script.Itemizer = Surface{}

// CheckItem finds the mistakes in an item as the author wrote it.
func (Surface) CheckItem(item *scenarios.Item) (list diag.List) {
	var members []ojson.Member
	at := map[string]diag.Pos{"": item.Pos}
	for _, m := range item.Members {
		if !m.Foreign {
			members = append(members, ojson.M(m.Name, m.Value))
		}
		at[m.Name] = m.Pos
	}
	for _, p := range ItemProblems(ojson.Object(members...)) {
		list = append(list, diag.Problem{Pos: at[p.In], Message: p.Message, Hint: p.Hint})
	}
	return list
}

// Streamed returns the texts of an item that are sent in pieces.
func (Surface) Streamed(members ojson.Value) (list []script.StreamedText) {
	for _, text := range ItemNamed(members.Get("type").Text()).Streamed(members) {
		list = append(list, script.StreamedText{Value: text.Value, Whole: text.Whole})
	}
	return list
}

// includesOf returns the values of include in a request.
func includesOf(req *scenarios.Request) string {
	var names []string
	for _, v := range req.Body.Get("include").Items() {
		names = append(names, v.Text())
	}
	return includes(names)
}

// Include returns the want with more values of include.
func (Surface) Include(want script.Want, names []string) script.Want {
	want.Includes = includes(append(strings.Split(want.Includes, ","), names...))
	want.Logprobs = want.Logprobs || slices.Contains(names, includeLogprobs)
	return want
}

// includes returns the known ones of the names, in one order, for [script.Want].
func includes(names []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(included), func(name string) bool { return !slices.Contains(names, name) }), ",")
}

func (s *speaker) asks(include string) bool {
	return slices.Contains(strings.Split(s.options.Want.Includes, ","), include)
}

// saysItem writes all events of an item, or opens one that the steps after it fill.
func (s *speaker) saysItem(beat *script.Item) {
	t := ItemNamed(beat.Members.Get("type").Text())
	told := t.Tell(beat.Members, ItemOptions{ID: s.newID, Draw: s.options.NewID, Asks: s.asks, Call: s.lastCall, Pieces: beat.Pieces})
	if t.Opens {
		s.openWritten(t, beat.Members, told.Added)
		return
	}
	if id := told.Done.Get("call_id"); !id.IsAbsent() {
		s.lastCall = id
	}
	i := s.openItem(t.Name, func(i *item) { i.id, i.told = told.Done.Get("id"), &told })
	for _, said := range told.Events {
		members := slices.Concat(s.inside(i), said.Members)
		if said.NoID {
			members = members[1:]
		}
		kind := ""
		if said.IsDelta {
			kind = kindTool
		}
		s.emitPaced("response."+said.Name, kind, members...)
	}
	i.finished = true
	i.status = statusCompleted
	s.emitPaced("response.output_item.done", "", whole(i)...)
}

// openWritten opens an item with the members that the author wrote.
func (s *speaker) openWritten(t *ItemType, written, added ojson.Value) {
	s.openItem(t.Name, func(i *item) {
		i.id, i.ends = added.Get("id"), written.Get("status").Text()
		i.more = ojson.Object()
		for _, m := range added.Members() {
			switch m.Name {
			case "id", "type", "status", "content", "summary":
			case "role":
				i.role = m.Value
			default:
				i.more.Set(m.Name, m.Value)
			}
		}
	})
}
