package serving

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// pipes is a listener whose connections are pipes. At a nil connection it fails.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		if c == nil {
			return nil, io.ErrUnexpectedEOF
		}
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { close(p.closed); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.conns <- server
	return client, nil
}

// A server ends after its drain timeout, and at once on a second signal, even if a
// handler or a reload is busy with something that cannot be cancelled.
func TestTheServerEndsWhateverIsBusy(t *testing.T) {
	t.Parallel()
	const drain = 10 * time.Second
	for _, tt := range []struct {
		name    string
		signals []time.Duration // signals say when they come.
		want    time.Duration
		more    time.Duration // more is how much later it ends at most.
	}{
		{"one signal", []time.Duration{0}, drain, 1500 * time.Millisecond},
		{"a second signal", []time.Duration{0, time.Second}, time.Second, 500 * time.Millisecond},
		{"a second signal, late", []time.Duration{0, drain + 100*time.Millisecond}, drain + 100*time.Millisecond, 500 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				going := make(chan struct{})
				fake := fakeWith(t, server.Config{
					DrainTimeout: drain,
					Observe:      func(journal.Entry) { <-going },
					Reload:       func() (*scenarios.Set, error) { <-going; return nil, io.EOF },
				})
				_, httpd, signals, end := busy(fake, tt.signals)
				if isReload(syscall.SIGHUP) {
					signals <- syscall.SIGHUP
				}
				began := time.Now()
				if err := httpd.Run(t.Context(), signals, fake, slog.New(slog.DiscardHandler)); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took < tt.want || took > tt.want+tt.more {
					t.Errorf("it took %v, want %v and %v more at most", took, tt.want, tt.more)
				}
				close(going)
				end()
			})
		})
	}
}

// When a server has ended, every answer that was cut is counted, so that what is printed
// about the answers is complete: a handler has a second to end, and a tenth of one where
// nobody waits.
func TestTheServerEndsWithEveryAnswerCounted(t *testing.T) {
	t.Parallel()
	const drain = 10 * time.Second
	for _, tt := range []struct {
		name    string
		signals []time.Duration // signals say when they come.
		fails   bool            // fails says that the listener fails, in place of the first signal.
		ends    time.Duration   // ends is when the handler of the answer ends.
	}{
		{"in time", []time.Duration{0}, false, drain / 2},
		{"after the cut", []time.Duration{0}, false, drain + time.Second},
		{"after a second signal", []time.Duration{0, time.Second}, false, time.Second + 90*time.Millisecond},
		{"after the listener has failed", nil, true, 90 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var counted atomic.Bool
				fake := fakeWith(t, server.Config{DrainTimeout: drain, Observe: func(journal.Entry) {
					time.Sleep(tt.ends - time.Since(began))
					counted.Store(true)
				}})
				listener, httpd, signals, end := busy(fake, tt.signals)
				if tt.fails {
					time.AfterFunc(time.Millisecond, func() { listener.conns <- nil })
				}
				if err := httpd.Run(t.Context(), signals, fake, slog.New(slog.DiscardHandler)); (err != nil) != tt.fails {
					t.Error(err)
				}
				if !counted.Load() {
					t.Errorf("it ended after %v, the handler ends after %v", time.Since(began), tt.ends)
				}
				time.Sleep(drain) // for a handler that ends too late
				end()
			})
		})
	}
}

// busy starts a server that gets a request, and SIGTERM when the signals say.
func busy(fake *server.Server, terms []time.Duration) (listener *pipes, httpd *HTTP, signals chan os.Signal, end func()) {
	listener = &pipes{make(chan net.Conn), make(chan struct{})}
	httpd = Start(listener, fake, nil, slog.New(slog.DiscardHandler))
	transport := &http.Transport{DialContext: listener.dial}
	go askOnce(transport)
	signals = make(chan os.Signal, 4)
	for _, at := range terms {
		time.AfterFunc(at+time.Millisecond, func() { signals <- syscall.SIGTERM })
	}
	return listener, httpd, signals, func() {
		close(signals)
		httpd.Close()
		transport.CloseIdleConnections()
	}
}

func fakeWith(t *testing.T, config server.Config) *server.Server {
	t.Helper()
	list, diags := yamlfile.Parse("x.yaml", []byte("name: x\nmessage: Hello.\n"))
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	set, err := scenarios.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	config.Scenarios = set
	fake, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return fake
}

// askOnce makes a request that may remain without answer.
func askOnce(transport *http.Transport) {
	const body = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`
	resp, err := (&http.Client{Transport: transport}).Post("http://fake/v1/chat/completions", "application/json", strings.NewReader(body))
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// failing is a listener that fails before each connection.
type failing struct {
	net.Listener
	failed bool
}

func (l *failing) Accept() (net.Conn, error) {
	if l.failed = !l.failed; l.failed {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// A server without file descriptors for new connections logs that once a minute, and
// accepts them later.
func TestConnectionsThatHaveToWaitAreSaidOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		logger := slog.New(slog.NewTextHandler(&log, nil))
		inner := &pipes{make(chan net.Conn), make(chan struct{})}
		httpd := Start(&failing{Listener: inner}, fakeWith(t, server.Config{}), nil, logger)
		for _, want := range []int{1, 1, 2} {
			transport := &http.Transport{DialContext: inner.dial}
			askOnce(transport)
			transport.CloseIdleConnections()
			synctest.Wait()
			if got := strings.Count(log.String(), "too many open files"); got != want {
				t.Errorf("it is said %d times, want %d: %s", got, want, log.String())
			}
			time.Sleep(repeatAfter/2 + time.Second)
		}
		httpd.Close()
	})
}
