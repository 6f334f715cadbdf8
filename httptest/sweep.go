package fakeopenai

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// Sweep runs body as a subtest for each variant of the bytes on the wire that must make
// no difference to a client: the same answer with CR LF, in writes of one byte,
// compressed, and so on. The subtests have the names in [sweep.Variants]; the first,
// as-written, plays the scenarios unchanged. Each subtest has its own server, which
// plays the option what, such as [File] or [Fixture]:
//
//	fakeopenai.Sweep(t, fakeopenai.Fixture("tool-call"), func(t *testing.T, fake *fakeopenai.Server) {
//		got, err := app.Ask(t.Context(), fake.Client(), fake.BaseURL)
//		if err != nil || got.City != "Oslo" {
//			t.Errorf("Ask = %v, %v", got, err)
//		}
//	})
//
// With [Truncated] further subtests end the answer too early. A subtest that fails
// logs a scenario that reproduces its variant by itself.
//
// The servers are in memory, so that a thousand subtests take seconds, and pauses are
// a million times shorter than written; [OnSockets], [WithSpeed] and [Instant] change
// that. Options of [NewServer] can be given, too. Subtests run one after the other
// unless body calls t.Parallel.
func Sweep(t *testing.T, what Option, body func(t *testing.T, fake *Server), opts ...SweepOption) {
	t.Helper()
	s := newSweep(what, opts)
	cases, err := sweep.Cases(s.also, s.without)
	if err != nil {
		t.Fatalf("fakeopenai: Sweep: %v", err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { body(t, s.start(t, c)) })
	}
	for _, tr := range s.truncations {
		t.Run("truncated", func(t *testing.T) { tr.run(t, s) })
	}
}

// SweepOption is an option of [Sweep]; each [Option] for a server is one, too.
type SweepOption interface{ applyTo(*sweepPlan) }

func (o Option) applyTo(s *sweepPlan) { s.options = append(s.options, o) }

type sweepOption func(*sweepPlan)

func (o sweepOption) applyTo(s *sweepPlan) { o(s) }

// Without leaves the variants of a [Sweep] and the changes of a [Hunt] with these names out, for example
// multiline and json-pretty for a client that takes each data: line for an event: a known bug does not hide
// the next one then.
func Without(names ...string) LeftOut { return names }

// LeftOut is the option of [Without].
type LeftOut []string

func (o LeftOut) applyTo(s *sweepPlan)    { s.without = append(s.without, o...) }
func (o LeftOut) applyToHunt(h *huntPlan) { h.Without = append(h.Without, o...) }

// Also adds variants by name that are not swept by default. They should make no
// difference to a client either, but some widely used clients fail.
func Also(names ...string) SweepOption {
	return sweepOption(func(s *sweepPlan) { s.also = append(s.also, names...) })
}

// OnSockets makes the servers of a [Sweep] listen on 127.0.0.1, for code that
// cannot use [Server.Client]. An answer that is split then takes a millisecond for
// each piece.
func OnSockets() SweepOption {
	return Option(func(o *settings) { o.inMemory = false })
}

// sweepPlan holds the options of a [Sweep].
type sweepPlan struct {
	options     []Option
	without     []string
	also        []string
	truncations []truncation
}

// sweepSpeed makes pauses very short but keeps them, so that frames with different due
// times still leave in different writes.
const sweepSpeed = 1_000_000

func newSweep(what Option, opts []SweepOption) *sweepPlan {
	s := &sweepPlan{options: []Option{what, InMemory(), WithSpeed(sweepSpeed)}}
	for _, opt := range opts {
		opt.applyTo(s)
	}
	return s
}

// start starts the server of a subtest, which plays the case c.
func (s *sweepPlan) start(t *testing.T, c sweep.Case, more ...Option) *Server {
	t.Helper()
	var fake *Server
	t.Cleanup(func() { // It runs after the cleanup of the server, which can fail the test, too.
		if t.Failed() && fake != nil && c.Variant.YAML != "" {
			t.Logf("fakeopenai: %s: %s; as a scenario of its own:\n%s", c.Variant.Name, c.Variant.About, reproduction(c, fake))
		}
	})
	fake = NewServer(t, slices.Concat(s.options, more, []Option{withCase(c)})...)
	return fake
}

// reproduction is a scenario file that plays a case by itself: its scenarios extend
// those that have answered so far or, if none has, a NAME to fill in.
func reproduction(c sweep.Case, fake *Server) string {
	return cmp.Or(c.Reproduction(server.Check, fake.set, sweep.Answers(fake.core.Journal())), c.Variant.Scenario("NAME"))
}

// withCase plays the scenarios as a case of a sweep changes them. In memory a reader sees each
// piece of a split answer by itself, without a pause between them.
func withCase(c sweep.Case) Option {
	return func(o *settings) {
		o.adjust = func(set *scenarios.Set) (*scenarios.Set, error) {
			gap := time.Duration(0)
			if o.inMemory {
				gap = time.Nanosecond
			}
			return c.Set(set, gap)
		}
	}
}
