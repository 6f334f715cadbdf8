package surface

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Text is a text to which pieces are added. Pieces that only a request tells are holes. The zero value
// is empty.
type Text struct {
	known strings.Builder // known is the text behind the last hole.
	open  []openPiece
	// joined is the hole for the whole text; Absent if there is none, or if it lacks the latest pieces.
	joined ojson.Value
}

// openPiece is a piece that is a hole, behind a text that is known.
type openPiece struct {
	before string
	piece  ojson.Value
	from   hole.ID // from is the hole that has the text, or its series.
}

// Add adds a piece: a text, a hole, or [hole.Piece] for all pieces of a series.
func (t *Text) Add(piece ojson.Value, series hole.ID) {
	t.joined = ojson.Value{}
	id, open := hole.In(piece)
	if !open {
		t.known.WriteString(piece.Text())
		return
	}
	if id == hole.Piece {
		id = series
	}
	t.open = append(t.open, openPiece{t.known.String(), piece, id})
	t.known.Reset()
}

// Value returns the whole text, or a hole for it. Where nothing is sent, that is the last hole.
func (t *Text) Value(o *Options) ojson.Value {
	last := len(t.open) - 1
	switch {
	case last < 0:
		return ojson.String(t.known.String())
	case o.Later == nil || last == 0 && t.isHole(&t.open[0]):
		return t.open[last].piece
	case t.joined.IsAbsent():
		pieces, end := t.open, t.known.String()
		t.joined = o.Later(func(f *Filler, id hole.ID) {
			f.Values.Fill(id, func(dst []byte) []byte { return appendJoined(dst, f, pieces, end) })
		})
	}
	return t.joined
}

// isHole reports whether the text is one hole with a text, and nothing else.
func (t *Text) isHole(only *openPiece) bool {
	id, _ := hole.In(only.piece)
	return id == only.from && only.before == "" && t.known.Len() == 0
}

// appendJoined appends pieces, and the text behind them, as one JSON string.
func appendJoined(dst []byte, f *Filler, pieces []openPiece, end string) []byte {
	dst = append(dst, '"')
	for _, p := range pieces {
		dst = f.Values.AppendInside(appendInside(dst, f.Style, p.before), p.from)
	}
	return append(appendInside(dst, f.Style, end), '"')
}

// appendInside appends a text as the inside of a JSON string.
func appendInside(dst []byte, style ojson.Style, text string) []byte {
	at := len(dst)
	dst = style.AppendString(dst, text)
	return append(dst[:at], dst[at+1:len(dst)-1]...)
}
