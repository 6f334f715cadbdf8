package compile

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

func TestPiecesAreBounded(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	text := bytes.Repeat([]byte("x"), 2*maxPieces)
	frames := []player.Frame{{Bytes: player.Literal(text)}, {Bytes: player.Literal(text)}}
	for name, pieces := range map[string][]player.Frame{
		"split": split(frames, &scenarios.Split{By: "byte"}, nil),
		"drip":  drip(frames, 1),
	} {
		total := 0
		for _, f := range pieces {
			total += len(f.Bytes.Data())
		}
		if len(pieces) > maxPieces+2 || total != 2*len(text) {
			t.Errorf("%s: %d bytes in %d pieces, want %d bytes in about %d", name, total, len(pieces), 2*len(text), maxPieces)
		}
	}
}

// Splits by size and at random cut everything that is due together as one sequence of
// bytes. Pauses and holds separate sequences.
func TestCutsRunAcrossFramesThatAreDueTogether(t *testing.T) {
	t.Parallel()
	event := func(text string, due time.Duration) player.Frame {
		return player.Frame{Due: due, Bytes: player.Literal([]byte(text))}
	}
	for _, tt := range []struct {
		name   string
		frames []player.Frame
		split  scenarios.Split
		want   string
	}{
		{"a size", []player.Frame{event("abc", 0), event("de", 0), event("fghij", 0)}, scenarios.Split{Size: 4}, "abcd efgh ij"},
		{"a size that ends with an event", []player.Frame{event("abc", 0), event("de", 0)}, scenarios.Split{Size: 3}, "abc de"},
		{"a pause", []player.Frame{event("abc", 0), event("de", 1), event("fgh", 1)}, scenarios.Split{Size: 4}, "abc defg h"},
		{"a hold", []player.Frame{event("abc", 0), {Hold: "h"}, event("de", 0), event("fgh", 0)}, scenarios.Split{Size: 4}, "abc defg h"},
		{"an event without bytes", []player.Frame{event("", 0), event("abc", 0), event("", 0), event("de", 0)}, scenarios.Split{Size: 2}, "ab cd e"},
		{"fields", []player.Frame{event("a", 0), event("b", 0)}, scenarios.Split{By: "field"}, "a b"},
		{"bytes", []player.Frame{event("ab", 0), event("c", 0)}, scenarios.Split{By: "byte"}, "a b c"},
	} {
		pieces := split(tt.frames, &tt.split, nil)
		if got := strings.Join(writesOf(pieces), " "); got != tt.want {
			t.Errorf("%s: writes %q, want %q", tt.name, got, tt.want)
		}
		events := 0
		for _, f := range pieces {
			if f.Hold == "" && !f.More {
				events++
			}
		}
		for _, f := range tt.frames {
			if f.Hold == "" {
				events--
			}
		}
		if events != 0 {
			t.Errorf("%s: %d events more than before the split", tt.name, events)
		}
	}
}

// Random splits give writes in which one event ends and the next begins, but never
// across a pause.
func TestRandomCutsRunAcrossFrames(t *testing.T) {
	t.Parallel()
	var frames []player.Frame
	for i := range 100 {
		frames = append(frames, player.Frame{Due: time.Duration(i / 50), Bytes: player.Literal([]byte("<abcdefghij>"))})
	}
	seed := int64(1)
	inside, total := 0, 0
	for _, w := range writesOf(split(frames, &scenarios.Split{By: "random", Seed: &seed}, nil)) {
		inside += strings.Count(w, "><")
		total += len(w)
		if before := total - len(w); before < 600 && total > 600 {
			t.Errorf("a write crosses the pause: %q", w)
		}
	}
	if inside < 60 || inside > 97 { // there are 98 boundaries, and a cut at about one in eight
		t.Errorf("%d of 98 boundaries are inside a write", inside)
	}
}

// writesOf lists the writes of the player: a frame joins the one before if both are due
// together and it needs no pause.
func writesOf(frames []player.Frame) []string {
	var list []string
	for i, f := range frames {
		text := string(f.Bytes.Data())
		switch {
		case f.Hold != "" || text == "":
		case len(list) > 0 && f.MinGap == 0 && frames[i-1].Hold == "" && frames[i-1].Due == f.Due:
			list[len(list)-1] += text
		default:
			list = append(list, text)
		}
	}
	return list
}
