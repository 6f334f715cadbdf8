package recording

import (
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// pieceOf is a string in the data of an event. The strings at the same path of several
// events are the pieces of one text.
type pieceOf struct {
	frame int
	path  ojson.Path
	text  string
}

// rewrite replaces the bytes of an event.
func (f *frame) rewrite(raw string) {
	at, whole := f.at, f.whole
	again := framesOf(&Exchange{Pieces: []Piece{{Data: []byte(raw)}}})
	if len(again) == 1 {
		*f = again[0]
	}
	f.raw, f.at, f.whole = []byte(raw), at, whole
}

// acrossEvents replaces secrets in texts that are streamed in pieces: the placeholder is
// put into the piece in which the secret begins, and its rest is cut from the others.
func (r *Redactor) acrossEvents(frames []frame) {
	values := map[int]*ojson.Value{}
	places := map[string][]pieceOf{}
	var order []string
	for i := range frames {
		v, ok := frames[i].json()
		if !ok {
			continue
		}
		values[i] = &v
		eachText(v, nil, v.Get("item_id").Text()+v.Get("type").Text(), func(place string, path ojson.Path, text string) {
			if places[place] == nil {
				order = append(order, place)
			}
			places[place] = append(places[place], pieceOf{i, path, text})
		})
	}
	changed := map[int]bool{}
	for _, place := range order {
		for _, p := range r.redactPieces(places[place]) {
			values[p.frame].Put(p.path, ojson.String(p.text))
			changed[p.frame] = true
		}
	}
	for i := range frames {
		if changed[i] {
			f := &frames[i]
			data, _ := f.field("data")
			f.rewrite(strings.Replace(string(f.raw), data, values[i].String(), 1))
		}
	}
}

// redactPieces are the pieces that change when the secrets in their joined text are
// replaced.
func (r *Redactor) redactPieces(pieces []pieceOf) []pieceOf {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	joined := b.String()
	spans := r.finder.Spans(joined, r.Patterns)
	if len(spans) == 0 {
		return nil
	}
	var changed []pieceOf
	start := 0
	for _, p := range pieces {
		end := start + len(p.text)
		text := strings.Builder{}
		at := start
		for _, s := range spans {
			if s.To <= start || s.From >= end {
				continue
			}
			text.WriteString(joined[at:max(at, s.From)])
			if s.From >= start {
				text.WriteString(r.placeholder(s.Kind, joined[s.From:s.To]))
			}
			at = min(end, s.To)
		}
		text.WriteString(joined[at:end])
		if text.String() != p.text {
			p.text = text.String()
			changed = append(changed, p)
		}
		start = end
	}
	return changed
}

// eachText calls do with each string in a value. Place tells which strings are pieces of
// one text: it is the path, with the member index of an item instead of its position.
func eachText(v ojson.Value, path ojson.Path, place string, do func(place string, path ojson.Path, text string)) {
	below := func(e ojson.PathElement) ojson.Path { return append(append(ojson.Path(nil), path...), e) }
	switch v.Kind() {
	case ojson.StringKind:
		do(place, path, v.Text())
	case ojson.ArrayKind:
		for i, item := range v.Items() {
			at := strconv.Itoa(i)
			if index := item.Get("index"); !index.IsAbsent() {
				at = index.Text()
			}
			eachText(item, below(ojson.PathElement{Index: i, IsIndex: true}), place+"["+at+"]", do)
		}
	case ojson.ObjectKind:
		for _, m := range v.Members() {
			eachText(m.Value, below(ojson.PathElement{Name: m.Name}), place+"."+m.Name, do)
		}
	}
}
