package sse

import (
	"bytes"
	"iter"
	"strings"
)

// Block is one block of a stream that was read: an event, comments, or a blank line alone.
// A client gets an event of a block that is whole and has data.
type Block struct {
	// Raw is the block's bytes, up to and with the blank line. The blocks of a stream
	// joined are the stream, without a byte order mark at its start.
	Raw   []byte
	Whole bool // Whole says that a blank line ends the block; the last block of a stream may lack it.
}

// Line is one line of a block.
type Line struct {
	Name  string // Name is the name of the field; "" for a comment and for the blank line.
	Value string
	Colon bool   // Colon says that there is a colon; a comment has one, the blank line has none.
	Space bool   // Space says that a space follows the colon; it does not belong to the value.
	End   string // End is the line's end: [LF], [CRLF], [CR], or "" if the stream ends in the line.
}

// Blank reports whether the block is a blank line alone.
func (b Block) Blank() bool {
	for l := range b.Lines() {
		return l.Blank()
	}
	return true
}

// Lines returns the lines of the block, and with them the blank line.
func (b Block) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for rest := b.Raw; len(rest) > 0; {
			l := lineAt(rest)
			if rest = rest[l.Length():]; !yield(l) {
				return
			}
		}
	}
}

// Data returns the data of the block, its lines joined by line feeds. Ok is false if the block
// has no data line.
func (b Block) Data() (data string, ok bool) { return b.joined("data") }

// Comment returns the comments of the block, joined by line feeds. Ok is false if it has none.
func (b Block) Comment() (comment string, ok bool) { return b.joined("") }

// Event returns the name of the event: the last of its event fields. Ok is false if it has none.
func (b Block) Event() (name string, ok bool) { return b.last("event") }

// ID returns the last id of the event. Ok is false if it has none. As the standard says, an id
// with NUL counts as none.
func (b Block) ID() (id string, ok bool) {
	for l := range b.Lines() {
		if l.Name == "id" && !strings.Contains(l.Value, "\x00") {
			id, ok = l.Value, true
		}
	}
	return id, ok
}

// Retry returns the last value of the field retry as it is written, which can be no number. Ok
// is false if there is none.
func (b Block) Retry() (value string, ok bool) { return b.last("retry") }

// joined returns the values of all lines with the name, joined by line feeds.
func (b Block) joined(name string) (text string, ok bool) {
	var values []string
	for l := range b.Lines() {
		if l.Name == name && !l.Blank() {
			values = append(values, l.Value)
		}
	}
	return strings.Join(values, LF), values != nil
}

// last returns the value of the last line with the name.
func (b Block) last(name string) (value string, ok bool) {
	for l := range b.Lines() {
		if l.Name == name {
			value, ok = l.Value, true
		}
	}
	return value, ok
}

// Blank reports whether the line is empty: it ends a block.
func (l Line) Blank() bool { return l.Name == "" && !l.Colon }

// Comment reports whether the line is a comment.
func (l Line) Comment() bool { return l.Name == "" && l.Colon }

// Length is how many bytes the line has, with its end.
func (l Line) Length() int {
	n := len(l.Name) + len(l.Value) + len(l.End)
	for _, has := range []bool{l.Colon, l.Space} {
		if has {
			n++
		}
	}
	return n
}

// lineAt returns the line at the start of text.
func lineAt(text []byte) (l Line) {
	content := text
	if at := bytes.IndexAny(text, "\r\n"); at >= 0 {
		content, l.End = text[:at], string(text[at:at+1])
		if bytes.HasPrefix(text[at:], []byte(CRLF)) {
			l.End = CRLF
		}
	}
	l.Name, l.Value, l.Colon = strings.Cut(string(content), ":")
	l.Value, l.Space = strings.CutPrefix(l.Value, " ")
	return l
}

// ByteOrderMark is the UTF-8 byte order mark with which a stream may begin.
const ByteOrderMark = "\ufeff"

// Blocks returns the blocks of a whole stream. They share the bytes of the stream.
func Blocks(stream []byte) []Block {
	r := Reader{rest: bytes.TrimPrefix(stream, []byte(ByteOrderMark)), begun: true}
	list := r.blocks()
	if rest, ok := r.Rest(); ok {
		list = append(list, rest)
	}
	return list
}

// Reader finds the blocks of a stream that comes in pieces of any size. The zero Reader is
// ready to use.
type Reader struct {
	rest    []byte // rest is what was read after the last whole block.
	line    int    // line is where the last line of rest begins.
	seen    int    // seen is up to where rest has been searched for line ends.
	begun   bool   // begun says that the start of the stream, with or without a byte order mark, is read.
	afterCR bool   // afterCR says that the last block ended with CR, so that a line feed that follows belongs to it.
}

// Read takes the next bytes of the stream and returns the blocks that they complete. A block
// whose blank line ends with CR is complete at once; if a line feed follows it, Read leaves that
// out. The blocks stay as they are when Read is called again.
func (r *Reader) Read(p []byte) []Block {
	if r.afterCR && len(p) > 0 {
		p, r.afterCR = bytes.TrimPrefix(p, []byte(LF)), false
	}
	r.rest = append(r.rest, p...)
	if !r.begun {
		if len(r.rest) < len(ByteOrderMark) && strings.HasPrefix(ByteOrderMark, string(r.rest)) {
			return nil
		}
		r.rest, r.begun = bytes.TrimPrefix(r.rest, []byte(ByteOrderMark)), true
	}
	return r.blocks()
}

// Rest returns what was read after the last whole block. Ok is false if that is nothing.
func (r *Reader) Rest() (b Block, ok bool) { return Block{Raw: r.rest}, len(r.rest) > 0 }

// TakeLong takes what was read of an event whose last line so far is a data line of more than n bytes. What is read next
// must not be the rest of that line: the caller has to find its end.
func (r *Reader) TakeLong(n int) (begin Block, ok bool) {
	if len(r.rest)-r.line <= n || !bytes.HasPrefix(r.rest[r.line:], []byte("data:")) {
		return Block{}, false
	}
	begin = Block{Raw: r.rest}
	*r = Reader{begun: true}
	return begin, true
}

// blocks takes the whole blocks from the rest.
func (r *Reader) blocks() (list []Block) {
	for {
		at := bytes.IndexAny(r.rest[r.seen:], "\r\n")
		if at < 0 {
			r.seen = len(r.rest)
			return list
		}
		at += r.seen
		blank := at == r.line
		length := 1
		switch last := at+1 == len(r.rest); {
		case bytes.HasPrefix(r.rest[at:], []byte(CRLF)):
			length = len(CRLF)
		case last && r.rest[at] == '\r' && !blank:
			r.seen = at // a line feed may follow
			return list
		case last && r.rest[at] == '\r':
			r.afterCR = true
		}
		end := at + length
		r.line, r.seen = end, end
		if blank {
			list = append(list, Block{Raw: r.rest[:end:end], Whole: true})
			r.rest, r.line, r.seen = r.rest[end:], 0, 0
		}
	}
}
