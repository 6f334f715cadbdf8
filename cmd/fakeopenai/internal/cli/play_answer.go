package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

const scenarioHeader = "X-Fakeopenai-Scenario"

type playRequest struct {
	Method   string // Method is POST if it is empty.
	Path     string
	Scenario string // Scenario is the name of the scenario to play.
	Body     []byte
	Attempt  int // Attempt is how many times the request is sent; only the last answer is shown. 0 means 1.
}

// Header returns the header of the request.
func (r *playRequest) Header() http.Header {
	return http.Header{"Content-Type": {"application/json"}, scenarioHeader: {r.Scenario}}
}

func (r *playRequest) http(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, cmp.Or(r.Method, http.MethodPost), r.Path, bytes.NewReader(r.Body))
	if err == nil {
		request.Header = r.Header()
	}
	return request, err
}

// surfaceOf returns the API on which a scenario is played: the asked one or, if that is
// "", the scenario's own.
func surfaceOf(asked string, s *scenarios.Scenario) server.Surface {
	if asked != "" {
		return server.SurfaceNamed(asked)
	}
	return server.SurfaceOf(s)
}

// showing says where and how an answer is shown.
type showing struct {
	Out      io.Writer
	Head     io.Writer // Head gets the status and the headers; nil to leave them out.
	Timeline bool      // Timeline shows one line for each event in place of the bytes.
}

// outcome is what an answer's bytes do not show.
type outcome struct {
	Aborted  bool // Aborted says that the scenario broke the connection off.
	OpenLine bool // OpenLine says that the last printed line has no line feed.
	// Misfit says which of the scenario's conditions the request does not meet; "" if it
	// meets all. A scenario that is asked for by name answers anyway.
	Misfit string
}

// playRequested makes a server, sends it the request without a network and shows the answer. All
// holds are released in advance. A request that gets no answer of the scenario is an
// error with [console.ExitProblems].
func playRequested(ctx context.Context, config server.Config, r playRequest, show showing) (outcome, error) {
	var entry journal.Entry
	config.Logger = slog.New(slog.DiscardHandler)
	config.Observe = func(e journal.Entry) { entry = e }
	fake, err := server.New(config)
	if err != nil {
		return outcome{}, err
	}
	defer fake.Close()
	for range r.Attempt - 1 { // planned and not played, so that they take no time
		if _, err := plan(ctx, fake, r); err != nil {
			return outcome{}, err
		}
	}
	serving.PassHolds(fake, config.Scenarios.Lookup(r.Scenario))
	w := &bodyWriter{showing: show, header: http.Header{}}
	t := timeline{out: show.Out, head: show.Head, speed: cmp.Or(config.Speed, 1)}
	if show.Timeline {
		ctx = server.WithPlan(ctx, t.draw)
	}
	request, err := r.http(ctx)
	if err != nil {
		return outcome{}, err
	}
	aborted := serveAborting(fake, w, request)
	if err := errors.Join(w.err, t.err); err != nil {
		return outcome{}, err
	}
	outcome := outcome{Aborted: aborted || t.aborted, OpenLine: w.last != 0 && w.last != '\n'}
	if entry.Problem != "" {
		return outcome, console.Problem(errors.New(entry.Problem))
	}
	outcome.Misfit = whyNotMatched(config.Scenarios.Only(r.Scenario), entry.Request)
	return outcome, nil
}

// planRequested returns what a server would answer to the request, and when, without playing it.
// A refused request is an error with [console.ExitProblems].
func planRequested(ctx context.Context, config server.Config, r playRequest) (server.Plan, error) {
	problem := "the request is refused"
	config.Logger = slog.New(slog.DiscardHandler)
	config.Observe = func(e journal.Entry) { problem = e.Problem }
	fake, err := server.New(config)
	if err != nil {
		return server.Plan{}, err
	}
	defer fake.Close()
	answer, err := plan(ctx, fake, r)
	if err == nil && answer.Frames == nil && answer.Header == nil && answer.End == "" {
		err = console.Problem(errors.New(problem))
	}
	return answer, err
}

// plan returns what the fake would answer, and counts as a request to it.
func plan(ctx context.Context, fake *server.Server, r playRequest) (answer server.Plan, err error) {
	request, err := r.http(server.WithPlan(ctx, func(p server.Plan) { answer = p }))
	if err == nil {
		serveAborting(fake, &bodyWriter{showing: showing{Out: io.Discard}, header: http.Header{}}, request)
	}
	return answer, err
}

// whyNotMatched returns why the only scenario of a set would not match the request if it did
// not name the scenario; "" if it would.
func whyNotMatched(only *scenarios.Set, asked *scenarios.Request) string {
	if asked == nil || asked.Scenario == "" {
		return ""
	}
	unnamed := *asked
	unnamed.Scenario = ""
	_, none := only.Match(context.Background(), &unnamed, nil, "", 1)
	if none == nil {
		return ""
	}
	return none.Reason
}

func serveAborting(h http.Handler, w http.ResponseWriter, r *http.Request) (aborted bool) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			aborted = true
		} else if p != nil {
			panic(p)
		}
	}()
	h.ServeHTTP(w, r)
	return false
}

// bodyWriter is an [http.ResponseWriter] that writes the body without buffering.
type bodyWriter struct {
	showing
	header http.Header
	begun  bool
	last   byte  // last is the last byte of the body so far.
	err    error // err is the first failure of Out.
}

func (w *bodyWriter) Header() http.Header { return w.header }

func (w *bodyWriter) WriteHeader(status int) {
	if w.begun {
		return
	}
	w.begun = true
	if w.Head != nil {
		writeHead(w.Head, status, w.header)
	}
}

func writeHead(to io.Writer, status int, header http.Header) {
	fmt.Fprintf(to, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	_ = header.Write(to) // an error of stderr cannot be reported anywhere
	fmt.Fprint(to, "\r\n")
}

func (w *bodyWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	n, err := w.Out.Write(p)
	if len(p) > 0 {
		w.last = p[len(p)-1]
	}
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// Flush implements [http.Flusher]. Only the head may still be unwritten.
func (w *bodyWriter) Flush() { w.WriteHeader(http.StatusOK) }
