package player

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Sink takes what a player plays.
type Sink interface {
	// Write hands p to the network at once. It blocks while the reader is slow.
	Write(p []byte) (int, error)
	// End ends the answer orderly, by a cut or by a reset. EndStall and EndLinger
	// never reach it.
	End(EndingKind) error
}

// Watcher is a [Sink] that is told how far the stream is, after each write that
// completes a frame. The numbers are those of the [Report].
type Watcher interface {
	Progress(frames, step int)
}

// ForetoldSink is a sink that wants to know, before each write, how many frames are
// written whole with it: what must be so when the reader has a frame can be made so.
type ForetoldSink interface {
	Foretell(frames int)
}

// DueSink is a sink that wants to know, before each write, when what is written was due.
type DueSink interface {
	Due(at time.Time)
}

// ClosingSink is a sink that wants to know when only its last write is left, before
// the reader can know it. It hears of it once, and not at all where the answer
// goes silent before it ends.
type ClosingSink interface{ Closing() }

// Gate is where streams wait at holds. Pass blocks until the named hold is
// released or ctx ends.
type Gate interface {
	Pass(ctx context.Context, hold string) error
}

// Report says how far a program was played.
type Report struct {
	// Frames counts the events written whole, however many pieces they were cut
	// into.
	Frames int
	Pieces int   // Pieces counts the frames of the program that were written whole.
	Bytes  int64 // Bytes counts the bytes that the sink took.
	Step   int   // Step is the step of the last frame written, -1 for none.
	Inside bool  // Inside says that it stopped inside a frame of which a part is written.
	// Err is why the player stopped before the end: the context's error or the
	// sink's.
	Err error
}

// Instant is the speed at which there are no pauses.
const Instant = -1

// blockSize is how many bytes of frames that are due together go into one write.
const blockSize = 256 << 10

// buffers are lent to streams while they have something to write: one that
// waits holds none. One that a huge frame made grow is not kept.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// buffer is frames that are due and not written yet.
type buffer struct {
	bytes []byte
	// ends are where the frames end, so that it is known which of them a broken
	// write took.
	ends []frameEnd
}

// frameEnd is where a frame ends.
type frameEnd struct {
	at   int64 // at is a position in the stream's bytes.
	step int   // step is the frame's step.
	more bool  // more says that the frame is only a piece of an event.
}

// Play writes the frames of p to the sink, each when it is due, and then ends
// the answer. Frames that are due at the same moment share a write. Due times
// count from the start, or from the last hold, and not from the write before, so
// that a stream does not drift. Speed plays that many times as fast.
//
// The stack of a stream that sleeps is what thousands of them hold: Play and what it
// calls up to there keep little on it.
func Play(ctx context.Context, p *Program, v *Values, sink Sink, gate Gate, speed float64) *Report {
	s := newStream(ctx, p, sink, gate, speed)
	s.report.Err = s.play(v)
	s.returnBuffer()
	s.stopWatching()
	return &s.report
}

func newStream(ctx context.Context, p *Program, sink Sink, gate Gate, speed float64) *stream {
	s := &stream{ctx: ctx, frames: cursor{program: p}, sink: sink, gate: gate, speed: speed, start: time.Now(), report: Report{Step: -1}}
	s.watcher, _ = sink.(Watcher)
	s.foretold, _ = sink.(ForetoldSink)
	s.timed, _ = sink.(DueSink)
	return s
}

// stream is one playing of a program.
type stream struct {
	ctx        context.Context
	frames     cursor
	sink       Sink
	watcher    Watcher      // watcher is the sink if it wants to know how far the stream is; nil if not.
	foretold   ForetoldSink // foretold is the sink if it wants to know how far the stream will be; nil if not.
	timed      DueSink      // timed is the sink if it wants to know when writes were due; nil if not.
	gate       Gate
	speed      float64
	start      time.Time     // start is when the stream began, or went on after the last hold.
	due        time.Duration // due is when what is pending was due, counted from start.
	now        time.Duration // now is until when, from start, frames are due that need no wait.
	buffer     *buffer       // buffer is lent to the stream; nil while there is nothing to write.
	pending    []byte        // pending are the buffer's bytes, which are not written yet.
	wholeBytes int64         // wholeBytes counts the bytes of the frames that the sink took whole.
	timer      *time.Timer
	over       atomic.Bool // over says that ctx has ended while unwatch was not nil.
	unwatch    func() bool // unwatch stops the watch over ctx; nil before the first sleep.
	report     Report
}

func (s *stream) play(v *Values) error {
	for f, at := s.frames.next(); f != nil; f, at = s.frames.next() {
		if due := s.scale(at); due > s.now || f.MinGap > 0 {
			if err := s.flush(); err != nil {
				return err
			}
			if err := s.wait(due, f.MinGap); err != nil {
				return err
			}
		}
		if f.Hold != "" {
			if err := s.hold(f.Hold); err != nil {
				return err
			}
			continue
		}
		if err := s.addFrame(f, v); err != nil {
			return err
		}
	}
	return s.conclude(&s.frames.program.Ending)
}

// conclude ends the answer when that is due. A sink hears of it before the last write.
func (s *stream) conclude(e *Ending) error {
	due := s.scale(e.Due)
	if due > s.now {
		if err := s.flush(); err != nil {
			return err
		}
		if err := s.wait(due, 0); err != nil {
			return err
		}
	}
	s.closing(e.Kind)
	if err := s.flush(); err != nil {
		return err
	}
	return s.end(e)
}

// closing tells a sink that wants to know it that the end comes now.
func (s *stream) closing(kind EndingKind) {
	if sink, ok := s.sink.(ClosingSink); ok && kind != EndStall && kind != EndLinger {
		sink.Closing()
	}
}

// addFrame adds a frame's bytes to those that are written next. What fills a block is
// written at once.
func (s *stream) addFrame(f *Frame, v *Values) (err error) {
	if s.buffer == nil {
		s.buffer = buffers.Get().(*buffer)
		s.pending, s.buffer.ends = s.buffer.bytes[:0], s.buffer.ends[:0]
	}
	if f.Bytes.large {
		err = s.addLarge(f, v)
	} else {
		s.pending = f.Append(s.pending, v)
	}
	if err != nil {
		return err
	}
	s.buffer.ends = append(s.buffer.ends, frameEnd{s.report.Bytes + int64(len(s.pending)), f.Step, f.More})
	if len(s.pending) >= blockSize {
		return s.flush()
	}
	return nil
}

// addLarge writes a large frame, and adds its end to the bytes that are written next.
func (s *stream) addLarge(f *Frame, v *Values) (err error) {
	v.piece = f.Piece
	s.pending, err = f.Bytes.appendInBlocks(s.pending, v, func(p []byte) error {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		return s.write(p)
	})
	return err
}

// returnBuffer returns the buffer.
func (s *stream) returnBuffer() {
	if s.buffer != nil && cap(s.pending) <= 2*blockSize {
		s.buffer.bytes = s.pending[:0]
		buffers.Put(s.buffer)
	}
	s.buffer, s.pending = nil, nil
}

func (s *stream) scale(d time.Duration) time.Duration {
	switch s.speed {
	case Instant:
		return 0
	case 1:
		return d
	}
	return time.Duration(float64(d) / s.speed)
}

func (s *stream) hold(name string) error {
	if err := s.flush(); err != nil {
		return err
	}
	s.returnBuffer()
	err := s.gate.Pass(s.ctx, name)
	s.start, s.now, s.due = time.Now(), 0, 0
	return err
}

// flush hands the pending frames to the sink. It also notices a reader that
// left, so that a stream without pauses ends, too.
func (s *stream) flush() error {
	if err := s.ended(); err != nil {
		return err
	}
	if s.buffer == nil || len(s.buffer.ends) == 0 {
		return nil
	}
	err := s.write(s.pending)
	s.pending = s.pending[:0]
	return err
}

// write writes, and counts what was written.
func (s *stream) write(p []byte) error {
	if s.foretold != nil {
		s.foretold.Foretell(s.report.Frames + s.wholeAt(s.report.Bytes+int64(len(p))))
	}
	if s.timed != nil {
		s.timed.Due(s.start.Add(s.due))
	}
	n, err := s.sink.Write(p)
	s.count(n)
	return err
}

// count counts bytes that the sink took, and the frames that have ended with them.
func (s *stream) count(n int) {
	s.report.Bytes += int64(n)
	whole := 0
	for whole < len(s.buffer.ends) && s.buffer.ends[whole].at <= s.report.Bytes {
		end := &s.buffer.ends[whole]
		s.report.Step, s.wholeBytes = end.step, end.at
		if !end.more {
			s.report.Frames++
		}
		whole++
	}
	s.report.Inside = s.report.Bytes > s.wholeBytes
	s.report.Pieces += whole
	s.buffer.ends = slices.Delete(s.buffer.ends, 0, whole)
	if whole > 0 && s.watcher != nil {
		s.watcher.Progress(s.report.Frames, s.report.Step)
	}
}

// wholeAt counts the events that are pending and end before a position in the stream's
// bytes.
func (s *stream) wholeAt(at int64) (n int) {
	for _, end := range s.buffer.ends {
		if end.at <= at && !end.more {
			n++
		}
	}
	return n
}

func (s *stream) end(e *Ending) error {
	switch e.Kind {
	case EndStall:
		if err := s.sleep(s.scale(e.For)); err != nil {
			return err
		}
		return s.sink.End(EndCut)
	case EndLinger:
		if err := s.sleep(s.scale(e.For)); err != nil {
			return err
		}
		return s.sink.End(EndOrderly)
	}
	return s.sink.End(e.Kind)
}
