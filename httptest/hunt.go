package fakeopenai

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// Hunt looks for a stream that a client reads wrong. It plays the answer of the option what many
// times, each time with other changes that must not matter to a client: in other pieces, with
// comments and pauses, with other members, in another layout, and in all variants of [Sweep]. The
// changes are drawn from the seed of [WithSeed]. Each time ask must return no error, and a result
// that is deeply equal to its result for the answer without changes:
//
//	fakeopenai.Hunt(t, fakeopenai.Fixture("tool-call"), func(ctx context.Context, fake *fakeopenai.Server) (app.Answer, error) {
//		return app.Ask(ctx, fake.Client(), fake.BaseURL)
//	})
//
// If one run fails, Hunt looks for the least changes and the shortest answer that still make it
// fail, and fails the test with a short scenario that shows it by itself.
//
// Each run has a server of its own, as in Sweep, and several runs go on at a time, so that ask
// must not use the test. The result of ask must depend only on what it was sent. The time of
// answers is always the same; see [WithCreated].
func Hunt[T any](t testing.TB, what Option, ask func(ctx context.Context, fake *Server) (T, error), opts ...HuntOption) {
	t.Helper()
	found, runs, err := hunt(t, what, func(ctx context.Context, fake *Server) (any, error) { return ask(ctx, fake) }, opts)
	switch {
	case err != nil:
		t.Fatalf("fakeopenai: Hunt: %v", err)
	case found != nil:
		t.Errorf("fakeopenai: Hunt: %s", found.Explain())
	default:
		t.Logf("fakeopenai: Hunt: %d runs", runs)
	}
}

// HuntOption is an option of [Hunt]; each [Option] for a server is one, too.
type HuntOption interface{ applyToHunt(h *huntPlan) }

func (o Option) applyToHunt(h *huntPlan) { h.options = append(h.options, o) }

type huntOption func(*huntPlan)

func (o huntOption) applyToHunt(h *huntPlan) { o(h) }

// HuntRuns sets how many times a [Hunt] calls ask at most; the default is 500.
func HuntRuns(n int) HuntOption { return huntOption(func(h *huntPlan) { h.Runs = n }) }

// HuntFor ends a [Hunt] after this time if it has found nothing. The default is no limit of time.
func HuntFor(d time.Duration) HuntOption { return huntOption(func(h *huntPlan) { h.For = d }) }

// HuntFaults adds to every second run of a [Hunt] a fault that no client can read around, such as
// a connection that breaks or an error in mid-stream. Then ask must return an error.
func HuntFaults() HuntOption { return huntOption(func(h *huntPlan) { h.Faults = true }) }

// HuntDialects adds changes that OpenAI does not make, but compatible servers do, by the names
// that "fakeopenai hunt --list" prints; "all" is all of them.
func HuntDialects(names ...string) HuntOption {
	return huntOption(func(h *huntPlan) { h.Dialects = append(h.Dialects, names...) })
}

// huntPlan holds the options of a [Hunt].
type huntPlan struct {
	sweep.Hunt
	test    testing.TB
	options []Option
	ask     func(context.Context, *Server) (any, error)
}

// huntCreated is the time of all answers of a hunt, so that those of two runs are the same.
const huntCreated = 1_790_000_000

func hunt(t testing.TB, what Option, ask func(context.Context, *Server) (any, error), opts []HuntOption) (*sweep.Found, int, error) {
	h := &huntPlan{test: t, ask: ask, options: []Option{what, InMemory(), WithSpeed(sweepSpeed), WithCreated(huntCreated)}}
	h.Runs, h.Jobs = 500, runtime.GOMAXPROCS(0)
	h.Check, h.Play = server.Check, h.play
	for _, opt := range opts {
		opt.applyToHunt(h)
	}
	o := newSettings(h.options)
	_, set, err := o.load()
	if err != nil {
		return nil, 0, err
	}
	h.Set, h.Seed = set, cmp.Or(o.config.Seed, 1)
	return h.Run(t.Context())
}

// play plays a case to the client, with a server of its own.
func (h *huntPlan) play(ctx context.Context, c sweep.Case) (sweep.Result, error) {
	set, err := c.Set(h.Set, time.Nanosecond)
	if err != nil {
		return sweep.Result{}, err
	}
	o := newSettings(h.options)
	o.config.Logger = cmp.Or(o.config.Logger, slog.New(slog.DiscardHandler))
	run := &huntRun{TB: h.test}
	fake, err := newServer(run, o, set, nil)
	if err != nil {
		return sweep.Result{}, err
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(o.patience, defaultPatience))
	defer cancel()
	value, complaint := h.ask(limited, fake)
	fake.finish()
	if err := ctx.Err(); err != nil {
		return sweep.Result{}, err
	}
	return run.outcome(h.Set, c, fake, value, complaint), nil
}

// outcome is the outcome of a run.
func (r *huntRun) outcome(set *scenarios.Set, c sweep.Case, fake *Server, value any, complaint error) sweep.Result {
	o := sweep.Result{Value: value, Answers: sweep.Answers(fake.core.Journal())}
	o.Verdict = c.Judge(set, complaint != nil, o.Answers)
	o.Detail = o.Verdict.Reason()
	if problems := r.all(); problems != "" {
		o.Verdict, o.Detail = sweep.Failed, problems
	} else if o.Verdict == sweep.Failed {
		o.Detail = complaint.Error()
	}
	return o
}

// huntRun is the test of one run of a hunt: what fails there is a result, and does not fail the
// test.
type huntRun struct {
	testing.TB
	mu       sync.Mutex
	problems []string // problems are guarded by mu.
}

func (r *huntRun) add(problem string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, problem)
}

func (r *huntRun) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(slices.Compact(r.problems), "; ")
}

func (r *huntRun) Errorf(format string, args ...any) { r.add(fmt.Sprintf(format, args...)) }
func (r *huntRun) Logf(string, ...any)               {}
func (r *huntRun) Failed() bool                      { return false }
