package lint

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// readWire is the script with the chunks of a surface and the errors that raw bytes
// and events hold as groups of their own, as clients read them. What holds anything
// else stays as it is, too: it may say anything.
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

// dataOf is the data of the events that a group of raw bytes or an event is; ok is
// false for what is none of them, or only in part.
func dataOf(g *script.Group) (data []string, ok bool) {
	if len(g.Beats) == 0 || g.Templated {
		return nil, false
	}
	switch beat := g.Beats[0].(type) {
	case script.Event:
		return []string{beat.Data.Value}, beat.Data.Present
	case script.Raw:
		if beat.Repeat == nil {
			return events(beat.Bytes)
		}
	}
	return nil, false
}

// events is the data of the events in a part of a stream; ok is false where an
// event is not complete, or there is none.
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

// beatIn is the chunk of a surface or the error that the data of an event is, or
// nil.
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

// chunkSigns tell the chunks of surfaces apart: by their object, or by the member of
// a choice that no other surface has.
var chunkSigns = map[string]struct{ object, member string }{
	"chat":        {"chat.completion.chunk", "delta"},
	"completions": {"text_completion", "text"},
}

// isChunkOf reports whether an object is a chunk of a surface. One that no sign
// gives away is a chunk of any if it has a list of choices.
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
