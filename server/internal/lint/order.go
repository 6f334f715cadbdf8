package lint

import (
	"fmt"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

func missingRole(t *Transcript, report func(Finding)) {
	opened := map[int]bool{}
	for _, p := range t.Said {
		if opened[p.Choice] || !p.saysSomething() {
			continue
		}
		opened[p.Choice] = true
		if p.role().IsAbsent() {
			first := "- role: assistant"
			if p.Choice > 0 {
				first = fmt.Sprintf("- { choice: %d, role: assistant }", p.Choice)
			}
			report(At(p.Group, "the first chunk of choice %d has no role", p.Choice).
				Saying("write a step " + first + " before it or, if that is meant, quirks: [missing-role]"))
		}
	}
}

func roleRepeated(t *Transcript, report func(Finding)) {
	opened := map[int]bool{}
	for _, p := range t.Said {
		if p.role().IsAbsent() {
			continue
		}
		if opened[p.Choice] && !p.isAudio() {
			report(At(p.Group, "choice %d has its role again", p.Choice))
		}
		opened[p.Choice] = true
	}
}

func roleNotAssistant(t *Transcript, report func(Finding)) {
	for _, p := range t.Said {
		role := p.role()
		if role.IsAbsent() || role.Text() == "assistant" || p.Templated {
			continue
		}
		report(At(p.Group, "the role is %s, not assistant", diag.Shorten(role.String())).
			on(t.written(p.Group, func(s *scenarios.Step) scenarios.Opt[scenarios.Text] { return s.Role })))
	}
}

func missingFinish(t *Transcript, report func(Finding)) {
	if t.breaksOff() || t.hasAudio() {
		return
	}
	last := map[int]Said{}
	for _, p := range t.Said {
		last[p.Choice] = p
	}
	for _, choice := range t.choices() {
		// An empty reason is reported by unknown-finish-reason.
		if _, finished := t.finishes[choice]; !finished && !last[choice].finishesEmpty() {
			report(At(last[choice].Group, "choice %d has no finish after this, its last chunk", choice).
				Saying("add a step such as finish: stop, or say how the stream ends with end; or list missing-finish under quirks"))
		}
	}
}

func twoFinishes(t *Transcript, report func(Finding)) {
	finished := map[int]bool{}
	for _, p := range t.Said {
		if !p.finishes() {
			continue
		}
		if finished[p.Choice] {
			report(At(p.Group, "choice %d has finished already", p.Choice).on(t.finishText(p.Group)))
		}
		finished[p.Choice] = true
	}
}

func contentAfterFinish(t *Transcript, report func(Finding)) {
	finished := map[int]bool{}
	for _, p := range t.Said {
		if words := p.words(); finished[p.Choice] && len(words) > 0 {
			report(At(p.Group, "%s comes after the finish of choice %d", words[0], p.Choice))
		}
		finished[p.Choice] = finished[p.Choice] || p.finishes()
	}
}

func contentAfterCall(t *Transcript, report func(Finding)) {
	called := map[int]bool{}
	for _, p := range t.Said {
		calls := slices.ContainsFunc(p.Beats, func(b script.Beat) bool { _, _, ok := callOf(b); return ok })
		word := p.textWord()
		switch {
		case word == "":
		case calls:
			report(At(p.Group, "%s stands beside a call of choice %d", word, p.Choice))
		case called[p.Choice]:
			report(At(p.Group, "%s comes after a call of choice %d", word, p.Choice))
		}
		called[p.Choice] = called[p.Choice] || calls
	}
}

// textWord names the kind of text that the group says; "" for none, or an empty one.
func (s Said) textWord() string {
	for _, beat := range s.Beats {
		switch beat := beat.(type) {
		case script.Text:
			if script.Says(beat.Text) {
				return script.Word(beat)
			}
		case script.Refusal:
			if script.Says(beat.Text) {
				return script.Word(beat)
			}
		}
	}
	return ""
}

var finishReasons = []string{"stop", "length", "tool_calls", "content_filter", "function_call"}

func unknownFinishReason(t *Transcript, report func(Finding)) {
	for _, p := range t.Said {
		open := p.Templated || p.finish().Kind() == ojson.RawKind // the reason depends on the request
		if p.finish().IsNullOrAbsent() || open || slices.Contains(finishReasons, p.finish().Text()) {
			continue
		}
		b := At(p.Group, "finish must be one of stop, length, tool_calls, content_filter, function_call, not %s", diag.Quote(p.finish().Text()))
		if pos, text := t.finishText(p.Group); text == p.finish().Text() { // otherwise the finish is overwritten
			b = b.on(pos, text)
		}
		if near := diag.Nearest(p.finish().Text(), finishReasons); near != "" {
			b = b.Saying(diag.DidYouMean(p.finish().Text(), finishReasons))
		}
		report(b)
	}
}

func finishDoesNotFit(t *Transcript, report func(Finding)) {
	type kind struct {
		choice int
		legacy bool
	}
	called := map[kind]bool{}
	for _, c := range t.calls {
		called[kind{c.choice, c.kind == script.LegacyCall}] = true
	}
	for _, p := range t.Said {
		if p.finish().Text() != "tool_calls" && p.finish().Text() != "function_call" {
			continue
		}
		if !called[kind{p.Choice, p.finish().Text() == "function_call"}] {
			report(At(p.Group, "finish is %s, but choice %d has no such call", p.finish().Text(), p.Choice).on(t.finishText(p.Group)))
		}
	}
}

// finishText returns the position and the text of the finish in a group's step.
func (t *Transcript) finishText(g *script.Group) (diag.Pos, string) {
	m := t.Reply.Message
	if m == nil {
		return t.written(g, func(s *scenarios.Step) scenarios.Opt[scenarios.Text] { return s.Finish })
	}
	if g.Choice < len(m.Choices) {
		m = &m.Choices[g.Choice]
	}
	return m.Finish.Value.Pos, m.Finish.Value.Source
}

func emptyStream(t *Transcript, report func(Finding)) {
	if t.Reply.Stream == nil || t.breaksOff() {
		return
	}
	for i := range t.groups() {
		if t.groups()[i].IsChunk() {
			return
		}
	}
	report(Finding{pos: t.Reply.Pos, message: "the stream has no chunks"})
}

func twoDones(t *Transcript, report func(Finding)) {
	t.after(isDone, func(g *script.Group) {
		if len(g.Beats) > 0 && isDone(g.Beats[0]) {
			report(At(g, "there was a [DONE] already"))
		}
	})
}

func chunkAfterDone(t *Transcript, report func(Finding)) {
	t.after(isDone, func(g *script.Group) {
		if g.IsChunk() {
			report(At(g, "a chunk comes after [DONE]"))
		}
	})
}

func chunkAfterError(t *Transcript, report func(Finding)) {
	t.after(isError, func(g *script.Group) {
		if g.IsChunk() {
			report(At(g, "a chunk comes after an error"))
		}
	})
}

func errorAfterFinish(t *Transcript, report func(Finding)) {
	open, finished := map[int]bool{}, map[int]bool{}
	said := t.Said
	for i := range t.groups() {
		for ; len(said) > 0 && said[0].at == i; said = said[1:] {
			choice := said[0].Choice
			if finished[choice] = finished[choice] || said[0].finishes(); finished[choice] {
				delete(open, choice)
			} else {
				open[choice] = true
			}
		}
		g := &t.groups()[i]
		if len(finished) > 0 && len(open) == 0 && len(g.Beats) > 0 && isError(g.Beats[0]) {
			report(At(g, "an error comes after the answer has finished"))
		}
	}
}
