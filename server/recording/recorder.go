package recording

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fakeopenai/fakeopenai/server/recording/coding"
	"github.com/fakeopenai/fakeopenai/server/recording/internal/silence"
)

// Recorder is a reverse proxy that passes requests to another endpoint and its
// answers back, without delay, and keeps what was said. It is an [http.Handler]
// that may be used by several goroutines.
type Recorder struct {
	// Upstream is the base URL of the endpoint. Its path stands before that of each
	// request, but for a /v1 that both have.
	Upstream *url.URL
	// Transport makes the requests; nil is [http.DefaultTransport].
	Transport http.RoundTripper
	// Keep is told each exchange when it is over, also one whose answer broke off or
	// was too long to be kept. It is called from the goroutine that serves the request,
	// before the client has the end of its answer, and must not be nil.
	Keep func(*Exchange)
	// Limit is how many bytes of the bodies of a request and its answer are kept, each
	// for itself; what is longer passes through, but has no recording. 0 is
	// [DefaultLimit].
	Limit int64
	// Passed is told how many bytes of an answer have just come, as they come; nil is
	// nobody. It may be called by several goroutines at a time.
	Passed func(bytes int)
	// Codings undo the content codings of answers: the upstream is asked for none, and
	// some send one all the same. Nil are those of Go's own library.
	Codings coding.Codings
	// Timeout is how long the upstream may be silent, before its header and between two
	// pieces of a body. Then the client gets a 504, or its answer breaks off, and what
	// there is of that is kept with the ending [EndedStall]. 0 is [DefaultTimeout], and
	// less than that is without limit.
	Timeout time.Duration
	// Failed is told of a request that has no answer at all, with the reason; nil is
	// nobody. The client gets a 502.
	Failed func(r *http.Request, err error)
}

// DefaultLimit is the longest body that a recorder keeps unless it is told
// otherwise: 16 MiB.
const DefaultLimit = 16 << 20

// DefaultTimeout is how long an upstream may be silent unless a recorder is told
// otherwise: as long as OpenAI's own libraries wait for an answer.
const DefaultTimeout = 10 * time.Minute

// ServeHTTP passes a request on.
func (rec *Recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	ctx, quiet := silence.Start(r.Context(), cmp.Or(rec.Timeout, DefaultTimeout))
	defer quiet.Stop()
	x := &Exchange{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone()}
	limit := cmp.Or(rec.Limit, DefaultLimit)
	sent := &sentBody{ReadCloser: r.Body, limit: limit, quiet: quiet}
	out := &flushedWriter{ResponseWriter: w}
	// Otherwise the body of the request is closed when the answer begins, which the
	// transport may still read: it would break off the answer.
	_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 always is
	r = r.Clone(ctx)
	r.Body = sent
	proxy := httputil.ReverseProxy{
		Transport:     rec.Transport,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // how an answer ended is kept
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL, p.Out.Host = rec.target(p.In.URL), ""
			p.Out.Header.Set("Accept-Encoding", "identity") // so that what is recorded can be read
		},
		ModifyResponse: func(resp *http.Response) error {
			quiet.HeaderCame()
			if resp.StatusCode == http.StatusSwitchingProtocols {
				return nil // not a body, but another protocol
			}
			x.Status, x.AnswerHeader, x.HeaderAt = resp.StatusCode, resp.Header.Clone(), time.Since(began)
			resp.Body = &receivedBody{ReadCloser: resp.Body, exchange: x, began: began, quiet: quiet, left: limit, passed: rec.Passed, flush: out.FlushError, over: func() {
				body, whole := sent.bytes()
				if x.Body = body; !whole {
					x.TooLong = true
				}
				if !x.TooLong {
					x.unpack(rec.Codings, limit)
				}
				rec.Keep(x)
			}}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			status := http.StatusBadGateway
			if quiet.Fired() {
				status, err = http.StatusGatewayTimeout, silence.Err
			}
			if rec.Failed != nil {
				rec.Failed(r, err)
			}
			http.Error(w, "the upstream gave no answer: "+err.Error(), status)
		},
	}
	proxy.ServeHTTP(out, r)
	// The transport may have left some of the request's body. In full duplex net/http
	// would read that after the handler, and panic at the next request.
	if out.FlushError() == nil {
		sent.Close()
	}
}

// flushedWriter is a writer that several goroutines may flush: the proxy has one of
// its own for the header, which it does not wait for where the body breaks off.
type flushedWriter struct {
	http.ResponseWriter
	mu sync.Mutex
}

func (w *flushedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ResponseWriter.Write(p)
}

// FlushError sends what was written.
func (w *flushedWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for what else a writer can do.
func (w *flushedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// target is the URL of the upstream at which a request is asked: its path stands
// before that of the request, and a /v1 that both have stands there once.
func (rec *Recorder) target(asked *url.URL) *url.URL {
	const version = "/v1"
	base, path := strings.TrimSuffix(rec.Upstream.EscapedPath(), "/"), asked.EscapedPath()
	if strings.HasSuffix(base, version) {
		path = strings.TrimPrefix(path, version)
	}
	target := &url.URL{Scheme: rec.Upstream.Scheme, Host: rec.Upstream.Host, RawQuery: asked.RawQuery, RawPath: base + path}
	target.Path, _ = url.PathUnescape(target.RawPath) // both parts were paths of a URL
	return target
}

// sentBody is the body of a request that keeps what is read of it.
type sentBody struct {
	io.ReadCloser
	limit int64
	quiet *silence.Watch // quiet does not count while the client is silent.

	mu      sync.Mutex // mu guards what follows: the transport may still read while the answer comes.
	data    []byte
	tooLong bool // tooLong says that there was more than the limit, and that nothing is kept.
}

func (b *sentBody) Read(p []byte) (int, error) {
	b.quiet.WaitForClient()
	n, err := b.ReadCloser.Read(p)
	b.quiet.ClientSent()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tooLong = b.tooLong || int64(len(b.data)+n) > b.limit; b.tooLong {
		b.data = nil
	} else {
		b.data = append(b.data, p[:n]...)
	}
	return n, err
}

// bytes is what was read; whole says that it is not too long to be kept.
func (b *sentBody) bytes() (data []byte, whole bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data, !b.tooLong
}

// receivedBody is the body of an answer that keeps what is read of it, and when.
type receivedBody struct {
	io.ReadCloser
	exchange *Exchange
	began    time.Time
	quiet    *silence.Watch
	left     int64           // left is how many more bytes are kept.
	passed   func(bytes int) // passed is told of bytes that came; nil is nobody.
	over     func()          // over is called once, at the end of the body.
	flush    func() error    // flush sends the header before there is a body; nil says that it was sent.
	ended    bool
}

func (b *receivedBody) Read(p []byte) (int, error) {
	if b.flush != nil {
		_ = b.flush() // a client that is gone is noticed by the next write
		b.flush = nil
	}
	b.quiet.Begin()
	n, err := b.ReadCloser.Read(p)
	b.quiet.End()
	if n > 0 {
		b.keep(p[:n])
	}
	if err != nil {
		ending := endingOf(err)
		if ending != EndedComplete && b.quiet.Fired() {
			ending = EndedStall
		}
		b.end(ending)
	}
	return n, err
}

// keep adds bytes to the exchange, or drops all if they are too many.
func (b *receivedBody) keep(data []byte) {
	if b.passed != nil {
		b.passed(len(data))
	}
	b.left -= int64(len(data))
	if b.left < 0 {
		b.exchange.TooLong, b.exchange.Pieces = true, nil
		return
	}
	b.exchange.Pieces = append(b.exchange.Pieces, Piece{At: time.Since(b.began), Data: append([]byte(nil), data...)})
}

// Close is called before the end of the body where the client left.
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

// endingOf is how a body ended whose reading gave an error.
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
