package capture

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/server/recording"
)

// Progress is how it is told how far a recording is.
type Progress int

// The ways to tell it.
const (
	NoProgress     Progress = iota // NoProgress tells nothing.
	LastLine                       // LastLine tells it in the last line of a terminal, which is written over.
	LinesInBetween                 // LinesInBetween tells it now and then, on a terminal that others write on, too.
)

// status says what happens, a line each, and how far the recording is.
type status struct {
	to       io.Writer
	how      Progress
	progress func() (c recording.Counts, files int)
	stop     chan struct{} // stop ends the telling of progress; nil is none.
	stopped  chan struct{} // stopped is closed when none is told any more.
	told     string        // told is what was told last.

	mu   sync.Mutex
	line string // line is what stands in the last line of the terminal.
}

// refresh is how often the last line is looked at, and between how often a line in
// between is said, if there is news.
const (
	refresh = 200 * time.Millisecond
	between = 10 * time.Second
)

func newStatus(to io.Writer, how Progress, progress func() (recording.Counts, int)) *status {
	s := &status{to: to, how: how, progress: progress}
	if how != NoProgress {
		s.stop, s.stopped = make(chan struct{}), make(chan struct{})
		go s.follow()
	}
	return s
}

// follow tells how far the recording is until it is told to stop.
func (s *status) follow() {
	defer close(s.stopped)
	every := refresh
	if s.how == LinesInBetween {
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

// clearLine takes the terminal to the start of an empty line.
const clearLine = "\r\x1b[K"

// show tells how far the recording is, if that has changed.
func (s *status) show() {
	c, files := s.progress()
	line := fmt.Sprintf("requests %d, open %d, bytes %d, files %d", c.Requests, c.Open, c.Bytes, files)
	if line == s.told {
		return
	}
	s.told = line
	if s.how == LinesInBetween {
		s.say("%s", line)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = line
	fmt.Fprint(s.to, clearLine+line)
}

// say writes a line that stays.
func (s *status) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, after := "", ""
	if s.line != "" {
		before, after = clearLine, s.line
	}
	fmt.Fprintf(s.to, "%sfakeopenai: %s\n%s", before, fmt.Sprintf(format, args...), after)
}

// end ends the telling of progress, and takes the last line away. What is said from now on stands alone.
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
