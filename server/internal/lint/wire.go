package lint

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// readWire splits raw bytes and events into groups: one for each chunk of the surface
// and for each error in them, as clients read them. A group with other content stays as
// well: it can say anything.
func readWire(s *script.Script, surface string) *script.Script {
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
			beat := beatIn(text, surface)
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
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream)
	for event := range strings.SplitSeq(strings.TrimRight(stream, "\n"), "\n\n") {
		var lines []string
		for line := range strings.SplitSeq(event, "\n") {
			if value, is := strings.CutPrefix(line, "data:"); is {
				lines = append(lines, strings.TrimPrefix(value, " "))
			}
		}
		if lines != nil {
			data = append(data, strings.Join(lines, "\n"))
		}
	}
	return data, len(data) > 0 && strings.HasSuffix(stream, "\n\n")
}

// beatIn returns the beat in the data of an event: a chunk of the surface, or an error;
// nil for other data.
func beatIn(data, surface string) script.Beat {
	v, err := ojson.Parse([]byte(data))
	if err != nil || v.Kind() != ojson.ObjectKind {
		return nil
	}
	if e := v.Get("error"); e.Kind() == ojson.ObjectKind && v.Get("choices").IsAbsent() {
		return script.Error{Object: e}
	}
	if !isChunkOf(v, surface) {
		return nil
	}
	return script.Literal{Surface: surface, Member: "chunk", Value: v}
}

// chunkSigns tell the chunks of surfaces apart: by their object member, or by a member
// of a choice that only this surface has.
var chunkSigns = map[string]struct{ object, member string }{
	"chat":        {"chat.completion.chunk", "delta"},
	"completions": {"text_completion", "text"},
}

// isChunkOf reports whether an object is a chunk of a surface. Without any sign, an
// object with a list of choices counts as a chunk of every surface.
func isChunkOf(v ojson.Value, surface string) bool {
	object, choices := v.Get("object").Text(), v.Get("choices")
	if object == chunkSigns[surface].object {
		return true
	}
	for _, sign := range chunkSigns {
		if object == sign.object {
			return false
		}
	}
	if choices.Kind() != ojson.ArrayKind {
		return false
	}
	has := func(member string) bool {
		return slices.ContainsFunc(choices.Items(), func(c ojson.Value) bool { return !c.Get(member).IsAbsent() })
	}
	return len(choices.Items()) == 0 || has(chunkSigns[surface].member)
}
