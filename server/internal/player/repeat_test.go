package player

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// counting is a sink that keeps the bytes that it gets, and the size of the largest write.
type counting struct {
	all     strings.Builder
	writes  int
	largest int
	fail    int // the number of the write that fails
}

func (c *counting) Write(p []byte) (int, error) {
	c.writes++
	if c.writes == c.fail {
		return 0, errors.New("gone")
	}
	c.largest = max(c.largest, len(p))
	return c.all.Write(p)
}

func (c *counting) End(EndingKind) error { return nil }

// large returns a frame of a chunk whose content is a repeated text.
func large(unit string, count int64, tail string) Frame {
	heads := Heads{Repeats: map[hole.ID]*Repeat{hole.Script: NewRepeat([]byte(unit), count, []byte(tail))}}
	json := ojson.Object(ojson.M("id", hole.Value(hole.Envelope)), ojson.M("content", hole.Value(hole.Script)),
		ojson.M("padding", hole.Value(hole.Padding))).Append(nil)
	return Frame{Bytes: heads.NewTemplate(json, json)}
}

func values() *Values {
	v := NewValues(toSixteen)
	v.Set(hole.Envelope, []byte(`"c"`))
	return v
}

func TestALargeFrameLeavesInBlocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		unit, tail string
		count      int64
	}{
		{"a small unit", "ab", "a", 1_000_000},
		{"a unit of several bytes", "é🎉", "", 100_000},
		{"a unit as large as a block", strings.Repeat("x", blockSize), "x", 3},
		{"a unit larger than a block", strings.Repeat("x", 3*blockSize+1), "xx", 2},
		{"not one whole unit", "ab", "a", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := large(tt.unit, tt.count, tt.tail)
			sink := &counting{}
			frames := []Frame{frame(0, "before "), f, frame(0, " after")}
			report := Play(t.Context(), &Program{Frames: frames}, values(), sink, nil, 1)
			want := "before " + string(f.Bytes.Append(nil, values())) + " after"
			if got := sink.all.String(); got != want {
				t.Errorf("%d bytes were written, not the %d that the frame has in one piece", len(got), len(want))
			}
			if text := strings.Repeat(tt.unit, int(tt.count)) + tt.tail; !strings.Contains(want, `"content":"`+text+`"`) {
				t.Error("the text is not there")
			}
			if sink.largest > blockSize+blockSize/4 {
				t.Errorf("the largest write has %d bytes", sink.largest)
			}
			if report.Frames != 3 || report.Bytes != int64(len(want)) {
				t.Errorf("report %+v, want 3 frames and %d bytes", report, len(want))
			}
			if chunk := []rune(want); (len(chunk)-len("before ")-len(" after"))%16 != 1 {
				t.Errorf("the chunk has %d characters, want one more than a multiple of 16", len(chunk))
			}
		})
	}
}

func TestALargeFrameThatIsNotTakenWholeDoesNotCount(t *testing.T) {
	t.Parallel()
	sink := &counting{fail: 3}
	report := Play(t.Context(), &Program{Frames: []Frame{large("ab", 1_000_000, "")}}, values(), sink, nil, 1)
	if report.Err == nil || report.Frames != 0 || report.Bytes != int64(sink.all.Len()) || report.Bytes == 0 {
		t.Errorf("report %+v, want no frame and the %d bytes that were taken", report, sink.all.Len())
	}
}

func TestALargeFrameEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	sink := &leaving{cancel: cancel}
	report := Play(ctx, &Program{Frames: []Frame{large("ab", 1_000_000, "")}}, values(), sink, nil, 1)
	if !errors.Is(report.Err, context.Canceled) || sink.writes != 1 {
		t.Errorf("after %d writes: %v; want one write and the context's error", sink.writes, report.Err)
	}
}

// leaving is a sink whose reader leaves after the first write.
type leaving struct {
	counting
	cancel func()
}

func (l *leaving) Write(p []byte) (int, error) {
	l.cancel()
	return l.counting.Write(p)
}
