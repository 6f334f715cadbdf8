package cli

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/files"
	"github.com/fakeopenai/fakeopenai/server/journal"
	"github.com/fakeopenai/fakeopenai/server/recording/atomicfile"
)

// execReport is the JSON that exec --report writes.
type execReport struct {
	Counts      execCounts      `json:"counts"`
	NeverPlayed []string        `json:"never_played"` // NeverPlayed are names of scenarios.
	Unmatched   []journal.Shown `json:"unmatched"`
	Faults      []journal.Shown `json:"faults"`
	Calls       []journal.Call  `json:"calls"`
	// Requests are the entries that the journal still has at the end.
	Requests []journal.Shown `json:"requests"`
}

// execCounts count all requests of the run, also those that the journal has dropped.
type execCounts struct {
	Requests  int `json:"requests"`
	Unmatched int `json:"unmatched"`
	Faults    int `json:"faults"`
}

// shown converts entries to the form of GET /_fake/requests.
func shown(entries []journal.Entry) []journal.Shown {
	list := make([]journal.Shown, len(entries))
	for i, e := range entries {
		list[i] = journal.Show(e)
	}
	return list
}

// checkReport checks before the run that the file of --report can be written after it.
// An empty name means no report.
func checkReport(name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("write --report: %s is a directory; give a file in it", name)
	}
	if err := atomicfile.CheckReplaceable(name); err != nil {
		return fmt.Errorf("write --report: %w", err)
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return fmt.Errorf("write --report: %w; make the directory first", err)
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
	_, err = files.WriteAtomically("--report", name, text.Bytes())
	return err
}

// printJSON writes the report as JSON. The caller holds t.mu.
func (t *tally) printJSON(w io.Writer, entries []journal.Entry, calls []journal.Call, unused []string) error {
	return console.JSON(w, execReport{
		Counts:      execCounts{t.requests, len(t.unmatched), len(t.failed)},
		NeverPlayed: append([]string{}, unused...),
		Unmatched:   shown(t.unmatched),
		Faults:      shown(t.failed),
		Calls:       append([]journal.Call{}, calls...),
		Requests:    shown(entries),
	})
}

// suite returns the JUnit report: a test case for each request, of which those that count
// for --fail-unmatched are failures, and with --fail-unused a failure for each unused
// scenario. The caller holds t.mu.
func (t *tally) suite(entries []journal.Entry, unused []string) *console.Suite {
	all := map[int64]*journal.Entry{}
	for _, list := range [][]journal.Entry{entries, t.unmatched, t.failed} {
		for i := range list {
			all[list[i].ID] = &list[i]
		}
	}
	suite := &console.Suite{Name: "fakeopenai exec"}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		e := all[id]
		var failure *console.Failure
		switch {
		case e.Fault:
			failure = &console.Failure{Type: "fault", Message: e.Problem, Text: line(e)}
		case e.Unmatched && !t.allows(e):
			failure = &console.Failure{Type: "unmatched", Message: e.Problem, Text: line(e)}
		}
		suite.Add(what(e), e.Delivery.Duration, failure)
	}
	if t.failUnused {
		for _, name := range unused {
			suite.Add("scenario "+name, 0, &console.Failure{Type: "unused", Message: "the scenario was never played", Text: name + " was never played"})
		}
	}
	return suite
}
