package console

import (
	"io"
	"sync"
	"time"
)

const (
	// maxLog is the largest number of bytes that wait.
	maxLog = 4 << 20
	// logPause is the time between two writes, so that a busy log is written in blocks of
	// many lines.
	logPause = 5 * time.Millisecond
	// logCloseLimit is the longest time that Close waits for the reader.
	logCloseLimit = time.Second
)

// logQueue is a writer that passes lines on to another writer, in order, in a goroutine of
// its own. Lines written while the queue is full are dropped and counted. It is safe for
// concurrent use.
type logQueue struct {
	to     io.Writer
	onLost func(lines int64) // onLost reports the number of dropped lines; it writes to the field to directly.

	mu      sync.Mutex
	more    sync.Cond // more is signalled when there are lines to write, and when closed is set.
	waiting []byte    // waiting holds the lines to write next; guarded by mu.
	lost    int64     // lost is the number of lines dropped after those in waiting; guarded by mu.
	closed  bool      // closed says that the queue ends when its lines are written; guarded by mu.

	ended chan struct{} // ended is closed when the last lines are written.
}

// newLogQueue starts a queue that writes to a writer. When the writer accepts bytes again,
// onLost is called with the number of dropped lines. What it writes to the writer comes
// where those lines are missing.
func newLogQueue(to io.Writer, onLost func(lines int64)) *logQueue {
	q := &logQueue{to: to, onLost: onLost, ended: make(chan struct{})}
	q.more.L = &q.mu
	go q.run()
	return q
}

// Write queues a line. It never blocks and never fails.
func (q *logQueue) Write(line []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// After a dropped line all further ones are dropped, so that one report covers them.
	if q.lost > 0 || len(q.waiting)+len(line) > maxLog {
		q.lost++
	} else {
		q.waiting = append(q.waiting, line...)
	}
	q.more.Signal()
	return len(line), nil
}

// Close waits until all queued lines are written, for logCloseLimit at most, so that a
// reader that has stopped does not keep the program running. Later lines are dropped.
func (q *logQueue) Close() {
	q.mu.Lock()
	q.closed = true
	q.more.Signal()
	q.mu.Unlock()
	select {
	case <-q.ended:
	case <-time.After(logCloseLimit):
	}
}

// run writes the waiting lines, then reports dropped ones, until the queue is closed.
// Errors of the writer are ignored: there is nowhere to report them.
func (q *logQueue) run() {
	defer close(q.ended)
	for {
		q.mu.Lock()
		for len(q.waiting) == 0 && q.lost == 0 && !q.closed {
			q.more.Wait()
		}
		lines, lost := q.waiting, q.lost
		closed := q.closed
		q.waiting, q.lost = nil, 0
		q.mu.Unlock()
		if len(lines) > 0 {
			_, _ = q.to.Write(lines)
		}
		if lost > 0 {
			q.onLost(lost)
		}
		if closed {
			return
		}
		time.Sleep(logPause)
	}
}
