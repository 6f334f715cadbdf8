package answers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/server"
)

// chunk holds the members that the timeline shows of a chunk of chat completions or
// completions, and of an answer in one piece.
type chunk struct {
	Choices []struct {
		Index   int
		Delta   said
		Message said
		Text    string
		Finish  string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	}
	Error *struct{ Message, Code string }
}

// said holds the members that the timeline shows of a delta or a message.
type said struct {
	Role      string
	Content   string
	Refusal   string
	Reasoning string `json:"reasoning_content"`
	ToolCalls []struct {
		Index    int
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// describe returns the kind of an event and the beginning of its content.
func describe(kind string, bytes []byte) string {
	data, comment := read(bytes)
	if kind != "event" && kind != "raw" {
		if text := describeResponses(kind, data); text != "" {
			return text
		}
	}
	var c chunk
	switch {
	case kind == "done":
		return data
	case kind == "comment":
		return "comment " + quote(comment)
	case kind == "raw" || kind == "event":
		return kind + " " + quote(strings.TrimRight(string(bytes), "\r\n"))
	case json.Unmarshal([]byte(data), &c) != nil:
		return kind + " " + quote(data)
	case c.Error != nil:
		return strings.Join(slices.DeleteFunc([]string{"error", c.Error.Code, quote(c.Error.Message)}, isEmpty), " ")
	case kind == "usage" && c.Usage != nil:
		return fmt.Sprintf("usage %d + %d tokens", c.Usage.Prompt, c.Usage.Completion)
	case len(c.Choices) == 0:
		return kind + " " + quote(data)
	}
	return c.describe(kind)
}

// describe describes the first choice of a chunk; nearly all chunks have only one.
func (c *chunk) describe(kind string) string {
	choice := &c.Choices[0]
	name := kind
	if choice.Index > 0 {
		name = fmt.Sprintf("%s[%d]", kind, choice.Index)
	}
	delta := &choice.Delta
	if kind == "completion" {
		delta = &choice.Message
	}
	switch {
	case kind == "role":
		return name + " " + delta.Role
	case kind == "finish":
		return name + " " + choice.Finish
	case len(delta.ToolCalls) > 0:
		call := delta.ToolCalls[0]
		return strings.Join(strings.Fields(fmt.Sprintf("%s %d %s", name, call.Index, call.Function.Name)), " ") + " " + quote(call.Function.Arguments)
	}
	if text := cmp.Or(delta.Content, delta.Refusal, delta.Reasoning, choice.Text); text != "" {
		return name + " " + quote(text)
	}
	return name
}

func isEmpty(word string) bool { return word == "" }

// read returns the data and the comments of an event. A text without data lines is all
// data.
func read(text []byte) (data, comment string) {
	var all, comments []string
	for _, b := range server.Blocks(text) {
		if data, ok := b.Data(); ok {
			all = append(all, data)
		}
		if comment, ok := b.Comment(); ok {
			comments = append(comments, comment)
		}
	}
	if all == nil {
		all = []string{strings.TrimSpace(string(text))}
	}
	return strings.Join(all, "\n"), strings.Join(comments, "\n")
}

// shownRunes is the number of characters shown of a text.
const shownRunes = 60

// quote returns the beginning of a text in quotes.
func quote(text string) string {
	if utf8.RuneCountInString(text) <= shownRunes {
		return strconv.Quote(text)
	}
	return strconv.Quote(string([]rune(text)[:shownRunes])) + "…"
}
