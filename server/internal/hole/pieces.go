package hole

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Pieces are JSON texts that fill the same hole in turn, held one after the other. The
// zero value has none.
type Pieces struct {
	json []byte
	ends []uint32 // ends are where the texts end in json.
}

// NewPieces makes room for so many texts of so many bytes together.
func NewPieces(texts, bytes int) Pieces {
	return Pieces{json: make([]byte, 0, bytes), ends: make([]uint32, 0, texts)}
}

// Add adds a text as a JSON string.
func (p *Pieces) Add(style ojson.Style, text string) {
	p.json = style.AppendString(p.json, text)
	p.ends = append(p.ends, uint32(len(p.json))) //nolint:gosec // texts have 64 MiB at most
}

// Len is how many texts there are.
func (p Pieces) Len() int { return len(p.ends) }

// At is a text; the first one is at 0.
func (p Pieces) At(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = p.ends[i-1]
	}
	return p.json[from:p.ends[i]:p.ends[i]]
}

// CutLast takes the last text away and returns it alone.
func (p *Pieces) CutLast() Pieces {
	last := len(p.ends) - 1
	text := slices.Clone(p.At(last))
	p.ends = p.ends[:last]
	return Pieces{json: text, ends: []uint32{uint32(len(text))}} //nolint:gosec // see Add
}
