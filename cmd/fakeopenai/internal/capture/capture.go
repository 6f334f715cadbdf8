// Package capture records what passes through a proxy into a directory of scenario
// files, and says what it does.
package capture

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"sync"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/files"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/report"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// Capture writes the recordings of a session into a directory until it is closed.
type Capture struct {
	session *recording.Session
	dir     string
	status  *status

	changed chan struct{} // changed has a value while there are recordings that no file has.
	done    chan struct{} // done is closed when the last files are written.

	written map[string][]byte // written are the files as they were written last, by name.

	mu     sync.Mutex
	files  int
	failed error // failed is why files could not be written last.
}

// Start begins to write what a session records into a directory, and to say on
// messages what passes: a line for each request, and how far it is. It sets what the
// session reports to.
func Start(session *recording.Session, dir string, messages io.Writer, how Progress) *Capture {
	c := &Capture{session: session, dir: dir, written: map[string][]byte{}, changed: make(chan struct{}, 1), done: make(chan struct{})}
	c.status = newStatus(messages, how, c.progress)
	session.Ended = c.ended
	session.Failed = func(r *http.Request, err error) { c.status.say("%s %s: no answer: %v", r.Method, r.URL.Path, err) }
	go c.writeChanges()
	return c
}

// ended tells of an exchange, and has its file written.
func (c *Capture) ended(x *recording.Exchange, err error) {
	c.status.say("%s", x.Describe())
	if err != nil {
		c.status.say("  not recorded: %v", err)
	}
	if err != nil || c.session.Mode == recording.ModePassthrough {
		return
	}
	select {
	case c.changed <- struct{}{}:
	default: // the files that are due will have it
	}
}

// writeChanges writes the files whenever there are new recordings. What comes while
// it writes is written together.
func (c *Capture) writeChanges() {
	defer close(c.done)
	for range c.changed {
		c.write()
	}
}

// write writes the files that have changed. Each appears complete or not at all.
func (c *Capture) write() {
	list := c.session.List.Files()
	var failed error
	written := 0
	for _, f := range list {
		if !bytes.Equal(c.written[f.Name], f.Data) {
			if _, err := files.WriteAtomically("--out", filepath.Join(c.dir, f.Name), f.Data); err != nil {
				failed = err
				break
			}
			c.written[f.Name] = f.Data
		}
		written++
	}
	c.mu.Lock()
	news := failed != nil && c.failed == nil
	c.files, c.failed = written, failed
	c.mu.Unlock()
	if news {
		c.status.say("%v", failed)
	}
}

// progress is how far the recording is.
func (c *Capture) progress() (recording.Counts, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Counts(), c.files
}

// Close ends the recording: what was recorded is written, and a summary says what.
// No request may come any more. The error says which file could not be written.
func (c *Capture) Close() error {
	c.session.Wait()
	close(c.changed)
	<-c.done
	c.status.end()
	for _, n := range c.session.List.Check() {
		c.status.say("%s: %s", n.Scenario, n.Reason)
	}
	counts, written := c.progress()
	if c.session.Mode == recording.ModePassthrough {
		c.status.say("passed through, nothing is recorded: requests %d, bytes %d", counts.Requests, counts.Bytes)
		return nil
	}
	for _, r := range c.session.Redactor.Summary() {
		c.status.say("replaced by placeholders: %s, %s", r.Kind, report.Count(r.Times, "time"))
	}
	c.status.say("recorded in %s: requests %d, bytes %d, files %d", c.dir, counts.Requests, counts.Bytes, written)
	return c.failed
}
