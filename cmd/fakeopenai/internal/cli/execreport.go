package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/files"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/report"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// execReport is the file of exec --report.
type execReport struct {
	Counts      execCounts      `json:"counts"`
	NeverPlayed []string        `json:"never_played"` // NeverPlayed are names of scenarios.
	Unmatched   []journal.Shown `json:"unmatched"`
	Faults      []journal.Shown `json:"faults"`
	Calls       []journal.Call  `json:"calls"`
	// Requests are those that the journal remembers at the end.
	Requests []journal.Shown `json:"requests"`
}

// execCounts are numbers of requests, whether or not the journal remembers them.
type execCounts struct {
	Requests  int `json:"requests"`
	Unmatched int `json:"unmatched"`
	Faults    int `json:"faults"`
}

// shown are entries in the form that GET /_fake/requests has.
func shown(entries []journal.Entry) []journal.Shown {
	list := make([]journal.Shown, len(entries))
	for i, e := range entries {
		list[i] = journal.Show(e)
	}
	return list
}

// checkReport finds out before a long run whether the file of --report can be
// written after it. No name is no report.
func checkReport(name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("write --report: %s is a directory; give a file in it", name)
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return fmt.Errorf("write --report: %w; make the directory first", err)
	}
	return nil
}

// writeReport writes the file of --report, all at once. No name is no report.
func (t *tally) writeReport(name string, entries []journal.Entry, unused []string) error {
	if name == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var text bytes.Buffer
	err := report.JSON(&text, execReport{
		Counts:      execCounts{t.requests, len(t.unmatched), len(t.failed)},
		NeverPlayed: append([]string{}, unused...),
		Unmatched:   shown(t.unmatched),
		Faults:      shown(t.failed),
		Calls:       append([]journal.Call{}, journal.Calls(entries)...),
		Requests:    shown(entries),
	})
	if err != nil {
		return fmt.Errorf("write --report: %w", err)
	}
	return files.WriteAtomically("--report", name, text.Bytes())
}
