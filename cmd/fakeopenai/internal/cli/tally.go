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

// tally collects the results of a run: the number of requests, the requests that no
// scenario answered or whose scenario failed, and the names of the scenarios played.
// Unlike the journal it cannot be reset. It is safe for concurrent use.
type tally struct {
	allowed *regexp.Regexp // allowed matches the lines of unmatched requests that are no failure; nil matches none.
	secrets bool           // secrets says that secrets are shown; otherwise they are masked.
	// failUnused says that a scenario that was never played is a failure in the JUnit report.
	failUnused bool
	// failHistory and failRetries say that these are failures in the reports.
	failHistory, failRetries bool

	mu        sync.Mutex
	requests  int             // requests is the number of requests that have ended; guarded by mu.
	open      int             // open is the number of requests without an answer at the end; guarded by mu.
	unmatched []journal.Entry // unmatched are the requests that no scenario answered; guarded by mu.
	failed    []journal.Entry // failed are the requests whose scenario failed; guarded by mu.
	injected  map[string]int  // injected counts the answers that faults struck, by their names; guarded by mu.
	histories []journal.Entry // histories are the requests whose messages contradict each other; guarded by mu.
	ended     []journal.Entry // ended are all requests, with failRetries; guarded by mu.
	retries   []journal.Entry // retries are the wrong retries in ended, set by end; guarded by mu.
	played    map[string]bool // played has the names of the scenarios that were picked; guarded by mu.
	bodies    int             // bodies counts the bytes of the bodies that unmatched and failed have; guarded by mu.
}

// maxBodies is how many bytes of bodies a tally keeps for the report.
const maxBodies = 16 << 20

// observe records a completed request. It is a [server.Config] Observe.
func (t *tally) observe(r journal.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	if t.failRetries {
		t.ended = append(t.ended, forRetries(r))
	}
	r = t.shown(r)
	if r.Scenario != "" {
		if t.played == nil {
			t.played = map[string]bool{}
		}
		t.played[r.Scenario] = true
	}
	if r.Injected != "" {
		if t.injected == nil {
			t.injected = map[string]int{}
		}
		t.injected[r.Injected]++
	}
	if r.Fault || r.Unmatched {
		r = t.slim(r)
	}
	if r.BadHistory && t.failHistory {
		t.histories = append(t.histories, t.slim(r))
	}
	switch {
	case r.Fault:
		t.failed = append(t.failed, r)
	case r.Unmatched:
		t.unmatched = append(t.unmatched, r)
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
	sum := sha256.Sum256(e.Body)
	e.Body = sum[:]
	return withoutTexts(e)
}

// shown returns an entry with its secrets masked, unless they are to be shown.
func (t *tally) shown(e journal.Entry) journal.Entry {
	if t.secrets {
		return e
	}
	return e.Masked()
}

// end sets the number of requests that have no answer when the run ends, and finds the wrong
// retries of the run.
func (t *tally) end(open int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = open
	slices.SortFunc(t.ended, func(a, b journal.Entry) int { return cmp.Compare(a.ID, b.ID) })
	for _, e := range journal.WrongRetries(t.ended) {
		e.Body = nil // it is a hash
		t.retries = append(t.retries, t.shown(e))
	}
}

// wrong returns the number of requests that --fail-history and --fail-retries count.
func (t *tally) wrong() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.histories) + len(t.retries)
}

// unused returns the names of the scenarios of the set that no request played. A
// scenario that a played one extends, or that is left to chance, counts as played. If
// requests are open, which can still play any, it returns none.
func (t *tally) unused(set *scenarios.Set) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open > 0 {
		return nil
	}
	used := map[string]bool{}
	for name := range t.played {
		for s := set.Lookup(name); s != nil && !used[s.Name]; s = set.Lookup(s.Extends) {
			used[s.Name] = true
		}
	}
	var names []string
	for _, s := range set.Scenarios() {
		if !used[s.Name] && !s.IsLeftToChance() {
			names = append(names, s.Name)
		}
	}
	return names
}

// report lists the unmatched and the failed requests, then prints a line with the counts
// and the unused scenarios. It returns the number of requests that --fail-unmatched
// counts: the failed ones, and the unmatched ones that are not allowed.
func (t *tally) report(w io.Writer, unused []string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	list(w, t.unmatched, "without a scenario")
	list(w, t.failed, "at which the scenario failed")
	list(w, t.histories, "whose history cannot be")
	list(w, t.retries, "with a wrong retry or none")
	missed, allowed := len(t.unmatched), ""
	for i := range t.unmatched {
		if t.allows(&t.unmatched[i]) {
			missed--
		}
	}
	if n := len(t.unmatched) - missed; n > 0 {
		allowed = fmt.Sprintf(" (%d allowed)", n)
	}
	fmt.Fprintf(w, "fakeopenai: %s, %d unmatched%s, %s", console.Count(t.requests+t.open, "request"), len(t.unmatched), allowed, console.Count(len(t.failed), "fault"))
	for i, name := range slices.Sorted(maps.Keys(t.injected)) {
		fmt.Fprintf(w, "%s%d × %s", []string{", injected: ", ", "}[min(i, 1)], t.injected[name], name)
	}
	if t.failHistory {
		fmt.Fprintf(w, ", %d with a wrong history", len(t.histories))
	}
	if t.failRetries {
		fmt.Fprintf(w, ", %d with a wrong retry or none", len(t.retries))
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
	return missed + len(t.failed)
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
func line(r *journal.Entry) string { return diag.OneLine(what(r) + ": " + r.Problem) }

// what describes a request: its number, method and path and, if present, the scenario,
// model and API key that it names.
func what(r *journal.Entry) string {
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
	Retries     []journal.Shown `json:"wrong_retries,omitempty"`   // Retries are found with --fail-retries.
	Calls       []journal.Call  `json:"calls"`
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
		entries[i] = t.shown(entries[i])
	}
	for i := range calls {
		if !t.secrets {
			calls[i] = calls[i].Masked()
		}
	}
	var text bytes.Buffer
	var err error
	if filepath.Ext(name) == ".xml" {
		err = t.suite(entries, unused).Print(&text)
	} else {
		err = t.printJSON(&text, entries, calls, unused)
	}
	if err != nil {
		return fmt.Errorf("write --report: %w", err)
	}
	_, err = writeAtomically("--report", name, text.Bytes())
	return err
}

// printJSON writes the report as JSON. The caller holds t.mu.
func (t *tally) printJSON(w io.Writer, entries []journal.Entry, calls []journal.Call, unused []string) error {
	return console.JSON(w, execReport{
		Counts:      execCounts{t.requests + t.open, len(t.unmatched), len(t.failed), t.injected, len(t.histories), len(t.retries)},
		NeverPlayed: append([]string{}, unused...),
		Unmatched:   shown(t.unmatched),
		Faults:      shown(t.failed),
		Histories:   shown(t.histories),
		Retries:     shown(t.retries),
		Calls:       append([]journal.Call{}, calls...),
		Requests:    shown(entries),
	})
}

// suite returns the JUnit report: a test case for each request, of which those that count
// for --fail-unmatched, --fail-history and --fail-retries are failures, and with --fail-unused a failure for each unused
// scenario. The caller holds t.mu.
func (t *tally) suite(entries []journal.Entry, unused []string) *console.Suite {
	all, failures := map[int64]*journal.Entry{}, map[int64]*console.Failure{}
	for _, of := range []struct {
		list []journal.Entry
		kind string // kind is the type of the failure; "" for none.
	}{{entries, ""}, {t.retries, "retry"}, {t.histories, "history"}, {t.unmatched, "unmatched"}, {t.failed, "fault"}} {
		for i := range of.list {
			e := &of.list[i]
			all[e.ID] = e
			if of.kind != "" && (of.kind != "unmatched" || !t.allows(e)) {
				failures[e.ID] = &console.Failure{Type: of.kind, Message: e.Problem, Text: line(e)}
			}
		}
	}
	suite := &console.Suite{Name: "fakeopenai exec"}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		name := what(all[id])
		if fault := all[id].Injected; fault != "" {
			name += ", fault " + fault
		}
		suite.Add(name, all[id].Delivery.Duration, failures[id])
	}
	if t.failUnused {
		for _, name := range unused {
			suite.Add("scenario "+name, 0, &console.Failure{Type: "unused", Message: "the scenario was never played", Text: name + " was never played"})
		}
	}
	return suite
}
