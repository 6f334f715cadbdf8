package player

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Sink receives the bytes of a program that is played, and its ending.
type Sink interface {
	// Write sends p to the client at once. It blocks while the client reads slowly.
	Write(p []byte, w *Write) (int, error)
	// End ends the answer. The kind is never EndStall, which becomes EndCut, or EndLinger,
	// which becomes EndOrderly.
	End(EndingKind) error
}

// Write says what a [Sink] can know of a write before it. The sink must not keep it.
type Write struct {
	Due time.Time // Due is when the write was due.
	// Frames and Step are those of the [Report] if the write succeeds.
	Frames, Step int
	// Last says that End follows at once. It is false before the silence of EndStall and
	// EndLinger.
	Last bool
}

// Gate is where streams wait at holds. Pass blocks until the stream may go on from the named hold, which is made by this
// step, or ctx ends. An error ends the stream, with what is written before the hold.
type Gate interface {
	Pass(ctx context.Context, hold string, step int) error
}

// Report says how far a program was played.
type Report struct {
	// Frames counts the events written whole, however many pieces they were cut
	// into.
	Frames int
	Pieces int   // Pieces counts the frames of the program that were written whole.
	Bytes  int64 // Bytes counts the bytes that the sink took.
	Step   int   // Step is the step of the last frame written, -1 for none.
	Inside bool  // Inside says that the stream stopped inside a frame, of which a part is written.
	// Err is the error that ended the stream early: the context's or the sink's. It is nil
	// for a stream that was played to its end.
	Err error
}

// Instant is the speed at which there are no pauses.
const Instant = -1

// blockSize is the number of bytes from which on pending frames are written, although
// more frames are due.
const blockSize = 256 << 10

// buffers holds the buffers of streams. A stream has one only while it has something to
// write, so that one that waits holds little. A buffer that a huge frame has made large
// does not come back.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// buffer has the frames that are due and not written yet.
type buffer struct {
	bytes []byte
	// ends are the ends of the frames, which tell how many frames a write has completed.
	ends []frameEnd
}

type frameEnd struct {
	at   int64 // at is a position in the stream's bytes.
	step int   // step is the frame's step.
	more bool  // more says that the next frame has the rest of the same event.
}

// Play writes the frames of p to the sink, each when it is due, and then ends the answer.
// Frames that are due at the same time share a write. Due times count from the start or
// from the last hold, and not from the write before, so that a stream does not drift. Play
// divides all times by speed, but for [Frame.MinGap]; [Instant] leaves them out.
//
// Thousands of streams may sleep at a time, each in a goroutine: Play and the functions
// that lead to the sleep need little stack.
func Play(ctx context.Context, p *Program, v *Values, sink Sink, gate Gate, speed float64) *Report {
	return Resume(ctx, p, 0, v, sink, gate, speed, Report{Step: -1})
}

// Resume is [Play] from the frame at this index on, in place of a program of which this was reported and whose frames so
// far were the same. Times count from now.
func Resume(ctx context.Context, p *Program, at int, v *Values, sink Sink, gate Gate, speed float64, so Report) *Report {
	so.Err = nil
	s := &stream{ctx: ctx, frames: cursor{program: p, at: at}, sink: sink, gate: gate, speed: speed, start: time.Now(), report: so, wholeBytes: so.Bytes}
	s.report.Err = s.play(v)
	s.returnBuffer()
	if s.unwatch != nil {
		s.unwatch()
	}
	return &s.report
}

// stream is a program that is being played.
type stream struct {
	ctx        context.Context
	frames     cursor
	sink       Sink
	gate       Gate
	speed      float64
	start      time.Time     // start is when the stream began, or when it passed its last hold.
	due        time.Duration // due is when the pending frames were due, counted from start.
	now        time.Duration // now is the time, from start, up to which frames are sent without a wait.
	buffer     *buffer       // buffer comes from buffers; nil while nothing is pending.
	pending    []byte        // pending has the bytes of the buffer, which are not written yet.
	next       Write         // next is what the sink is told of the next write.
	wholeBytes int64         // wholeBytes counts the bytes of the frames that the sink took whole.
	timer      *time.Timer
	over       atomic.Bool // over says that ctx has ended; it is set only while unwatch is not nil.
	unwatch    func() bool // unwatch stops the watch over ctx; nil before the first sleep.
	report     Report
}

func (s *stream) play(v *Values) error {
	for f, at := s.frames.next(); f != nil; f, at = s.frames.next() {
		if due := s.scale(at); due > s.now || f.MinGap > 0 {
			if err := s.wait(due, f.MinGap); err != nil {
				return err
			}
		}
		if f.Hold != "" {
			if err := s.hold(f); err != nil {
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

// conclude waits until the ending is due, writes what is pending and ends the answer.
func (s *stream) conclude(e *Ending) error {
	if due := s.scale(e.Due); due > s.now {
		if err := s.wait(due, 0); err != nil {
			return err
		}
	}
	kind, silence := e.Kind, time.Duration(0)
	switch kind {
	case EndStall:
		kind, silence = EndCut, s.scale(e.For)
	case EndLinger:
		kind, silence = EndOrderly, s.scale(e.For)
	default:
		s.next.Last = true
	}
	if err := s.flush(); err != nil {
		return err
	}
	if silence > 0 {
		if err := s.sleep(silence); err != nil {
			return err
		}
	}
	return s.sink.End(kind)
}

// addFrame appends a frame to the pending bytes, and writes them if they fill a block.
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

// addLarge writes a large frame block by block; less than a block stays pending.
func (s *stream) addLarge(f *Frame, v *Values) (err error) {
	v.piece, v.due = f.Piece, f.Due
	s.pending, err = f.Bytes.appendInBlocks(s.pending, v, func(p []byte) error {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		return s.write(p)
	})
	return err
}

// returnBuffer gives the buffer back to buffers. Nothing may be pending.
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

func (s *stream) hold(f *Frame) error {
	if err := s.flush(); err != nil {
		return err
	}
	s.returnBuffer()
	err := s.gate.Pass(s.ctx, f.Hold, f.Step)
	s.start, s.now, s.due = time.Now(), 0, 0
	return err
}

// flush writes the pending frames. It returns the error of a context that has ended, so
// that a stream without pauses ends, too, when its client leaves.
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

// write writes p to the sink, and counts the bytes that it took and the frames that they
// complete.
func (s *stream) write(p []byte) error {
	r := &s.report
	whole := s.whole(r.Bytes + int64(len(p)))
	s.next.Due = s.start.Add(s.due)
	n, err := s.sink.Write(p, &s.next)
	r.Bytes += int64(n)
	if n < len(p) {
		whole = s.whole(r.Bytes)
	}
	if whole > 0 {
		s.wholeBytes = s.buffer.ends[whole-1].at
	}
	r.Frames, r.Step, r.Inside = s.next.Frames, s.next.Step, r.Bytes > s.wholeBytes
	r.Pieces += whole
	s.buffer.ends = slices.Delete(s.buffer.ends, 0, whole)
	return err
}

// whole counts the pending frames that end at a position in the stream's bytes or before it,
// and sets Frames and Step of next to how far the stream is there.
func (s *stream) whole(at int64) (n int) {
	s.next.Frames, s.next.Step = s.report.Frames, s.report.Step
	for n < len(s.buffer.ends) && s.buffer.ends[n].at <= at {
		end := &s.buffer.ends[n]
		s.next.Step = end.step
		if !end.more {
			s.next.Frames++
		}
		n++
	}
	return n
}

// Pause waits for the header delay of a program. The error is that of ctx.
func Pause(ctx context.Context, p *Program, speed float64) error {
	if p.HeaderDelay == 0 {
		return nil
	}
	s := stream{ctx: ctx, speed: speed}
	err := s.sleep(s.scale(p.HeaderDelay))
	if s.unwatch != nil {
		s.unwatch()
	}
	return err
}

// tooLate is the lateness from which on a stream sends all overdue frames in one write.
// There are more streams then than the processors can serve, and a write for each frame
// would make them even later.
const tooLate = 100 * time.Millisecond

// wait writes the pending frames, and sleeps until due, but at least for settle.
func (s *stream) wait(due, settle time.Duration) error {
	if err := s.flush(); err != nil {
		return err
	}
	s.now, s.due = due, due
	asleep := time.Since(s.start)
	pause := max(due-asleep, settle)
	if pause <= 0 {
		return nil
	}
	if err := s.sleep(pause); err != nil {
		return err
	}
	if woke := time.Since(s.start); woke-asleep-pause > tooLate {
		s.now = woke
	}
	return nil
}

// sleep sleeps for d, or until the context ends. It receives from the timer alone, and the
// end of the context fires the timer: a select on two channels would take longer, and a
// stream sleeps before each of its frames.
func (s *stream) sleep(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	s.returnBuffer()
	if s.timer == nil {
		s.timer = time.NewTimer(d)
		s.unwatch = context.AfterFunc(s.ctx, s.wake)
	} else {
		s.timer.Reset(d)
	}
	if !s.over.Load() { // otherwise wake may have fired the timer before Reset
		<-s.timer.C
	}
	return s.ended()
}

// wake is called when the context has ended. It ends the current sleep and all later ones.
func (s *stream) wake() {
	s.over.Store(true)
	s.timer.Reset(0)
}

// ended returns the error of the context. From the first sleep on it reads over, which is
// faster than the context.
func (s *stream) ended() error {
	if s.unwatch != nil && !s.over.Load() {
		return nil
	}
	return s.ctx.Err()
}
