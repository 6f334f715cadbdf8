package server

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
)

// This file says what authors of scenarios, and users of clients, probably forgot: in the journal, in the log and in the
// report of a run.

// warned are the warnings that were given, each by its scenario and kind, so that it is given once.
type warned struct {
	mu    sync.Mutex
	given map[[2]string]bool
}

// mostWarned bounds how many warnings are remembered.
const mostWarned = 1000

func (w *warned) first(scenario, kind string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := [2]string{scenario, kind}
	if w.given[key] {
		return false
	}
	if len(w.given) >= mostWarned || w.given == nil {
		w.given = map[[2]string]bool{}
	}
	w.given[key] = true
	return true
}

// warn adds a warning of a kind to the entry, if it is the first for the scenario.
func (x *exchange) warn(kind, format string, args ...any) {
	if x.server.warned.first(x.entry.Scenario, kind) {
		x.entry.Warnings = append(x.entry.Warnings, fmt.Sprintf(format, args...))
	}
}

// warnOfCalls warns of calls in a reply whose tool the request does not offer, and of calls whose result the request brings.
func (x *exchange) warnOfCalls(asked *answer.Asked) {
	req := asked.Request
	if asked.Reply.Error != nil || len(asked.Reply.Whole()) > 0 || asked.Surface == answer.Other {
		return
	}
	nested := func(t scenarios.Tool) bool { return t.Type != "function" && t.Type != "custom" } // it can bring tools along
	open := slices.ContainsFunc(req.Tools, nested) || !req.Body.Get("prompt").IsAbsent()
	for _, call := range asked.Reply.Calls() {
		name := call.Name.Value.Source
		if name == "" || call.Name.Value.IsTemplate() {
			continue
		}
		if !open && !slices.ContainsFunc(req.Tools, func(t scenarios.Tool) bool { return t.Name == name }) {
			offers := "none"
			if len(req.Tools) > 0 {
				offers = namesOf(req.Tools)
			}
			x.warn("tool", "scenario %q calls the tool %s, which the request does not offer (it offers %s): the service never does", x.entry.Scenario, name, offers)
		}
		if repeats(call, req.Messages) {
			x.warn("result", "scenario %q calls %s again in answer to the result of this call, and so for ever: give the reply when: { turn: 1 }, and answer the result in a reply with when: { tool_result: true }", x.entry.Scenario, name)
		}
	}
}

func namesOf(tools []scenarios.Tool) string {
	var names []string
	for _, t := range tools[:min(len(tools), 5)] {
		names = append(names, t.Name)
	}
	if len(tools) > len(names) {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// repeats reports whether the messages end with the result of a call, which is known by its id or, if the scenario
// gives it none, by its name and arguments.
func repeats(call *scenarios.ToolCall, list []scenarios.RequestMessage) bool {
	args := call.Arguments
	for i := len(list) - 1; i >= 0 && list[i].Role != "assistant"; i-- {
		if id := call.ID.Value; list[i].Role != "tool" || id.IsTemplate() {
			continue
		} else if id.Source != "" {
			if list[i].ToolCallID == id.Source {
				return true
			}
			continue
		}
		for k := i - 1; k >= 0; k-- {
			same := slices.ContainsFunc(list[k].ToolCalls, func(c scenarios.RequestCall) bool {
				return c.ID == list[i].ToolCallID && c.Name == call.Name.Value.Source && !args.Fake && !args.Text.Value.IsTemplate() && args.Equal(c.Arguments)
			})
			if same {
				return true
			}
			if list[k].Role == "assistant" {
				break
			}
		}
	}
	return false
}

// warnOfHeader warns of a Retry-After that a template has made and that clients cannot read.
func (x *exchange) warnOfHeader(h http.Header) {
	if after, ok := h["Retry-After"]; ok && !lint.IsRetryAfter(cmp.Or(after...)) {
		x.warn("retry-after", `scenario %q sends Retry-After: %s, which is neither seconds nor an HTTP date: write {{ http_date "30s" }}, or seconds`, x.entry.Scenario, cmp.Or(after...))
	}
}

// warnOfBody warns of a GET or DELETE whose body the server does not read.
func (x *exchange) warnOfBody() {
	if method := x.r.Method; x.entry.Surface == "" && x.turn == nil && (method == http.MethodGet || method == http.MethodDelete) && x.r.ContentLength != 0 {
		x.warn("body "+method, "the body of a %s is not read: what it asks for belongs in the query, as in ?stream=true", method)
	}
}
