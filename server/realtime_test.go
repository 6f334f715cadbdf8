package server_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// realtimeAt is where a realtime session begins.
const realtimeAt = "/v1/realtime?model=gpt-realtime Authorization: Bearer sk-a"

// realtimeEvent is what the tests look at in an event.
type realtimeEvent struct {
	Type       string
	EventID    string `json:"event_id"`
	Delta      string
	Transcript string
	ItemID     string  `json:"item_id"`
	Previous   *string `json:"previous_item_id"`
	StartMS    int64   `json:"audio_start_ms"`
	EndMS      int64   `json:"audio_end_ms"`
	Item       struct {
		ID, Type, Status, Role string
		Content                []struct{ Type, Text, Transcript string }
	}
	Response struct {
		ID, Status string
		Details    struct {
			Type, Reason string
			Error        struct{ Code string }
		} `json:"status_details"`
		Output []struct{ Status string }
		Usage  struct {
			Total  int `json:"total_tokens"`
			Output int `json:"output_tokens"`
		}
		Metadata     map[string]string
		Conversation *string `json:"conversation_id"`
	}
	Error struct {
		Code, Message, Param string
		EventID              string `json:"event_id"`
	}
	Session map[string]any
}

// realtimeClient is a client of a session: it lists the events that come.
type realtimeClient struct {
	t *testing.T
	*memConn
	ended chan journal.Entry
}

// speakRealtime opens a session with a server that plays YAML, and reads session.created.
func speakRealtime(t *testing.T, yaml string, config server.Config) *realtimeClient {
	t.Helper()
	conn, _, ended := converseAt(t, realtimeAt, yaml, config)
	c := &realtimeClient{t, conn, ended}
	if got := c.next(); got.Type != "session.created" || got.EventID == "" {
		t.Fatalf("the first event is %+v, want session.created", got)
	}
	return c
}

// next is the next event.
func (c *realtimeClient) next() (e realtimeEvent) {
	c.t.Helper()
	message := <-c.out
	if err := json.Unmarshal([]byte(message), &e); err != nil {
		c.t.Fatalf("%q is no event: %v", message, err)
	}
	return e
}

// until reads events up to one of this type, which it returns. Kinds are the types of all, one after the other.
func (c *realtimeClient) until(kind string) (last realtimeEvent, kinds string) {
	c.t.Helper()
	var list []string
	for last.Type != kind {
		last = c.next()
		list = append(list, strings.TrimPrefix(last.Type, "response."))
	}
	return last, strings.Join(list, " ")
}

// say sends a text of the user, and asks for a response.
func (c *realtimeClient) say(text string) {
	item, err := json.Marshal(text)
	if err != nil {
		c.t.Fatal(err)
	}
	c.in <- `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":` + string(item) + `}]}}`
	c.in <- `{"type":"response.create"}`
}

// leave ends the session, and reads what still comes.
func (c *realtimeClient) leave() {
	close(c.in)
	for {
		select {
		case <-c.out:
		case <-c.over:
			return
		}
	}
}

// asText makes the session speak text.
func (c *realtimeClient) asText() {
	c.in <- `{"type":"session.update","session":{"type":"realtime","output_modalities":["text"]}}`
	c.until("session.updated")
}

const realtimeScript = `
name: weather
when: { user: { contains: weather } }
replies:
- when: { turn: 1 }
  message: { tool_calls: [{ id: call_1, name: get_weather, arguments: { city: Oslo } }] }
- when: { tool_result: call_1 }
  message: It is 18 degrees.
---
name: hello
message: Hello there.
`

func TestARealtimeAnswerHasTheRecordedOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := speakRealtime(t, realtimeScript, server.Config{})
		c.asText()
		c.say("Hi")
		_, got := c.until("rate_limits.updated")
		const text = "conversation.item.added conversation.item.done created output_item.added conversation.item.added content_part.added " +
			"output_text.delta output_text.delta output_text.delta output_text.done content_part.done conversation.item.done output_item.done done rate_limits.updated"
		if got != text {
			t.Errorf("got  %s\nwant %s", got, text)
		}
		c.in <- `{"type":"response.create","response":{"output_modalities":["audio"]}}`
		_, got = c.until("rate_limits.updated")
		const sound = "created output_item.added conversation.item.added content_part.added " +
			"output_audio_transcript.delta output_audio.delta output_audio_transcript.delta output_audio.delta output_audio_transcript.delta output_audio.delta " +
			"output_audio.done output_audio_transcript.done content_part.done conversation.item.done output_item.done done rate_limits.updated"
		if got != sound {
			t.Errorf("got  %s\nwant %s", got, sound)
		}
		c.leave()
	})
}

// A tool loop goes on from the items of the conversation, which nobody sends again.
func TestARealtimeToolLoopGoesOnFromTheConversation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := speakRealtime(t, realtimeScript, server.Config{})
		c.asText()
		c.say("How is the weather?")
		_, got := c.until("response.done")
		if want := "function_call_arguments.done conversation.item.done output_item.done done"; !strings.HasSuffix(got, want) {
			t.Errorf("got %s, want its end %s", got, want)
		}
		c.until("rate_limits.updated")
		c.in <- `{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"call_1","output":"18"}}`
		c.in <- `{"type":"response.create"}`
		done, _ := c.until("conversation.item.done")
		if done.Item.Type != "function_call_output" || done.Item.Status != "" {
			t.Errorf("the result came back as %+v", done.Item)
		}
		text, _ := c.until("response.output_text.done")
		_ = text
		done, _ = c.until("conversation.item.done")
		if got := done.Item.Content[0]; got.Type != "output_text" || got.Text != "It is 18 degrees." {
			t.Errorf("got %+v", got)
		}
		c.leave()
	})
}

// What waits for a response is answered behind it, and a second response is refused.
func TestARealtimeResponseIsAloneInItsConversation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := speakRealtime(t, "name: slow\nstream:\n- role: assistant\n- content: a\n- wait: 5s\n- content: b\n- finish: stop", server.Config{})
		c.asText()
		c.in <- `{"type":"response.create"}`
		c.until("response.output_text.delta")
		c.in <- `{"type":"response.create","event_id":"mine"}`
		refused, _ := c.until("error")
		if refused.Error.Code != "conversation_already_has_active_response" || refused.Error.EventID != "mine" {
			t.Errorf("got %+v", refused.Error)
		}
		c.in <- `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`
		if _, got := c.until("conversation.item.added"); !strings.Contains(got, " done rate_limits.updated conversation.item.added") {
			t.Errorf("the new item came too early: %s", got)
		}
		c.leave()
	})
}

// A long text takes no more memory for its sound than the bound: after that each piece has one period of the tone.
func TestTheSoundOfARealtimeAnswerIsBounded(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	synctest.Test(t, func(t *testing.T) {
		c := speakRealtime(t, "name: long\nstream:\n- role: assistant\n- content: { repeat: a, bytes: 10000 }\n  repeat: 30\n- finish: stop", server.Config{Speed: server.Instant})
		c.in <- `{"type":"response.create"}`
		sounds, length := 0, 0
		for message := range c.out {
			if strings.HasPrefix(message, `{"type":"response.output_audio.delta"`) {
				sounds, length = sounds+1, length+len(message)
			}
			if strings.HasPrefix(message, `{"type":"response.done"`) {
				break
			}
		}
		if sounds != 30 || length > 33<<20 || length < 31<<20 {
			t.Errorf("%d pieces have %d bytes of sound", sounds, length)
		}
		c.leave()
	})
}

// A client that cancels gets the events that close what is open, and goes on.
func TestARealtimeResponseIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := speakRealtime(t, "name: slow\nstream:\n- role: assistant\n- content: a\n- wait: 1h\n- content: b\n- finish: stop", server.Config{})
		c.in <- `{"type":"response.create"}`
		c.until("response.output_audio.delta")
		began := time.Now()
		c.in <- `{"type":"response.cancel"}`
		done, got := c.until("response.done")
		const want = "output_audio.done output_audio_transcript.done content_part.done conversation.item.done output_item.done done"
		if got != want || done.Response.Status != "cancelled" || done.Response.Details.Reason != "client_cancelled" || done.Response.Output[0].Status != "incomplete" {
			t.Errorf("got %s, %+v", got, done.Response)
		}
		if got := done.Response.Usage; got.Total != 3+1 || got.Output != 1 { // the request without a message, and a word
			t.Errorf("the usage of what was said so far is %+v", got)
		}
		if passed := time.Since(began); passed > time.Second {
			t.Errorf("it took %v", passed)
		}
		entry := <-c.ended
		if entry.Failed || entry.Delivery.Ended != journal.EndedComplete {
			t.Errorf("the journal says that it ended as %q, failed %v", entry.Delivery.Ended, entry.Failed)
		}
		c.in <- `{"type":"response.cancel"}`
		if e, _ := c.until("error"); e.Error.Code != "response_cancel_not_active" {
			t.Errorf("a second cancel: %+v", e.Error)
		}
		c.leave()
	})
}

// pcm is a second of sound, loud or quiet, for a session.
func pcm(loud bool) string {
	sample := []byte{0, 0}
	if loud {
		sample = []byte{0, 0x20}
	}
	return `{"type":"input_audio_buffer.append","audio":"` + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(sample), 24_000))) + `"}`
}

// Speech begins and ends a turn, and interrupts an answer. The reply that is chosen says what was said.
func TestRealtimeTurnsByVoice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := speakRealtime(t, `
name: heard
when: { user: { contains: Oslo } }
stream:
- role: assistant
- content: a
- wait: 1h
- finish: stop
---
name: ask
replies:
- transcript: How is Oslo?
  message: Where?
`, server.Config{})
		c.in <- `{"type":"session.update","session":{"type":"realtime","audio":{"input":{"transcription":{"model":"whisper-1"}}}}}`
		c.until("session.updated")
		c.in <- pcm(true)
		c.in <- pcm(false)
		_, got := c.until("rate_limits.updated")
		const want = "input_audio_buffer.speech_started input_audio_buffer.speech_stopped input_audio_buffer.committed conversation.item.added conversation.item.done " +
			"conversation.item.input_audio_transcription.delta conversation.item.input_audio_transcription.completed created "
		if !strings.HasPrefix(got, want) {
			t.Errorf("got  %s\nwant %s…", got, want)
		}
		c.in <- `{"type":"response.create"}`
		c.until("response.output_audio.delta") // the conversation has what was said, and so the other scenario answers
		c.in <- pcm(true)
		done, got := c.until("response.done")
		if !strings.HasPrefix(got, "input_audio_buffer.speech_started output_audio.done") || done.Response.Details.Reason != "turn_detected" {
			t.Errorf("interrupted: %s, %+v", got, done.Response)
		}
		c.leave()
	})
}

// An answer that is interrupted before it has an item has used nothing.
func TestARealtimeResponseIsCancelledBeforeItBegins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := speakRealtime(t, "name: slow\nstream:\n- role: assistant\n- wait: 1h\n- content: b\n- finish: stop", server.Config{})
		c.in <- `{"type":"response.create"}`
		c.until("response.created")
		c.in <- `{"type":"response.cancel"}`
		if done, got := c.until("response.done"); got != "done" || done.Response.Usage.Total != 0 || len(done.Response.Output) != 0 {
			t.Errorf("got %s, %+v", got, done.Response)
		}
		c.leave()
	})
}

// semantic_vad waits as long for the end of a turn as its eagerness says.
func TestRealtimeTurnsEndSoonerForEagerDetection(t *testing.T) {
	t.Parallel()
	for eagerness, want := range map[string]int64{"high": 1260, "medium": 1500, "auto": 1500, "low": 2000} {
		synctest.Test(t, func(t *testing.T) {
			c := speakRealtime(t, realtimeScript, server.Config{})
			c.in <- `{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"semantic_vad","eagerness":"` + eagerness + `"}}}}}`
			c.in <- pcm(true)
			c.in <- pcm(false)
			if e, _ := c.until("input_audio_buffer.speech_stopped"); e.EndMS != want {
				t.Errorf("%s: speech stopped at %d ms, want %d", eagerness, e.EndMS, want)
			}
			c.leave()
		})
	}
}

// A user who says nothing for idle_timeout_ms, once the answer has been played, is asked.
func TestARealtimeSessionAsksASilentUser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := speakRealtime(t, `
name: silence
when: { messages: { contains: said nothing } }
replies:
- transcript: never said
  message: Are you there?
---
name: hello
message: Hello.
`, server.Config{})
		c.in <- `{"type":"session.update","session":{"type":"realtime","audio":{"input":{"transcription":{"model":"whisper-1"},"turn_detection":{"idle_timeout_ms":5000}}}}}`
		c.say("Hi")
		c.until("rate_limits.updated")
		began := time.Now()
		triggered, _ := c.until("input_audio_buffer.timeout_triggered")
		if passed := time.Since(began); passed <= 5*time.Second || passed > 6*time.Second {
			t.Errorf("the session asks after %v, want 5 s and the 0.4 s of the answer", passed)
		}
		said, got := c.until("conversation.item.input_audio_transcription.completed")
		const want = "conversation.item.added conversation.item.done input_audio_buffer.committed conversation.item.added conversation.item.done conversation.item.input_audio_transcription.completed"
		if got != want || said.Transcript != "" || said.ItemID != triggered.ItemID {
			t.Errorf("got %s for %s, %q; want %s for %s", got, said.ItemID, said.Transcript, want, triggered.ItemID)
		}
		if e, _ := c.until("response.output_audio_transcript.done"); e.Transcript != "Are you there?" {
			t.Errorf("the answer is %q", e.Transcript)
		}
		c.until("rate_limits.updated")
		c.in <- pcm(true) // somebody speaks, so that nothing is asked
		c.until("input_audio_buffer.speech_started")
		time.Sleep(time.Minute)
		synctest.Wait()
		for more := true; more; synctest.Wait() {
			select {
			case e := <-c.out:
				if e != "ping" {
					t.Errorf("while the user speaks, %s comes", e)
				}
			default:
				more = false
			}
		}
		c.leave()
	})
}

// The settings of client secrets are bounded in bytes: the oldest are forgotten.
func TestClientSecretsAreBounded(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	conns := make(chan *memConn, 1)
	s, err := server.New(server.Config{
		Scenarios: parse(t, realtimeScript), APIKeys: []string{"sk-a"},
		Upgrade: func(http.ResponseWriter, *http.Request, int64) (server.MessageConn, error) {
			c := newMemConn()
			conns <- c
			return c, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	secret := func() string {
		r := httptest.NewRequest(http.MethodPost, "/v1/realtime/client_secrets", strings.NewReader(`{"session":{"type":"realtime","model":"gpt-realtime","instructions":"`+strings.Repeat("a", 1_000_000)+`"}}`))
		r.Header.Set("Authorization", "Bearer sk-a")
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		var given struct{ Value string }
		if err := json.Unmarshal(rec.Body.Bytes(), &given); err != nil || given.Value == "" {
			t.Fatalf("%d %.300s", rec.Code, rec.Body)
		}
		return given.Value
	}
	begins := func(key string) string {
		r := httptest.NewRequest(http.MethodGet, "/v1/realtime", nil)
		r.Header.Set("Upgrade", "websocket")
		r.Header.Set("Authorization", "Bearer "+key)
		go s.ServeHTTP(httptest.NewRecorder(), r)
		c := &realtimeClient{t: t, memConn: testflag.Receive(t, conns)}
		e := c.next()
		c.leave()
		return e.Type
	}
	first := secret()
	if got := begins(first); got != "session.created" {
		t.Errorf("with a new secret comes %s", got)
	}
	last := ""
	for range 40 {
		last = secret()
	}
	if got := begins(last); got != "session.created" {
		t.Errorf("with the latest secret comes %s", got)
	}
	if got := begins(first); got != "error" {
		t.Errorf("with the first secret, behind 40 MB of others, comes %s", got)
	}
}

// What the service refuses about a session comes behind the handshake, with a close code.
func TestRealtimeSessionsAreRefusedAfterTheHandshake(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"/v1/realtime?model=gpt-realtime":                                                `close 3000 invalid_request_error`,
		"/v1/realtime?model=gpt-realtime Authorization: Bearer sk-wrong":                 `close 3000 invalid_request_error.invalid_api_key`,
		"/v1/realtime Authorization: Bearer sk-a":                                        `close 4000 invalid_request_error.missing_model`,
		"/v1/realtime?intent=nonsense Authorization: Bearer sk-a":                        `close 4000 invalid_request_error.invalid_intent`,
		"/v1/realtime?intent=transcription Authorization: Bearer sk-a":                   `close 4000 invalid_request_error.fake_not_played`,
		"/v1/realtime?call_id=rtc_1 Authorization: Bearer sk-a":                          `close 4000 invalid_request_error.fake_not_played`,
		"/v1/realtime?model=m Sec-Websocket-Protocol: realtime, openai-beta.realtime-v1": `close 4000 invalid_request_error.beta_api_shape_disabled`,
	} {
		c, _, ended := converseAt(t, target, realtimeScript, server.Config{APIKeys: []string{"sk-a"}})
		if e := (&realtimeClient{t, c, ended}).next(); e.Type != "error" || e.Error.Message == "" {
			t.Errorf("%s: got %+v", target, e)
		}
		if got := testflag.Receive(t, c.out); got != want {
			t.Errorf("%s: got %q, want %q", target, got, want)
		}
		if e := testflag.Receive(t, ended); e.Problem == "" {
			t.Errorf("%s: the journal has no problem", target)
		}
	}
}

// Wrong events get an error each, and the session goes on.
func TestWrongRealtimeEventsGetErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := speakRealtime(t, realtimeScript, server.Config{})
		for message, want := range map[string]string{
			"binary {}":                 "invalid_event ",
			"{":                         "invalid_json ",
			"[]":                        "invalid_json ",
			`{}`:                        "missing_required_parameter type",
			`{"type":7}`:                "invalid_value type",
			`{"type":"nope"}`:           "invalid_value type",
			`{"type":"session.update"}`: "missing_required_parameter session.type",
			`{"type":"session.update","session":{"type":"realtime","voice":"alloy"}}`:                                                "unknown_parameter session.voice",
			`{"type":"session.update","session":{"type":"realtime","output_modalities":["text","audio"]}}`:                           "invalid_value session.output_modalities",
			`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"format":{"type":"audio/pcm","rate":16000}}}}}`: "integer_below_min_value session.audio.input.format.rate",
			`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"prefix_padding_ms":-1}}}}}`:  "integer_below_min_value session.audio.input.turn_detection.prefix_padding_ms",
			`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"idle_timeout_ms":1}}}}}`:     "integer_below_min_value session.audio.input.turn_detection.idle_timeout_ms",
			`{"type":"session.update","session":{"type":"realtime","audio":{"output":{"speed":2}}}}`:                                 "decimal_above_max_value session.audio.output.speed",
			`{"type":"input_audio_buffer.commit"}`:                                                                               "input_audio_buffer_commit_empty ",
			`{"type":"input_audio_buffer.append","audio":"?"}`:                                                                   "invalid_value audio",
			`{"type":"conversation.item.retrieve","item_id":"x"}`:                                                                "item_retrieve_invalid_item_id ",
			`{"type":"conversation.item.delete","item_id":"x"}`:                                                                  "item_delete_invalid_item_id ",
			`{"type":"conversation.item.truncate","item_id":"x"}`:                                                                "item_truncate_invalid_item_id ",
			`{"type":"conversation.item.create"}`:                                                                                "missing_required_parameter item",
			`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"text","text":"x"}]}}`: "invalid_value item.content[0].type",
			`{"type":"response.create","response":7}`:                                                                            "invalid_type response",
			`{"type":"response.create","response":{"nope":1}}`:                                                                   "unknown_parameter response.nope",
			`{"type":"response.cancel"}`:                                                                                         "response_cancel_not_active ",
		} {
			c.in <- message
			e, kinds := c.until("error")
			if got := e.Error.Code + " " + e.Error.Param; got != want || kinds != "error" {
				t.Errorf("%s: got %q (%s), want %q: %s", message, got, kinds, want, e.Error.Message)
			}
		}
		c.asText()
		c.leave()
	})
}
