package fakeopenai

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// evidenceLimit is how many requests a failed test shows: the last ones.
const evidenceLimit = 50

// evidence shows what was asked and answered when the test has failed.
func (s *Server) evidence() {
	records := s.core.Journal()
	if !s.tb.tb.Failed() || len(records) == 0 {
		return
	}
	first := max(0, len(records)-evidenceLimit)
	if first > 0 {
		s.tb.logf("fakeopenai: the first %d of %d requests are not shown", first, len(records))
	}
	for i, rec := range records[first:] {
		s.tb.logf("fakeopenai: request %d: %s", first+i, newRequest(rec))
	}
	dir, err := os.MkdirTemp(s.tb.tb.ArtifactDir(), "fakeopenai-")
	if err == nil {
		err = writeEvidence(dir, first, records[first:])
	}
	if err != nil {
		s.tb.logf("fakeopenai: requests and transcripts cannot be kept: %v", err)
		return
	}
	s.tb.logf("fakeopenai: requests and transcripts are in %s (go test -artifacts keeps them)", dir)
}

// writeEvidence writes two files for each request: its body, and the bytes of
// the answer.
func writeEvidence(dir string, first int, records []journal.Entry) error {
	for i, rec := range records {
		name := filepath.Join(dir, fmt.Sprintf("request-%d", first+i))
		if err := os.WriteFile(name+".json", rec.Body, 0o666); err != nil {
			return err
		}
		if err := os.WriteFile(name+".answer", rec.Transcript, 0o666); err != nil {
			return err
		}
	}
	return nil
}
