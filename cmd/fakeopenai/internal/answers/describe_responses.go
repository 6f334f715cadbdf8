package answers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// responseEvent holds the members that the timeline shows of an event of the Responses
// API.
type responseEvent struct {
	Type                                   string
	Delta, Text, Refusal, Arguments, Input string
	Code, Message                          string // Code is the code of an error, or of a code interpreter.
	Item                                   *outputItem
	Part                                   *struct{ Type string }
	Response                               *response
}

// response holds the members that the timeline shows of a response in an event.
type response struct {
	Status string
	Error  *struct{ Code, Message string }
	Reason struct{ Reason string } `json:"incomplete_details"`
	Usage  *struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	}
}

// outputItem is an item of an answer of the Responses API.
type outputItem struct {
	Type, Name, Arguments string
	Content               []struct{ Text, Refusal string }
}

// describeResponses describes an event of the Responses API, or an answer of that API in
// one piece. It returns "" for anything else.
func describeResponses(kind, data string) string {
	var e responseEvent
	if json.Unmarshal([]byte(data), &e) == nil && (e.Type == "error" || strings.HasPrefix(e.Type, "response.")) {
		return words(append([]string{kind}, e.content()...)...)
	}
	var whole struct {
		Object string
		Output []outputItem
	}
	if json.Unmarshal([]byte(data), &whole) != nil || whole.Object != "response" {
		return ""
	}
	list := []string{kind}
	for i := range whole.Output {
		list = append(list, whole.Output[i].content()...)
	}
	return words(list...)
}

// content returns what the event says beside its kind.
func (e *responseEvent) content() []string {
	switch {
	case e.Response != nil:
		return e.Response.content()
	case e.Item != nil:
		return []string{e.Item.Type, e.Item.Name}
	case e.Part != nil:
		return []string{e.Part.Type}
	case e.Type == "error":
		return []string{e.Code, quote(e.Message)}
	}
	if text := cmp.Or(e.Delta, e.Text, e.Refusal, e.Arguments, e.Input, e.Code); text != "" {
		return []string{quote(text)}
	}
	return nil
}

// content returns the status, and what led to it; nothing while the response is in
// progress.
func (r *response) content() []string {
	if r.Status == "in_progress" {
		return nil
	}
	list := []string{r.Status, r.Reason.Reason}
	if r.Error != nil {
		list = append(list, r.Error.Code, quote(r.Error.Message))
	}
	if r.Usage != nil {
		list = append(list, fmt.Sprintf("%d + %d tokens", r.Usage.Input, r.Usage.Output))
	}
	return list
}

// content returns the texts of a message, or the type, name and arguments of a call.
func (i *outputItem) content() []string {
	if i.Type != "message" {
		list := []string{i.Type, i.Name}
		if i.Arguments != "" {
			list = append(list, quote(i.Arguments))
		}
		return list
	}
	var list []string
	for _, part := range i.Content {
		list = append(list, quote(cmp.Or(part.Text, part.Refusal)))
	}
	return list
}

// words joins the words that are not empty.
func words(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, isEmpty), " ")
}
