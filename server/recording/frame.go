package recording

import (
	"bytes"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// frame is one event of a recorded stream: its bytes, up to and with the blank line that
// ends it, and its lines.
type frame struct {
	raw   []byte
	at    time.Duration // at is when the last byte of the event came.
	whole bool          // whole says that a blank line ends the event.
	lines []line
}

// line is one line of an event.
type line struct {
	name, value string // name is the name of the field; "" is a comment.
	space       bool   // space says that a space follows the colon.
	end         string // end is the line end; "" if the stream breaks off in the line.
}

const bom = "\xef\xbb\xbf"

// framesOf splits the body of a stream into its events, by the rules of the WHATWG HTML
// standard, section 9.2.6. Their bytes joined are the body without a byte order mark at
// its start.
func framesOf(x *Exchange) []frame {
	body := x.bodyBytes()
	offset := 0
	if bytes.HasPrefix(body, []byte(bom)) {
		offset = len(bom)
	}
	var frames []frame
	f := frame{}
	start := offset
	for offset < len(body) {
		l, length := lineAt(body[offset:])
		offset += length
		blank := length == len(l.end)
		if !blank {
			f.lines = append(f.lines, l)
		}
		if !blank && offset < len(body) {
			continue
		}
		f.raw, f.at, f.whole = body[start:offset], x.cameAt(offset-1), blank
		if blank {
			f.lines = append(f.lines, l)
		}
		frames = append(frames, f)
		f, start = frame{}, offset
	}
	return frames
}

// lineAt is the line at the start of text, and its length in bytes with the line end.
func lineAt(text []byte) (l line, length int) {
	at := bytes.IndexAny(text, "\r\n")
	content := text
	if at >= 0 {
		content, l.end = text[:at], string(text[at:at+1])
		if l.end == "\r" && at+1 < len(text) && text[at+1] == '\n' {
			l.end = "\r\n"
		}
	}
	name, value, _ := strings.Cut(string(content), ":")
	l.name = name
	l.value, l.space = strings.CutPrefix(value, " ")
	return l, len(content) + len(l.end)
}

// field returns the values of all lines with this name, joined by line feeds; ok says
// that there is such a line.
func (f *frame) field(name string) (value string, ok bool) {
	var values []string
	for i := range f.lines {
		if l := &f.lines[i]; l.name == name && !f.isBlank(i) {
			values = append(values, l.value)
		}
	}
	return strings.Join(values, "\n"), len(values) > 0
}

// isBlank reports whether the line at a position is the blank line at the end.
func (f *frame) isBlank(i int) bool { return f.whole && i == len(f.lines)-1 }

// json is the data as JSON, with its order and spelling; ok says that it is JSON.
func (f *frame) json() (v ojson.Value, ok bool) {
	data, ok := f.field("data")
	if !ok {
		return v, false
	}
	v, err := ojson.Parse([]byte(data))
	return v, err == nil
}
