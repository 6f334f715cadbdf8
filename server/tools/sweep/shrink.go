package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// tries is how often a smaller case must fail to be taken in place of the larger one.
const tries = 2

// shrinker makes a trial that fails smaller.
type shrinker struct {
	*Hunt
	ctx     context.Context
	trial   trial             // trial is the smallest one so far.
	outcome Result            // outcome is that of the trial.
	plain   map[string]Result // plain are the outcomes with bases unchanged, by their texts.
	tells   bool              // tells says that the results of the client have the texts that it was sent.
	err     error             // err is why no case can be played any more.
}

// shrink replaces what was found with the least case that fails in the same way: first the least
// set of changes, then the least numbers of each, then the shortest answer.
func (h *Hunt) shrink(ctx context.Context, t trial, found *Found) error {
	s := &shrinker{Hunt: h, ctx: ctx, trial: t, outcome: found.Result, plain: map[string]Result{}}
	s.tells = t.tellsIts(t.value)
	if found.Stable = s.fails(t); !found.Stable || s.err != nil {
		return s.err
	}
	for smaller := true; smaller && s.err == nil; {
		smaller = s.fewerChanges()
		smaller = s.lessNumbers() || smaller
		smaller = s.shorterAnswer() || smaller
	}
	if printed, ok := s.trial.asPrinted(); ok && s.err == nil {
		least := s.trial
		found.Stable = s.fails(printed)
		s.trial = least
	}
	found.Case, found.Result, found.Changes = s.trial.asCase(), s.outcome, s.trial.changes
	return s.err
}

// asPrinted is the trial with the scenarios as they are printed; ok is false if they cannot be printed.
func (t trial) asPrinted() (printed trial, ok bool) {
	list, problems := yamlfile.Parse("hunt", []byte(t.changed.String()))
	set, more := scenarios.Build(nil, list...)
	if len(problems)+len(more) > 0 || len(list) != len(t.base.docs) {
		return t, false
	}
	changed := *t.changed
	changed.docs = nil
	for _, doc := range list {
		changed.docs = append(changed.docs, playedScenario(set, doc))
	}
	t.changed = &changed
	return t, true
}

// tellsIts reports whether a result has all texts and arguments that the base of the trial sends.
func (t trial) tellsIts(value any) bool {
	at := &t.base.streams[t.stream]
	list, err := at.outcomes(t.base.docs[at.doc])
	shown, unshown := json.Marshal(value)
	if err != nil || unshown != nil {
		return false
	}
	var texts []string
	for _, o := range slices.Concat(list, list[0].Choices) {
		texts = append(texts, o.Text, o.Refusal)
		for _, call := range o.Calls {
			texts = append(texts, call.Arguments)
		}
	}
	return !slices.ContainsFunc(texts, func(text string) bool {
		quoted, _ := json.Marshal(text) // a text always can be
		return !bytes.Contains(shown, bytes.Trim(quoted, `"`))
	})
}

// fails reports whether a trial fails each time, in the same way as the one that was found. If so, it is
// the smallest one so far.
func (s *shrinker) fails(t trial) bool {
	for range tries {
		if s.err != nil {
			return false
		}
		var o Result
		if o, s.err = s.play(s.ctx, t.asCase()); s.err != nil {
			return false
		}
		if t.judge(&o); o.Verdict != s.outcome.Verdict {
			return false
		}
		s.outcome = o
	}
	s.trial = t
	return true
}

// tryChanges tries these changes in place of the present ones, and keeps them if the trial still fails.
func (s *shrinker) tryChanges(changes []Change) bool {
	t, ok := s.trial, false
	if t.changed, ok = t.base.withChanges(s.Check, t.stream, changes); !ok {
		return false
	}
	t.changes = changes
	return s.fails(t)
}

func (s *shrinker) fewerChanges() (smaller bool) {
	for i := 0; i < len(s.trial.changes) && len(s.trial.changes) > 1; {
		if s.tryChanges(slices.Delete(slices.Clone(s.trial.changes), i, i+1)) {
			smaller = true
		} else {
			i++
		}
	}
	return smaller
}

func (s *shrinker) lessNumbers() (smaller bool) {
	for i := range s.trial.changes {
		for k := range s.trial.changes[i].numbers {
			for s.lessNumber(i, k) {
				smaller = true
			}
		}
	}
	return smaller
}

// lessNumber makes one number of one change smaller.
func (s *shrinker) lessNumber(i, k int) bool {
	n := s.trial.changes[i].numbers[k]
	for _, less := range slices.Compact([]int{0, n / 2, n - n/4, n - 1}) {
		if less < 0 || less >= n {
			continue
		}
		changes := slices.Clone(s.trial.changes)
		changes[i].numbers = slices.Clone(changes[i].numbers)
		if changes[i].numbers[k] = less; s.tryChanges(changes) {
			return true
		}
	}
	return false
}

// shorterAnswer makes the answer of the base shorter, as long as the client is content with it.
func (s *shrinker) shorterAnswer() (smaller bool) {
	for again := true; again; {
		again = false
		for doc, changes := range s.shorter() {
			if s.takeBase(doc, changes) {
				smaller, again = true, true
				break
			}
		}
	}
	return smaller
}

// takeBase tries another scenario in place of the one that is changed, and takes it if the client
// reads it well as it is, and still fails with the changes.
func (s *shrinker) takeBase(doc *scenarios.Scenario, changes []Change) bool {
	t, ok := s.trial, false
	at := t.base.streams[t.stream]
	quirks, problems := quirksOnItsSurface(s.Check, doc)
	if len(problems) > 0 || !allAllowed(quirks, doc.Quirks) {
		return false
	}
	doc.Quirks = quirks
	t.base = t.base.replaced(at.doc, doc)
	if t.changed, ok = t.base.withChanges(s.Check, t.stream, changes); !ok || t.changed.String() == s.trial.changed.String() {
		return false
	}
	if t.value, ok = s.passesUnchanged(t); !ok || s.tells && !t.tellsIts(t.value) {
		return false // the client is wrong with this base, and could be right with the changes
	}
	t.changes = changes
	return s.fails(t)
}

// passesUnchanged plays the base of a trial without the changes. Value is the client's result; ok says that the client
// read the base right.
func (s *shrinker) passesUnchanged(t trial) (value any, ok bool) {
	text := t.base.String()
	o, known := s.plain[text]
	if !known {
		t.changes, t.changed = nil, t.base
		if o, s.err = s.play(s.ctx, t.asCase()); s.err != nil {
			return nil, false
		}
		s.plain[text] = o
	}
	return o.Value, !o.Verdict.Bad()
}

// shorter returns shorter forms of the scenario that is changed, with the changes for them: the
// shortest first.
func (s *shrinker) shorter() iter.Seq2[*scenarios.Scenario, []Change] {
	at := s.trial.base.streams[s.trial.stream]
	doc, changes := s.trial.base.docs[at.doc], s.trial.changes
	list := *doc.Replies[at.reply].Stream
	return func(yield func(*scenarios.Scenario, []Change) bool) {
		for _, edit := range shorterStreams(list) {
			for _, places := range [][]Change{changes, earlier(changes, edit.less)} {
				c := doc.Clone()
				d := &draft{scenario: c, reply: &c.Replies[at.reply], answer: &at.answer}
				edit.apply(d)
				d.keepUsage(list)
				if !yield(c, places) {
					return
				}
				if edit.less == 0 {
					break
				}
			}
		}
	}
}

// shortening is a way to make an answer shorter. It takes away less steps, so that changes may
// have to be made at earlier places.
type shortening struct {
	less  int
	apply func(*draft)
}

// shorterStreams are ways to make a stream shorter, those that take away most first.
func shorterStreams(list steps) []shortening {
	edits := []shortening{{0, simplify}}
	keep := func(less int, keeps func(scenarios.Step) bool) {
		edits = append(edits, shortening{less, func(d *draft) { d.keep(keeps) }})
	}
	for _, choice := range choicesIn(list) {
		keep(len(list), func(st scenarios.Step) bool { return st.Choice == choice })
	}
	keep(len(list), func(st scenarios.Step) bool { return st.Call() == nil })
	keep(len(list), func(st scenarios.Step) bool { return textIn(&st) == nil || st.Role.Present })
	edits = append(edits, shortening{len(list), joinAll})
	for size := len(list) / 2; size > 0; size /= 2 {
		for from := 0; from+size <= len(list); from += size {
			edits = append(edits, shortening{size, func(d *draft) { *d.reply.Stream = slices.Delete(*d.reply.Stream, from, from+size) }})
		}
	}
	for i := range list {
		if saysMore(list[i:]) {
			edits = append(edits, shortening{1, func(d *draft) { *d.reply.Stream = joinNext(*d.reply.Stream, i) }})
		}
		for _, text := range shorterTexts(&list[i]) {
			edits = append(edits, shortening{0, func(d *draft) { text(&(*d.reply.Stream)[i]) }})
		}
	}
	return edits
}

// joinAll sends each text in one piece, which is as short as it gets for a client that wants all
// of it.
func joinAll(d *draft) {
	list := *d.reply.Stream
	for i := 0; i < len(list); i++ {
		for saysMore(list[i:]) {
			list = joinNext(list, i)
		}
	}
	*d.reply.Stream = list
}

func choicesIn(list steps) (choices []int) {
	for _, st := range list {
		if !slices.Contains(choices, st.Choice) {
			choices = append(choices, st.Choice)
		}
	}
	if len(choices) == 1 {
		return nil
	}
	return choices
}

// keep keeps some of the steps. What is left has choices from 0, and a finish reason that fits.
func (d *draft) keep(keeps func(scenarios.Step) bool) {
	list := slices.DeleteFunc(*d.reply.Stream, func(st scenarios.Step) bool { return !keeps(st) })
	choices := choicesIn(list)
	calls := slices.ContainsFunc(list, func(st scenarios.Step) bool { return st.Call() != nil })
	for i := range list {
		list[i].Choice = max(0, slices.Index(choices, list[i].Choice))
		if list[i].Finish.Present && !calls {
			list[i].Finish = text("stop")
		}
	}
	*d.reply.Stream = list
}

// keepUsage puts the usage back that was among the steps, where it would be counted without it.
func (d *draft) keepUsage(among steps) {
	at := slices.IndexFunc(among, hasUsage)
	if at >= 0 && d.surface() != scenarios.DefaultSurface && !slices.ContainsFunc(*d.reply.Stream, hasUsage) {
		*d.reply.Stream = append(*d.reply.Stream, scenarios.Step{Usage: among[at].Usage})
	}
}

// simplify takes away what a scenario has beside its stream.
func simplify(d *draft) {
	d.scenario.When = scenarios.When{Surface: d.scenario.When.Surface}
	d.scenario.Seed, d.scenario.Strict, d.scenario.CheckHistory, d.scenario.Limits = nil, nil, nil, scenarios.Limits{}
	if len(d.scenario.Replies) == 1 {
		d.reply.When, d.reply.Times = scenarios.When{}, 0
	}
	d.reply.Manner = scenarios.Manner{}
}

// earlier are the changes at places that are n less, for an answer without n of its first places.
func earlier(changes []Change, n int) []Change {
	list := slices.Clone(changes)
	for i, c := range list {
		if len(c.numbers) > 0 {
			list[i].numbers = slices.Clone(c.numbers)
			list[i].numbers[0] = max(0, c.numbers[0]-n)
		}
	}
	return list
}

// shorterTexts are ways to make what a step says shorter, the shortest first.
func shorterTexts(st *scenarios.Step) (list []func(*scenarios.Step)) {
	if text := textIn(st); text != nil {
		whole := text.Source
		_, first := utf8.DecodeRuneInString(whole)
		_, last := utf8.DecodeLastRuneInString(whole)
		half := runeEnd(whole, utf8.RuneCountInString(whole)/2-1)
		for _, shorter := range []string{whole[:first], whole[len(whole)-last:], whole[:half], whole[half:], whole[first:], whole[:len(whole)-last]} {
			if shorter != "" && len(shorter) < len(whole) {
				list = append(list, func(st *scenarios.Step) { *st = saying(st, shorter) })
			}
		}
	}
	if isCall(steps{*st}) && arguments(st) != "{}" {
		list = append(list, func(st *scenarios.Step) {
			st.Call().Arguments, st.Pieces = scenarios.Arguments{Text: text("{}")}, scenarios.Pieces{}
		})
	}
	if st.Pieces.Present {
		list = append(list, func(st *scenarios.Step) { st.Pieces = scenarios.Pieces{} })
	}
	return list
}
