package cli

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/journal"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// shownUnused is the largest number of unused scenarios that the summary names.
const shownUnused = 5

// tally collects the findings of a run and the scenarios that were played. Unlike the
// journal it cannot be reset. It is safe for concurrent use.
type tally struct {
	allowed *regexp.Regexp // allowed matches the lines of unmatched requests that are no failure; nil matches none.
	secrets bool           // secrets says that secrets are shown; otherwise they are masked.
	// failUnused says that a scenario that was never played is a failure in the JUnit report.
	failUnused bool
	// failHistory and failRetries say that wrong histories, and what [journal.Judge] finds, are failures.
	failHistory, failRetries bool

	played journal.Played

	mu       sync.Mutex
	requests int               // requests is the number of requests that have ended; guarded by mu.
	open     int               // open is the number of requests without an answer at the end; guarded by mu.
	found    []journal.Finding // found is what was wrong with requests; guarded by mu.
	warnings []string          // warnings are what was probably forgotten, each with its request; guarded by mu.
	injected map[string]int    // injected counts the answers that faults struck, by their names; guarded by mu.
	ended    []journal.Entry   // ended are all requests, with failRetries; guarded by mu.
	bodies   int               // bodies counts the bytes of the bodies in found; guarded by mu.
}

// wrongs are the kinds of findings, in the order of the lists, and what the lists say of their requests.
var wrongs = []struct {
	kind journal.Kind
	are  string
}{
	{journal.KindUnmatched, "without a scenario"},
	{journal.KindFault, "at which the scenario failed"},
	{journal.KindHistory, "whose history cannot be"},
	{journal.KindRetry, "with a wrong retry or none"},
	{journal.KindAccepted, "whose broken answer was taken for whole"},
}

// maxBodies is how many bytes of bodies a tally keeps for the report.
const maxBodies = 16 << 20

// observe records a completed request. It is a [server.Config] Observe.
func (t *tally) observe(r journal.Entry) {
	t.played.Count(&r)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	if t.failRetries {
		t.ended = append(t.ended, forRetries(r))
	}
	if r.Injected != "" {
		if t.injected == nil {
			t.injected = map[string]int{}
		}
		t.injected[r.Injected]++
	}
	if len(r.Warnings) > 0 {
		one := t.masked(r)
		t.warnings = append(t.warnings, diag.OneLine(describeRequest(&one)+": "+strings.Join(one.Warnings, "; ")))
	}
	for _, kind := range r.Wrong() {
		if kind != journal.KindHistory || t.failHistory {
			t.found = append(t.found, journal.Finding{Kind: kind, Entry: t.slim(t.masked(r))})
		}
	}
}

// slim returns an entry with what the reports show, and without most of the memory of a large
// request. The caller holds t.mu.
func (t *tally) slim(e journal.Entry) journal.Entry {
	e = withoutTexts(e)
	if t.bodies+len(e.Body) > maxBodies {
		e.Body = nil
	}
	t.bodies += len(e.Body)
	return e
}

// withoutTexts returns an entry without its transcript and most of its parsed request.
func withoutTexts(e journal.Entry) journal.Entry {
	e.Transcript = nil
	if r := e.Request; r != nil { // the texts are parts of the body
		e.Request = &scenarios.Request{Model: strings.Clone(r.Model), Scenario: strings.Clone(r.Scenario), Stream: r.Stream}
	}
	return e
}

// forRetries returns an entry from which retries can be told, with the hash of its body in
// place of the body.
func forRetries(e journal.Entry) journal.Entry {
	e.KeepConversation()
	sum := sha256.Sum256(e.Body)
	e.Body, e.Made, e.Trace = sum[:], nil, nil
	return withoutTexts(e)
}

func (t *tally) masked(e journal.Entry) journal.Entry {
	if t.secrets {
		return e
	}
	return e.Masked()
}

// end sets the number of requests that have no answer when the run ends, and judges those that have
// one. Succeeded says that the command ended with exit code 0.
func (t *tally) end(open int, succeeded bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = open
	slices.SortFunc(t.ended, func(a, b journal.Entry) int { return cmp.Compare(a.ID, b.ID) })
	for _, f := range journal.Judge(t.ended, succeeded && open == 0) {
		f.Entry.Body = nil // it is a hash
		f.Entry = t.masked(f.Entry)
		t.found = append(t.found, f)
	}
}

// withFinding returns the requests about which there is a finding of this kind. The caller holds t.mu.
func (t *tally) withFinding(kind journal.Kind) (list []journal.Entry) {
	for _, f := range t.found {
		if f.Kind == kind {
			list = append(list, f.Entry)
		}
	}
	return list
}

// unused returns the names of the scenarios of the set that no request played: see
// [journal.Played.Unused]. If requests are open, which can still play any, it returns none.
func (t *tally) unused(set *scenarios.Set) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open > 0 {
		return nil
	}
	return t.played.Unused(set)
}

// report lists the requests with findings, then prints a line with the counts and the unused scenarios.
// Missed is the number of requests that --fail-unmatched counts: the failed ones, and the unmatched ones
// that are not allowed. Wrong is the number that --fail-history and --fail-retries count.
func (t *tally) report(w io.Writer, unused []string) (missed, wrong int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, warning := range t.warnings {
		fmt.Fprintf(w, "fakeopenai: warning: %s\n", warning)
	}
	counts := map[journal.Kind]int{}
	for _, of := range wrongs {
		requests := t.withFinding(of.kind)
		list(w, requests, of.are)
		counts[of.kind] = len(requests)
	}
	allowed := 0
	for _, f := range t.found {
		if f.Kind == journal.KindUnmatched && t.allows(&f.Entry) {
			allowed++
		}
	}
	fmt.Fprintf(w, "fakeopenai: %s, %d unmatched", console.Count(t.requests+t.open, "request"), counts[journal.KindUnmatched])
	if allowed > 0 {
		fmt.Fprintf(w, " (%d allowed)", allowed)
	}
	fmt.Fprintf(w, ", %s", console.Count(counts[journal.KindFault], "fault"))
	for i, name := range slices.Sorted(maps.Keys(t.injected)) {
		fmt.Fprintf(w, "%s%d × %s", []string{", injected: ", ", "}[min(i, 1)], t.injected[name], name)
	}
	if t.failHistory {
		fmt.Fprintf(w, ", %d with a wrong history", counts[journal.KindHistory])
	}
	if t.failRetries {
		fmt.Fprintf(w, ", %d with a wrong retry or none", counts[journal.KindRetry])
	}
	if n := counts[journal.KindAccepted]; n > 0 {
		fmt.Fprintf(w, ", %d with a broken answer taken for whole", n)
	}
	if t.open > 0 {
		fmt.Fprintf(w, ", %d without an answer yet", t.open)
	}
	if shown := unused[:min(len(unused), shownUnused)]; len(shown) > 0 {
		fmt.Fprintf(w, "; never played: %s", strings.Join(shown, ", "))
		if more := len(unused) - len(shown); more > 0 {
			fmt.Fprintf(w, " and %d more", more)
		}
	}
	fmt.Fprintln(w)
	missed = counts[journal.KindUnmatched] - allowed + counts[journal.KindFault]
	return missed, counts[journal.KindHistory] + counts[journal.KindRetry] + counts[journal.KindAccepted]
}

// allows reports whether --allow-unmatched matches an unmatched request.
func (t *tally) allows(r *journal.Entry) bool {
	return t.allowed != nil && t.allowed.MatchString(line(r))
}

func list(w io.Writer, requests []journal.Entry, which string) {
	if len(requests) == 0 {
		return
	}
	fmt.Fprintf(w, "fakeopenai: %s %s:\n", console.Count(len(requests), "request"), which)
	for i := range requests {
		fmt.Fprintf(w, "  %s\n", line(&requests[i]))
	}
}

// line describes a request and its problem, as --allow-unmatched matches it.
func line(r *journal.Entry) string { return diag.OneLine(describeRequest(r) + ": " + r.Problem) }

// describeRequest returns the number, method and path of a request and, where it names them, the scenario,
// model and API key.
func describeRequest(r *journal.Entry) string {
	var asked []string
	if r.Request != nil && r.Request.Scenario != "" && r.Request.Model != "fake:"+r.Request.Scenario {
		asked = append(asked, "scenario "+r.Request.Scenario)
	}
	if r.Request != nil && r.Request.Model != "" {
		asked = append(asked, "model "+r.Request.Model)
	}
	if r.APIKey != "" && r.APIKey != console.DefaultKey && r.APIKey != journal.MaskKey(console.DefaultKey) {
		asked = append(asked, "key "+r.APIKey)
	}
	text := fmt.Sprintf("#%d %s %s", r.ID, r.Method, r.Path)
	if len(asked) > 0 {
		text += " (" + strings.Join(asked, ", ") + ")"
	}
	return text
}

type execReport struct {
	Counts      execCounts      `json:"counts"`
	NeverPlayed []string        `json:"never_played"` // NeverPlayed are names of scenarios.
	Unmatched   []journal.Shown `json:"unmatched"`
	Faults      []journal.Shown `json:"faults"`
	Histories   []journal.Shown `json:"wrong_histories,omitempty"` // Histories are found with --fail-history.
	// Retries and Accepted are found with --fail-retries.
	Retries  []journal.Shown `json:"wrong_retries,omitempty"`
	Accepted []journal.Shown `json:"accepted_broken_answers,omitempty"`
	Calls    []journal.Call  `json:"calls"`
	// Requests are the entries that the journal still has at the end.
	Requests []journal.Shown `json:"requests"`
}

// execCounts count all requests of the run, also those that the journal has dropped.
type execCounts struct {
	Requests  int            `json:"requests"`
	Unmatched int            `json:"unmatched"`
	Faults    int            `json:"faults"`
	Injected  map[string]int `json:"injected,omitempty"` // Injected counts the answers that --fault and documents of faults struck.
	Histories int            `json:"wrong_histories,omitempty"`
	Retries   int            `json:"wrong_retries,omitempty"`
	Accepted  int            `json:"accepted_broken_answers,omitempty"`
}

// shown converts entries to the form of GET /_fake/requests.
func shown(entries []journal.Entry) []journal.Shown {
	list := make([]journal.Shown, len(entries))
	for i, e := range entries {
		list[i] = journal.Show(e)
	}
	return list
}

// checkWritable checks before the run that the file of a flag, such as --report, can be written after
// it. An empty name means no file.
func checkWritable(flag, name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("write %s: %s is a directory; give a file in it", flag, name)
	}
	if err := recording.CheckReplaceable(name); err != nil {
		return fmt.Errorf("write %s: %w", flag, err)
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return fmt.Errorf("write %s: %w; make the directory first", flag, err)
	}
	return nil
}

// writeReport writes the file of --report atomically. An empty name means no report.
func (t *tally) writeReport(name string, entries []journal.Entry, unused []string) error {
	if name == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	calls := journal.Calls(entries) // grouped before secrets are masked, because the API key is part of the grouping
	for i := range entries {
		entries[i] = t.masked(entries[i])
	}
	for i := range calls {
		if !t.secrets {
			calls[i] = calls[i].Masked()
		}
	}
	var text bytes.Buffer
	form := "json"
	if filepath.Ext(name) == ".xml" {
		form = "junit"
	}
	report := console.Report{Name: "fakeopenai exec", Cases: t.cases(entries, unused)}
	err := report.Print(&text, form, t.json(entries, calls, unused), "")
	if err != nil {
		return fmt.Errorf("write --report: %w", err)
	}
	_, err = writeAtomically("--report", name, text.Bytes())
	return err
}

// json is the report as JSON. The caller holds t.mu.
func (t *tally) json(entries []journal.Entry, calls []journal.Call, unused []string) any {
	r := execReport{
		Counts: execCounts{Requests: t.requests + t.open, Injected: t.injected}, NeverPlayed: append([]string{}, unused...),
		Calls: append([]journal.Call{}, calls...), Requests: shown(entries),
	}
	c := &r.Counts
	for kind, to := range map[journal.Kind]struct {
		list  *[]journal.Shown
		count *int
	}{
		journal.KindUnmatched: {&r.Unmatched, &c.Unmatched}, journal.KindFault: {&r.Faults, &c.Faults}, journal.KindHistory: {&r.Histories, &c.Histories},
		journal.KindRetry: {&r.Retries, &c.Retries}, journal.KindAccepted: {&r.Accepted, &c.Accepted},
	} {
		*to.list = shown(t.withFinding(kind))
		*to.count = len(*to.list)
	}
	return r
}

// cases are the requests, those with a finding that counts as failures, and with --fail-unused the
// scenarios that were never played. The caller holds t.mu.
func (t *tally) cases(entries []journal.Entry, unused []string) (list []console.Case) {
	cases := map[int64]console.Case{}
	add := func(e *journal.Entry, kind journal.Kind) {
		c := console.Case{Name: describeRequest(e), Took: e.Delivery.Duration}
		if e.Injected != "" {
			c.Name += ", fault " + e.Injected
		}
		if kind != "" && (kind != journal.KindUnmatched || !t.allows(e)) {
			c.Verdict, c.Detail, c.Output = string(kind), e.Problem, line(e)
		}
		cases[e.ID] = c
	}
	for i := range entries {
		add(&entries[i], "")
	}
	for _, of := range slices.Backward(wrongs) { // of several, the first counts
		found := t.withFinding(of.kind)
		for i := range found {
			add(&found[i], of.kind)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(cases)) {
		list = append(list, cases[id])
	}
	for _, name := range unused {
		if t.failUnused {
			list = append(list, console.Case{Name: "scenario " + name, Verdict: "unused", Detail: "the scenario was never played", Output: name + " was never played"})
		}
	}
	return list
}
