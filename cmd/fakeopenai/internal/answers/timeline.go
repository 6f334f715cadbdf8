package answers

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

// timeline prints an answer as one line for each event: its time, the pause before it,
// and a description.
type timeline struct {
	out, head io.Writer
	colour    bool
	speed     float64

	last    time.Duration // last is the time of the previous line.
	aborted bool          // aborted says that the answer ends with a broken connection.
	err     error         // err is the first failure of out.
}

// draw prints a plan. The pieces of one event share a line.
func (t *timeline) draw(p server.Plan) {
	if p.Status != 0 {
		if t.head != nil {
			writeHead(t.head, p.Status, p.Header)
		}
		t.line(p.Start, colourNone, strings.TrimSpace(fmt.Sprintf("%d %s", p.Status, p.Header.Get("Content-Type"))))
	}
	for i := 0; i < len(p.Frames); {
		first, n := i, 1
		for ; p.Frames[i].More && i+1 < len(p.Frames); i++ {
			n++
		}
		t.event(p.Frames[first : first+n])
		i++
	}
	switch p.End {
	case "":
		t.line(p.EndAt, colourNone, "end")
	case "linger":
		t.line(p.EndAt, colourNone, "end linger")
	default:
		t.aborted = true
		t.line(p.EndAt, colourError, "end "+p.End)
	}
}

// event prints the line of one event, given its pieces, or of a hold.
func (t *timeline) event(pieces []server.PlannedFrame) {
	first, last := pieces[0], pieces[len(pieces)-1]
	if first.Hold != "" {
		t.line(first.At, colourEvent, "hold "+first.Hold)
		return
	}
	var whole []byte
	for _, piece := range pieces {
		whole = append(whole, piece.Bytes...)
	}
	text := describe(first.Kind, whole)
	if len(pieces) > 1 {
		text += fmt.Sprintf(" in %d pieces", len(pieces))
	}
	if last.At > first.At {
		text += " until " + seconds(t.scale(last.At))
	}
	t.line(first.At, kindColour(first.Kind), text)
	t.last = max(t.last, t.scale(last.At))
}

// line prints one line.
func (t *timeline) line(at time.Duration, colour, text string) {
	at = t.scale(at)
	pause := ""
	if at > t.last {
		pause = "+" + seconds(at-t.last)
	}
	t.last = at
	if !t.colour {
		colour = colourNone
	}
	_, err := fmt.Fprintf(t.out, "%9s %9s  %s\n", seconds(at), pause, paint(text, colour))
	if t.err == nil {
		t.err = err
	}
}

func (t *timeline) scale(d time.Duration) time.Duration {
	if t.speed == server.Instant {
		return 0
	}
	return time.Duration(float64(d) / t.speed)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

// kindColour returns the colour of a kind of event.
func kindColour(kind string) string {
	switch kind {
	case "comment":
		return colourComment
	case "event", "raw":
		return colourEvent
	case "error":
		return colourError
	}
	return colourChunk
}
