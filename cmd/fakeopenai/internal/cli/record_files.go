package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/files"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// capture writes the recordings of a session to files until it is closed.
type capture struct {
	session *recording.Session
	dir     string
	log     *log.Logger // log prints messages, a line each.

	changed chan struct{} // changed has a value while there are recordings to write.

	mu      sync.Mutex        // mu guards the fields below.
	written map[string][]byte // written is the content of the files as last written, by name.
	files   int               // files is the number of complete files.
	failed  error             // failed is the error of the last write; nil if it succeeded.
}

// startCapture begins to write the recordings of a session into a directory. On messages it
// prints a line for each request. It sets Ended and Failed of the session.
func startCapture(session *recording.Session, dir string, messages io.Writer) *capture {
	c := &capture{session: session, dir: dir, log: log.New(messages, "fakeopenai: ", 0), written: map[string][]byte{}, changed: make(chan struct{}, 1)}
	session.Ended = c.ended
	session.Failed = func(r *http.Request, err error) { c.say("%s %s: no answer: %v", r.Method, r.URL.Path, err) }
	go c.writeChanges()
	return c
}

// say prints a line about a request, without secrets and control characters.
func (c *capture) say(format string, args ...any) {
	c.log.Print(c.session.Redactor.Line(fmt.Sprintf(format, args...)))
}

// ended prints the line of an exchange, and requests a write of the files.
func (c *capture) ended(x *recording.Exchange, err error) {
	c.say("%s", x.Describe())
	if err != nil {
		c.say("  not recorded: %v", err)
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
func (c *capture) writeChanges() {
	for range c.changed {
		c.write()
	}
}

// write writes the changed files, each atomically. It prints an error only if the
// previous write had none.
func (c *capture) write() {
	c.mu.Lock()
	defer c.mu.Unlock()
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
	if failed != nil && c.failed == nil {
		c.log.Printf("%v", failed)
	}
	c.files, c.failed = written, failed
}

// Close waits until all answers are recorded or ctx ends, writes the last recordings and
// prints a summary. The session must get no more requests. Close returns how many answers
// are not recorded, and the error of the last write.
func (c *capture) Close(ctx context.Context) (notRecorded int, err error) {
	notice := time.AfterFunc(time.Second, func() {
		c.log.Printf("recording %s; a signal ends this", console.Count(c.session.Counts().Waiting, "more answer"))
	})
	late := c.session.Wait(ctx)
	notice.Stop()
	c.write()
	counts := c.session.Counts()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session.Mode == recording.ModePassthrough {
		c.log.Printf("passed through, nothing is recorded: requests %d, bytes %d", counts.Requests, counts.Bytes)
		return 0, nil
	}
	if late != nil { // What goes on in the session may keep the notes and the Redactor busy.
		counts.NotRecorded += counts.Open + counts.Waiting
		c.log.Printf("%v: %s not recorded", late, console.Count(counts.Open+counts.Waiting, "answer"))
	} else {
		close(c.changed)
		for _, n := range c.session.List.Check() {
			c.say("%s: %s", n.Scenario, n.Reason)
		}
		for _, r := range c.session.Redactor.Summary() {
			c.log.Printf("replaced by placeholders: %s, %s", r.Kind, console.Count(r.Times, "time"))
		}
	}
	c.log.Printf("recorded in %s: requests %d, bytes %d, files %d, not recorded %d", c.dir, counts.Requests, counts.Bytes, c.files, counts.NotRecorded)
	return counts.NotRecorded, c.failed
}
