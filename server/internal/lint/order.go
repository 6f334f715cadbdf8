package lint

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// orderRules are about the course of an answer: a role, content, one finish,
// the end.
var orderRules = []rule{
	{"missing-role", "The first chunk of a choice has no role. OpenAI opens every choice with role assistant.", missingRole},
	{"role-repeated", "A later chunk of a choice has a role again. OpenAI sends it once, apart from audio.", roleRepeated},
	{"role-not-assistant", "The role is not assistant. OpenAI answers in no other.", roleNotAssistant},
	{"missing-finish", "A choice has no finish_reason, although nothing breaks the stream off. OpenAI ends every choice with one, apart from audio.", missingFinish},
	{"two-finishes", "A choice has a second finish_reason. OpenAI sends one.", twoFinishes},
	{"content-after-finish", "A choice goes on after its finish_reason. OpenAI sends nothing more for it.", contentAfterFinish},
	{"unknown-finish-reason", "The finish_reason is none of stop, length, tool_calls, content_filter, function_call. OpenAI has no others.", unknownFinishReason},
	{"finish-does-not-fit", "The finish_reason is tool_calls or function_call, but there is no such call before it.", finishDoesNotFit},
	{"empty-stream", "There is not one chunk, event or error. OpenAI sends at least a role and a finish.", emptyStream},
	{"two-dones", "There is a second [DONE]. OpenAI sends one.", twoDones},
	{"chunk-after-done", "A chunk comes after [DONE]. OpenAI sends nothing more.", chunkAfterDone},
	{"chunk-after-error", "A chunk comes after an error in mid-stream. OpenAI sends at most [DONE].", chunkAfterError},
}

func missingRole(t *talk, report func(breach)) {
	opened := map[int]bool{}
	for _, p := range t.parts {
		if opened[p.choice] || !p.saysSomething() {
			continue
		}
		opened[p.choice] = true
		if p.delta.Get("role").IsAbsent() {
			report(at(p.Line, "the first chunk of choice %d has no role", p.choice))
		}
	}
}

func roleRepeated(t *talk, report func(breach)) {
	opened := map[int]bool{}
	for _, p := range t.parts {
		if p.delta.Get("role").IsAbsent() {
			continue
		}
		if opened[p.choice] && !p.isAudio() {
			report(at(p.Line, "choice %d has its role again", p.choice))
		}
		opened[p.choice] = true
	}
}

func roleNotAssistant(t *talk, report func(breach)) {
	for _, p := range t.parts {
		role := p.delta.Get("role")
		if role.IsAbsent() || role.Text() == "assistant" || p.Templated {
			continue
		}
		report(at(p.Line, "the role is %s, not assistant", diag.Shorten(role.String())).
			on(t.written(p.Line, func(s *scenarios.Step) scenarios.Opt[scenarios.Text] { return s.Role })))
	}
}

func missingFinish(t *talk, report func(breach)) {
	if t.breaksOff() || t.hasAudio() {
		return
	}
	last := map[int]*script.Line{}
	for _, p := range t.parts {
		last[p.choice] = p.Line
	}
	for _, choice := range t.choices() {
		if _, finished := t.finishes[choice]; !finished {
			report(at(last[choice], "choice %d has no finish after this, its last chunk", choice).
				saying("add a step such as finish: stop, or say how the stream ends with end; or list missing-finish under quirks"))
		}
	}
}

func twoFinishes(t *talk, report func(breach)) {
	finished := map[int]bool{}
	for _, p := range t.parts {
		if !p.finishes() {
			continue
		}
		if finished[p.choice] {
			report(at(p.Line, "choice %d has finished already", p.choice).on(t.finishText(p.Line)))
		}
		finished[p.choice] = true
	}
}

func contentAfterFinish(t *talk, report func(breach)) {
	finished := map[int]bool{}
	for _, p := range t.parts {
		if finished[p.choice] && len(p.delta.Members()) > 0 {
			report(at(p.Line, "%s comes after the finish of choice %d", p.delta.Members()[0].Name, p.choice))
		}
		finished[p.choice] = finished[p.choice] || p.finishes()
	}
}

var finishReasons = []string{"stop", "length", "tool_calls", "content_filter", "function_call"}

func unknownFinishReason(t *talk, report func(breach)) {
	for _, p := range t.parts {
		if !p.finishes() || p.Templated || slices.Contains(finishReasons, p.finish.Value) {
			continue
		}
		b := at(p.Line, "finish must be one of stop, length, tool_calls, content_filter, function_call, not %s", diag.Quote(p.finish.Value)).
			on(t.finishText(p.Line))
		if near := diag.Nearest(p.finish.Value, finishReasons); near != "" {
			b = b.saying(diag.DidYouMean(p.finish.Value, finishReasons))
		}
		report(b)
	}
}

func finishDoesNotFit(t *talk, report func(breach)) {
	for _, p := range t.parts {
		if p.finish.Value != "tool_calls" && p.finish.Value != "function_call" {
			continue
		}
		legacy := p.finish.Value == "function_call"
		if !slices.ContainsFunc(t.calls, func(c *call) bool { return c.choice == p.choice && (c.kind == "function_call") == legacy }) {
			report(at(p.Line, "finish is %s, but choice %d has no such call", p.finish.Value, p.choice).on(t.finishText(p.Line)))
		}
	}
}

// finishText is where the finish of a line is written.
func (t *talk) finishText(l *script.Line) (diag.Pos, string) {
	m := t.reply.Message
	if m == nil {
		return t.written(l, func(s *scenarios.Step) scenarios.Opt[scenarios.Text] { return s.Finish })
	}
	if l.Choice < len(m.Choices) {
		m = &m.Choices[l.Choice]
	}
	return m.Finish.Value.Pos, m.Finish.Value.Source
}

func emptyStream(t *talk, report func(breach)) {
	if t.reply.Stream == nil || t.breaksOff() {
		return
	}
	for i := range t.lines {
		if t.lines[i].IsChunk() {
			return
		}
	}
	report(breach{pos: t.reply.Pos, message: "the stream has no chunks"})
}

func twoDones(t *talk, report func(breach)) {
	t.after(script.KindDone, func(l *script.Line) {
		if l.Kind == script.KindDone {
			report(at(l, "there was a [DONE] already"))
		}
	})
}

func chunkAfterDone(t *talk, report func(breach)) {
	t.after(script.KindDone, func(l *script.Line) {
		if l.IsChunk() {
			report(at(l, "a chunk comes after [DONE]"))
		}
	})
}

func chunkAfterError(t *talk, report func(breach)) {
	t.after(script.KindError, func(l *script.Line) {
		if l.IsChunk() {
			report(at(l, "a chunk comes after an error"))
		}
	})
}

// after visits the lines after the first of a kind.
func (t *talk) after(kind script.Kind, visit func(*script.Line)) {
	seen := false
	for i := range t.lines {
		if seen {
			visit(&t.lines[i])
		}
		seen = seen || t.lines[i].Kind == kind
	}
}
