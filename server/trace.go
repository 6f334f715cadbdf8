package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// isTraced reports whether the server keeps when it sends what, because it keeps transcripts or somebody
// watches its journal.
func (x *exchange) isTraced() bool {
	return x.server.config.KeepTranscripts || x.server.journal.IsWatched()
}

// holdsGate is where the answer waits at holds. It is a function of its own because the stack of an open
// stream is that of play and what it calls.
//
//go:noinline
func (x *exchange) holdsGate() player.Gate {
	var at player.Gate = &x.gate
	if x.entry.Trace != nil {
		at = tracedGate{at, x}
	}
	if asked, ok := x.entry.Made.(*answer.Asked); ok && asked.Reply.Listens() {
		at = reactingGate{at, x}
	}
	return at
}

// tracedGate records in the trace of an exchange how long its answer waits at holds.
type tracedGate struct {
	player.Gate
	x *exchange
}

// Pass implements [player.Gate].
func (g tracedGate) Pass(ctx context.Context, hold string, step int) error {
	g.x.entry.Trace.Reached(hold, time.Since(g.x.entry.Time))
	err := g.Gate.Pass(ctx, hold, step)
	if err == nil {
		g.x.entry.Trace.Released(time.Since(g.x.entry.Time))
	}
	return err
}

// traceOf returns the trace of an entry, with a plan of its answer, which is made again for that.
func (s *Server) traceOf(e *journal.Entry) (*journal.Trace, error) {
	made, ok := e.Made.(*answer.Asked)
	if !ok && e.Trace == nil {
		return nil, fmt.Errorf("what was sent to request %d is not kept: it was not made by a scenario, and nobody looked; an open page keeps it, and so does serve --transcripts", e.ID)
	}
	if !ok {
		return e.Trace, nil
	}
	asked := *made // the exchange may use it at the same time
	plan, err := planAsked(s.catalogOf(e.APIKey).maker, &asked)
	if err == nil && plan.End != "" {
		plan.Whole, plan.Torn = wholeOf(&plan, made)
	}
	if e.Trace == nil {
		return &journal.Trace{Plan: plan, Speed: s.config.Speed, MadeAgain: true}, err
	}
	return e.Trace.With(plan), err
}

// wholeOf returns [Plan.Whole] and [Plan.Torn] of the plan of an answer.
func wholeOf(plan *Plan, made *answer.Asked) (events, torn int) {
	manner, sel, asked := *made.Manner, *made.Selection, *made
	manner.End, sel.Manner, asked.Selection = scenarios.End{}, &manner, &sel
	whole, err := planAsked(answer.NewMaker(), &asked) // with a cache of its own, which does not know the reply with its ending
	if err != nil {
		return 0, 0
	}
	sent := 0
	for _, f := range plan.Frames {
		sent += len(f.Bytes)
	}
	size := 0
	for _, f := range whole.Frames {
		size += len(f.Bytes)
		if f.Hold == "" && !f.More {
			if 0 < sent && sent < size {
				torn = size
			}
			events, sent, size = events+1, sent-size, 0
		}
	}
	return events, torn
}

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

// try checks scenarios, and plans what each of their replies sends to a request; nil is an example of one. Scenarios
// that only break rules of the protocol are planned, too.
func (s *Server) try(asked *scenarios.Request, files ...yamlfile.Source) (list []admin.Tried, problems diag.List) {
	set, problems := CheckFiles(files...)
	if set == nil && !slices.ContainsFunc(problems, func(p diag.Problem) bool { return p.Rule == "" }) {
		set, _ = yamlfile.Check(nil, files...)
	}
	if set == nil {
		return nil, problems
	}
	for _, sc := range set.Scenarios() {
		tried := admin.Tried{Name: sc.Name}
		for i := range sc.Replies {
			tried.Replies = append(tried.Replies, s.tryReply(set, sc, i, asked))
		}
		list = append(list, tried)
	}
	return list, problems
}

func (s *Server) tryReply(set *scenarios.Set, sc *scenarios.Scenario, i int, asked *scenarios.Request) (t admin.TriedReply) {
	of, req := surfaceOf(sc, &sc.Replies[i]), new(scenarios.Request)
	if asked != nil {
		*req = *asked
		of.Name, req.Scenario = asked.Surface, ""
	} else {
		var err error
		if req, err = answer.SurfaceNamed(of.Name).Read(http.Header{}, []byte(of.Example)); err != nil {
			t.Problem = err.Error()
			return t
		}
		_ = request.SetPath(req, of.Method, of.Path) // an example of a path can be decoded
	}
	sel, conditions := set.Try(req, sc.Name, i, s.config.Seed)
	if asked != nil {
		t.Conditions = conditions
	}
	plan, err := planAsked(answer.NewMaker(), answer.Ask(answer.SurfaceNamed(of.Name), sel, false))
	if err != nil {
		t.Problem = err.Error()
		return t
	}
	t.Trace = &journal.Trace{Plan: plan, Speed: s.config.Speed}
	return t
}

// WritePage writes the page of GET /_fake/ as one file with what the journal remembers inside, to be
// opened without a server. Secrets in it are masked unless [Config.ShowSecrets] is set. The page has the
// times of writes only with [Config.KeepTranscripts].
func (s *Server) WritePage(w io.Writer) error { return s.own().WritePage(w) }
