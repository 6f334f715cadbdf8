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
)

// Recorder is a reverse proxy that passes requests to another endpoint and its answers
// back, without delay, and records both. It is an [http.Handler], safe for concurrent
// use.
type Recorder struct {
	// Upstream is the base URL of the endpoint. The path of each request is appended to
	// its path; if both have a /v1, there is one.
	Upstream *url.URL
	// Transport makes the requests; nil is [http.DefaultTransport].
	Transport http.RoundTripper
	// Keep is called with each exchange when it is over, even if the answer broke off or
	// was too long, or with the status 101 when the connection changes its protocol. The
	// client gets the end of the answer after it. For bodies in a content coding see
	// [Exchange.Unpack]. It must not be nil.
	Keep func(*Exchange)
	// Limit is how many bytes the body of a request, and of an answer, may have. A longer
	// body is passed on but not recorded. 0 is [DefaultLimit].
	Limit int64
	// Passed, if not nil, is called with the number of bytes of each read of an answer.
	// Several goroutines may call it at a time.
	Passed func(bytes int)
	// Timeout is how long the upstream may be silent, before the header of an answer and
	// between two pieces of its body. Then the client gets a 504, or its answer breaks off
	// and is recorded with the ending [EndedStall]. 0 is [DefaultTimeout]; a negative one
	// is no limit.
	Timeout time.Duration
	// Failed, if not nil, is called for a request that gets no answer, with the reason.
	// The client gets a 502, or a 504 after the timeout.
	Failed func(r *http.Request, err error)
}

// DefaultLimit is the default of [Recorder.Limit]: 16 MiB.
const DefaultLimit = 16 << 20

// DefaultTimeout is the default of [Recorder.Timeout]: as long as OpenAI's own client
// libraries wait for an answer.
const DefaultTimeout = 10 * time.Minute

// ServeHTTP passes a request on.
func (rec *Recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	ctx, quiet := watchSilence(r.Context(), cmp.Or(rec.Timeout, DefaultTimeout))
	defer quiet.stop()
	x := &Exchange{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone()}
	limit := cmp.Or(rec.Limit, DefaultLimit)
	sent := &sentBody{ReadCloser: r.Body, limit: limit, quiet: quiet}
	out := &flushedWriter{ResponseWriter: w}
	// Without full duplex, net/http closes the body of the request when the answer begins.
	// The transport may still be reading it, and would then break off the answer.
	_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 always is
	r = r.Clone(ctx)
	r.Body = sent
	proxy := httputil.ReverseProxy{
		Transport:     rec.Transport,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // The exchange has the error as its Ending.
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL, p.Out.Host = rec.target(p.In.URL), ""
			p.Out.Header.Set("Accept-Encoding", "identity") // so that what is recorded can be read
		},
		ModifyResponse: func(resp *http.Response) error {
			quiet.headerCame()
			x.Status, x.AnswerHeader, x.HeaderAt = resp.StatusCode, resp.Header.Clone(), time.Since(began)
			if x.Status == http.StatusSwitchingProtocols {
				rec.Keep(x)
				return nil // What follows is another protocol, not a body.
			}
			resp.Body = &receivedBody{ReadCloser: resp.Body, exchange: x, began: began, quiet: quiet, left: limit, passed: rec.Passed, flush: out.FlushError, over: func() {
				body, whole := sent.bytes()
				if x.Body = body; !whole {
					x.TooLong = true
				}
				rec.Keep(x)
			}}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			status := http.StatusBadGateway
			if quiet.hasFired() {
				status, err = http.StatusGatewayTimeout, errSilent
			}
			if rec.Failed != nil {
				rec.Failed(r, err)
			}
			http.Error(w, "the upstream gave no answer: "+err.Error(), status)
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
	passed   func(bytes int) // passed is Recorder.Passed.
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
