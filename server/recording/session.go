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

// Mode says which requests are passed on, and which answers are kept.
type Mode string

// The modes.
const (
	// ModeReplay passes no request on: recordings answer, or nothing does.
	ModeReplay Mode = "replay"
	// ModeRecord passes every request on and records its answer.
	ModeRecord Mode = "record"
	// ModeMissing has recordings answer, and passes on and records what none of them
	// answers.
	ModeMissing Mode = "missing"
	// ModePassthrough passes every request on and keeps nothing.
	ModePassthrough Mode = "passthrough"
)

// Session passes requests on, in one of the modes, and collects the recordings. It
// is an [http.Handler] that may be used by several goroutines. Its fields are not to
// be changed once there are requests.
type Session struct {
	Mode     Mode // Mode is any but ModeReplay, which needs no session.
	Upstream *url.URL
	Redactor *Redactor // Redactor replaces secrets before anything is kept.
	List     *Collection
	// Fake is for ModeMissing: it answers what the scenarios do that [Session.Beside] is
	// told of.
	Fake http.Handler
	// Ended is told each exchange that was passed on, and why there is no recording of
	// it, if there is none. [Exchange.TooLong] and the mode may leave it without pieces.
	// It is called from the goroutine that serves the request.
	Ended func(x *Exchange, err error)
	// Failed is told of a request that has no answer at all, with the reason.
	Failed func(r *http.Request, err error)
	// Limit is that of the [Recorder].
	Limit int64
	// Transport, Codings and Timeout are those of the [Recorder].
	Transport http.RoundTripper
	Codings   coding.Codings
	Timeout   time.Duration

	set    *scenarios.Set // set are the scenarios of ModeMissing.
	mu     sync.Mutex
	counts Counts
	open   sync.WaitGroup
}

// Beside says what scenarios, in what files, are there before a session in
// ModeMissing: it records what they do not answer, and takes none of their names.
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

// Counts are how far a session is.
type Counts struct {
	Requests int   // Requests is how many were passed on and answered.
	Open     int   // Open is how many are passed on or answered just now.
	Bytes    int64 // Bytes are those of the answers that came.
}

// Counts are how far the session is.
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

// Wait waits until no request is open any more. No new one may come meanwhile.
func (s *Session) Wait() { s.open.Wait() }

// ServeHTTP passes a request on, or has it answered.
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

// largestAsked is how long the body of a request may be for which a recording is
// looked for: as long as the server reads one unless it is told otherwise.
const largestAsked = 32 << 20

// isAnswered reports whether a scenario of the set answers a request, whose body it
// reads and puts back.
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

// failing is what is left of a body: nothing but an error, if there was one.
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

// Describe is an exchange in one line, without what the client asked.
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

// ParseUpstream reads the base URL of an endpoint.
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
