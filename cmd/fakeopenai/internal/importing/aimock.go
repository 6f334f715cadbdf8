package importing

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// readAimock reads a file of fixtures of CopilotKit's aimock.
func readAimock(data []byte, a *adding) {
	file, err := ojson.Parse(bytes.TrimPrefix(a.redacted(data), []byte("\xef\xbb\xbf")))
	if err != nil {
		a.unread("", fmt.Errorf("it is no JSON: %w", err))
		return
	}
	list := fixtures{adding: a}
	next := map[string]int64{}
	for i, item := range file.Get("fixtures").Items() {
		r, err := aimockReply(item)
		if err == nil {
			err = inSequence(item.Get("match"), next)
		}
		place := fmt.Sprintf("fixtures[%d]", i)
		list.add(place, r, err)
		if names := withoutEffect(item); err == nil && names != nil {
			a.Notes = append(a.Notes, Remark{place, strings.Join(names, ", ") + ": left out, as it has no effect on answers of OpenAI's API in aimock"})
		}
	}
	list.finish()
}

// inSequence returns an error if the sequenceIndex of a fixture is not the next one in
// the file for the same other conditions, because replies are used up in their order.
// Next has the next index by those conditions, and is updated.
func inSequence(match ojson.Value, next map[string]int64) error {
	index, ok := match.Get("sequenceIndex").Int()
	if !ok {
		return nil
	}
	others := match.Clone()
	others.Remove(ojson.Path{{Name: "sequenceIndex"}})
	key := others.String()
	if want := next[key]; index != want {
		return fmt.Errorf("match: sequenceIndex: it is %d where %d follows; put the fixtures of a sequence in its order, without gaps", index, want)
	}
	next[key]++
	return nil
}

// aimockReply converts a fixture to a reply.
func aimockReply(v ojson.Value) (*scenarios.Reply, error) {
	r := new(scenarios.Reply)
	if at := v.Get("match").Get("endpoint").Text(); at != "" && at != "chat" {
		return nil, fmt.Errorf("endpoint %s: %w", at, errSkipped)
	}
	if answer := v.Get("response"); !answer.Get("embedding").IsAbsent() {
		return nil, fmt.Errorf("an embedding: %w", errSkipped)
	}
	err := eachWord(r, v, aimockWords)
	if err == nil && r.Message == nil && r.Error == nil {
		err = errors.New("the response has neither content nor toolCalls nor error")
	}
	if err == nil && r.Message != nil && r.Error != nil {
		r.Message = nil
		if !v.Get("response").Get("content").IsAbsent() || !v.Get("response").Get("toolCalls").IsAbsent() || !v.Get("chunkSize").IsAbsent() {
			err = errors.New("the response has an error and a message; take one of them out")
		}
	}
	return r, err
}

// aimockWords reads the members of a fixture.
var aimockWords = map[string]word{
	"match":     within(aimockMatch),
	"response":  within(aimockResponse),
	"chunkSize": chunkSize,
	"latency": milliseconds(func(r *scenarios.Reply, d time.Duration) {
		r.Pace.First, r.Pace.Every = &scenarios.First{Mean: d}, &d
	}),
	"truncateAfterChunks": truncate,
	"replaySpeed": func(r *scenarios.Reply, v ojson.Value) (err error) {
		if r.Pace.Speed, err = number(v); err == nil && r.Pace.Speed == 0 {
			err = errors.New("it is 0; a speed is more than that")
		}
		return err
	},
	"chaos":                aimockChaos,
	"disconnectAfterMs":    refuse(afterTime),
	"openRouterProcessing": nothing,
	"streamingProfile":     aimockProfile,
	"recordedTimings":      aimockTimings,
	"metadata":             func(*scenarios.Reply, ojson.Value) error { return nil }, // hashes by which aimock finds outdated fixtures
}

// afterTime is the reason for refusing an ending after a time.
const afterTime = "scenarios end after a number of events or bytes, not after a time; take it out and write end: {cut: {after: N}} afterwards"

// aimockChaos reads the probabilities of faults. Only disconnectRate has a counterpart:
// the connection ends before the answer. The others replace the answer.
func aimockChaos(r *scenarios.Reply, v ojson.Value) error {
	const another = "it is an answer that comes by chance, and scenarios draw endings and damage alone; take it out and write damage or another reply afterwards"
	return eachWord(r, v, map[string]word{
		"disconnectRate": func(r *scenarios.Reply, v ojson.Value) error {
			chance, err := number(v)
			if err == nil && chance > 1 {
				err = errors.New("it is more than 1")
			}
			if err != nil || chance == 0 {
				return err
			}
			return endWith(r, scenarios.End{Kind: scenarios.EndRefuse, Chance: &chance})
		},
		"dropRate": refuse(another), "malformedRate": refuse(another),
	})
}

// withoutEffect returns the members of a fixture that only affect answers of other APIs.
func withoutEffect(v ojson.Value) []string {
	var names []string
	for _, path := range []string{
		"openRouterProcessing", "response.provider", "response.nativeFinishReason", "response.fallthrough", "response.error.metadata",
		"response.reasoningSignature", "response.redactedThinking",
	} {
		at, _ := ojson.ParsePath(path) // no error: the paths are constants
		if !v.Find(at).IsAbsent() {
			names = append(names, path)
		}
	}
	return names
}

// aimockMatch reads the conditions of a fixture.
var aimockMatch = map[string]word{
	"userMessage":   contains(func(w *scenarios.When, m *scenarios.TextMatch) { w.User = m }),
	"systemMessage": aimockSystem,
	"toolResultContains": contains(func(w *scenarios.When, m *scenarios.TextMatch) {
		aimockResult(w).Content = m
	}),
	"toolCallId": func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		aimockResult(&r.When).ID = text.Source
		return err
	},
	"toolName": func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		r.When.Tools = append(r.When.Tools, text.Source)
		return err
	},
	"model": func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		r.When.Model = glob(text.Source)
		return err
	},
	"responseFormat": func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		bodyText(r, "response_format.type", &scenarios.TextMatch{Equals: &text.Source})
		return err
	},
	"turnIndex": func(r *scenarios.Reply, v ojson.Value) error {
		n, err := count(v, 0, 1<<20)
		r.When.Turn = n + 1
		return err
	},
	// inSequence has checked the order of the fixtures: each answers once.
	"sequenceIndex": func(r *scenarios.Reply, v ojson.Value) error {
		_, err := count(v, 0, 1<<20)
		r.Times = 1
		return err
	},
	"hasToolResult": func(r *scenarios.Reply, v ojson.Value) error {
		has, ok := v.Bool()
		if !ok {
			return errors.New("it is neither true nor false")
		}
		role := "user"
		if has {
			role = "tool"
		}
		bodyText(r, "messages[-1].role", &scenarios.TextMatch{Equals: &role})
		return nil
	},
	"endpoint":  nothing, // aimockReply has checked that it is chat
	"inputText": refuse("it asks for the input of an embedding, which scenarios do not answer"),
	"context":   refuse("it asks for a member of requests that aimock's own client sends; take it out and write when: {header} or {body} afterwards"),
}

// aimockResult returns the condition on the result of a call, and adds it if needed.
func aimockResult(w *scenarios.When) *scenarios.ToolResultMatch {
	if len(w.ToolResults) == 0 {
		w.ToolResults = make([]scenarios.ToolResultMatch, 1)
	}
	return &w.ToolResults[0]
}

// aimockSystem reads a text, or a list of texts, that the system message must contain in
// any order.
func aimockSystem(r *scenarios.Reply, v ojson.Value) error {
	items := v.Items()
	if v.Kind() == ojson.StringKind {
		items = []ojson.Value{v}
	}
	const most = 3 // the expression lists all their orders
	if len(items) == 0 || len(items) > most {
		return fmt.Errorf("it is neither a text nor a list of 1 to %d texts", most)
	}
	var texts []string
	for _, item := range items {
		text, err := plainText(item)
		if err != nil {
			return err
		}
		texts = append(texts, text.Source)
	}
	if len(texts) == 1 {
		r.When.System = recording.Containing(texts[0])
		return nil
	}
	var orders []string
	for _, order := range permutations(texts) {
		for i, text := range order {
			order[i] = regexp.QuoteMeta(text)
		}
		orders = append(orders, strings.Join(order, ".*"))
	}
	r.When.System = &scenarios.TextMatch{Matches: regexp.MustCompile("(?s)" + strings.Join(orders, "|"))}
	return nil
}

// permutations returns the texts in all orders.
func permutations(texts []string) [][]string {
	if len(texts) < 2 {
		return [][]string{texts}
	}
	var list [][]string
	for i, first := range texts {
		rest := slices.Delete(slices.Clone(texts), i, i+1)
		for _, order := range permutations(rest) {
			list = append(list, append([]string{first}, order...))
		}
	}
	return list
}
