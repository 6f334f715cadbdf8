package fakeopenai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// itemBug is a client for the Responses API with one bug, by its name in plantedBugs; "" has none.
type itemBug string

func (b itemBug) ask(ctx context.Context, fake *fakeopenai.Server) (reading, error) {
	answer := &readChoice{}
	r := &itemReader{itemBug: b, answer: answer, ids: map[string]bool{}, open: map[int]*readCall{}}
	r.reading.Choices = map[int]*readChoice{0: answer}
	r.take = r.takeEvent
	return r.post(ctx, fake, "/responses", `{"model":"gpt-4o","stream":true,"input":"Hi","tools":[{"type":"web_search"}]}`)
}

// itemReader reads the events of one answer of the Responses API.
type itemReader struct {
	itemBug
	eventReader
	answer *readChoice
	ids    map[string]bool   // ids are those of the items so far.
	open   map[int]*readCall // open are the calls by the index of their item.
	events int               // events counts the events.
}

// itemEvent is what the client reads of an event.
type itemEvent struct {
	Type     string
	Number   *int   `json:"sequence_number"`
	ItemID   string `json:"item_id"`
	Output   int    `json:"output_index"`
	Part     int    `json:"content_index"`
	Text     string
	Delta    string
	Item     struct{ Type, ID, Name, Arguments string }
	Response struct {
		Status string
		Usage  *struct {
			TotalTokens int `json:"total_tokens"`
		}
	}
}

// takeEvent reads an event.
func (r *itemReader) takeEvent(name, data string) error {
	var e itemEvent
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return err
	}
	if err := r.number(&e); err != nil {
		return err
	}
	if r.itemBug == "goes by the names of events" {
		e.Type = name
	}
	switch kind, _ := strings.CutPrefix(e.Type, "response."); kind {
	case "output_item.added":
		r.ids[e.Item.ID] = true
		if e.Item.Type == "web_search_call" && r.itemBug == "fails on an item of a tool" {
			return errors.New("no tool was offered")
		}
		if e.Item.Type == "function_call" {
			call := &readCall{Name: e.Item.Name}
			r.open[e.Output], r.answer.Calls = call, append(r.answer.Calls, call)
		}
	case "output_text.delta":
		r.text(&e)
	case "output_text.done":
		if r.itemBug == "takes the last text that is done for the answer" {
			r.answer.Text = e.Text
		}
	case "function_call_arguments.delta":
		if call := r.open[e.Output]; call.Arguments == "" || r.itemBug != "reads the first piece of arguments alone" {
			call.Arguments += e.Delta
		}
	case "completed":
		r.answer.Finish, r.Tokens = e.Response.Status, e.Response.Usage.TotalTokens
	case "failed", "error":
		return errors.New(data)
	default:
		if r.itemBug == "fails on an event it does not know" && !strings.HasPrefix(e.Type, "response.") {
			return fmt.Errorf("there is no event %q", e.Type)
		}
	}
	return nil
}

func (r *itemReader) text(e *itemEvent) {
	switch {
	case r.itemBug == "expects text in the first item" && e.Output > 0,
		r.itemBug == "reads the first part alone" && e.Part > 0,
		r.itemBug == "goes by the ids of items" && !r.ids[e.ItemID]:
		return
	}
	r.answer.Text += e.Delta
}

// number looks at the number of an event.
func (r *itemReader) number(e *itemEvent) error {
	r.events++
	switch {
	case r.itemBug == "needs numbers of events" && e.Number == nil:
		return errors.New("the event has no sequence_number")
	case r.itemBug == "counts events from 0" && e.Number != nil && *e.Number != r.events-1:
		return fmt.Errorf("event %d has the number %d", r.events-1, *e.Number)
	}
	return nil
}
