package compat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// answer is what a client read, in a form common to all clients. A member that was
// null or missing is "".
type answer struct {
	ID      string   `json:"id,omitempty"` // in expected.json the end of the id
	Model   string   `json:"model,omitempty"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Content      string   `json:"content,omitempty"`
	Refusal      string   `json:"refusal,omitempty"`
	Reasoning    string   `json:"reasoning,omitempty"`
	Calls        []call   `json:"calls,omitempty"`
	FunctionCall *call    `json:"function_call,omitempty"`
	Transcript   string   `json:"transcript,omitempty"` // of the audio
	Finish       string   `json:"finish,omitempty"`
	Tokens       []string `json:"tokens,omitempty"`  // of the log-probabilities
	Offsets      []int64  `json:"offsets,omitempty"` // of the tokens, in legacy completions
}

type call struct {
	ID        string `json:"id,omitempty"`
	Type      string `json:"type,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"` // or the input of a custom tool
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens,omitempty"`
}

// fault is the failure that a client reported.
type fault struct {
	Status  int    `json:"status"` // 0 for an error after the answer began
	Code    string `json:"code"`
	Type    string `json:"type"`
	Message string `json:"message"` // in expected.json a part of the message
	Text    string `json:"text"`    // the content that arrived before the failure
}

// diff describes the first difference between a, which is wanted, and got. It is "" if there is none.
func (a *answer) diff(got answer) string {
	if !strings.HasSuffix(got.ID, a.ID) || got.ID == "" {
		return fmt.Sprintf("id = %q, want one that ends with %q", got.ID, a.ID)
	}
	if a.Model != "" && got.Model != a.Model {
		return fmt.Sprintf("model = %q, want %q", got.Model, a.Model)
	}
	if g, w := text(got.Choices), text(a.Choices); g != w {
		return fmt.Sprintf("choices = %s\nwant      %s", g, w)
	}
	return a.Usage.diff(got.Usage)
}

func (want *usage) diff(got *usage) string {
	switch {
	case want == nil && (got == nil || *got == usage{}):
		return ""
	case got == nil:
		return "no usage arrived"
	case want == nil:
		return fmt.Sprintf("usage = %+v, want none", *got)
	case got.Total != got.Prompt+got.Completion || got.Prompt <= 0 || got.Completion < 0:
		return fmt.Sprintf("usage %+v does not add up", *got)
	case got.Prompt != want.Prompt || got.Completion != want.Completion:
		return fmt.Sprintf("usage = %+v, want %+v", *got, *want)
	}
	return ""
}

// diff describes the first difference between the failures want and got. It is "" if
// there is none.
func (want *fault) diff(got fault) string {
	switch {
	case got.Status != want.Status:
		return fmt.Sprintf("status = %d, want %d", got.Status, want.Status)
	case want.Code != "" && got.Code != want.Code:
		return fmt.Sprintf("code = %q, want %q", got.Code, want.Code)
	case want.Type != "" && got.Type != want.Type:
		return fmt.Sprintf("type = %q, want %q", got.Type, want.Type)
	case !strings.Contains(got.Message, want.Message):
		return fmt.Sprintf("message = %q, want %q in it", got.Message, want.Message)
	case got.Text != want.Text:
		return fmt.Sprintf("text before the error = %q, want %q", got.Text, want.Text)
	}
	return ""
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// contentOf is the text of the first choice.
func contentOf(a answer) string {
	if len(a.Choices) == 0 {
		return ""
	}
	return a.Choices[0].Content
}

// errRefusedChunk is reported when the accumulator of openai-go rejects a chunk.
var errRefusedChunk = errors.New("the accumulator refused a chunk")
