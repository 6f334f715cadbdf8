package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

func checkReply(t *Transcript, report Report) {
	if e := t.Reply.Error; e != nil {
		if e.Status != 0 && e.Status < 400 {
			report("status-not-an-error", Finding{pos: e.Pos, message: fmt.Sprintf("the status of the error is %d", e.Status)})
		}
		if code := e.Code.Value.Source; apierror.StatusOf(code) != 0 && e.Status != 0 && e.Status != apierror.StatusOf(code) {
			report("error-status-mismatch", Finding{pos: e.Pos, message: fmt.Sprintf("the code %s comes with status %d, not %d", code, apierror.StatusOf(code), e.Status)})
		}
	}
	isChunk := func(g script.Group) bool { return g.IsChunk() }
	if t.Reply.Stream != nil && !t.breaksOff() && !slices.ContainsFunc(t.groups(), isChunk) {
		report("empty-stream", Finding{pos: t.Reply.Pos, message: "the stream has no chunks"})
	}
}

// checkGroups checks the order of chunks, errors and [DONE].
func checkGroups(t *Transcript, report Report) {
	var done, failed bool
	finished := map[int]bool{} // finished tells of each choice so far whether it has finished
	said := t.Said
	for i := range t.groups() {
		for ; len(said) > 0 && said[0].at == i; said = said[1:] {
			finished[said[0].Choice] = finished[said[0].Choice] || said[0].finishes()
		}
		g := &t.groups()[i]
		if g.IsChunk() {
			if done {
				report("chunk-after-done", At(g, "a chunk comes after [DONE]"))
			}
			if failed {
				report("chunk-after-error", At(g, "a chunk comes after an error"))
			}
			continue
		}
		switch g.Beats[0].(type) {
		case script.Done:
			if done {
				report("two-dones", At(g, "there was a [DONE] already"))
			}
			done = true
		case script.Error:
			if len(finished) > 0 && !slices.Contains(slices.Collect(maps.Values(finished)), false) {
				report("error-after-finish", At(g, "an error comes after the answer has finished"))
			}
			failed = true
		}
	}
}
