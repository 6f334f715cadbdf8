package fakeopenai

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
)

// Server is a fake OpenAI server that belongs to one test. It is safe for concurrent
// use, except for the methods whose documentation says that they must be called in
// the goroutine of the test.
type Server struct {
	URL string // URL is the server's, such as http://127.0.0.1:54321, with no trailing slash.
	// BaseURL is URL followed by the path of [WithBasePath], if there is one, and /v1, for OPENAI_BASE_URL and a client's
	// base URL option.
	BaseURL string
	// RealtimeURL is where realtime sessions begin: ws:// and the address of BaseURL, with /realtime behind it. The server
	// speaks WebSocket only if [WithConfig] sets [server.Config.Upgrade], because the helper brings no library for it.
	RealtimeURL string
	APIKey      string // APIKey is a key that the server accepts.

	tb       *reporter
	core     *server.Server
	handler  http.Handler // handler is core or, while recording, the proxy in front of it.
	set      *scenarios.Set
	http     *http.Server
	listener *listener
	memory   bool // memory says that the server has no socket.
	http2    bool
	basePath string // basePath is the path of WithBasePath.
	// failRetries says that wrong retries fail the test.
	failRetries bool
	client      *http.Client
	replies     *replyCounts

	// patience is how long to wait while nothing moves: see [server.Server.Patient].
	patience time.Duration
	// waits is the context of all waits. It ends when the server is closed, or when a
	// request was not answered as the test expects.
	waits     context.Context
	endWaits  context.CancelCauseFunc
	closeOnce func()        // closeOnce closes the server the first time that it is called.
	served    chan struct{} // served is closed when the server accepts no more connections.
}

// The reasons why a wait can end before what it waits for.
var (
	errClosed   = errors.New("the server was closed")
	errTestOver = errors.New("the test is over")
	errLate     = errors.New("the test's time is nearly up")
	errIdle     = errors.New("nothing in the bubble of synctest goes on")
)

// NewServer starts a server that plays the scenarios of the options or, without any,
// all the bundled scenarios. It is closed when the test ends. A mistake in a scenario
// or an option fails the test in NewServer, with all mistakes and their lines.
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
	s := &Server{APIKey: o.apiKey(), tb: &reporter{test: tb}, set: set, http2: o.http2, failRetries: o.failRetries}
	s.basePath = strings.TrimRight(o.config.BasePath, "/")
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

// logTo sets the default logger, which writes to the test's output. It returns the
// logger, for the errors that net/http logs.
func (s *Server) logTo(o *settings) *slog.Logger {
	if o.config.Logger == nil {
		o.config.Logger = slog.New(slog.NewTextHandler(s.tb, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	}
	return o.config.Logger
}

// withoutTime removes the time from log lines: a test's output is in order of time
// anyway, and short lines are easier to read.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// listen opens the listener and makes the client. With FAKEOPENAI_HOLD set it listens
// at that address, even if the test asks for a server in memory.
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
		return errors.New("in a bubble of testing/synctest a server needs the option InMemory(): with a socket the clock of the bubble stands still, so that pauses never end")
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

func (s *Server) setEntry(url string, l net.Listener, dial dialFunc) {
	s.URL, s.BaseURL = url, url+s.basePath+"/v1"
	s.RealtimeURL = "ws" + strings.TrimPrefix(s.URL, "http") + s.basePath + server.RealtimePath
	s.listener = &listener{Listener: s.core.Watch(l), conns: map[net.Conn]bool{}}
	over, end := context.WithCancelCause(context.Background())
	s.tb.atEnd = func() { end(errTestOver) }
	// Proxy stays nil: HTTP_PROXY in the environment must not divert the requests.
	s.client = &http.Client{Transport: &transport{
		Transport: &http.Transport{DialContext: dial, Protocols: s.protocols(false)},
		over:      over,
	}}
}

// protocols are the versions of HTTP: both for the server; for the client HTTP/1.1
// or, with WithHTTP2, HTTP/2.
func (s *Server) protocols(serving bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(serving || !s.http2)
	p.SetUnencryptedHTTP2(serving || s.http2)
	return p
}

// start begins to serve. It sets no BaseContext: the core itself ends its streams
// when it is closed.
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

// Client returns the HTTP client for this server, always the same one. With
// [InMemory] no other client reaches the server.
func (s *Server) Client() *http.Client { return s.client }

// Setenv sets OPENAI_BASE_URL, OPENAI_API_BASE and OPENAI_API_KEY for the rest
// of the test, for code that reads them. Like [testing.TB.Setenv] it cannot be used
// in a parallel test, and only in the goroutine of the test. With [InMemory] it fails
// the test.
func (s *Server) Setenv() {
	s.tb.test.Helper()
	if s.memory {
		s.tb.test.Fatalf("fakeopenai: Setenv needs a socket; a server InMemory is reached only through its Client")
	}
	s.tb.test.Setenv("OPENAI_BASE_URL", s.BaseURL)
	s.tb.test.Setenv("OPENAI_API_BASE", s.BaseURL)
	s.tb.test.Setenv("OPENAI_API_KEY", s.APIKey)
}

// Close shuts the server down: it ends the streams that still go on, also those that
// no client reads, and resets all connections. It is called at the end of the test; a
// test calls it earlier to see what its code does when a server dies. Further calls
// do nothing.
func (s *Server) Close() { s.closeOnce() }

// closeTimeout is how long Close waits for the streams to end after their connections
// are closed. They end at once, unless this module has a bug.
const closeTimeout = 10 * time.Second

func (s *Server) close() {
	s.endWaits(errClosed)
	s.listener.refuse()
	// The streams end while the connections are still open, so that the journal says
	// that the server ended them.
	s.core.Close()
	s.listener.awaitQuiet()
	if s.http2 {
		s.listener.awaitFlush()
	}
	s.listener.resetAll()
	if err := s.http.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		s.tb.logf("fakeopenai: close: %v", err)
	}
	<-s.served
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := s.core.WaitIdle(ctx); err != nil {
		s.tb.errorf("fakeopenai: Close: a stream did not end; requests: %v", s.Requests())
	}
}

func (s *Server) finish() {
	s.Close()
	s.replies.report(s.tb)
	s.reportRetries()
	s.logEvidence()
	s.tb.end()
	s.client.CloseIdleConnections()
}

// debugVariable is the name of the environment variable with the address at which
// NewServer serves without returning, so that a person can send requests.
const debugVariable = "FAKEOPENAI_HOLD"

func (s *Server) serveForever() {
	fmt.Fprintf(os.Stderr, "fakeopenai: %s is held open at %s because %s is set; interrupt to go on\n", s.tb.test.Name(), s.BaseURL, debugVariable)
	err := s.http.Serve(s.listener)
	s.tb.test.Fatalf("fakeopenai: serve: %v", err)
}

// Down makes dials fail with ECONNREFUSED until [Server.Up], as if no server were
// running. Idle connections are closed; open streams go on. Use it to test what a
// client does in an outage that begins between two requests.
func (s *Server) Down() {
	s.replies.Refuse()
	s.tb.test.Helper()
	if err := s.core.Down(); err != nil {
		s.tb.errorf("fakeopenai: Down: %v", err)
	}
}

// Up accepts connections again at the same address. It fails the test if another
// process has taken the address in the meantime.
func (s *Server) Up() {
	s.tb.test.Helper()
	if err := s.core.Up(); err != nil {
		s.tb.errorf("fakeopenai: Up: %v", err)
	}
}

// reporter passes errors and log lines on to the test until the test ends. It drops
// later ones, at which the testing package would panic.
type reporter struct {
	test  testing.TB
	atEnd func() // atEnd is called by end.

	mu    sync.Mutex
	ended bool // ended says that the test is over; guarded by mu.
}

// errorf fails the test, from any goroutine.
func (r *reporter) errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.test.Helper()
	if !r.ended {
		r.test.Errorf(format, args...)
	}
}

// logf adds a line to the test's log, from any goroutine.
func (r *reporter) logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.test.Helper()
	if !r.ended {
		r.test.Logf(format, args...)
	}
}

// Write writes lines of the server's log to the output of the test.
func (r *reporter) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return len(p), nil
	}
	return r.test.Output().Write(p)
}

// end drops everything from now on, and calls atEnd.
func (r *reporter) end() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.atEnd()
}
