package recording

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// frame is one event of a recorded stream, or another block of it.
type frame struct {
	sse.Block
	at      time.Duration // at is when the last byte of the event came.
	data    string        // data is the data of the event.
	hasData bool
	value   ojson.Value // value is the data as JSON, with its order and spelling; absent if it is none.
}

// framesOf splits the body of a stream into its events. Their bytes joined are the body
// without a byte order mark at its start.
func framesOf(x *Exchange) []frame {
	body := x.bodyBytes()
	blocks := sse.Blocks(body)
	frames := make([]frame, len(blocks))
	end, piece, pieceEnd := len(markOf(body)), -1, 0
	for i, b := range blocks {
		for end += len(b.Raw); pieceEnd < end; {
			piece++
			pieceEnd += len(x.Pieces[piece].Data)
		}
		frames[i] = frame{Block: b, at: x.Pieces[piece].At}
		if frames[i].data, frames[i].hasData = b.Data(); frames[i].hasData {
			frames[i].value, _ = ojson.Parse([]byte(frames[i].data))
		}
	}
	return frames
}

// markOf is the byte order mark at the start of a body; nil if there is none.
func markOf(body []byte) []byte {
	return body[:len(body)-len(bytes.TrimPrefix(body, []byte(sse.ByteOrderMark)))]
}

// lineEnds are the names of the ends of lines.
var lineEnds = map[string]string{"\n": "lf", "\r\n": "crlf", "\r": "cr"}

// wireOf is the layout of most events of a stream. Events that deviate are written
// literally.
func wireOf(x *Exchange, frames []frame) scenarios.Wire {
	var w scenarios.Wire
	if len(markOf(x.bodyBytes())) > 0 {
		yes := true
		w.BOM = &yes
	}
	if end := mostOf(frames, func(l sse.Line) (string, bool) { return l.End, l.End != "" }); end != "" && end != "\n" {
		w.Newline = lineEnds[end]
	}
	if mostOf(frames, func(l sse.Line) (isUnspaced, counts bool) { return !l.Space, l.Value != "" }) {
		no := false
		w.Space = &no
	}
	w.JSONStyle = styleOf(frames)
	if numbered(frames) {
		w.IDs = &scenarios.EventIDs{}
	}
	w.Retry = firstRetry(frames)
	return w
}

// firstRetry is the value of the retry line of the first event; nil if that has no such
// line or no data.
func firstRetry(frames []frame) *int {
	if len(frames) == 0 || !frames[0].hasData {
		return nil
	}
	retry, _ := frames[0].Retry()
	n, err := strconv.Atoi(retry)
	if err != nil || n < 0 || strconv.Itoa(n) != retry {
		return nil
	}
	return &n
}

// numbered reports whether the ids of the events are 1, 2, 3 and so on.
func numbered(frames []frame) bool {
	n := 0
	for i := range frames {
		if !frames[i].hasData {
			continue
		}
		n++
		if id, _ := frames[i].ID(); id != strconv.Itoa(n) {
			return false
		}
	}
	return n > 0
}

// unnamed reports whether most events have no name.
func unnamed(frames []frame) bool {
	named := slices.DeleteFunc(slices.Clone(frames), func(f frame) bool { _, ok := f.Event(); return !ok })
	return len(named) <= len(frames)/2
}

// mostOf is the most frequent value among the lines that count; of two equally frequent
// ones the earlier.
func mostOf[T comparable](frames []frame, of func(sse.Line) (value T, counts bool)) (most T) {
	var values []T
	count := map[T]int{}
	for i := range frames {
		for l := range frames[i].Lines() {
			if value, counts := of(l); counts {
				values = append(values, value)
				count[value]++
			}
		}
	}
	for _, value := range values {
		if count[value] > count[most] {
			most = value
		}
	}
	return most
}

// styles are the ways in which servers write JSON in one line.
var styles = []scenarios.JSONStyle{
	{}, {Spaces: true}, {Spaces: true, Escapes: "ascii"}, {Escapes: "html"}, {Escapes: "ascii"},
}

// styleOf is the JSON style of most events; nil is compact.
func styleOf(frames []frame) *scenarios.JSONStyle {
	var most *scenarios.JSONStyle
	highest := 0
	for s := range styles {
		count := 0
		for i := range frames {
			if v := frames[i].value; !v.IsAbsent() && string(encoder(&styles[s]).Append(nil, v)) == frames[i].data {
				count++
			}
		}
		if count > highest {
			most, highest = &styles[s], count
		}
	}
	if most == &styles[0] {
		return nil
	}
	return most
}

func encoder(s *scenarios.JSONStyle) ojson.Style {
	return ojson.Style{
		Spaces: s.Spaces,
		ASCII:  s.Escapes == "ascii",
		HTML:   s.Escapes == "html",
		Indent: strings.Repeat(" ", s.Indent),
	}
}
