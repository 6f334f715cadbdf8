package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// maxTrace is how many bytes an answer has at most of which a trace is kept.
const maxTrace = 1 << 20

// trace begins the trace of the answer if the server keeps transcripts or somebody watches its
// journal. Otherwise it costs nothing: the plan is not made.
func (x *exchange) trace(plan func() journal.Plan) {
	if !x.server.config.KeepTranscripts && !x.server.journal.IsWatched() {
		return
	}
	t := &journal.Trace{Plan: plan(), Speed: x.server.config.Speed}
	size := 0
	for i := range t.Plan.Frames {
		size += len(t.Plan.Frames[i].Bytes)
	}
	if size <= maxTrace {
		x.entry.Trace = t
	}
}

// holdsGate is where the answer waits at holds. It is a function of its own because the stack of an open
// stream is that of play and what it calls.
//
//go:noinline
func (x *exchange) holdsGate() player.Gate {
	if x.entry.Trace != nil {
		return tracedGate{&x.gate, x}
	}
	return &x.gate
}

// tracedGate records in the trace of an exchange how long its answer waits at holds.
type tracedGate struct {
	player.Gate
	x *exchange
}

// Pass implements [player.Gate].
func (g tracedGate) Pass(ctx context.Context, hold string) error {
	g.x.entry.Trace.Reached(hold, time.Since(g.x.entry.Time))
	defer func() { g.x.entry.Trace.Released(time.Since(g.x.entry.Time)) }()
	return g.Gate.Pass(ctx, hold)
}

// traceOf returns the trace of an entry. If the entry has none, its answer is planned again from the
// scenario as it is now.
func (s *Server) traceOf(e *journal.Entry) (*journal.Trace, error) {
	if e.Trace != nil {
		return e.Trace, nil
	}
	from := s.catalogOf(e.APIKey)
	if e.Scenario == "" || e.Request == nil || from.set.Lookup(e.Scenario) == nil {
		return nil, fmt.Errorf("what was sent to request %d is not kept, and there is no scenario to make it again; serve --transcripts keeps it, and so does an open page", e.ID)
	}
	req := *e.Request
	req.Scenario = e.Scenario
	sel, none := from.set.Match(&req, given{e}, "", s.config.Seed)
	if none != nil || sel.Index != e.Reply {
		return nil, fmt.Errorf("what was sent to request %d is not kept, and the scenario %q has changed since", e.ID, e.Scenario)
	}
	on := answer.SurfaceNamed(e.Surface)
	ask := func(sel *scenarios.Selection) *answer.Asked {
		asked := answer.Ask(on, sel, strings.HasPrefix(e.Path, "/openai/"))
		if e.Delivery.Protocol == "WebSocket" {
			asked.AsMessages()
		}
		return asked
	}
	asked := s.struckAgain(e, from, ask(sel), ask)
	if asked == nil {
		return nil, fmt.Errorf("what was sent to request %d is not kept, and its fault (%s) is laid over answers no more", e.ID, e.Injected)
	}
	plan, err := planAsked(from.maker, asked)
	return &journal.Trace{Plan: plan, Speed: s.config.Speed, MadeAgain: true}, err
}

// given is the [scenarios.Counter] with which the reply of an entry is selected again.
type given struct{ *journal.Entry }

// Available reports whether the reply is that of the entry.
func (g given) Available(_, _ string, reply, _ int) bool { return reply == g.Reply }

// Drawn reports whether the reply is that of the entry.
func (g given) Drawn(sel *scenarios.Selection) bool { return sel.Index == g.Reply }

// struckAgain is what was asked with the fault of the entry laid over it; nil if there is no such
// fault any more.
func (s *Server) struckAgain(e *journal.Entry, from *catalog, asked *answer.Asked, ask func(*scenarios.Selection) *answer.Asked) *answer.Asked {
	if e.Injected == "" {
		return asked
	}
	docs, _ := s.headerFaults.of(strings.Join(e.Header[faultHeader], "\n---\n"))
	for _, doc := range slices.Concat(docs, s.Faults(e.APIKey)) {
		for i := range doc.List {
			if doc.Describe(i) == e.Injected {
				struck, _ := from.maker.Strike(&doc.List[i], asked, ask)
				return struck
			}
		}
	}
	return nil
}

// planAsked makes an answer, and returns its plan.
func planAsked(maker *answer.Maker, asked *answer.Asked) (Plan, error) {
	if err := maker.Sayable(asked); err != nil {
		return Plan{}, err
	}
	a, err := maker.Make(asked)
	if err != nil {
		return Plan{}, err
	}
	defer a.Release()
	return planOf(a), nil
}

// try checks scenarios, and plans what they send to the example of a request. Scenarios that only
// break rules of the protocol are planned, too.
func (s *Server) try(files ...yamlfile.Source) (list []admin.Tried, problems diag.List) {
	set, problems := CheckFiles(files...)
	if set == nil && !slices.ContainsFunc(problems, func(p diag.Problem) bool { return p.Rule == "" }) {
		set, _ = yamlfile.Check(nil, files...)
	}
	if set == nil {
		return nil, problems
	}
	for _, sc := range set.Scenarios() {
		on, tried := SurfaceOf(sc), admin.Tried{Name: sc.Name, Trace: &journal.Trace{Speed: s.config.Speed}}
		header := http.Header{"X-Fakeopenai-Scenario": {sc.Name}}
		sel, err := selectFor(set, on.Name, header, []byte(on.Example), s.config.Seed)
		if err == nil {
			maker := answer.NewMaker()
			tried.Trace.Plan, err = planAsked(maker, answer.Ask(answer.SurfaceNamed(on.Name), sel, false))
		}
		if err != nil {
			problems = append(problems, diag.Problem{Pos: sc.Pos, Message: err.Error()})
			continue
		}
		list = append(list, tried)
	}
	return list, problems
}

// WritePage writes the page of GET /_fake/ as one file with what the journal remembers inside, to be
// opened without a server. Secrets in it are masked unless [Config.ShowSecrets] is set. The page has the
// times of writes only with [Config.KeepTranscripts].
func (s *Server) WritePage(w io.Writer) error { return s.own.WritePage(w) }
