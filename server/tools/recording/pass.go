package recording

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

// DefaultLimit is the default of [Session.Limit]: 16 MiB.
const DefaultLimit = 16 << 20

// DefaultTimeout is the default of [Session.Timeout]: as long as OpenAI's own client
// libraries wait for an answer.
const DefaultTimeout = 10 * time.Minute

// pass passes a request on without delay, and its answer back. The exchange is recorded at its end, even if the
// answer broke off or was too long; when the connection changes to another protocol, it ends with the status 101.
func (s *Session) pass(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	ctx, quiet := watchSilence(r.Context(), cmp.Or(s.Timeout, DefaultTimeout))
	defer quiet.stop()
	x := &Exchange{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone()}
	limit := s.limit()
	sent := &sentBody{ReadCloser: r.Body, limit: limit, quiet: quiet}
	out := &flushedWriter{ResponseWriter: w}
	// Without full duplex, net/http closes the body of the request when the answer begins.
	// The transport may still be reading it, and would then break off the answer.
	_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 always is
	r = r.Clone(ctx)
	r.Body = sent
	proxy := httputil.ReverseProxy{
		Transport:     s.Transport,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // The exchange has the error as its Ending.
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL, p.Out.Host = s.target(p.In.URL), ""
			p.Out.Header.Set("Accept-Encoding", "identity") // so that what is recorded can be read
		},
		ModifyResponse: func(resp *http.Response) error {
			quiet.headerCame()
			if status := resp.StatusCode; status < http.StatusOK && status != http.StatusSwitchingProtocols {
				return fmt.Errorf("%03d is no status of an answer", status) // net/http would panic.
			}
			x.Status, x.AnswerHeader, x.HeaderAt = resp.StatusCode, resp.Header.Clone(), time.Since(began)
			if x.Status == http.StatusSwitchingProtocols {
				s.keep(x)
				return nil // What follows is another protocol, not a body.
			}
			resp.Body = &receivedBody{ReadCloser: resp.Body, exchange: x, began: began, quiet: quiet, left: limit, passed: s.countBytes, flush: out.FlushError, over: func() {
				body, whole := sent.bytes()
				if x.Body = body; !whole {
					x.TooLong = true
				}
				s.keep(x)
			}}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			status := http.StatusBadGateway
			if quiet.hasFired() {
				status, err = http.StatusGatewayTimeout, errSilent
			}
			s.fail(w, r, status, "the upstream gave no answer", err)
		},
	}
	proxy.ServeHTTP(out, r)
	// The transport may have left some of the request's body. In full duplex net/http
	// would read that after the handler, and panic at the next request. After a change of
	// protocol the connection is not net/http's.
	if x.Status != http.StatusSwitchingProtocols && out.FlushError() == nil {
		sent.Close()
	}
}

// flushedWriter is a ResponseWriter that several goroutines may flush. ReverseProxy
// flushes the header in a goroutine that may still run after the body broke off.
type flushedWriter struct {
	http.ResponseWriter
	mu sync.Mutex
}

func (w *flushedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ResponseWriter.Write(p)
}

// FlushError sends the buffered bytes.
func (w *flushedWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap gives [http.ResponseController] the underlying writer.
func (w *flushedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// target is the URL of the upstream for a request: the path of Upstream, then that of
// the request, with one /v1 if both have it.
func (s *Session) target(asked *url.URL) *url.URL {
	const version = "/v1"
	base, path := strings.TrimSuffix(s.Upstream.EscapedPath(), "/"), asked.EscapedPath()
	if strings.HasSuffix(base, version) {
		path = strings.TrimPrefix(path, version)
	}
	target := &url.URL{Scheme: s.Upstream.Scheme, Host: s.Upstream.Host, RawQuery: asked.RawQuery, RawPath: base + path}
	target.Path, _ = url.PathUnescape(target.RawPath) // both parts were paths of a URL
	return target
}

// sentBody is the body of a request; it records the bytes that are read from it.
type sentBody struct {
	io.ReadCloser
	limit int64
	quiet *silenceWatch // quiet is stopped while the client sends nothing.

	mu      sync.Mutex // mu guards the fields below: the transport may still read while the answer comes.
	data    []byte
	tooLong bool // tooLong says that the body is longer than limit and that data was dropped.
}

func (b *sentBody) Read(p []byte) (int, error) {
	b.quiet.client(false)
	n, err := b.ReadCloser.Read(p)
	b.quiet.client(true)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tooLong = b.tooLong || int64(len(b.data)+n) > b.limit; b.tooLong {
		b.data = nil
	} else {
		b.data = append(b.data, p[:n]...)
	}
	return n, err
}

// bytes returns the bytes that were read; whole says that they were not too many.
func (b *sentBody) bytes() (data []byte, whole bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data, !b.tooLong
}

// receivedBody is the body of an answer; it records the bytes that are read from it, and
// when.
type receivedBody struct {
	io.ReadCloser
	exchange *Exchange
	began    time.Time
	quiet    *silenceWatch
	left     int64           // left is how many more bytes are kept.
	passed   func(bytes int) // passed is called with the number of bytes of each read.
	over     func()          // over is called once, at the end of the body.
	flush    func() error    // flush sends the header to the client; nil after it was sent.
	ended    bool
}

func (b *receivedBody) Read(p []byte) (int, error) {
	if b.flush != nil {
		_ = b.flush() // If the client is gone, the next write notices it.
		b.flush = nil
	}
	b.quiet.timer.Reset(b.quiet.limit)
	n, err := b.ReadCloser.Read(p)
	b.quiet.timer.Stop()
	if n > 0 {
		b.keep(p[:n])
	}
	if err != nil {
		ending := endingOf(err)
		if ending != EndedComplete && b.quiet.hasFired() {
			ending = EndedStall
		}
		b.end(ending)
	}
	return n, err
}

// keep adds bytes to the exchange, or drops all its bytes if there are too many.
func (b *receivedBody) keep(data []byte) {
	b.passed(len(data))
	b.left -= int64(len(data))
	if b.left < 0 {
		b.exchange.TooLong, b.exchange.Pieces = true, nil
		return
	}
	b.exchange.Pieces = append(b.exchange.Pieces, Piece{At: time.Since(b.began), Data: append([]byte(nil), data...)})
}

// Close is called before the end of the body if the client has left.
func (b *receivedBody) Close() error {
	b.end(EndedByClient)
	return b.ReadCloser.Close()
}

func (b *receivedBody) end(how Ending) {
	if b.ended {
		return
	}
	b.ended = true
	b.exchange.Ending = how
	b.over()
}

// endingOf is the ending of a body that stands for an error of Read.
func endingOf(err error) Ending {
	var timeout net.Error
	switch {
	case errors.Is(err, io.EOF):
		return EndedComplete
	case errors.Is(err, context.Canceled):
		return EndedByClient
	case errors.Is(err, syscall.ECONNRESET):
		return EndedReset
	case errors.As(err, &timeout) && timeout.Timeout():
		return EndedStall
	}
	return EndedCut
}

// errSilent is the cause of the cancellation.
var errSilent = errors.New("the upstream was silent for longer than the timeout")

// silenceWatch cancels a request whose upstream is silent for too long. Its timer runs from the
// request to the header of the answer, except while the client is still sending the
// request, and then during each read of the body.
type silenceWatch struct {
	ctx    context.Context //nolint:containedctx // The cause of the request's context says whether the watch fired.
	cancel context.CancelCauseFunc
	limit  time.Duration
	timer  *time.Timer

	mu     sync.Mutex
	header bool // header says that the header of the answer came.
}

// watchSilence returns a context that ends when the upstream is silent for longer than limit; a
// negative limit is none.
func watchSilence(parent context.Context, limit time.Duration) (context.Context, *silenceWatch) {
	if limit < 0 {
		limit = math.MaxInt64
	}
	ctx, cancel := context.WithCancelCause(parent)
	return ctx, &silenceWatch{ctx: ctx, cancel: cancel, limit: limit, timer: time.AfterFunc(limit, func() { cancel(errSilent) })}
}

// hasFired reports whether the watch has cancelled the request.
func (s *silenceWatch) hasFired() bool { return errors.Is(context.Cause(s.ctx), errSilent) }

// stop is called when the request is over.
func (s *silenceWatch) stop() {
	s.timer.Stop()
	s.cancel(nil)
}

// headerCame stops the timer for the header.
func (s *silenceWatch) headerCame() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header = true
	s.timer.Stop()
}

// client is called before a read from the client, and after it, when the read is over.
func (s *silenceWatch) client(over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.header:
	case over:
		s.timer.Reset(s.limit)
	default:
		s.timer.Stop()
	}
}
