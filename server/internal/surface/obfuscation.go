package surface

import (
	"math/rand/v2"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
)

// LaterIn returns a hole for a value that follows from texts, and that add appends as JSON. If it is that of a
// series, each piece has one, and json is the piece.
func (o *Options) LaterIn(series hole.ID, add func(dst []byte, f *Filler, piece int, json []byte) []byte) ojson.Value {
	return o.Later(func(f *Filler, id hole.ID) {
		if series == 0 {
			f.Values.Fill(id, func(dst []byte) []byte { return add(dst, f, 0, nil) })
			return
		}
		pieces := f.Values.Series(series)
		n := pieces.Len()
		list := hole.NewPieces(n, padBlock*n)
		for piece := range n {
			list.AddJSON(func(dst []byte) []byte { return add(dst, f, piece, pieces.At(piece)) })
		}
		f.Values.SetSeries(id, list)
	})
}

// padBlock is the length in UTF-16 units to a multiple of which a delta is padded.
const padBlock = 16

// Obfuscation makes the obfuscation of the deltas of one answer, in their order.
type Obfuscation struct {
	options *Options
	letters *letters
	padding Padding
	late    bool // late says that texts are known only with the request.
}

// NewObfuscation returns the obfuscation of an answer. Late says that its texts are known only with the request.
func (o *Options) NewObfuscation(late bool) *Obfuscation {
	return &Obfuscation{options: o, letters: &letters{source: o.Rand}, late: late}
}

// Of returns the obfuscation of a delta, which may be a series. Which letters it has follows from all
// texts before it.
func (o *Obfuscation) Of(delta ojson.Value, series hole.ID) ojson.Value {
	written, letters, known := o.options.Envelope.Obfuscations, o.letters, delta.String()
	if !o.late {
		return ojson.String(string(letters.pad(&o.padding, written, []byte(known))))
	}
	of, open := hole.In(delta)
	return o.options.LaterIn(series, func(dst []byte, f *Filler, _ int, json []byte) []byte {
		switch {
		case series != 0:
		case open:
			json = f.Values.Get(of)
		default:
			json = []byte(known)
		}
		return f.Style.AppendString(dst, string(letters.pad(&f.Padding, written, json)))
	})
}

// letters are the random letters and digits of which the obfuscation of all answers of a program consists, one
// after the other. They are drawn once, as far as the longest answer so far has them.
type letters struct {
	source func() *rand.Rand // source makes the source of chance; nil has a fixed one.

	mu     sync.Mutex // mu guards the fields below.
	chance *rand.Rand // chance is nil before the first letter.
	drawn  []byte     // drawn only grows: answers read what they got while others add to it.
}

// pad returns the obfuscation of a delta, given as JSON: what the author wrote for it, or else random letters
// and digits that fill it up to a multiple of padBlock, as in all recordings.
func (l *letters) pad(p *Padding, written []string, delta []byte) []byte {
	if p.Written < len(written) {
		p.Written++
		return []byte(written[p.Written-1])
	}
	from := p.Used
	p.Used += (padBlock - units(delta)%padBlock) % padBlock
	if p.Used > len(p.Letters) {
		p.Letters = l.atLeast(p.Used)
	}
	return p.Letters[from:p.Used]
}

// atLeast returns n letters or more, so that an answer rarely asks.
func (l *letters) atLeast(n int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.chance == nil {
		l.chance = rand.New(rand.NewPCG(1, 1))
		if l.source != nil {
			l.chance = l.source()
		}
	}
	if n > len(l.drawn) {
		l.drawn = invent.AppendText(l.drawn, l.chance, invent.Base62, n+n/2-len(l.drawn))
	}
	return l.drawn
}

// units returns the length in UTF-16 units of the text of a JSON string; 0 for anything else.
func units(json []byte) (n int) {
	if json[0] != '"' {
		return 0
	}
	for at := 1; at < len(json)-1; {
		r, size := utf8.DecodeRune(json[at:])
		if r == '\\' {
			size = len(`\n`)
			if json[at+1] == 'u' {
				size = len(`\u0000`)
			}
		}
		n, at = n+utf16.RuneLen(r), at+size
	}
	return n
}
