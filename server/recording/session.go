package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/recording/coding"
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
	// ModePassthrough passes every request on and records nothing.
	ModePassthrough Mode = "passthrough"
)

// Session passes requests on, in one of the modes, and collects the recordings. It is
// an [http.Handler], safe for concurrent use. Its fields must not be changed after the
// first request.
type Session struct {
	Mode     Mode // Mode is any but ModeReplay, which needs no session.
	Upstream *url.URL
	Redactor *Redactor // Redactor replaces secrets before an exchange is recorded.
	List     *Collection
	// Fake answers, in ModeMissing, the requests that a scenario of [Session.Beside]
	// matches.
	Fake http.Handler
	// Ended is called with each exchange that was passed on, and with the reason if it is
	// not recorded. An exchange that is too long has no pieces. Ended is called from the
	// goroutine that serves the request.
	Ended func(x *Exchange, err error)
	// Failed, if not nil, is called for a request that gets no answer, with the reason.
	Failed func(r *http.Request, err error)
	// Limit, Transport, Codings and Timeout are those of the [Recorder].
	Limit     int64
	Transport http.RoundTripper
	Codings   coding.Codings
	Timeout   time.Duration

	set    *scenarios.Set // set holds the scenarios of Beside.
	mu     sync.Mutex
	counts Counts
	open   sync.WaitGroup
}

// Beside sets the scenarios, and their files, that exist before a session in
// ModeMissing. The session records the requests that they do not answer, under names
// that they do not have.
func (s *Session) Beside(set *scenarios.Set, files []yamlfile.Source) {
	s.set = set
	for _, sc := range set.Scenarios() {
		s.List.Taken = append(s.List.Taken, sc.Name)
	}
	for _, f := range files {
		name := filepath.Base(f.Name)
		s.List.Taken = append(s.List.Taken, strings.TrimSuffix(name, filepath.Ext(name)))
	}
}

// Counts is the progress of a session.
type Counts struct {
	Requests int   // Requests is how many requests were passed on and answered.
	Open     int   // Open is how many requests are being passed on or answered.
	Bytes    int64 // Bytes is how many bytes of answers came.
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

// Wait waits until no request is open. No new request may come in the meantime.
func (s *Session) Wait() { s.open.Wait() }

// ServeHTTP passes a request on, or has Fake answer it.
func (s *Session) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.open.Add(1)
	defer s.open.Done()
	if s.Mode == ModeMissing && s.isAnswered(r) {
		s.Fake.ServeHTTP(w, r)
		return
	}
	s.count(func(c *Counts) { c.Open++ })
	defer s.count(func(c *Counts) { c.Open-- })
	rec := Recorder{
		Upstream: s.Upstream, Transport: s.Transport, Codings: s.Codings, Timeout: s.Timeout, Limit: s.Limit, Keep: s.keep, Failed: s.Failed,
		Passed: func(n int) { s.count(func(c *Counts) { c.Bytes += int64(n) }) },
	}
	rec.ServeHTTP(w, r)
}

// keep adds an exchange to the recordings.
func (s *Session) keep(x *Exchange) {
	s.count(func(c *Counts) { c.Requests++ })
	var err error
	s.Redactor.Redact(x)
	if s.Mode != ModePassthrough {
		err = s.List.Add(x)
	}
	s.Ended(x, err)
}

// largestAsked is the longest body, in bytes, of a request that is matched against the
// scenarios: the server's default for MaxBody.
const largestAsked = 32 << 20

// isAnswered reports whether a scenario of the set matches a request. It reads the body
// and puts it back.
func (s *Session) isAnswered(r *http.Request) bool {
	surface, ok := surfaceOf(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		return false
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, largestAsked))
	again := io.MultiReader(bytes.NewReader(body), &failing{r.Body, err})
	r.Body = struct {
		io.Reader
		io.Closer
	}{again, r.Body}
	if err != nil {
		return false
	}
	req, err := readFrom(r.URL.EscapedPath(), surface, r.Header, body)
	if err != nil {
		return false
	}
	if _, none := s.set.Match(req, nil, "", 1); none != nil {
		return false
	}
	s.List.Answered(req)
	return true
}

// failing is the rest of a body: only an error if there was one.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Reader.Read(p)
}

// Describe describes an exchange in one line, without the contents of the request.
func (x *Exchange) Describe() string {
	size := 0
	for _, p := range x.Pieces {
		size += len(p.Data)
	}
	text := fmt.Sprintf("%s %s: %d", x.Method, x.Path, x.Status)
	if !x.TooLong {
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
