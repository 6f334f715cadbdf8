package fakeopenai

import (
	"encoding/json"
	"strings"
	"testing"
)

// said is the content of an answer, streamed or not.
type said struct {
	Content, Refusal, Finish string
	Calls                    []saidCall
}

type saidCall struct{ ID, Name, Arguments string }

// part is a message, or a delta of one.
type part struct {
	Content   *string `json:"content"`
	Refusal   *string `json:"refusal"`
	ToolCalls []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// completion is a whole completion, or a chunk of a streamed one.
type completion struct {
	Choices []struct {
		Message, Delta part
		Finish         string `json:"finish_reason"`
	}
}

// add appends the parts of a delta, as clients do.
func (s *said) add(p part) {
	if p.Content != nil {
		s.Content += *p.Content
	}
	if p.Refusal != nil {
		s.Refusal += *p.Refusal
	}
	for i, c := range p.ToolCalls {
		if c.Index != nil {
			i = *c.Index
		}
		for len(s.Calls) <= i && i < 128 {
			s.Calls = append(s.Calls, saidCall{})
		}
		to := &s.Calls[i]
		to.ID, to.Name, to.Arguments = to.ID+c.ID, to.Name+c.Function.Name, to.Arguments+c.Function.Arguments
	}
}

// saidIn returns the content of the first choice of an answer, streamed or not.
func saidIn(t *testing.T, answer string) (s said) {
	t.Helper()
	texts := []string{answer}
	if strings.HasPrefix(answer, "data:") || strings.Contains(answer, "\ndata:") {
		texts = nil
		for line := range strings.Lines(answer) {
			if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:"); ok && strings.Contains(data, "{") { // skips [DONE] and data that is not a JSON object
				texts = append(texts, data)
			}
		}
	}
	for _, text := range texts {
		var c completion
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Errorf("%v in %.300q", err, text)
		}
		for _, choice := range c.Choices[:min(1, len(c.Choices))] {
			s.add(choice.Message)
			s.add(choice.Delta)
			s.Finish += choice.Finish
		}
	}
	return s
}
