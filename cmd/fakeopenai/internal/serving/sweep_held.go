package serving

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/journal"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// errShown is the cause of the context of a run that has passed: the command printed a
// part of a held answer, and is killed because that answer never goes on.
var errShown = errors.New("the command has shown a part of the answer")

// held returns the cases of --held, in which an answer stops in its middle; nil without
// that flag. The first of them, the scenario as written, has been run and is not in the
// list.
func (s *Sweep) held(ctx context.Context, cases []sweep.Case, answers []sweep.Answer, report *SweepReport) ([]sweep.Case, error) {
	if !s.Held {
		return nil, nil
	}
	list, err := sweep.Hold(s.Set, answers, cases)
	if err == nil && len(list) == 0 {
		err = errors.New("--held needs a command that asks for a stream, and an answer of at least two events before its finish")
	}
	if err != nil {
		return nil, err
	}
	first, _, err := s.play(ctx, list[0])
	if err == nil {
		err = report.add(first)
	}
	return list[1:], err
}

// quickestHeld is the highest speed at which a held answer stands still long enough.
const quickestHeld = 100

// heldSpeed returns the speed for a held case: at most quickestHeld, because at a higher
// one the silence would end.
func heldSpeed(speed float64) float64 {
	if speed == scenarios.Instant || speed > quickestHeld {
		return quickestHeld
	}
	return speed
}

// isHeld returns whether the entry of a request is that of an answer that stands still.
func isHeld(c sweep.Case) func(journal.Entry) bool {
	return func(e journal.Entry) bool {
		return e.Delivery.Ended == journal.EndedOpen && e.Scenario != "" && c.Plays(e.Scenario, e.Reply)
	}
}

// judgeHeld sets the verdict on a run with a held answer, and its detail.
func (r *result) judgeHeld(c sweep.Case, shown bool, answers []sweep.Answer) {
	r.Verdict = c.JudgeHeld(shown, answers)
	r.Detail = r.Verdict.Reason()
	if r.Verdict == sweep.HeldBack {
		r.Detail = "it printed nothing on its standard output " + r.Detail
	}
}

// gauge is a writer that counts the bytes written since the last answer began. It is
// safe for concurrent use.
type gauge struct {
	total atomic.Int64 // total is the number of bytes written.
	begun atomic.Int64 // begun is total at the beginning of the last answer.
	wrote func()       // wrote is called after each write; nil for nothing.
}

func (g *gauge) Write(p []byte) (int, error) {
	g.total.Add(int64(len(p)))
	if g.wrote != nil {
		g.wrote()
	}
	return len(p), nil
}

// mark notes the beginning of an answer.
func (g *gauge) mark() { g.begun.Store(g.total.Load()) }

// grown reports whether bytes were written since the last answer began.
func (g *gauge) grown() bool { return g.total.Load() > g.begun.Load() }

// watchdog calls a function when touch has not been called for limit, or after ten times
// limit in any case.
type watchdog struct {
	idle  *time.Timer
	all   *time.Timer
	limit time.Duration
}

func newWatchdog(limit time.Duration, bark func()) *watchdog {
	return &watchdog{idle: time.AfterFunc(limit, bark), all: time.AfterFunc(10*limit, bark), limit: limit}
}

func (w *watchdog) touch() { w.idle.Reset(w.limit) }

func (w *watchdog) stop() {
	w.idle.Stop()
	w.all.Stop()
}

// watchedListener reports the traffic of its connections to a watchdog, and the
// beginning of each answer to a gauge.
type watchedListener struct {
	*net.TCPListener
	watchdog *watchdog
	gauge    *gauge
	rest     time.Duration // rest is how long a connection rests after each write.
}

func (l *watchedListener) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	return &watchedConn{TCPConn: c, listener: l}, nil
}

type watchedConn struct {
	*net.TCPConn
	listener *watchedListener
	asked    atomic.Bool // asked says that bytes were read since the last write, so that the next write begins an answer.
}

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	if n > 0 {
		c.listener.watchdog.touch()
		c.asked.Store(true)
	}
	return n, err
}

func (c *watchedConn) Write(p []byte) (int, error) {
	if c.asked.Swap(false) {
		c.listener.gauge.mark()
	}
	n, err := c.TCPConn.Write(p)
	if n > 0 {
		c.listener.watchdog.touch()
	}
	if c.listener.rest > 0 {
		nap(c.listener.rest)
	}
	return n, err
}

// tailSize is the number of bytes kept of a command's output.
const tailSize = 4 << 10

// outputTail is a writer that keeps the last tailSize bytes. It is safe for concurrent
// use.
type outputTail struct {
	mu   sync.Mutex
	text []byte // text is guarded by mu.
	cut  bool   // cut says that earlier bytes were dropped; guarded by mu.
}

func (t *outputTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// String returns the kept bytes, after … if earlier ones were dropped.
func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut {
		return "…" + string(t.text)
	}
	return string(t.text)
}
