// Package logqueue writes a log to a reader that may be slow, or stop reading,
// without making the program wait for it.
package logqueue

import (
	"io"
	"sync"
	"time"
)

const (
	// maxBytes bounds the lines that wait for the reader, with those that it is given.
	maxBytes = 4 << 20
	// maxKept is the largest memory of lines that is used again for others.
	maxKept = 64 << 10
	// pause is how long lines wait for others after a write: a busy log is written by
	// many lines at a time.
	pause = 5 * time.Millisecond
	// closeLimit is how long Close waits for the reader.
	closeLimit = time.Second
)

// Queue passes lines on to a writer, in their order, from a goroutine of its own.
// Lines that come while the queue is full are lost, and counted. It may be used by
// several goroutines.
type Queue struct {
	to     io.Writer
	onLost func(lines int64) // onLost says in the log how many lines were lost; it writes to the writer itself.

	mu      sync.Mutex // guards what follows
	waiting []byte     // waiting are the lines that nobody writes yet.
	spare   []byte     // spare is memory for lines that come while those that waited are written.
	writing int        // writing is how many bytes of lines are being written.
	lost    int64      // lost counts the lines that were lost behind those that wait.

	more chan struct{} // more says that lines wait, or were lost.
	// closing ends the queue once it is empty, and ended says that it is.
	closing, ended chan struct{}
	close          sync.Once
}

// New starts a queue before a writer. When the reader reads again, onLost is called
// with the number of lines that were lost; what it writes to the writer stands
// where they are missing.
func New(to io.Writer, onLost func(lines int64)) *Queue {
	q := &Queue{to: to, onLost: onLost, more: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{})}
	go q.run()
	return q
}

// Write takes a line. It never waits and never fails.
func (q *Queue) Write(line []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		select {
		case q.more <- struct{}{}:
		default:
		}
	}
	// What comes behind a lost line is lost, too, so that their number has one place.
	if q.lost > 0 || q.writing+len(q.waiting)+len(line) > maxBytes {
		q.lost++
	} else {
		q.waiting = append(q.waiting, line...)
	}
	return len(line), nil
}

// Close waits until the lines so far are written, for a second at most: a reader
// that does not read until then does not keep the program. Later lines are lost.
func (q *Queue) Close() {
	q.close.Do(func() { close(q.closing) })
	select {
	case <-q.ended:
	case <-time.After(closeLimit):
	}
}

func (q *Queue) run() {
	defer close(q.ended)
	for {
		select {
		case <-q.more:
			q.pass()
		case <-q.closing:
			q.pass()
			return
		}
		select {
		case <-time.After(pause):
		case <-q.closing:
		}
	}
}

// pass writes the lines that wait, and how many were lost behind them. What cannot be
// written has nobody who could be told.
func (q *Queue) pass() {
	lines, lost := q.take()
	if len(lines) > 0 {
		_, _ = q.to.Write(lines)
	}
	q.written(lines)
	if lost > 0 {
		q.onLost(lost)
	}
}

func (q *Queue) take() (lines []byte, lost int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	lines, lost = q.waiting, q.lost
	q.waiting, q.spare, q.writing, q.lost = q.spare[:0], nil, len(lines), 0
	return lines, lost
}

func (q *Queue) written(lines []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writing = 0
	if cap(lines) <= maxKept {
		q.spare = lines[:0]
	}
}
