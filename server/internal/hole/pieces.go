package hole

import (
	"slices"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Pieces are JSON texts that fill the same hole in turn, held one after the other. The
// zero value has none.
type Pieces struct {
	json []byte
	ends []uint32 // ends are where the texts end in json.
	wide bool     // wide says that there may be characters of several bytes.
}

// Again is no pieces, with room for so many texts of so many bytes together: in the
// memory of p if that suffices, so that p is lost.
func (p Pieces) Again(texts, bytes int) Pieces {
	if cap(p.json) < bytes || cap(p.ends) < texts {
		return Pieces{json: make([]byte, 0, bytes), ends: make([]uint32, 0, texts)}
	}
	return Pieces{json: p.json[:0], ends: p.ends[:0]}
}

// Room is how many bytes the texts could have in the memory that they take.
func (p Pieces) Room() int { return cap(p.json) }

// IsASCII reports whether all texts have one byte for each character, as far as is known.
func (p Pieces) IsASCII() bool { return !p.wide }

// Add adds a text as a JSON string.
func (p *Pieces) Add(style ojson.Style, text string) {
	from := len(p.json)
	p.json = style.AppendString(p.json, text)
	p.wide = p.wide || utf8.RuneCount(p.json[from:]) < len(p.json)-from
	p.ends = append(p.ends, uint32(len(p.json))) //nolint:gosec // texts have 64 MiB at most
}

// AddFrom adds the texts of others from the nth on, which is counted from 0.
func (p *Pieces) AddFrom(others Pieces, n int) {
	from := others.start(n)
	moved := uint32(len(p.json)) - from //nolint:gosec // see Add; it may wrap around, and then back
	p.json, p.wide = append(p.json, others.json[from:]...), p.wide || others.wide
	for _, end := range others.ends[n:] {
		p.ends = append(p.ends, end+moved)
	}
}

// Len is how many texts there are.
func (p Pieces) Len() int { return len(p.ends) }

// At is a text; the first one is at 0.
func (p Pieces) At(i int) []byte {
	return p.json[p.start(i):p.ends[i]:p.ends[i]]
}

// start is where a text begins in json.
func (p Pieces) start(i int) uint32 {
	if i == 0 {
		return 0
	}
	return p.ends[i-1]
}

// CutLast takes the last text away and returns it alone.
func (p *Pieces) CutLast() Pieces {
	last := len(p.ends) - 1
	text := slices.Clone(p.At(last))
	p.ends = p.ends[:last]
	return Pieces{json: text, ends: []uint32{uint32(len(text))}, wide: p.wide} //nolint:gosec // see Add
}
