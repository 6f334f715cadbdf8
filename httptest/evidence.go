package fakeopenai

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// evidenceLimit is how many of the last requests a failed test shows.
const evidenceLimit = 50

// logEvidence logs the requests and answers if the test has failed.
func (s *Server) logEvidence() {
	entries := s.core.Journal()
	if !s.tb.test.Failed() || len(entries) == 0 {
		return
	}
	first := max(0, len(entries)-evidenceLimit)
	var block strings.Builder
	block.WriteString("fakeopenai: what was asked and answered:")
	if first > 0 {
		fmt.Fprintf(&block, "\n\tthe first %d of %d requests are not shown", first, len(entries))
	}
	for i, e := range entries[first:] {
		fmt.Fprintf(&block, "\n\trequest %d: %s", first+i, s.newRequest(e))
	}
	dir, err := os.MkdirTemp(s.tb.test.ArtifactDir(), "fakeopenai-")
	if err == nil {
		err = writeEvidence(dir, first, entries[first:])
	}
	if err != nil {
		fmt.Fprintf(&block, "\n\trequests and transcripts cannot be kept: %v", err)
	} else {
		fmt.Fprintf(&block, "\n\trequests and transcripts are in %s (go test -artifacts keeps them)", dir)
	}
	s.tb.logf("%s", &block)
}

// writeEvidence writes two files for each request: its body and the bytes of its answer.
func writeEvidence(dir string, first int, entries []journal.Entry) error {
	for i, e := range entries {
		name := filepath.Join(dir, fmt.Sprintf("request-%d", first+i))
		if err := os.WriteFile(name+".json", e.Body, 0o666); err != nil {
			return err
		}
		if err := os.WriteFile(name+".answer", e.Transcript, 0o666); err != nil {
			return err
		}
	}
	return nil
}
