// Package playing has a fake answer one request without a network between.
package playing

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/exit"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// ScenarioHeader asks for a scenario by name.
const ScenarioHeader = "X-Fakeopenai-Scenario"

// Play has a server answer the request, which names a scenario of the config in
// [ScenarioHeader], without a network between. All its holds are passed. The body
// goes to out; the status and the headers go to head, unless that is nil. It
// reports whether the scenario broke the connection off.
func Play(config server.Config, request *http.Request, out, head io.Writer) (aborted bool, err error) {
	var entry journal.Entry
	config.Logger = slog.New(slog.DiscardHandler)
	config.Observe = func(e journal.Entry) { entry = e }
	fake, err := server.New(config)
	if err != nil {
		return false, err
	}
	defer fake.Close()
	PassHolds(fake, config.Scenarios.Lookup(request.Header.Get(ScenarioHeader)))
	w := &bodyWriter{out: out, head: head, header: http.Header{}}
	aborted = serveAborting(fake, w, request)
	switch {
	case w.err != nil:
		return false, w.err
	case entry.Problem != "":
		return false, exit.Problem(errors.New(entry.Problem))
	}
	return aborted, nil
}

// PassHolds releases every hold of a scenario in advance: there is nobody to do
// it later.
func PassHolds(fake *server.Server, s *scenarios.Scenario) {
	for _, hold := range s.Holds() {
		fake.Release(hold)
	}
}

// serveAborting calls the handler and reports whether it broke the connection
// off.
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

// bodyWriter is a [http.ResponseWriter] that writes the body as it comes.
type bodyWriter struct {
	out    io.Writer
	head   io.Writer // head gets the status and the headers; nil if nobody asks for them.
	header http.Header
	begun  bool
	err    error // err is the first failure of out.
}

// Header implements [http.ResponseWriter].
func (w *bodyWriter) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *bodyWriter) WriteHeader(status int) {
	if w.begun {
		return
	}
	w.begun = true
	if w.head == nil {
		return
	}
	fmt.Fprintf(w.head, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	// Like the body, the headers go where a person reads them.
	_ = w.header.Write(w.head)
	fmt.Fprint(w.head, "\r\n")
}

// Write implements [http.ResponseWriter].
func (w *bodyWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	n, err := w.out.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// Flush implements [http.Flusher]: everything is out already.
func (w *bodyWriter) Flush() { w.WriteHeader(http.StatusOK) }
