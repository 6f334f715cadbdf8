package answers

import (
	"bytes"
	"cmp"
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

// painter is a writer that colours the lines of server-sent events. The first bytes of a
// line that are written decide its colour.
type painter struct {
	out    io.Writer
	all    string // all is the colour of all lines; "" if each line has its own.
	inLine bool   // inLine says that the last write ended inside a line.
	colour string // colour is the colour of that line.
}

func (p *painter) Write(b []byte) (int, error) {
	var painted bytes.Buffer
	for rest := b; len(rest) > 0; {
		if rest[0] == '\n' || rest[0] == '\r' {
			painted.WriteByte(rest[0])
			rest, p.inLine = rest[1:], false
			continue
		}
		end := bytes.IndexAny(rest, "\r\n")
		if end < 0 {
			end = len(rest)
		}
		if !p.inLine {
			p.colour = cmp.Or(p.all, lineColour(rest[:end]))
		}
		painted.WriteString(paint(string(rest[:end]), p.colour))
		rest, p.inLine = rest[end:], true
	}
	if _, err := p.out.Write(painted.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// lineColour returns the colour of a line with this beginning.
func lineColour(begins []byte) string {
	line := strings.ReplaceAll(string(begins), " ", "")
	if strings.HasPrefix(line, `data:{"error"`) {
		return colourError
	}
	switch name, _, _ := strings.Cut(line, ":"); {
	case name == "":
		return colourComment
	case strings.HasPrefix("data", name):
		return colourChunk
	case strings.HasPrefix("event", name), strings.HasPrefix("id", name), strings.HasPrefix("retry", name):
		return colourEvent
	}
	return colourNone
}

func paint(text, colour string) string {
	if colour == colourNone {
		return text
	}
	return colour + text + colourEnd
}
