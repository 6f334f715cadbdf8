package importing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// aimockFixture has the members of a fixture that are read. encoding/json finds them
// whatever the case of their first letter.
type aimockFixture struct {
	Match struct {
		UserMessage, SystemMessage                      string
		ToolCallID, ToolResultContains, ToolName, Model string
		TurnIndex, SequenceIndex                        *int
		HasToolResult                                   *bool
	}
	Response struct {
		Content, Usage                   json.RawMessage
		ToolCalls                        []aimockCall
		Reasoning, Refusal, FinishReason string
		Status, RetryAfter               int
		Error                            *struct{ Message, Type, Code, Param string }
	}
	ChunkSize int
	Latency   float64 // Latency is in milliseconds.
	Metadata  any     // Metadata are hashes by which aimock finds outdated fixtures.
}

// aimockCall is a call of a tool. Its arguments are JSON, or its text in a string.
type aimockCall struct {
	ID, Name  string
	Arguments json.RawMessage
}

// readAimock reads a file of fixtures of CopilotKit's aimock. They become the replies of
// one scenario, because in both the first match answers.
func readAimock(data []byte, a *fileImport) {
	file, err := ojson.Parse(bytes.TrimPrefix(a.redacted(data), []byte("\xef\xbb\xbf")))
	if err != nil {
		a.unread("", fmt.Errorf("it is no JSON: %w", err))
		return
	}
	all := scenarios.Scenario{Name: a.name}
	next := map[string]int64{}
	for i, fixture := range file.Get("fixtures").Items() {
		place := fmt.Sprintf("fixtures[%d]", i)
		r, err := aimockReply(fixture)
		if err == nil {
			err = inSequence(fixture.Get("match"), next)
		}
		if err == nil {
			err = acceptable(&scenarios.Scenario{Name: a.name, Replies: []scenarios.Reply{*r}})
		}
		if err != nil {
			a.remark(place, err)
			continue
		}
		all.Replies = append(all.Replies, *r)
	}
	if len(all.Replies) == 0 {
		if len(a.Unread)+len(a.Skipped) == 0 {
			a.unread("fixtures", errors.New("there is no fixture"))
		}
		return
	}
	if err := acceptable(&all); err != nil {
		a.unread("", err)
		return
	}
	a.addScenario(&all)
	a.Imported += len(all.Replies) - 1
}

// acceptable sets the quirks of a scenario. The error is the problem for which a server would
// still refuse it.
func acceptable(sc *scenarios.Scenario) error {
	_, problems, err := recording.WithQuirks(sc)
	if err == nil && len(problems) > 0 {
		err = errors.New(problems[0].Message)
	}
	return err
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

// aimockReply is the reply of a fixture. Any other member is an error, so that nothing is ignored.
func aimockReply(fixture ojson.Value) (*scenarios.Reply, error) {
	var f aimockFixture
	dec := json.NewDecoder(bytes.NewReader(fixture.Append(nil)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, unlikeFixture(err)
	}
	r := &scenarios.Reply{When: f.when()}
	if f.Match.SequenceIndex != nil {
		r.Times = 1 // inSequence checks the order
	}
	said, e := &f.Response, f.Response.Error
	if every := milliseconds(f.Latency); every > 0 {
		r.Pace.First, r.Pace.Every = &scenarios.First{Mean: every}, &every
	}
	switch {
	case min(f.Latency, float64(f.ChunkSize), float64(said.RetryAfter)) < 0:
		return nil, errors.New("a number below 0 is no time or length")
	case e != nil && (said.Content != nil || said.ToolCalls != nil || f.ChunkSize > 0):
		return nil, errors.New("the response has an error and another answer; take one of them out")
	case e != nil:
		r.Error = &scenarios.APIError{Status: said.Status, Message: literalText(e.Message), Type: literalText(e.Type), Code: literalText(e.Code), Param: literalText(e.Param)}
		if said.RetryAfter > 0 {
			r.Error.RetryAfter = new(time.Duration(said.RetryAfter) * time.Second)
		}
	case said.Content == nil && said.ToolCalls == nil && said.Refusal == "":
		return nil, errors.New("the response has neither content nor toolCalls nor error")
	default:
		r.Message = f.message()
	}
	return r, nil
}

// unlikeFixture says what of a fixture cannot be read, in the words of fixtures.
func unlikeFixture(err error) error {
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return fmt.Errorf("%s: import does not read it; take it out and say it in YAML afterwards", strings.Trim(name, `"`))
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		parts := strings.Split(wrong.Field, ".")
		for i, part := range parts {
			parts[i] = strings.ToLower(part[:1]) + part[1:]
		}
		return fmt.Errorf("%s: %s does not fit here", strings.Join(parts, "."), wrong.Value)
	}
	return err
}

// when returns the conditions of a fixture.
func (f *aimockFixture) when() (w scenarios.When) {
	m := &f.Match
	contains := func(text string) *scenarios.TextMatch {
		if text == "" {
			return nil
		}
		return recording.Containing(text)
	}
	w.User, w.System = contains(m.UserMessage), contains(m.SystemMessage)
	if m.ToolCallID != "" || m.ToolResultContains != "" {
		w.ToolResults = []scenarios.ToolResultMatch{{ID: m.ToolCallID, Content: contains(m.ToolResultContains)}}
	}
	if m.ToolName != "" {
		w.Tools = []string{m.ToolName}
	}
	if m.Model != "" {
		w.Model = []string{strings.ReplaceAll(m.Model, "*", "?")} // ? fits a few other names, too
	}
	if m.TurnIndex != nil {
		w.Turn = *m.TurnIndex + 1
	}
	if m.HasToolResult != nil {
		last := "user"
		if *m.HasToolResult {
			last = "tool"
		}
		at, _ := ojson.ParsePath("messages[-1].role") // no error: it is a constant
		w.Body = append(w.Body, scenarios.BodyMatch{Path: scenarios.Path{Path: at}, Match: &scenarios.TextMatch{Equals: &last}})
	}
	return w
}

func (f *aimockFixture) message() *scenarios.Message {
	said := &f.Response
	m := &scenarios.Message{Content: textOf(said.Content), Refusal: literalText(said.Refusal), By: scenarios.Cut{Size: f.ChunkSize}}
	m.Finish = literalText(cmp.Or(finishReasons[said.FinishReason], said.FinishReason))
	if said.Reasoning != "" {
		m.Reasoning = &scenarios.Reasoning{Text: literalText(said.Reasoning)}
	}
	if v, err := ojson.Parse(said.Usage); err == nil {
		m.Usage = &scenarios.Usage{Object: v}
	}
	for _, call := range said.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, scenarios.ToolCall{ID: literalText(call.ID), Name: literalText(call.Name), Arguments: scenarios.Arguments{Text: textOf(call.Arguments)}})
	}
	return m
}

// milliseconds is a time of a fixture, at most [longest].
func milliseconds(n float64) time.Duration {
	return time.Duration(min(n, float64(longest/time.Millisecond)) * float64(time.Millisecond))
}

// literalText is a text of an answer, which is no template because fixtures have none. It is not present if s is "".
func literalText(s string) (o scenarios.Opt[scenarios.Text]) {
	if s != "" {
		o = scenarios.Some(scenarios.Text{Source: s, Literal: true})
	}
	return o
}

// textOf is a text, or an object or list as its JSON text.
func textOf(data json.RawMessage) (o scenarios.Opt[scenarios.Text]) {
	v, err := ojson.Parse(data)
	if err != nil {
		return o
	}
	text := v.String()
	if v.Kind() == ojson.StringKind {
		text = v.Text()
	}
	return scenarios.Some(scenarios.Text{Source: text, Literal: true})
}

// finishReasons maps finish reasons of other APIs to those of chat completions.
var finishReasons = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls",
	"STOP": "stop", "MAX_TOKENS": "length", "completed": "stop",
}
