package lint

import (
	"fmt"
	"slices"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

func choiceIndexGap(t *Transcript, report func(Finding)) {
	choices := t.choices()
	slices.Sort(choices)
	for i, choice := range choices {
		if choice == i {
			continue
		}
		for _, p := range t.Said {
			if p.Choice == choice {
				report(At(p.Group, "there is a choice %d, but no choice %d", choice, i))
				return
			}
		}
	}
}

func twoChoicesInOneChunk(t *Transcript, report func(Finding)) {
	for i := range t.Said {
		if i > 0 && t.Said[i].at == t.Said[i-1].at {
			report(At(t.Said[i].Group, "the chunk holds more than one choice"))
		}
	}
}

func statusNotAnError(t *Transcript, report func(Finding)) {
	if e := t.Reply.Error; e != nil && e.Status != 0 && e.Status < 400 {
		report(Finding{pos: e.Pos, message: fmt.Sprintf("the status of the error is %d", e.Status)})
	}
}

func errorStatusMismatch(t *Transcript, report func(Finding)) {
	e := t.Reply.Error
	if e == nil {
		return
	}
	if want := apierror.StatusOf(e.Code.Value.Source); want != 0 && e.Status != 0 && want != e.Status {
		report(Finding{pos: e.Pos, message: fmt.Sprintf("the code %s comes with status %d, not %d", e.Code.Value.Source, want, e.Status)})
	}
}
