package fakeopenai

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
)

// Server is a fake OpenAI server that belongs to one test. It is safe for
// concurrent use, apart from what a test may only do in its own goroutine:
// methods that can fail the test say so.
type Server struct {
	URL string // URL is the server's, such as http://127.0.0.1:54321, with no trailing slash.
	// BaseURL is URL and /v1: what OPENAI_BASE_URL and a client's base URL
	// option expect.
	BaseURL string
	APIKey  string // APIKey is a key that the server accepts.

	tb       *reporter
	core     *server.Server
	handler  http.Handler // handler is the core, or what stands before it.
	set      *scenarios.Set
	http     *http.Server
	listener *listener
	memory   bool // memory says that there is no socket.
	http2    bool
	client   *http.Client
	replies  *replyCounts
	ends     signal // ends announces the end of an answer.

	// patience is how long a request that has not come is waited for while nothing
	// else happens.
	patience time.Duration
	// waits is the context of all waits; it ends when they have no point any
	// more.
	waits     context.Context
	endWaits  context.CancelCauseFunc
	closeOnce func()        // closeOnce closes the server the first time that it is called.
	served    chan struct{} // served is closed when no connection is accepted any more.
}

// Errors that say why a wait ended.
var (
	errClosed   = errors.New("the server was closed")
	errTestOver = errors.New("the test is over")
	errLate     = errors.New("the test's time is nearly up")
	errIdle     = errors.New("nothing in the bubble of synctest goes on")
)

// NewServer starts a server that plays what the options say, without options all
// bundled scenarios. It is closed when the test ends. A mistake in a scenario
// fails the test now, with all mistakes and the lines that they are in.
func NewServer(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	o := newSettings(opts)
	lib, set, err := o.load()
	if err != nil {
		tb.Fatalf("fakeopenai: %v", err)
	}
	s, err := newServer(tb, o, set, lib.duties(o.allowUnused))
	if err != nil {
		tb.Fatalf("fakeopenai: %v", err)
	}
	tb.Cleanup(s.finish)
	return s
}

func newServer(tb testing.TB, o *settings, set *scenarios.Set, dutyOf func(string) duty) (*Server, error) {
	s := &Server{APIKey: o.apiKey(), tb: &reporter{test: tb}, set: set, http2: o.http2}
	s.replies = newReplyCounts(set, dutyOf)
	s.waits, s.endWaits = context.WithCancelCause(context.Background())
	s.closeOnce, s.served = sync.OnceFunc(s.close), make(chan struct{})
	logger := s.logTo(o)
	config := o.config
	config.Scenarios = set
	config.Observe = s.observer(o)
	core, err := server.New(config)
	if err != nil {
		return nil, err
	}
	s.core, s.handler = core, core
	if o.handler != nil {
		s.handler = o.handler(s)
	}
	if err := s.listen(o.inMemory); err != nil {
		return nil, err
	}
	s.patience = patienceFrom(o)
	s.start(logger)
	return s, nil
}

// logTo sets where the log goes, and gives the logger for net/http's own
// complaints.
func (s *Server) logTo(o *settings) *slog.Logger {
	if o.config.Logger == nil {
		o.config.Logger = slog.New(slog.NewTextHandler(s.tb, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	}
	return o.config.Logger
}

// withoutTime leaves the time out of log lines: the test's output is in order,
// and shorter lines are read.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// listen opens the way in and makes the client that uses it. On the address in
// FAKEOPENAI_HOLD the server would be there for a person, not for the test.
func (s *Server) listen(inMemory bool) error {
	if addr := os.Getenv(debugVariable); addr != "" {
		return s.listenTCP(addr)
	}
	if inMemory {
		l := newMemListener()
		s.memory = true
		s.setEntry("http://"+memHost, l, l.dial)
		return nil
	}
	if inBubble() {
		return errors.New("in a bubble of testing/synctest NewServer needs the option InMemory(): with a socket the clock of the bubble stands still, so that pauses never end")
	}
	return s.listenTCP("127.0.0.1:0")
}

func (s *Server) listenTCP(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	s.setEntry("http://"+l.Addr().String(), l, nil)
	return nil
}

// setEntry sets the way in: the listener, the URLs, and the client.
func (s *Server) setEntry(url string, l net.Listener, dial dialFunc) {
	s.URL, s.BaseURL = url, url+"/v1"
	s.listener = &listener{Listener: s.core.Watch(l), conns: map[net.Conn]struct{}{}, busy: map[net.Conn]struct{}{}}
	over, end := context.WithCancelCause(context.Background())
	s.tb.atEnd = func() { end(errTestOver) }
	// No proxy: a variable in somebody's environment must not take the requests
	// elsewhere.
	s.client = &http.Client{Transport: &transport{
		Transport: &http.Transport{DialContext: dial, Protocols: s.protocols(false)},
		over:      over,
	}}
}

// protocols are what is spoken: by the client one of HTTP/1.1 and HTTP/2, by the
// server HTTP/1.1 anyway.
func (s *Server) protocols(serving bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(serving || !s.http2)
	p.SetUnencryptedHTTP2(serving || s.http2)
	return p
}

// start serves. Requests get no context of ours: the server has one that ends in
// Close.
func (s *Server) start(logger *slog.Logger) {
	s.http = &http.Server{
		Handler:     s.handler,
		ConnState:   s.listener.trackState,
		ConnContext: s.core.ConnContext,
		Protocols:   s.protocols(true),
		ErrorLog:    slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	if os.Getenv(debugVariable) != "" {
		s.serveForever()
	}
	go func() {
		defer close(s.served)
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.tb.errorf("fakeopenai: serve: %v", err)
		}
	}()
}

// Client is an HTTP client for this server. With [InMemory] it is the only way
// in. All calls return the same client.
func (s *Server) Client() *http.Client { return s.client }

// Setenv sets OPENAI_BASE_URL, OPENAI_API_BASE and OPENAI_API_KEY for the rest
// of the test, so that code which reads them finds this server. It cannot be
// used in a parallel test, as [testing.TB.Setenv] cannot, nor with [InMemory].
func (s *Server) Setenv() {
	s.tb.test.Helper()
	if s.memory {
		s.tb.test.Fatalf("fakeopenai: Setenv needs a socket; a server InMemory is reached only through its Client")
	}
	s.tb.test.Setenv("OPENAI_BASE_URL", s.BaseURL)
	s.tb.test.Setenv("OPENAI_API_BASE", s.BaseURL)
	s.tb.test.Setenv("OPENAI_API_KEY", s.APIKey)
}

// Close ends the server: it ends the streams that still go on, also those that
// nobody reads, and resets all connections. The test's end calls it too; a test
// calls it to see what its code does when a server dies. Further calls do
// nothing.
func (s *Server) Close() { s.closeOnce() }

// closeTimeout is how long Close waits for streams that it has told to end.
// They do so at once, unless there is a mistake in this package.
const closeTimeout = 10 * time.Second

func (s *Server) close() {
	s.endWaits(errClosed)
	s.listener.refuse()
	// First the streams, with the connections still there: so each is recorded as
	// ended by this side, and one that nobody reads is ended, too.
	ended := returnsWithin(closeTimeout, s.core.Close)
	s.listener.awaitQuiet()
	if s.http2 {
		s.listener.awaitFlush()
	}
	s.listener.resetAll()
	if err := s.http.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		s.tb.logf("fakeopenai: close: %v", err)
	}
	<-s.served
	if !ended && !returnsWithin(closeTimeout, s.core.Close) {
		s.tb.errorf("fakeopenai: Close: a stream did not end; requests: %v", s.Requests())
	}
}

// returnsWithin reports whether f returned in time.
func returnsWithin(limit time.Duration, f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// finish is what happens at the end of the test.
func (s *Server) finish() {
	s.Close()
	s.replies.report(s.tb)
	s.logEvidence()
	s.tb.end()
	s.client.CloseIdleConnections()
}
