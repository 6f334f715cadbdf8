package hole

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Pieces are JSON texts that fill the same hole in turn, stored one after the other.
// The zero value is empty.
type Pieces struct {
	json []byte
	ends []uint32 // ends are the offsets in json at which the texts end.
}

// NewPieces returns empty Pieces with capacity for so many texts of so many bytes in total.
func NewPieces(texts, bytes int) Pieces {
	return Pieces{json: make([]byte, 0, bytes), ends: make([]uint32, 0, texts)}
}

// Add appends a text as a JSON string.
func (p *Pieces) Add(style ojson.Style, text string) {
	p.AddJSON(func(dst []byte) []byte { return style.AppendString(dst, text) })
}

// AddJSON appends the JSON text that write appends to its argument.
func (p *Pieces) AddJSON(write func([]byte) []byte) {
	p.json = write(p.json)
	p.ends = append(p.ends, uint32(len(p.json))) //nolint:gosec // texts have 16 MiB at most
}

// Len is the number of texts.
func (p Pieces) Len() int { return len(p.ends) }

// At is the text at index i.
func (p Pieces) At(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = p.ends[i-1]
	}
	return p.json[from:p.ends[i]:p.ends[i]]
}
