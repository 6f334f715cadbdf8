package realtime_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/realtime"
)

var _ = testflag.Update // go test ./... -update hands the flag to all tests

// sent collects what a session sends.
type sent struct{ events []string }

func (s *sent) host() *realtime.Host {
	return &realtime.Host{
		Write:   func(event []byte) error { s.events = append(s.events, string(event)); return nil },
		Respond: func(*realtime.Response) {},
		Now:     func() time.Time { return time.Unix(1790000000, 0) },
	}
}

// last is the last event.
func (s *sent) last() string { return s.events[len(s.events)-1] }

func TestASessionBeginsAsRecorded(t *testing.T) {
	t.Parallel()
	var s sent
	realtime.NewSession(s.host(), "gpt-realtime", ojson.Value{})
	for _, want := range []string{
		`{"type":"session.created","event_id":"event_E`, `"session":{"type":"realtime","object":"realtime.session","id":"sess_E`, `"model":"gpt-realtime","output_modalities":["audio"],"instructions":"Your knowledge cutoff is 2023-10.`,
		`"tools":[],"tool_choice":"auto","max_output_tokens":"inf","tracing":null,"truncation":"auto","prompt":null,"expires_at":1790003600,"audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transcription":null,"noise_reduction":null,` +
			`"turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,"silence_duration_ms":200,"idle_timeout_ms":null,"create_response":true,"interrupt_response":true}},` +
			`"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"alloy","speed":1.0}},"include":null}}`,
	} {
		if !strings.Contains(s.events[0], want) {
			t.Errorf("session.created is %s, which lacks %s", s.events[0], want)
		}
	}
}

// An update merges deeply, and a mistake in it changes nothing.
func TestUpdatesMergeDeeply(t *testing.T) {
	t.Parallel()
	var s sent
	session := realtime.NewSession(s.host(), "gpt-realtime", ojson.Value{})
	update := func(text string) string {
		session.Receive([]byte(`{"type":"session.update","session":{"type":"realtime",`+text+`}}`), true)
		return s.last()
	}
	for _, tt := range []struct{ given, want string }{
		{`"audio":{"input":{"turn_detection":{"silence_duration_ms":700}}}`, `"prefix_padding_ms":300,"silence_duration_ms":700`},
		{`"audio":{"output":{"speed":9},"nope":1}`, `"type":"error"`},
		{`"instructions":"Be brief."`, `"speed":1.0`},
		{`"audio":{"input":{"turn_detection":{"type":"semantic_vad"}}}`, `"turn_detection":{"type":"semantic_vad","eagerness":"auto","create_response":true,"interrupt_response":true}`},
		{`"audio":{"input":{"turn_detection":null,"transcription":{"model":"m"}}}`, `"transcription":{"model":"m","language":null,"prompt":null},"noise_reduction":null,"turn_detection":null`},
		{`"tools":[{"name":"f","parameters":{},"type":"function"}]`, `"tools":[{"type":"function","name":"f","parameters":{}}]`},
		{`"instructions":""`, `Your knowledge cutoff`},
	} {
		if got := update(tt.given); !strings.Contains(got, tt.want) {
			t.Errorf("after %s: %s lacks %s", tt.given, got, tt.want)
		}
	}
}

// Items are inserted, shown, cut short and deleted.
func TestItemsOfAConversation(t *testing.T) {
	t.Parallel()
	var s sent
	session := realtime.NewSession(s.host(), "gpt-realtime", ojson.Value{})
	for _, tt := range []struct{ given, want string }{
		{`{"type":"conversation.item.create","item":{"id":"a","type":"message","role":"user","content":[{"type":"input_text","text":"A"}]}}`, `"previous_item_id":null,"item":{"id":"a","type":"message","status":"completed","role":"user"`},
		{`{"type":"conversation.item.create","item":{"id":"c","type":"function_call_output","call_id":"x","output":"1"}}`, `"previous_item_id":"a","item":{"id":"c","type":"function_call_output","call_id":"x","output":"1"}}`},
		{`{"type":"conversation.item.create","previous_item_id":"a","item":{"id":"b","type":"message","role":"system","content":[{"type":"input_text","text":"B"}]}}`, `"previous_item_id":"a"`},
		{`{"type":"conversation.item.create","previous_item_id":"root","item":{"id":"z","type":"message","role":"user","content":[]}}`, `"previous_item_id":null`},
		{`{"type":"conversation.item.create","previous_item_id":"nobody","item":{"type":"message","role":"user","content":[]}}`, `does not exist`},
		{`{"type":"conversation.item.retrieve","item_id":"b"}`, `"item":{"id":"b","object":"realtime.item","type":"message"`},
		{`{"type":"conversation.item.truncate","item_id":"b","content_index":0,"audio_end_ms":0}`, `Only model output audio messages can be truncated`},
		{`{"type":"conversation.item.delete","item_id":"b"}`, `"type":"conversation.item.deleted"`},
		{`{"type":"conversation.item.retrieve","item_id":"b"}`, `item_retrieve_invalid_item_id`},
	} {
		session.Receive([]byte(tt.given), true)
		if !strings.Contains(s.last(), tt.want) {
			t.Errorf("%s: got %s, which lacks %s", tt.given, s.last(), tt.want)
		}
	}
}

// A conversation has a bound, and says so.
func TestAConversationIsBounded(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	var s sent
	session := realtime.NewSession(s.host(), "gpt-realtime", ojson.Value{})
	item := []byte(`{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + strings.Repeat("a", 10_000) + `"}]}}`)
	for range 4_000 {
		session.Receive(item, true)
	}
	if !strings.Contains(s.last(), "The conversation is full") {
		t.Errorf("the last event is %.200s", s.last())
	}
}

// FuzzReceive looks for client events that panic, or get something that is no event.
func FuzzReceive(f *testing.F) {
	for _, seed := range []string{
		`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"server_vad"}}}}}`,
		`{"type":"input_audio_buffer.append","audio":"AAAA"}`, `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_audio","audio":"AA=="}]}}`,
		`{"type":"response.create","response":{"input":[{"type":"item_reference","id":"a"}],"conversation":"none","metadata":{}}}`,
		`{"type":"conversation.item.truncate","item_id":"a","audio_end_ms":-1}`, `{"type":[]}`, `[`, "\x00",
	} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, message []byte, text bool) {
		var s sent
		session := realtime.NewSession(s.host(), "gpt-realtime", ojson.Value{})
		session.Receive(message, text)
		session.Receive([]byte(`{"type":"response.create"}`), true)
		for _, event := range s.events {
			var v struct {
				Type    string
				EventID string `json:"event_id"`
			}
			if err := json.Unmarshal([]byte(event), &v); err != nil || v.Type == "" || v.EventID == "" {
				t.Errorf("%q: the event %s has no type or id: %v", message, event, err)
			}
		}
	})
}
