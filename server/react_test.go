package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// eventOf reads a message as JSON.
func eventOf(t *testing.T, message string) ojson.Value {
	t.Helper()
	v, err := ojson.Parse([]byte(message))
	if err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	return v
}

// said reads messages up to the first of this type, and returns their types and texts, without response. and output_.
func (c *memConn) said(t *testing.T, last string) string {
	t.Helper()
	var list []string
	for {
		message := testflag.Receive(t, c.out)
		v := eventOf(t, message)
		kind := v.Get("type").Text()
		line := strings.TrimPrefix(strings.TrimPrefix(kind, "response."), "output_")
		if delta := v.Get("delta"); !delta.IsAbsent() {
			line += " " + delta.Text()
		}
		list = append(list, line)
		if kind == last {
			return strings.Join(list, "\n")
		}
	}
}

const listening = `
name: listening
when: { surface: responses }
stream:
  - content: "a "
  - until: { message: my.message }
  - content: "{{ .message.city }} "
  - until: { message: { type: my.message, city: { contains: o } }, within: 5s, name: second }
  - content: '{{ .message.city | default "nowhere" }}'
  - finish: stop
`

// What the client sends goes into the texts behind the step that waits for it, and the texts before keep theirs. What
// came before the stream arrives counts, and after within the stream goes on.
func TestAStreamWaitsForAMessage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		messages []string
		text     string
		takes    time.Duration
	}{
		"two":                              {[]string{`{"type":"my.message","city":"Oslo"}`, `{"type":"my.message","city":"Rom"}`}, "a Oslo Rom", 0},
		"one that does not fit the second": {[]string{`{"type":"my.message","city":"Oslo"}`, `{"type":"my.message","city":"Bern"}`}, "a Oslo nowhere", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _, ended := converse(t, listening, server.Config{})
				began := time.Now()
				for _, m := range append([]string{turn}, tt.messages...) {
					c.in <- m
					if m == turn {
						c.said(t, "response.output_text.delta")
					}
				}
				var done string
				for !strings.Contains(done, "response.completed") {
					if done = <-c.out; strings.Contains(done, `"error"`) && strings.Contains(done, "Supported values") {
						t.Fatal(done)
					}
				}
				if got := value(t, done, "response.output[0].content[0].text").Text(); got != tt.text || time.Since(began) != tt.takes {
					t.Errorf("the text is %q after %s, want %q after %s", got, time.Since(began), tt.text, tt.takes)
				}
				if e := <-ended; e.Problem != "" {
					t.Error(e.Problem)
				}
				close(c.in)
			})
		})
	}
}

const steering = `
name: steerable
when: { user: Plan }
stream:
  - content: "A long plan "
  - until: { message: response.steer, within: 5s }
  - content: of many weeks.
  - finish: stop
---
name: steered
when: { user: Shorter, turn: 2, body: { "input[1]": { exists: false } } }
message: Two weeks.
---
name: tools
when: { user: Tools }
stream:
  - tool_call: { id: call_1, name: status, arguments: "{}" }
  - until: { message: response.steer }
  - finish: tool_calls
---
name: after-tools
when: { tool_result: call_1, user: Shorter }
message: Two weeks, with tools.
`

// A message that steers ends the answer with the reason steered, and the next begins by itself, with the settings of the
// request. The numbers of the events go on.
func TestSteeringEndsAnAnswerAndBeginsAnother(t *testing.T) {
	t.Parallel()
	c, s, ended := converse(t, steering, server.Config{})
	c.in <- `{"type":"response.create","model":"gpt-6","stream_id":"main","temperature":0.5,"input":"Plan"}`
	created := testflag.Receive(t, c.out)
	id := value(t, created, "response.id").Text()
	c.in <- `{"type":"response.steer","previous_response_id":"` + id + `","input":"Shorter"}`
	var kinds []string
	last, text := int64(0), ""
	for text == "" {
		message := testflag.Receive(t, c.out)
		v := eventOf(t, message)
		kind := v.Get("type").Text()
		if n, _ := v.Get("sequence_number").Int(); n != last+1 && kind != "response.created" {
			t.Errorf("%s has the number %d behind %d", kind, n, last)
		} else {
			last = n
		}
		if v.Get("stream_id").Text() != "main" {
			t.Errorf("%s is of the stream %s", kind, v.Get("stream_id"))
		}
		switch kind {
		case "response.steer.accepted":
			if !strings.HasPrefix(value(t, message, "steer.id").Text(), "steer_") || value(t, message, "steer.previous_response_id").Text() != id {
				t.Error(message)
			}
		case "response.incomplete":
			if got := value(t, message, "response.incomplete_details.reason").Text() + " " + value(t, message, "response.output[0].content[0].text").Text(); got != "steered A long plan " {
				t.Errorf("it ends with %q", got)
			}
		case "response.created":
			if value(t, message, "response.previous_response_id").Text() != id || value(t, message, "response.temperature").String() != "0.5" {
				t.Errorf("the next answer is %s", message)
			}
		case "response.completed":
			text = value(t, message, "response.output[0].content[0].text").Text()
		}
		if strings.Contains(kind, "steer") || !strings.Contains(kind, "output") && !strings.Contains(kind, "part") {
			kinds = append(kinds, strings.TrimPrefix(kind, "response."))
		}
	}
	if got := strings.Join(kinds, " "); got != "steer.accepted in_progress incomplete created in_progress completed" && got != "in_progress steer.accepted incomplete created in_progress completed" {
		t.Errorf("the events are %s", got)
	}
	if text != "Two weeks." {
		t.Errorf("the next answer says %q", text)
	}
	for range 2 {
		testflag.Receive(t, ended)
	}
	if e := s.Journal()[1]; e.Scenario != "steered" || e.Note == "" {
		t.Errorf("the journal has %q of %s", e.Note, e.Scenario)
	}
	if err := c.steers(t, id, "Longer"); err != "response_not_active" {
		t.Errorf("input for what has ended is refused with %s", err)
	}
	close(c.in)
}

// steers sends input for a response that does not take it, and returns the code of the error.
func (c *memConn) steers(t *testing.T, id, input string) string {
	t.Helper()
	c.in <- `{"type":"response.steer","previous_response_id":"` + id + `","input":"` + input + `"}`
	message := testflag.Receive(t, c.out)
	if value(t, message, "type").Text() != "response.steer.failed" || value(t, message, "steer.input").Text() != input || value(t, message, "steer.previous_response_id").Text() != id {
		t.Error(message)
	}
	return value(t, message, "error.code").Text()
}

// An answer with calls is complete before the input is used, together with their results.
func TestSteeringWaitsForTheResultsOfCalls(t *testing.T) {
	t.Parallel()
	c, _, _ := converse(t, steering, server.Config{})
	c.in <- `{"type":"response.create","model":"gpt-6","input":"Tools"}`
	id := value(t, testflag.Receive(t, c.out), "response.id").Text()
	c.in <- `{"type":"response.steer","previous_response_id":"` + id + `","input":[{"role":"user","content":[{"type":"input_text","text":"Shorter"}]}]}`
	c.said(t, "response.completed")
	pending := testflag.Receive(t, c.out)
	if got := value(t, pending, "required_input").String() + value(t, pending, "reason").Text(); got != `[{"type":"function_call_output","call_id":"call_1","name":"status"}]waiting_for_required_input` {
		t.Errorf("it waits for %s", pending)
	}
	c.in <- `{"type":"response.create","model":"gpt-6","previous_response_id":"` + id + `","input":[{"type":"function_call_output","call_id":"call_1","output":"ok"}]}`
	if got := c.said(t, "response.completed"); !strings.Contains(got, "text.delta  tools") {
		t.Errorf("the next answer is %s", got)
	}
	close(c.in)
}

// What cannot be steered gets the error of the service, and its input back.
func TestSteeringIsRefused(t *testing.T) {
	t.Parallel()
	c, s, ended := converse(t, steering+"---\nname: plain\nwhen: { user: Hi }\nmessage: Hello.\n---\nname: held\nwhen: { user: Held }\nstream: [{ content: Hi }, { hold: gate }, { finish: stop }, { hold: end }]\n", server.Config{})
	if got := c.steers(t, "resp_none", "Hi"); got != "response_not_found" {
		t.Errorf("an unknown response: %s", got)
	}
	c.in <- turn
	id := value(t, testflag.Receive(t, c.out), "response.id").Text()
	c.said(t, "response.completed")
	if got := c.steers(t, id, ""); got != "invalid_input" {
		t.Errorf("no input: %s", got)
	}
	c.in <- strings.Replace(turn, "Hi", "Held", 1)
	id = value(t, testflag.Receive(t, c.out), "response.id").Text()
	c.said(t, "response.output_text.delta")
	if got := c.steers(t, id, "Hi"); got != "steering_not_supported" {
		t.Errorf("an answer that waits for no input: %s", got)
	}
	s.Release("gate")
	c.said(t, "response.completed") // while its stream goes on
	if got := c.steers(t, id, "Hi"); got != "response_already_completed" {
		t.Errorf("an answer that is complete: %s", got)
	}
	s.Release("end")
	testflag.Receive(t, ended)
	testflag.Receive(t, ended)
	c.in <- strings.Replace(turn, "Hi", "Plan", 1)
	id = value(t, testflag.Receive(t, c.out), "response.id").Text()
	c.in <- `{"type":"response.steer","previous_response_id":"` + id + `","input":"No scenario has this"}`
	c.said(t, "response.incomplete")
	message := testflag.Receive(t, c.out)
	if got := value(t, message, "error.code").Text() + " " + value(t, message, "steer.id").Text(); !strings.HasPrefix(got, "successor_creation_failed steer_") {
		t.Errorf("no scenario answers the next request: %s", message)
	}
	close(c.in)
}

// An answer that another scenario gives to a request which began later ends a wait; an earlier one, one of another key
// and one that was cut off by its client do not.
func TestAStreamWaitsForAnotherRequest(t *testing.T) {
	t.Parallel()
	r := start(t, "name: first\nwhen: { user: A }\nstream:\n  - { role: assistant, content: a }\n  - until: { request: other }\n  - content: b\n  - finish: stop\n---\nname: other\nwhen: { user: B }\nmessage: Hi\n", server.Config{})
	ask := func(user, key string) *http.Response {
		return r.chat(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"`+user+`"}]}`, "Authorization: Bearer "+key)
	}
	text(t, ask("B", "k"))
	first := ask("A", "k")
	r.Server.Await(t.Context(), "other")
	text(t, ask("B", "another"))
	if got := r.get("/_fake/holds?api_key=k", http.StatusOK); !strings.Contains(got, `an answer of the scenario \"other\"`) {
		t.Errorf("the holds are %s", got)
	}
	text(t, ask("B", "k"))
	wantContains(t, text(t, first), `"content":"a"`, `"content":"b"`, "[DONE]")
}

// Two streams of a key that wait for each other go on when within has passed: the later one is answered first, because
// the earlier is not a request that began after it.
func TestStreamsThatWaitForEachOtherGoOnAfterWithin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := "name: %s\nwhen: { user: %s }\nstream:\n  - { role: assistant, content: a }\n  - until: { request: %s, within: %s }\n  - finish: stop\n"
		r := local(t, fmt.Sprintf(one, "first", "A", "second", "1h")+"---\n"+fmt.Sprintf(one, "second", "B", "first", "5s"), server.Config{})
		began, ends := time.Now(), make(chan string, 2)
		for _, user := range []string{"A", "B"} {
			go func() {
				text(t, r.chat(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"`+user+`"}]}`))
				ends <- fmt.Sprint(user, " ", time.Since(began))
			}()
			synctest.Wait()
		}
		if got := <-ends + " " + <-ends; got != "B 5s A 5s" && got != "A 5s B 5s" {
			t.Errorf("the streams end as %s", got)
		}
	})
}

// A wait for a message is refused where clients send none, with the reason.
func TestAWaitForAMessageIsRefusedWhereNoneComes(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(listening, "when: { surface: responses }\n", "", 1)
	r := start(t, yaml, server.Config{Upgrade: func(http.ResponseWriter, *http.Request, int64) (server.MessageConn, error) {
		return nil, errors.New("none")
	}})
	wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, http.StatusBadRequest), "a wait for a message of the client, which chat completions cannot express")
	wantContains(t, r.ask(http.MethodPost, "/v1/responses", `{"model":"gpt-4o","input":"Hi"}`, http.StatusBadRequest), "which only clients of WebSocket connections send")
}

// The close frame after an answer has the code and the reason of the scenario, and the journal the code.
func TestAScenarioNamesTheCloseCode(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]string{
		"close: { code: 1012, reason: restart }":  "close 1012 restart",
		"close: { code: 4001, after: all }":       "close 4001 ",
		"close: { code: none, after: 1 }":         "close 1005 ",
		"close: { code: 1012, chance: 0.000001 }": "",
		"close: { reason: bye }":                  "close 1000 bye",
	} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			c, s, ended := converse(t, "name: closes\nwhen: { surface: responses }\nmessage: Hi\nend: { "+end+" }\n", server.Config{})
			c.in <- turn
			last := ""
			for !strings.HasPrefix(last, "close ") && !(want == "" && strings.Contains(last, "response.completed")) {
				last = testflag.Receive(t, c.out)
			}
			e := testflag.Receive(t, ended)
			if got := fmt.Sprintf("close %d ", e.Delivery.CloseCode); want != "" && (last != want || !strings.HasPrefix(want, got)) || want == "" && e.Delivery.CloseCode != 0 {
				t.Errorf("it is %q, and the code in the journal %d", last, e.Delivery.CloseCode)
			}
			if calls := s.Calls(); calls[0].Attempts[0].CloseCode != e.Delivery.CloseCode {
				t.Errorf("the call has the code %d, and the journal %d", calls[0].Attempts[0].CloseCode, e.Delivery.CloseCode)
			}
			close(c.in)
		})
	}
}

// A stream of a realtime session waits for a message, too: for one of the API, which does what it always does, and for
// one that only the scenario knows.
func TestARealtimeStreamWaitsForAMessage(t *testing.T) {
	t.Parallel()
	for kind, also := range map[string]string{"my.event": "", "session.update": "session.updated"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := speakRealtime(t, "name: waits\nwhen: { surface: realtime }\nstream:\n  - content: \"a \"\n  - until: { message: "+kind+" }\n  - content: \"{{ .message.event_id }}\"\n  - finish: stop\n", server.Config{})
			c.in <- `{"type":"response.create","response":{"output_modalities":["text"]}}`
			for c.next().Delta == "" {
			}
			c.in <- `{"type":"` + kind + `","event_id":"b","session":{"type":"realtime"}}`
			updated, text := "", ""
			for {
				e := c.next()
				if text += e.Delta; e.Type == "session.updated" {
					updated = e.Type
				}
				if e.Type == "error" {
					t.Fatalf("%+v", e.Error)
				}
				if e.Type == "response.done" {
					break
				}
			}
			if text != "b" || updated != also {
				t.Errorf("behind the message comes %q, and %q", text, updated)
			}
			close(c.in)
		})
	}
}
