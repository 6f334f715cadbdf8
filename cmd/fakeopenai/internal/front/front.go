// Package front puts a fake behind an HTTP server: HTTP/1.1 and HTTP/2, with TLS
// and without, until a signal ends it.
package front

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

// Reload reads the scenarios again. A failure has been logged by then.
func Reload(fake *server.Server, logger *slog.Logger) {
	if err := fake.Reload(); err != nil {
		logger.Debug("reload failed", "error", err)
	}
}

// Front is the HTTP server before a fake.
type Front struct {
	// DrainDelay is how long new connections are accepted after a signal, so that
	// those who ask learn that the server is not ready any more.
	DrainDelay time.Duration

	http   *http.Server
	failed chan error // failed gets the reason why the server ended, unless it was closed.
}

// Listen listens for TCP alone. Go would first find out whether the machine has
// Multipath TCP, too, which no test needs.
func Listen(addr string) (net.Listener, error) {
	var c net.ListenConfig
	c.SetMultipathTCP(false)
	return c.Listen(context.Background(), "tcp", addr) // to listen takes no time
}

// Start serves the fake on the listener, in HTTP/1.1 and HTTP/2: without TLS
// to clients that speak HTTP/2 from the first byte on.
func Start(listener net.Listener, fake *server.Server, secure *tls.Config, logger *slog.Logger) *Front {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	f := &Front{
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
func (f *Front) Close() { f.http.Close() }

// Run waits until the server fails or is told to end, and reloads on SIGHUP. When
// it returns, streams are ended; it has not waited for handlers that compute on.
func (f *Front) Run(ctx context.Context, signals <-chan os.Signal, fake *server.Server, logger *slog.Logger) error {
	reload, stop := reloader(fake, logger)
	defer stop()
	for {
		select {
		case err := <-f.failed:
			over, cancel := context.WithCancel(ctx)
			cancel()
			_ = fake.Shutdown(over) // the failure is what is told
			return fmt.Errorf("serve: %w", err)
		case <-ctx.Done():
			f.drain(signals, fake, logger)
			return nil
		case signal := <-signals:
			if isReload(signal) {
				reload()
				continue
			}
			logger.Info("shutting down", "signal", signal.String())
			f.drain(signals, fake, logger)
			return nil
		}
	}
}

// reloader reads the scenarios again each time that reload is called, beside the
// caller, who has other signals to see to. Calls that come during a reload are one.
func reloader(fake *server.Server, logger *slog.Logger) (reload, stop func()) {
	asked := make(chan struct{}, 1)
	go func() {
		for range asked {
			Reload(fake, logger)
		}
	}()
	return func() {
		select {
		case asked <- struct{}{}:
		default: // the reload that is due sees the same files
		}
	}, func() { close(asked) }
}

// drain closes the listener, after the delay, and lets open streams finish within
// the fake's limit. A further signal ends them at once.
func (f *Front) drain(signals <-chan os.Signal, fake *server.Server, logger *slog.Logger) {
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
		_ = f.http.Shutdown(closing) // its only error is that the context ended
	}()
	grace := time.Second
	if err := fake.Shutdown(ctx); err != nil {
		logger.Warn("streams were still open", "error", err)
		grace = endGrace // those that end have had their second
	}
	awaitEnds(ctx, closed, grace)
}

// endGrace is how long the connections of streams that were ended have for the
// last bytes of what their handlers wrote.
const endGrace = 250 * time.Millisecond

// awaitEnds waits until the ends of the last answers have left.
func awaitEnds(ctx context.Context, closed <-chan struct{}, grace time.Duration) {
	select {
	case <-closed:
		return
	case <-time.After(grace):
		return
	case <-ctx.Done():
	}
	select {
	case <-closed:
	case <-time.After(min(grace, endGrace)):
	}
}
