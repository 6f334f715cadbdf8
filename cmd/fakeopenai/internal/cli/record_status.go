package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/server/recording"
)

// progressKind is the way in which the progress of a recording is printed.
type progressKind int

// The kinds of progress.
const (
	noProgress     progressKind = iota // noProgress prints none.
	lastLine                           // lastLine prints it in the last line of a terminal, which is overwritten.
	linesInBetween                     // linesInBetween prints a line now and then, for a terminal shared with another program.
)

// status prints messages, a line each, and the progress of the recording.
type status struct {
	to       io.Writer
	how      progressKind
	progress func() (c recording.Counts, files int)
	stop     chan struct{} // stop is closed to end the progress; nil for noProgress.
	stopped  chan struct{} // stopped is closed when the progress has ended.
	told     string        // told is the progress printed last.

	mu   sync.Mutex
	line string // line is the text in the last line of the terminal; guarded by mu.
}

// refresh is the interval of lastLine, and between that of linesInBetween. Nothing is
// printed unless the progress has changed.
const (
	refresh = 200 * time.Millisecond
	between = 10 * time.Second
)

func newStatus(to io.Writer, how progressKind, progress func() (recording.Counts, int)) *status {
	s := &status{to: to, how: how, progress: progress}
	if how != noProgress {
		s.stop, s.stopped = make(chan struct{}), make(chan struct{})
		go s.follow()
	}
	return s
}

// follow prints the progress at intervals until stop is closed.
func (s *status) follow() {
	defer close(s.stopped)
	every := refresh
	if s.how == linesInBetween {
		every = between
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.show()
		case <-s.stop:
			return
		}
	}
}

// clearLine empties the current line of a terminal.
const clearLine = "\r\x1b[K"

// show prints the progress if it has changed.
func (s *status) show() {
	c, files := s.progress()
	line := fmt.Sprintf("requests %d, open %d, bytes %d, files %d", c.Requests, c.Open, c.Bytes, files)
	if line == s.told {
		return
	}
	s.told = line
	if s.how == linesInBetween {
		s.say("%s", line)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = line
	fmt.Fprint(s.to, clearLine+line)
}

// say prints a message on a line of its own, above the last line if there is one.
func (s *status) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, after := "", ""
	if s.line != "" {
		before, after = clearLine, s.line
	}
	fmt.Fprintf(s.to, "%sfakeopenai: %s\n%s", before, fmt.Sprintf(format, args...), after)
}

// end stops the progress and clears the last line.
func (s *status) end() {
	if s.stop == nil {
		return
	}
	close(s.stop)
	<-s.stopped
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != "" {
		fmt.Fprint(s.to, clearLine)
		s.line = ""
	}
}
