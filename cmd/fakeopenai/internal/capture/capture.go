// Package capture writes the recordings of a session into a directory of scenario files,
// and prints messages and progress meanwhile.
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

// Capture writes the recordings of a session to files until it is closed.
type Capture struct {
	session *recording.Session
	dir     string
	status  *status

	changed chan struct{} // changed has a value while there are recordings to write.
	done    chan struct{} // done is closed after the last files are written.

	written map[string][]byte // written is the content of the files as last written, by name.

	mu     sync.Mutex
	files  int   // files is the number of complete files.
	failed error // failed is the error of the last write; nil if it succeeded.
}

// Start begins to write the recordings of a session into a directory. On messages it
// prints a line for each request and, as how says, the progress. It sets Ended and
// Failed of the session.
func Start(session *recording.Session, dir string, messages io.Writer, how Progress) *Capture {
	c := &Capture{session: session, dir: dir, written: map[string][]byte{}, changed: make(chan struct{}, 1), done: make(chan struct{})}
	c.status = newStatus(messages, how, c.progress)
	session.Ended = c.ended
	session.Failed = func(r *http.Request, err error) { c.status.say("%s %s: no answer: %v", r.Method, r.URL.Path, err) }
	go c.writeChanges()
	return c
}

// ended prints the line of an exchange, and requests a write of the files.
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
	default: // the pending write will include it
	}
}

// writeChanges writes the files whenever there are new recordings. Recordings that come
// during a write are written together by the next one.
func (c *Capture) writeChanges() {
	defer close(c.done)
	for range c.changed {
		c.write()
	}
}

// write writes the changed files, each atomically. It prints an error only if the
// previous write had none.
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

// progress returns the counts of the session and the number of files.
func (c *Capture) progress() (recording.Counts, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Counts(), c.files
}

// Close waits for open requests, writes the last recordings and prints a summary. The
// session must get no more requests. The error is that of the last write.
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
