package realtime_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
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
	testflag.NoRace(t)
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

// An item that waits for the end of a response stays before what the client sends later, also between response.done and the
// end of the response.
func TestWhatWaitsKeepsItsOrder(t *testing.T) {
	t.Parallel()
	s := newFaked()
	s.receive(`{"type":"response.create"}`, userItem("a"))
	s.play(len(answerEvents))
	s.receive(userItem("b"), `{"type":"response.create"}`)
	if got := s.last(); !strings.Contains(got, "response.done") {
		t.Errorf("%s came before the end of the response", got)
	}
	s.play(1)
	if got := s.added(); got != "answer a b" {
		t.Errorf("the items came in the order %q", got)
	}
	if n := len(s.playing); n != 1 {
		t.Errorf("%d responses are asked for behind the items, want 1", n)
	}
}

// What waits, settings and responses beside each other are bounded.
func TestASessionIsBounded(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	s := newFaked()
	s.receive(`{"type":"response.create"}`)
	for range 300 {
		s.receive(userItem("x"))
	}
	if !strings.Contains(s.last(), "Too many events wait") {
		t.Errorf("after 300 items that wait: %.200s", s.last())
	}
	for range 20 {
		s.receive(`{"type":"response.create","response":{"conversation":"none"}}`)
	}
	if len(s.playing) != 1 { // they wait behind the items
		t.Errorf("%d responses are in progress", len(s.playing))
	}
	s = newFaked()
	for range 20 {
		s.receive(`{"type":"response.create","response":{"conversation":"none"}}`)
	}
	if len(s.playing) != 16 || !strings.Contains(s.last(), "Too many responses") {
		t.Errorf("%d responses out of band are in progress; the last event is %.200s", len(s.playing), s.last())
	}
	long := strings.Repeat("a", 600_000)
	s.receive(`{"type":"session.update","session":{"type":"realtime","prompt":{"id":"`+long+`"}}}`, `{"type":"session.update","session":{"type":"realtime","prompt":{"version":"`+long+`"}}}`)
	if !strings.Contains(s.last(), "settings of the session are too large") {
		t.Errorf("after settings that grow: %.200s", s.last())
	}
	s.receive(`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}}`)
	for sound, i := soundOf(4<<20), 0; i < 9; i++ {
		s.receive(sound)
	}
	if !strings.Contains(s.last(), "The audio buffer is full") {
		t.Errorf("after 36 MiB of sound: %.200s", s.last())
	}
}

// A response out of band is cancelled by its id, while the conversation has another.
func TestAResponseOutOfBandIsCancelled(t *testing.T) {
	t.Parallel()
	s := newFaked()
	s.receive(`{"type":"response.create"}`, `{"type":"response.create","response":{"conversation":"none","metadata":{"a":"b"}}}`)
	s.play(1) // response.created of both
	s.receive(`{"type":"response.cancel","response_id":"resp_1"}`)
	if got := s.last(); !strings.Contains(got, `"id":"resp_1","status":"cancelled"`) {
		t.Errorf("got %s", got)
	}
	s.receive(`{"type":"response.cancel","response_id":"resp_1"}`)
	if got := s.last(); !strings.Contains(got, "response_cancel_not_active") {
		t.Errorf("a second time: %s", got)
	}
	s.receive(`{"type":"response.cancel"}`)
	if got := s.last(); !strings.Contains(got, `"id":"resp_0","status":"cancelled"`) {
		t.Errorf("without an id: %s", got)
	}
}

// Sound of telephony has 8,000 bytes a second: how much is enough to commit, how long it was, and how much of an answer was
// played.
func TestSoundOfTelephony(t *testing.T) {
	t.Parallel()
	for format, rate := range map[string]int{"audio/pcm": 48_000, "audio/pcmu": 8_000, "audio/pcma": 8_000} {
		s := newFaked()
		member := `{"format":{"type":"` + format + `"}`
		s.receive(`{"type":"session.update","session":{"type":"realtime","audio":{"input":` + member + `,"turn_detection":null,"transcription":{"model":"whisper-1"}},"output":` + member + `}}}}`)
		s.receive(soundOf(rate/10-2), `{"type":"input_audio_buffer.commit"}`)
		if got := s.last(); !strings.Contains(got, "buffer only has 99.") {
			t.Errorf("%s: too little sound: %.300s", format, got)
		}
		s.receive(soundOf(rate*2), `{"type":"input_audio_buffer.commit"}`, `{"type":"response.create"}`)
		s.playing[0].r.Said("Hi")
		if got := s.last(); !strings.Contains(got, `"seconds":3`) { // 2.1 seconds
			t.Errorf("%s: %s", format, got)
		}
		s.play(len(answerEvents) + 1) // has 9,600 bytes of sound
		s.receive(`{"type":"conversation.item.truncate","item_id":"answer","content_index":0,"audio_end_ms":3000}`)
		if want := fmt.Sprintf("Audio content of %dms is already shorter than 3000ms", 9_600*1000/rate); !strings.Contains(s.last(), want) {
			t.Errorf("%s: %s lacks %s", format, s.last(), want)
		}
	}
}

// What a message says aloud is told for the part with the sound, wherever it stands, and nothing else becomes of the others.
func TestTheTranscriptBelongsToThePartWithTheSound(t *testing.T) {
	t.Parallel()
	s := newFaked()
	s.receive(`{"type":"conversation.item.create","item":{"id":"a","type":"message","role":"user","content":[{"type":"input_text","text":"Look:"},{"type":"input_audio","audio":"AAAA"}]}}`, `{"type":"response.create"}`)
	s.playing[0].r.Said("Hi")
	s.receive(`{"type":"conversation.item.retrieve","item_id":"a"}`)
	if want := `"content":[{"type":"input_text","text":"Look:"},{"type":"input_audio","transcript":"Hi","audio":"AAAA"}]`; !strings.Contains(s.last(), want) {
		t.Errorf("got %s", s.last())
	}
}

// answerEvents are the events of an answer, of which the fake says the first with the number of the response.
var answerEvents = []string{
	`{"type":"response.created","response":{"object":"realtime.response","id":"resp_%d","status":"in_progress"}}`,
	`{"type":"response.output_item.added","item":{"id":"answer","type":"message","role":"assistant","content":[]}}`,
	`{"type":"conversation.item.added","item":{"id":"answer","type":"message","role":"assistant","content":[]}}`,
	`{"type":"response.content_part.added","item_id":"answer","part":{"type":"audio"}}`,
	`{"type":"response.output_audio_transcript.delta","item_id":"answer","delta":"Hello"}`,
	`{"type":"response.output_audio.delta","item_id":"answer","delta":"` + strings.Repeat("A", 12_800) + `"}`,
	`{"type":"conversation.item.done","item":{"id":"answer","type":"message","role":"assistant","content":[{"type":"output_audio","transcript":"Hello"}]}}`,
	`{"type":"response.output_item.done","item":{"id":"answer","type":"message","role":"assistant","content":[{"type":"output_audio","transcript":"Hello"}]}}`,
	`{"type":"response.done","response":{"id":"resp","status":"completed"}}`,
}

// faked is a session whose responses are said event by event.
type faked struct {
	sent
	*realtime.Session
	playing []*played
	asked   int
}

// played is a response of which this many events were sent.
type played struct {
	r         *realtime.Response
	number, n int
}

func newFaked() *faked {
	s := &faked{}
	host := s.host()
	host.Respond = func(r *realtime.Response) {
		s.playing = append(s.playing, &played{r: r, number: s.asked})
		s.asked++
	}
	s.Session = realtime.NewSession(host, "gpt-realtime", ojson.Value{})
	return s
}

func (s *faked) receive(messages ...string) {
	for _, message := range messages {
		s.Receive([]byte(message), true)
	}
}

// play sends the next n events of each response. What follows the last, or an interruption, is its end.
func (s *faked) play(n int) {
	for range n {
		for _, p := range slices.Clone(s.playing) {
			if p.n == len(answerEvents) || p.r.Stopped.Err() != nil {
				s.playing = slices.DeleteFunc(s.playing, func(other *played) bool { return other == p })
				p.r.End()
				continue
			}
			_ = p.r.Send([]byte(strings.Replace(answerEvents[p.n], "resp_%d", fmt.Sprintf("resp_%d", p.number), 1)))
			p.n++
		}
	}
}

// added lists the ids of the items that were added, each once.
func (s *faked) added() string {
	var list []string
	for _, event := range s.events {
		var v struct {
			Type string
			Item struct{ ID string }
		}
		if json.Unmarshal([]byte(event), &v) == nil && v.Type == "conversation.item.added" {
			list = append(list, v.Item.ID)
		}
	}
	return strings.Join(list, " ")
}

func userItem(id string) string {
	return `{"type":"conversation.item.create","item":{"id":"` + id + `","type":"message","role":"user","content":[{"type":"input_text","text":"` + id + `"}]}}`
}

// soundOf appends n bytes of silence.
func soundOf(n int) string {
	return `{"type":"input_audio_buffer.append","audio":"` + base64.StdEncoding.EncodeToString(make([]byte, n)) + `"}`
}

// FuzzReceive looks for client events that panic, get something that is no event, or let a session hang. An input is lines:
// client events, a dot for the next event of each response that is being said, a plus for sound, and a minus for quiet.
func FuzzReceive(f *testing.F) {
	const create, cancel = `{"type":"response.create"}`, `{"type":"response.cancel"}`
	for _, seed := range []string{
		`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":{"type":"server_vad"}}}}}`,
		`{"type":"input_audio_buffer.append","audio":"AAAA"}`, `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_audio","audio":"AA=="}]}}`,
		`{"type":"response.create","response":{"input":[{"type":"item_reference","id":"a"}],"conversation":"none","metadata":{}}}`,
		`{"type":"conversation.item.truncate","item_id":"a","audio_end_ms":-1}`, `{"type":[]}`, `[`, "\x00",
		"+\n-\n.\n.\n.\n.\n+\n-", create + "\n.\n.\n.\n.\n.\n.\n" + cancel + "\n" + create + "\n.",
		create + "\n" + userItem("a") + "\n" + create + strings.Repeat("\n.", 12) + "\n" + `{"type":"conversation.item.truncate","item_id":"answer","content_index":0,"audio_end_ms":100}` + "\n" + `{"type":"conversation.item.retrieve","item_id":"answer"}`,
		`{"type":"session.update","session":{"type":"realtime","audio":{"input":{"format":{"type":"audio/pcmu"},"turn_detection":{"prefix_padding_ms":-1,"threshold":0}}}}}` + "\n+\n-",
		create + "\n.\n" + `{"type":"response.create","response":{"conversation":"none"}}` + "\n.\n" + `{"type":"response.cancel","response_id":"resp_1"}` + "\n.\n.",
	} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, input []byte, text bool) {
		s := newFaked()
		defer s.Close()
		for line := range bytes.SplitSeq(input, []byte("\n")) {
			switch string(line) {
			case ".":
				s.play(1)
			case "+", "-":
				s.receive(secondOf(string(line) == "+"))
			default:
				s.Receive(line, text)
			}
		}
		for range 1000 {
			if len(s.playing) > 0 {
				s.play(len(answerEvents) + 1)
			}
		}
		if len(s.playing) > 0 {
			t.Errorf("%q: %d responses do not end", input, len(s.playing))
		}
		for _, event := range s.events {
			var v struct {
				Type    string
				EventID string `json:"event_id"`
			}
			if err := json.Unmarshal([]byte(event), &v); err != nil || v.Type == "" || v.EventID == "" {
				t.Errorf("%q: the event %s has no type or id: %v", input, event, err)
			}
		}
	})
}

// secondOf appends a second of sound, loud or quiet.
func secondOf(loud bool) string {
	sample := "\x00\x00"
	if loud {
		sample = "\x00\x20"
	}
	return `{"type":"input_audio_buffer.append","audio":"` + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(sample, 24_000))) + `"}`
}
