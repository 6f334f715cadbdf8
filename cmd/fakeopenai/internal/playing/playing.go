// Package playing has a fake answer one request without a network between.
package playing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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

// Request is what a fake is asked.
type Request struct {
	Path     string
	Scenario string // Scenario is the name of a scenario of the fake's.
	Body     []byte
	// Attempt is how many times the request is made, and Turn how many turns the
	// conversation has with it: only the last one is shown. 0 is 1.
	Attempt, Turn int
}

// HTTP is the request as it is made first.
func (r *Request) HTTP(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(ScenarioHeader, r.Scenario)
	return request, nil
}

// Show is where an answer is shown, and how.
type Show struct {
	Out      io.Writer
	Head     io.Writer // Head gets the status and the headers; nil if nobody asks for them.
	Timeline bool      // Timeline shows one line for each event in place of the bytes.
	Colour   bool
}

// Outcome is what is worth knowing about an answer beside its bytes.
type Outcome struct {
	Aborted  bool // Aborted says that the scenario broke the connection off.
	OpenLine bool // OpenLine says that the last line that was shown has no line feed.
	// Misfit says why the scenario would not have been picked had it not been asked
	// for by name; "" if it would.
	Misfit string
}

// Play has a server answer the request without a network between. All holds are
// passed.
func Play(ctx context.Context, config server.Config, r Request, show Show) (Outcome, error) {
	var entry journal.Entry
	config.Logger = slog.New(slog.DiscardHandler)
	config.Observe = func(e journal.Entry) { entry = e }
	fake, err := server.New(config)
	if err != nil {
		return Outcome{}, err
	}
	defer fake.Close()
	if err := prepare(ctx, fake, &r); err != nil {
		return Outcome{}, err
	}
	PassHolds(fake, config.Scenarios.Lookup(r.Scenario))
	w := newBodyWriter(show)
	t := timeline{out: show.Out, head: show.Head, colour: show.Colour, speed: cmp.Or(config.Speed, 1)}
	if show.Timeline {
		ctx = server.WithPlan(ctx, t.draw)
	}
	request, err := r.HTTP(ctx)
	if err != nil {
		return Outcome{}, err
	}
	aborted := serveAborting(fake, w, request)
	if err := errors.Join(w.close(), t.err); err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{Aborted: aborted || t.aborted, OpenLine: w.last != 0 && w.last != '\n'}
	if entry.Problem != "" {
		return outcome, exit.Problem(errors.New(entry.Problem))
	}
	outcome.Misfit = misfit(config.Scenarios.Only(r.Scenario), entry.Request)
	return outcome, nil
}

// misfit is why the only scenario of a set does not answer a request that does not
// name it; "" if it does.
func misfit(only *scenarios.Set, asked *scenarios.Request) string {
	if asked == nil || asked.Scenario == "" {
		return ""
	}
	unnamed := *asked
	unnamed.Scenario = ""
	_, none := only.Match(&unnamed, nil, "", 1)
	if none == nil {
		return ""
	}
	return none.Reason
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
