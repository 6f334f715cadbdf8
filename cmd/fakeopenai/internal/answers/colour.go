package answers

import (
	"bytes"
	"io"
	"strings"
)

// Escape sequences for the colours of a terminal.
const (
	colourChunk   = "\x1b[32m"
	colourComment = "\x1b[90m"
	colourEvent   = "\x1b[36m"
	colourError   = "\x1b[31m"
	colourNone    = ""
	colourEnd     = "\x1b[0m"
)

// painter is a writer that colours the lines of server-sent events. It holds back the
// beginning of a line until that decides the colour.
type painter struct {
	out io.Writer
	all string // all is the colour of all lines; "" if each line has its own.

	begun bool   // begun says that the line's colour is decided.
	held  []byte // held is the beginning of a line whose colour is not decided.
	ends  bool   // ends says that colourEnd must follow the line.
}

func (p *painter) Write(b []byte) (int, error) {
	var painted bytes.Buffer
	for _, c := range b {
		switch {
		case c == '\n' || c == '\r':
			p.endLine(&painted)
			painted.WriteByte(c)
		case p.begun:
			painted.WriteByte(c)
		default:
			p.held = append(p.held, c)
			if colour, known := p.colourOf(p.held); known {
				p.begin(&painted, colour)
			}
		}
	}
	if _, err := p.out.Write(painted.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// close writes the held beginning of a line.
func (p *painter) close() error {
	var painted bytes.Buffer
	p.endLine(&painted)
	_, err := p.out.Write(painted.Bytes())
	return err
}

func (p *painter) begin(to *bytes.Buffer, colour string) {
	to.WriteString(colour)
	to.Write(p.held)
	p.begun, p.held, p.ends = true, p.held[:0], colour != colourNone
}

func (p *painter) endLine(to *bytes.Buffer) {
	if !p.begun && len(p.held) > 0 {
		colour, _ := p.colourOf(p.held)
		p.begin(to, colour)
	}
	if p.ends {
		to.WriteString(colourEnd)
	}
	p.begun, p.ends = false, false
}

// colourOf returns the colour of a line with this beginning, and whether the beginning
// decides it.
func (p *painter) colourOf(begins []byte) (colour string, known bool) {
	if p.all != "" {
		return p.all, true
	}
	const failure = `data:{"error"`
	line := strings.ReplaceAll(string(begins), " ", "")
	switch {
	case strings.HasPrefix(line, failure):
		return colourError, true
	case strings.HasPrefix(failure, line):
		return colourChunk, false
	case strings.HasPrefix(line, "data:"):
		return colourChunk, true
	case strings.HasPrefix(line, ":"):
		return colourComment, true
	}
	for _, field := range []string{"event:", "id:", "retry:"} {
		if strings.HasPrefix(field, line) {
			return colourEvent, line == field
		}
	}
	return colourNone, true
}

// paint returns the text in the colour.
func paint(text, colour string) string {
	if colour == colourNone {
		return text
	}
	return colour + text + colourEnd
}
