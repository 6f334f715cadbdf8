package recording

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// Mode says which requests are passed on, and which answers are recorded.
type Mode string

// The modes.
const (
	// ModeReplay passes no request on: only recordings answer.
	ModeReplay Mode = "replay"
	// ModeRecord passes every request on and records its answer.
	ModeRecord Mode = "record"
	// ModeMissing passes on and records the requests that no recording answers.
	ModeMissing Mode = "missing"
)

// Session is a reverse proxy that passes requests on to another endpoint, in one of the
// modes, and collects recordings of the answers. It is an [http.Handler], safe for
// concurrent use. Its fields must not be changed after the
// first request.
type Session struct {
	Mode Mode // Mode is any but ModeReplay, which needs no session.
	// Upstream is the base URL of the endpoint. The path of each request is appended to
	// its path; if both have a /v1, there is one.
	Upstream *url.URL
	Redactor *Redactor // Redactor replaces secrets before an exchange is recorded.
	List     *Collection
	// Fake answers, in ModeMissing, the requests that a scenario of [Session.Beside]
	// matches.
	Fake *server.Server
	// Ended is called with each exchange that was passed on, and with the reason if it is
	// not recorded. An exchange that is too long has no pieces. Exchanges are recorded one
	// at a time, in the order in which they ended, and no client waits for that. Up to 64
	// MiB of them wait; Ended is called at once with one that does not fit.
	Ended func(x *Exchange, err error)
	// Failed, if not nil, is called for a request that gets no answer, with the reason.
	// The client gets a 502, a 504 after the timeout, or a 403 if the request is refused as
	// that of a web page of another origin.
	Failed func(r *http.Request, err error)
	// Limit is how many bytes the body of a request, and of an answer, may have. A longer
	// body is passed on but not recorded. 0 is [DefaultLimit].
	Limit int64
	// Transport makes the requests; nil is [http.DefaultTransport].
	Transport http.RoundTripper
	// Timeout is how long the upstream may be silent, before the header of an answer and
	// between two pieces of its body. Then the client gets a 504, or its answer breaks off
	// and is recorded with the ending [EndedStall]. 0 is [DefaultTimeout]; a negative one
	// is no limit.
	Timeout time.Duration
	// Codings decode the content codings of bodies. The upstream is asked for answers
	// without one, but some send one anyway. Nil is the codings of Go's standard library.
	Codings Codings

	set    *scenarios.Set // set holds the scenarios of Beside.
	open   sync.WaitGroup // open counts requests and tasks of later.
	mu     sync.Mutex     // mu guards the fields below, and is never held for long.
	counts Counts
	held   int64         // held is how many bytes the tasks of later hold.
	last   chan struct{} // last is closed when the last of these tasks is done.
}

// Beside sets the scenarios, and their files, that exist before a session in
// ModeMissing. The session records the requests that they do not answer, under names
// that they do not have.
func (s *Session) Beside(set *scenarios.Set, files []yamlfile.Source) {
	s.set = set
	for _, sc := range set.Scenarios() {
		s.List.reserveName(sc.Name, nil)
	}
	for _, f := range files {
		s.List.reserveName(nameOf(f), nil)
	}
}

// Replace reads the files that exist in a directory before a session in ModeRecord. A recording
// replaces one of them only if that answers its request, and otherwise gets another name.
func (s *Session) Replace(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".yaml" {
			continue
		}
		f := yamlfile.Source{Name: filepath.Join(dir, e.Name())}
		if f.Data, err = os.ReadFile(f.Name); err != nil {
			return err
		}
		list, problems := yamlfile.Parse(f.Name, f.Data)
		switch {
		case len(list) == 1 && problems.Err() == nil:
			s.List.reserveName(nameOf(f), &list[0].When)
		case !isRecording(f):
			s.List.reserveName(nameOf(f), nil) // Only a recording that cannot be read is replaced by any other.
		}
	}
	return err
}

// nameOf is the name of a file without its extension.
func nameOf(f yamlfile.Source) string {
	name := filepath.Base(f.Name)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// Counts is the progress of a session.
type Counts struct {
	Requests    int   // Requests is how many requests were passed on and answered.
	Open        int   // Open is how many requests are being passed on or answered.
	Waiting     int   // Waiting is how many answers are being recorded or wait for that.
	Bytes       int64 // Bytes is how many bytes of answers came.
	NotRecorded int   // NotRecorded is how many answers are not recorded, for another reason than [ErrNoSurface].
}

// Counts returns the progress of the session.
func (s *Session) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

func (s *Session) count(change func(*Counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.counts)
}

// Wait waits until no request is open and all answers are recorded, so that List has
// them, or returns the cause of ctx's end. No new request may come in the meantime.
func (s *Session) Wait(ctx context.Context) error {
	none := make(chan struct{})
	go func() {
		defer close(none)
		s.open.Wait()
	}()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ServeHTTP passes a request on, or has Fake answer it.
func (s *Session) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.open.Add(1)
	defer s.open.Done()
	if err := refused(r); err != nil {
		s.fail(w, r, http.StatusForbidden, "this is refused", err)
		return
	}
	if s.Mode == ModeMissing && s.isAnswered(r) {
		s.Fake.ServeHTTP(w, r)
		return
	}
	s.count(func(c *Counts) { c.Open++ })
	defer s.count(func(c *Counts) { c.Open-- })
	s.pass(w, r)
}

// fail answers a request for which there is no answer.
func (s *Session) fail(w http.ResponseWriter, r *http.Request, status int, what string, err error) {
	if s.Failed != nil {
		s.Failed(r, err)
	}
	http.Error(w, what+": "+err.Error(), status)
}

// limit is how many bytes of a body are kept.
func (s *Session) limit() int64 { return cmp.Or(s.Limit, DefaultLimit) }

// countBytes counts bytes of an answer.
func (s *Session) countBytes(bytes int) { s.count(func(c *Counts) { c.Bytes += int64(bytes) }) }

// keep has an exchange recorded, after those that ended before it.
func (s *Session) keep(x *Exchange) {
	s.count(func(c *Counts) { c.Requests, c.Waiting = c.Requests+1, c.Waiting+1 })
	if !s.enqueue(x.size(), func() { s.exchangeEnded(x, s.record(x)) }) {
		x.Path, _, _ = strings.Cut(x.Path, "?") // The query may have secrets, and to redact takes time.
		s.exchangeEnded(x, errors.New("64 MiB of answers wait to be recorded, and more do not fit; it was passed through"))
	}
}

// mostWaiting is how many bytes of answers wait to be recorded at most.
const mostWaiting = 64 << 20

// enqueue runs a task in a goroutine, after the tasks that were enqueued before it.
// It returns false, and does not run the task, if there is no room for the bytes that the task holds.
func (s *Session) enqueue(bytes int64, task func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+bytes > mostWaiting {
		return false
	}
	before, done := s.last, make(chan struct{})
	s.held, s.last = s.held+bytes, done
	s.open.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		task()
		s.count(func(*Counts) { s.held -= bytes })
	})
	return true
}

// record adds an exchange to the recordings. A panic becomes an error, so that the
// program goes on.
func (s *Session) record(x *Exchange) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("this is a bug of fakeopenai: %v", p)
		}
	}()
	x.unpack(s.Codings, s.limit())
	s.Redactor.Redact(x)
	return s.List.Add(x)
}

// exchangeEnded counts that an exchange is recorded, or is not because of err, and calls Ended.
func (s *Session) exchangeEnded(x *Exchange, err error) {
	s.count(func(c *Counts) {
		c.Waiting--
		if err != nil && !errors.Is(err, ErrNoSurface) {
			c.NotRecorded++
		}
	})
	s.Ended(x, err)
}

// largestAsked is the longest body, in bytes, of a request that is matched against the
// scenarios: the server's default for MaxBody.
const largestAsked = 32 << 20

// isAnswered reports whether a scenario of the set matches a request. It reads the body
// and puts it back.
func (s *Session) isAnswered(r *http.Request) bool {
	if isOwn(r.Method, r.URL.Path) {
		return false
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, largestAsked))
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	if err != nil {
		return false
	}
	req, err := readFrom(r.Method, r.URL.RequestURI(), r.Header, body)
	if err != nil || !s.Fake.Continue(req) {
		return false
	}
	if _, none := s.set.Match(r.Context(), req, nil, "", 1); none != nil {
		return false
	}
	s.enqueue(0, func() { s.List.Answered(req) }) // List may be busy with its files.
	return true
}

// Describe describes an exchange in one line, without the contents of the request.
func (x *Exchange) Describe() string {
	size := 0
	for _, p := range x.Pieces {
		size += len(p.Data)
	}
	text := fmt.Sprintf("%s %s: %d", x.Method, x.Path, x.Status)
	if !x.TooLong && x.Status != http.StatusSwitchingProtocols {
		text += fmt.Sprintf(", %d bytes", size)
	}
	if x.Ending != EndedComplete {
		text += ", " + string(x.Ending)
	}
	return text
}

// ParseUpstream parses the base URL of an endpoint: http or https, with a host, without
// query, fragment and user.
func ParseUpstream(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("it must be a URL such as https://api.openai.com")
	case strings.Contains(text, "?") || strings.Contains(text, "#") || u.User != nil:
		return nil, errors.New("it must be a URL without query, fragment and password")
	}
	return u, nil
}
