// Package serving runs servers on the network, measures what they send, and runs the
// commands that use them: one, or one for each variant of a sweep.
package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
)

// Reload reads the scenarios again. The library logs the reasons of a failure itself.
func Reload(fake *server.Server, logger *slog.Logger) {
	if err := fake.Reload(); err != nil {
		logger.Debug("reload failed", "error", err)
	}
}

// PassHolds releases every hold of a scenario in advance, because nobody does it later.
func PassHolds(fake *server.Server, s *scenarios.Scenario) {
	for _, hold := range s.Holds() {
		fake.Release(hold)
	}
}

// HTTP is a running HTTP server, whose handler is a fake.
type HTTP struct {
	// DrainDelay is the time for which new connections are accepted after a signal, so
	// that health checks see readyz answer 503.
	DrainDelay time.Duration

	http   *http.Server
	failed chan error // failed receives the error of the server, unless it was closed.
}

// Listen listens on a TCP address, without Multipath TCP: to find out whether the
// machine has that takes time, and no test needs it.
func Listen(addr string) (net.Listener, error) {
	var c net.ListenConfig
	c.SetMultipathTCP(false)
	return c.Listen(context.Background(), "tcp", addr) // no context: listening does not block
}

// Start serves the fake on the listener in HTTP/1.1 and HTTP/2. Without TLS, HTTP/2 is
// for clients with prior knowledge. If secure is nil, there is no TLS.
func Start(listener net.Listener, fake *server.Server, secure *tls.Config, logger *slog.Logger) *HTTP {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	f := &HTTP{
		http: &http.Server{
			Handler:           fake,
			ConnContext:       fake.ConnContext,
			Protocols:         protocols,
			TLSConfig:         secure,
			ReadHeaderTimeout: 30 * time.Second,
			ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
		},
		failed: make(chan error, 1),
	}
	serve := f.http.Serve
	if secure != nil {
		serve = func(l net.Listener) error { return f.http.ServeTLS(l, "", "") }
	}
	watched := &outspoken{Listener: fake.Watch(listener), logger: logger}
	go func() {
		if err := serve(watched); !errors.Is(err, http.ErrServerClosed) {
			f.failed <- err
		}
	}()
	return f
}

// Close ends all connections at once.
func (f *HTTP) Close() { f.http.Close() }

// Run serves until the server fails, ctx ends or a signal arrives, and reloads on
// SIGHUP. When it returns, all streams have ended and are in the journal, but for those
// whose handlers still compute a second after the drain timeout, or a tenth of a second
// after a failure or a second signal.
func (f *HTTP) Run(ctx context.Context, signals <-chan os.Signal, fake *server.Server, logger *slog.Logger) error {
	for {
		select {
		case err := <-f.failed:
			over, cancel := context.WithCancel(ctx)
			cancel()
			_ = fake.Shutdown(over) // only the first failure is reported
			return fmt.Errorf("serve: %w", err)
		case <-ctx.Done():
			f.drain(signals, fake, logger)
			return nil
		case signal := <-signals:
			if isReload(signal) {
				go Reload(fake, logger) // the next signal may come while it reads
				continue
			}
			logger.Info("shutting down", "signal", signal.String())
			f.drain(signals, fake, logger)
			return nil
		}
	}
}

// drain waits for DrainDelay, closes the listener, and waits for open streams within the
// fake's DrainTimeout. A further signal ends them at once.
func (f *HTTP) drain(signals <-chan os.Signal, fake *server.Server, logger *slog.Logger) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for signal := range signals {
			if !isReload(signal) {
				logger.Warn("ending open streams", "signal", signal.String())
				cancel()
				return
			}
		}
	}()
	fake.Drain()
	select {
	case <-ctx.Done():
	case <-time.After(f.DrainDelay):
	}
	closing, stop := context.WithCancel(context.Background())
	defer stop()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = f.http.Shutdown(closing) // its only error is the end of the context
	}()
	grace := time.Second
	if err := fake.Shutdown(ctx); err != nil {
		logger.Warn("streams were still open", "error", err)
		grace = 250 * time.Millisecond // Shutdown has already given them a second
	}
	select { // so that the last bytes of answers are sent
	case <-closed:
	case <-time.After(grace):
	}
}

// repeatAfter is the shortest time between two warnings of a listener.
const repeatAfter = time.Minute

// outspoken is a listener that logs why it cannot accept connections, such as too many
// open files. The HTTP server itself tries again without logging.
type outspoken struct {
	net.Listener
	logger *slog.Logger
	spoke  time.Time // spoke is the time of the last warning; no lock, because only one goroutine accepts.
}

func (l *outspoken) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil || errors.Is(err, net.ErrClosed) || !l.spoke.IsZero() && time.Since(l.spoke) < repeatAfter {
		return c, err
	}
	l.spoke = time.Now()
	l.logger.Warn("new connections have to wait, it is tried again; too few open files are allowed? ulimit -n shows and sets how many", "error", err)
	return c, err
}

// URL returns the URL by which a client on this machine reaches an address. If the
// address means all interfaces, that is the loopback address.
func URL(addr string, secure bool) string {
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return scheme + addr
	}
	if IsEverywhere(addr) {
		host = "127.0.0.1"
	}
	return scheme + net.JoinHostPort(host, port)
}

// IsEverywhere reports whether an address means all interfaces.
func IsEverywhere(addr string) bool {
	host := addressHost(addr)
	return host == "" || net.ParseIP(host).IsUnspecified()
}

// Host returns the host name of an address to listen on, or nothing if the address has
// an IP address or no host.
func Host(addr string) []string {
	if host := addressHost(addr); host != "" && net.ParseIP(host) == nil {
		return []string{host}
	}
	return nil
}

func addressHost(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	return host
}

// OutliveReaders lets a write to stdout or stderr fail when its reader has ended, and the
// process go on. Commands that the process starts are not affected.
func OutliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
