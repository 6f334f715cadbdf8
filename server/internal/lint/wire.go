package lint

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// readWire splits raw bytes and events into groups: one for each chunk of the subject's
// surface and for each error in them, as clients read them. A group with other content
// stays as well: it can say anything.
func readWire(s *script.Script, of *Subject) *script.Script {
	onWire := func(g script.Group) bool {
		_, ok := dataOf(&g)
		return ok
	}
	if !slices.ContainsFunc(s.Groups, onWire) {
		return s
	}
	read := *s
	read.Groups = nil
	for _, g := range s.Groups {
		data, ok := dataOf(&g)
		whole := ok
		for _, text := range data {
			beat := beatIn(text, of)
			if beat == nil {
				whole = false
				continue
			}
			one := g
			one.Beats = []script.Beat{beat}
			read.Groups = append(read.Groups, one)
		}
		if !whole {
			read.Groups = append(read.Groups, g)
		}
	}
	return &read
}

// dataOf returns the data of the events in a group of raw bytes or an event. Ok is
// false if the group is something else, or holds parts of events.
func dataOf(g *script.Group) (data []string, ok bool) {
	if len(g.Beats) == 0 || g.Templated {
		return nil, false
	}
	switch beat := g.Beats[0].(type) {
	case script.Event:
		return []string{beat.Data.Value}, beat.Data.Present
	case script.Raw:
		return events(beat.Bytes)
	}
	return nil, false
}

// events returns the data of the events in a part of a stream. Ok is false if an event
// is incomplete, or if there is none.
func events(stream string) (data []string, ok bool) {
	for _, b := range sse.Blocks([]byte(stream)) {
		if !b.Whole {
			return nil, false
		}
		if text, has := b.Data(); has {
			data = append(data, text)
		}
	}
	return data, len(data) > 0
}

// beatIn returns the beat in the data of an event: a chunk of the surface, or an error;
// nil for other data.
func beatIn(data string, of *Subject) script.Beat {
	v, err := ojson.Parse([]byte(data))
	if err != nil || v.Kind() != ojson.ObjectKind {
		return nil
	}
	if e := v.Get("error"); e.Kind() == ojson.ObjectKind && v.Get("choices").IsAbsent() {
		return script.Error{Object: e}
	}
	if !of.IsChunk(v) {
		return nil
	}
	return script.Literal{Surface: of.Surface, Member: "chunk", Value: v}
}
