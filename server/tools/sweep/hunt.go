package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Hunt looks for an answer that a client should read like the one as written, and does not: it
// plays compositions of changes, drawn from a seed, that must not matter. Of the first that
// matters it finds the least changes, and the shortest answer, that still do.
type Hunt struct {
	Set   *scenarios.Set                 // Set has the scenarios that are changed.
	Check func(*scenarios.Set) diag.List // Check is server.Check.
	// Play plays a case to the client. Its result must depend only on the answers. Several
	// goroutines call it.
	Play func(context.Context, Case) (Result, error)
	Seed int64
	Runs int           // Runs is how many cases are drawn at most.
	For  time.Duration // For is how long cases are drawn at most; 0 is without limit.
	Jobs int           // Jobs is how many cases are played at a time.
	// Faults adds to every second case a fault that no client can read around: then the client
	// must complain.
	Faults   bool
	Dialects []string // Dialects are the names of changes to draw that OpenAI does not make; all is all of them.
	Without  []string // Without are the names of changes that are not drawn, such as one that a known bug fails on.
	// Progress is called with the number of runs so far, after each; nil is not.
	Progress func(runs int)

	runs int // runs counts the runs.
}

// Result is the result of one run of a case.
type Result struct {
	Verdict Verdict // Verdict is that of [Case.Judge], or the runner's own.
	Detail  string  // Detail is the reason for the verdict.
	// Value is what the client made of the answers; if it does not show it, nil. It is
	// compared with [reflect.DeepEqual].
	Value   any
	Answers []Answer
	Output  string // Output is what a command printed.
}

// Found is what a hunt has found.
type Found struct {
	Case   // Case is the least case that fails. Its Reproduction plays it by itself.
	Result // Result is that of the least case.

	Changes []Change // Changes are those of the least case; none if the client fails with the answer as written.
	First   int      // First is the number of the case, from 1, that failed first.
	Runs    int      // Runs is how many runs it took, those for making it smaller included.
	// Stable says that the case failed again each time; only then was it made smaller.
	Stable bool
}

// errFound ends the drawing of cases.
var errFound = errors.New("found")

// Run plays cases until one fails, or until the hunt has played all that it may. Found is nil if no case
// failed; runs counts all runs. If the context ends after a case has failed, found is returned beside
// the error.
func (h *Hunt) Run(ctx context.Context) (found *Found, runs int, err error) {
	usual, faults, err := kinds(h.Dialects, h.Without)
	if err != nil {
		return nil, 0, err
	}
	t, first, err := h.begin(ctx)
	if err != nil || first != nil {
		return first, h.runs, err
	}
	take := func(p played) error {
		h.count()
		if p.trial.judge(&p.Result); p.Verdict.Bad() {
			found = &Found{Case: p.trial.asCase(), Result: p.Result, Changes: p.trial.changes, First: p.run}
			t = p.trial
			return errFound
		}
		return nil
	}
	err = Each(ctx, h.Jobs, h.trials(t, usual, faults), func(ctx context.Context, n numbered) (played, error) {
		o, err := h.Play(ctx, n.trial.asCase())
		return played{o, n}, err
	}, take)
	if found == nil || !errors.Is(err, errFound) {
		return nil, h.runs, err
	}
	err = h.shrink(ctx, t, found)
	found.Runs = h.runs
	return found, h.runs, err
}

// numbered is a trial with its number, from 1.
type numbered struct {
	trial
	run int
}

type played struct {
	Result
	numbered
}

func (h *Hunt) count() {
	h.runs++
	if h.Progress != nil {
		h.Progress(h.runs)
	}
}

// trial is changes of one of the streams of a base.
type trial struct {
	base    *base
	value   any // value is the result with the base unchanged.
	stream  int
	changes []Change
	changed *base // changed is the base with the changes.
}

// asCase is the case that is played.
func (t trial) asCase() Case {
	at := t.base.streams[t.stream]
	return Case{
		Name: namesOf(t.changes), drawn: t.changed, only: &Answer{Scenario: t.base.docs[at.doc].Name, Reply: at.reply},
		fails: slices.ContainsFunc(t.changes, Change.isFault),
	}
}

func namesOf(changes []Change) string {
	var names []string
	for _, c := range changes {
		names = append(names, c.Name())
	}
	return strings.Join(names, "+")
}

// judge compares the result with the result of the base without changes, unless the client should report an error.
func (t trial) judge(o *Result) {
	whole := t.base.expected == scenarios.NoError && !t.asCase().Fails()
	if whole && o.Verdict == OK && !reflect.DeepEqual(o.Value, t.value) {
		o.Verdict = Differs
		o.Detail = fmt.Sprintf("the result is %s, and with the answer as written %s", inWords(o.Value), inWords(t.value))
	}
}

func inWords(v any) string {
	if text, err := json.Marshal(v); err == nil {
		return string(text)
	}
	return fmt.Sprintf("%+v", v)
}

// begin plays the scenarios as written, and again as streams, which must make no difference. It
// returns what was found if the client fails already.
func (h *Hunt) begin(ctx context.Context) (t trial, first *Found, err error) {
	o, err := h.play(ctx, AsWritten())
	if err != nil {
		return t, nil, err
	}
	if o.Verdict.Bad() {
		return t, &Found{Case: AsWritten(), Result: o, First: 1, Runs: h.runs, Stable: true}, nil
	}
	if t.base, err = newBase(h.Check, h.Set, o.Answers); err != nil {
		return t, nil, err
	}
	t.changed, t.value = t.base, o.Value
	if o, err = h.play(ctx, t.asCase()); err != nil {
		return t, nil, err
	}
	if t.judge(&o); o.Verdict.Bad() {
		return t, nil, fmt.Errorf("the client does not come to the same twice, with the same answer (%s): its result must depend on nothing but the answer", o.Detail)
	}
	return t, nil, nil
}

func (h *Hunt) play(ctx context.Context, c Case) (Result, error) {
	o, err := h.Play(ctx, c)
	h.count()
	return o, err
}

// trials draws trials, each from the seed and its number, so that they do not depend on the
// results of others.
func (h *Hunt) trials(t trial, usual, faults []*kind) iter.Seq[numbered] {
	begin := time.Now()
	return func(yield func(numbered) bool) {
		for run := 1; run <= h.Runs && (h.For == 0 || time.Since(begin) < h.For); run++ {
			r := rand.New(rand.NewPCG(uint64(h.Seed), uint64(run)))
			drawn := t
			drawn.stream = r.IntN(len(t.base.streams))
			var changes []Change
			for range 1 + r.IntN(4) {
				changes = draw(changes, drawn, usual, r)
			}
			if h.Faults && run%2 == 0 {
				changes = draw(changes, drawn, faults, r)
			}
			if !yield(numbered{h.asManyAs(drawn, changes), run}) {
				return
			}
		}
	}
}

// draft is the reply without its changes, in which places for changes are looked for.
func (t trial) draft() *draft {
	at := t.base.streams[t.stream]
	doc := t.base.docs[at.doc]
	return &draft{scenario: doc, reply: &doc.Replies[at.reply], answer: &at.answer}
}

// draw appends a change; none if the reply has a place for none of the kinds.
func draw(changes []Change, t trial, among []*kind, r *rand.Rand) []Change {
	d := t.draft()
	fits := func(k *kind) bool {
		_, ok := k.draw(func(int) int { return 0 }, d)
		return ok
	}
	for slices.ContainsFunc(among, fits) {
		if c, ok := among[r.IntN(len(among))].draw(r.IntN, d); ok {
			return append(changes, c)
		}
	}
	return changes
}

// asManyAs returns the trial with the changes; without some if they cannot all be made.
func (h *Hunt) asManyAs(t trial, changes []Change) trial {
	all := h.tryWith(t, changes)
	for i := 0; len(all.changes) == 0 && i < len(changes); i++ {
		t = h.tryWith(t, append(slices.Clip(t.changes), changes[i]))
	}
	if len(all.changes) > 0 {
		return all
	}
	return t
}

// tryWith returns the trial with other changes, or as it is if they cannot be made.
func (h *Hunt) tryWith(t trial, changes []Change) trial {
	changed, ok := t.base.withChanges(h.Check, t.stream, changes)
	if !ok {
		return t
	}
	t.changes, t.changed = changes, changed
	return t
}

// Explain describes the failure, with the scenario that shows it.
func (f *Found) Explain() string {
	if len(f.Changes) == 0 {
		return "the client fails with the answer as written: " + f.describe()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "case %d: %s\n", f.First, f.describe())
	for _, c := range f.Changes {
		fmt.Fprintf(&b, "%s: %s\n", c.Name(), c.kind.about)
	}
	if !f.Stable {
		b.WriteString("the failure is not stable: the same case was played again and did not fail in the same way\n")
	} else {
		fmt.Fprintf(&b, "the least scenario that shows it, found in %d runs:\n", f.Runs)
	}
	return b.String() + f.Scenario()
}

// Scenario is a scenario file that plays the least case by itself; "" if there are no changes.
func (f *Found) Scenario() string {
	if f.drawn == nil {
		return ""
	}
	return f.drawn.String()
}

// describe is the verdict with the first 600 characters of its reason.
func (f *Found) describe() string {
	if f.Detail == "" {
		return string(f.Verdict)
	}
	return fmt.Sprintf("%s: %.600s", f.Verdict, f.Detail)
}
