package recording_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// pinned plays the bundled scenarios at a fixed time.
func pinned(t *testing.T) *server.Server {
	t.Helper()
	return fakeWith(t, server.Config{Speed: 1, Seed: 1, Created: 1790000000}, bundledFiles(t)...)
}

// written returns the file of an exchange.
func written(t *testing.T, x *recording.Exchange) string {
	t.Helper()
	sc, err := recording.Write(x, "recorded")
	if err != nil {
		t.Fatal(err)
	}
	text, err := yamlfile.Format(sc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// literals counts the steps that are events as they were recorded.
func literals(text string) (n int) {
	for _, step := range []string{"chunk", "event", "raw", "delta", "tool_calls", "fragment"} {
		n += strings.Count(text, "\n  - "+step+": ")
	}
	return n
}

// The stream of each bundled scenario is written in steps with words, except for the events that
// have no word.
func TestEventsAreWrittenAsSteps(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	left := map[string]int{
		"chat cut": 1, "responses cut": 1, // half an event
		"chat error-event": 1, "responses error-event": 1, "chat pretty-error": 1, "responses pretty-error": 1, // errors as other servers send them
		"chat azure-first-chunk": 1, "chat function-call": 5, "chat image-url-delta": 1, // members of other servers, and of the past
	}
	fake := bundledAtOnce(t)
	for _, name := range fixtures.Names() {
		for surface, r := range map[string]int{"chat": 0, "responses": 3} {
			x := exchangeWith(t, fake, name, requests[r].path, requests[r].body)
			if !strings.HasPrefix(x.AnswerHeader.Get("Content-Type"), "text/event-stream") {
				continue
			}
			text := written(t, x)
			if got, want := literals(text), left[surface+" "+name]; got != want {
				t.Errorf("%s %s: %d events are written as they are, want %d\n%s", surface, name, got, want, text)
			}
		}
	}
}

// What belongs to a part of a text is written at its step.
func TestPartsAreWrittenAtTheirStep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		steps, want string
	}{
		"a text in two parts":    {"{content: One}, {content: Two, next: part}, {refusal: No}, {finish: stop}", "content: \"Two\"\n    next: part\n  - refusal: \"No\"\n  - finish"},
		"reasoning in two parts": {"{reasoning: {text: A}}, {reasoning: {text: B, next: part}}, {finish: stop}", "reasoning: {text: \"B\", next: part}"},
	} {
		source := yamlfile.Source{Name: "x.yaml", Data: []byte("{name: x, when: {surface: responses}, stream: [{role: assistant}, " + tt.steps + "]}")}
		x := exchangeWith(t, newFakeAt(t, server.Instant, source), "x", requests[3].path, requests[3].body)
		if text := written(t, x); !strings.Contains(text, tt.want) || literals(text) > 0 {
			t.Errorf("%s: want %q in\n%s", name, tt.want, text)
		}
		checkPlayedAgain(t, x)
	}
}

// The service leaves items open before a failure. What closes them elsewhere is literal.
func TestAFailureIsWrittenWithTheItemsThatAreClosed(t *testing.T) {
	t.Parallel()
	for closes, literally := range map[string]int{
		"": 0,
		", {chunk: {type: response.output_item.done, output_index: 0, item: {id: fc_1, type: function_call, status: completed, call_id: call_1, name: f, arguments: '{}'}, sequence_number: 4}}": 1,
	} {
		quirks := strings.Repeat("text-not-done", literally)
		source := yamlfile.Source{Name: "x.yaml", Data: []byte("{name: x, when: {surface: responses}, envelope: {response: failed, item_ids: [fc_1]}, quirks: [" + quirks + "], " +
			"stream: [{role: assistant}, {tool_call: {id: call_1, name: f, arguments: '{}'}}" + closes + ", {finish: tool_calls}]}")}
		x := exchangeWith(t, newFakeAt(t, server.Instant, source), "x", requests[3].path, requests[3].body)
		if text := written(t, x); literals(text) != literally {
			t.Errorf("%d events are to be literal in\n%s", literally, text)
		}
		checkPlayedAgain(t, x)
	}
}

// The files of some recordings, as users read them.
func TestRecordingsReadLikeThis(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	fake := pinned(t)
	for _, name := range []string{"plain-text", "parallel-calls", "reasoning", "responses-web-search", "responses-code-interpreter", "created-per-chunk", "content-filter", "error-mid-stream"} {
		for surface, r := range map[string]int{"chat": 0, "responses": 3} {
			if surface == "chat" && strings.HasPrefix(name, "responses-") {
				continue
			}
			x := exchangeWith(t, fake, name, requests[r].path, requests[r].body)
			testflag.Golden(t, filepath.Join("testdata", strings.TrimPrefix(name, "responses-")+"."+surface+".stream.yaml"), written(t, x))
		}
	}
}

// responses returns an exchange with a plain text on the Responses API, after change has changed
// its events.
func responses(t *testing.T, change func(events []string) []string) *recording.Exchange {
	t.Helper()
	x := exchangeWith(t, bundledAtOnce(t, "plain-text"), "plain-text", requests[3].path, requests[3].body)
	events := strings.SplitAfter(bodyOf(x), "\n\n")
	x.Pieces = nil
	for i, e := range change(events[:len(events)-1]) {
		x.Pieces = append(x.Pieces, recording.Piece{At: time.Duration(i*i) * 3 * time.Millisecond, Data: []byte(e)})
	}
	return x
}

// replaced returns a function that replaces a text in all events.
func replaced(pairs ...string) func([]string) []string {
	return func(events []string) []string {
		for i, e := range events {
			events[i] = strings.NewReplacer(pairs...).Replace(e)
		}
		return events
	}
}

// Where events differ from those that steps send, the step edits them if it can. Pauses inside
// the events of a step are kept.
func TestWhatDiffersIsEdited(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for name, tt := range map[string]struct {
		change   func([]string) []string
		want     string // want is a part of the file.
		literals int
	}{
		"a member of all snapshots": {replaced(`"temperature":1.0`, `"temperature":0.5`), "  set: {temperature: 0.5}\n", 0},
		"a member inside of one":    {replaced(`"effort":null`, `"effort":"low"`), `  set: {reasoning: {effort: "low", summary: null}}` + "\n", 0},
		"a member of the last snapshot": {func(events []string) []string {
			events[16] = strings.Replace(events[16], `"completed_at":`, `"completed_at":1`, 1)
			return events
		}, `  set: {"response.completed.completed_at": 1`, 0},
		"a member that is missing":   {replaced(`"moderation":null,`, ``), `  omit: ["moderation"]` + "\n", 0},
		"a member that nobody knows": {replaced(`,"metadata":{}`, `,"metadata":{},"mood":"good"`), `  set: {"response.mood": "good"}` + "\n", 0},
		"a member of all deltas":     {replaced(`"logprobs":[],"output_index":0,"obf`, `"output_index":0,"obf`), `  omit: ["response.output_text.delta.logprobs"]` + "\n", 0},
		"a member of one event": {func(events []string) []string {
			return append(events[:12:12], replaced(`"output_index":0`, `"output_index":7`)(events[12:13])[0], events[13], events[14], events[15], events[16])
		}, "  - content: \"?\"\n    set: {output_index: 7}\n", 0},
		"no obfuscation":           {func(events []string) []string { return withoutMember(events, "obfuscation") }, "  obfuscation: false\n", 0},
		"no names":                 {func(events []string) []string { return withoutLines(events, "event: ") }, "  event_name: null\n", 0},
		"no end":                   {func(events []string) []string { return events[:13] }, "  - content: \"?\"\n", 0},
		"half an end":              {func(events []string) []string { return events[:15] }, "  - chunk: {type: \"response.content_part.done\"", 2},
		"members in another order": {replaced(`"output_index":0,"sequence_number"`, `"sequence_number"`, `"type":"response.output_item.done",`, `"type":"response.output_item.done","output_index":0,`), "  - chunk: {type: \"response.output_text.done\"", 4},
		"a last event in another order": {func(events []string) []string {
			last := strings.Replace(events[16], `,"sequence_number":16}`, "}", 1)
			events[16] = strings.Replace(last, `{"type":"response.completed",`, `{"sequence_number":16,"type":"response.completed",`, 1)
			return events
		}, "  - chunk: {sequence_number: 16, type: \"response.completed\"", 4},
		"an event that nobody knows": {func(events []string) []string {
			return append(events[:13:13], "event: x.y\ndata: {\"type\":\"x.y\",\"sequence_number\":13}\n\n")
		}, "  - chunk: {type: \"x.y\", sequence_number: 13}\n", 1},
		"a comment": {func(events []string) []string { return append([]string{": hello\n\n"}, events...) }, "  - comment: \"hello\"\n", 0},
		"[DONE]":    {func(events []string) []string { return append(events, "data: [DONE]\n\n") }, "  done: 1\n", 0},
		"an item with another status": {func(events []string) []string {
			events[15] = strings.Replace(events[15], `"completed"`, `"incomplete"`, 1)
			return events
		}, "  - finish: stop\n    set: {\"item.status\": \"incomplete\"}\n", 0},
		"nothing of the start":          {func(events []string) []string { return events[2:] }, "  - chunk: {type: \"response.output_item.added\"", 15},
		"two texts in different pieces": {replaced(`"content_index":0,"delta":"?"`, `"content_index":1,"delta":"?"`), "    set: {content_index: 1}\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := responses(t, tt.change)
			text := written(t, x)
			if !strings.Contains(text, tt.want) || literals(text) != tt.literals {
				t.Errorf("%d events are written as they are, want %d, and %q in\n%s", literals(text), tt.literals, tt.want, text)
			}
			checkPlayedAgain(t, x)
		})
	}
}

// withoutMember returns a function that removes a member with a text from the events.
func withoutMember(events []string, name string) []string {
	for i, e := range events {
		before, after, found := strings.Cut(e, `"`+name+`":"`)
		if found {
			_, after, _ = strings.Cut(after, `",`)
			events[i] = before + after
		}
	}
	return events
}

// withoutLines returns a function that removes the lines that begin with a text.
func withoutLines(events []string, prefix string) []string {
	for i, e := range events {
		lines := strings.SplitAfter(e, "\n")
		for n, l := range lines {
			if strings.HasPrefix(l, prefix) {
				lines[n] = ""
			}
		}
		events[i] = strings.Join(lines, "")
	}
	return events
}

// Consecutive fragments of a call are written as one call, with the pieces in which it came.
// Other fragments stay fragments.
func TestFragmentsBecomeCalls(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	const start = `{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}`
	piece := func(index int, text string) string {
		return fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%q}}]}`, index, text)
	}
	for name, tt := range map[string]struct {
		deltas []string
		want   string
	}{
		"pieces of any length": {[]string{start, piece(0, `{"a":`), piece(0, `1`), piece(0, `}`)},
			"  - tool_call: {id: call_1, name: f}\n    pieces: [\"{\\\"a\\\":\", \"1\", \"}\"]\n"},
		"pieces of the same length": {[]string{start, piece(0, `{"abc`), piece(0, `d":10`), piece(0, `000}`)},
			"  - tool_call: {id: call_1, name: f, arguments: \"{\\\"abcd\\\":10000}\"}\n    pieces: 3\n"},
		"pieces of the service": {[]string{start, piece(0, `{"`), piece(0, `a":1`), piece(0, `}`)}, "  - tool_call: {id: call_1, name: f"},
		"no arguments":          {[]string{start}, "  - tool_call: {id: call_1, name: f}\n"},
		"all at once": {[]string{strings.Replace(start, `"arguments":""`, `"arguments":"{}"`, 1)},
			"  - tool_call: {id: call_1, name: f, arguments: \"{}\"}\n    pieces: 0\n"},
		"an index of its own": {[]string{strings.Replace(start, `"index":0`, `"index":3`, 1), piece(3, `{}`)},
			"  - tool_call: {id: call_1, name: f, arguments: \"{}\", index: 3}\n"},
		"by turns": {[]string{start, piece(0, `{`), strings.NewReplacer(`"index":0`, `"index":1`, "call_1", "call_2").Replace(start), piece(1, `{}`), piece(0, `}`)},
			"  - fragment: {index: 0, arguments: \"}\"}\n"},
		"text between": {[]string{start, piece(0, `{`), `{"content":"Hi"}`, piece(0, `}`)}, "  - content: \"Hi\"\n  - fragment: {index: 0, arguments: \"}\"}\n"},
		"a name again": {[]string{start, `{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}`}, "  - fragment: {index: 0, name: f, arguments: \"{}\"}\n"},
		"no start":     {[]string{piece(0, `{}`)}, "  - fragment: {index: 0, arguments: \"{}\"}\n"},
	} {
		x := streamed(append([]string{roleDelta}, tt.deltas...)...)
		if text := written(t, x); !strings.Contains(text, tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, text, tt.want)
		}
		checkPlayedAgain(t, x)
	}
}

// A recording in any layout of the Responses API is written with that layout.
func TestLayoutsAreFound(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	for _, layout := range []string{"2026-02", "2025-10", "2025-03", "azure"} {
		fake := newFakeAt(t, server.Instant, yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nenvelope: { layout: " + layout + " }\nmessage: { content: Hi, tool_calls: [{ id: c, name: f, arguments: '{}' }] }\n")})
		for i, r := range requests[3:] {
			if i == 1 && layout == "2026-02" {
				continue // the layout 2026-02 concerns only events
			}
			x := exchangeWith(t, fake, "x", r.path, r.body)
			text := written(t, x)
			if !strings.Contains(text, "  layout: "+layout+"\n") || literals(text) > 0 || strings.Contains(text, "set: ") || strings.Contains(text, "body: ") {
				t.Errorf("%s, recorded from %s, is\n%s", layout, r.body, text)
			}
		}
	}
}

// What the server adds to a chunk by itself is left out again.
func TestAChunkLeavesOutWhatTheServerAdds(t *testing.T) {
	t.Parallel()
	x := streamed(roleDelta, `{"content":"Hi"}`)
	const end = "data: [DONE]\n\n"
	last := &x.Pieces[len(x.Pieces)-1].Data
	usage := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-2024-08-06","system_fingerprint":"fp_1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}` + "\n\n"
	*last = []byte(strings.Replace(string(*last), end, usage+end, 1))
	text := written(t, x)
	if want := "  - usage: {prompt_tokens: 7, completion_tokens: 2}\n    omit: [\"usage.prompt_tokens_details\", \"usage.completion_tokens_details\"]\n"; !strings.Contains(text, want) || literals(text) > 0 {
		t.Errorf("want %q in\n%s", want, text)
	}
}

// Streams of the most common other servers are written as steps. What all their chunks lack or add is said
// once.
func TestStreamsOfOtherServersAreReadable(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		chunk  string // chunk has a delta and a finish_reason, with %s for both.
		deltas [][2]string
		want   string // want is in the envelope.
	}{
		"vLLM": {
			`{"id":"c-1","object":"chat.completion.chunk","created":1,"model":"llama","choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}]}`,
			[][2]string{{`{"role":"assistant","content":""}`, `null`}, {`{"content":"Hel"}`, `null`}, {`{"content":"lo"}`, `null`}, {`{"content":""}`, `"stop","stop_reason":null`}},
			`  omit: ["service_tier", "system_fingerprint", "obfuscation"]`,
		},
		"DeepSeek": {
			`{"id":"c-1","object":"chat.completion.chunk","created":1,"model":"deepseek-chat","system_fingerprint":"fp_a","choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}]}`,
			[][2]string{{`{"role":"assistant","content":""}`, `null`}, {`{"content":"Hel"}`, `null`}, {`{"content":"lo"}`, `null`}, {`{"content":""}`, `"stop"`}},
			`  layout: "2024"`,
		},
		"Gemini": {
			`{"choices":[{"delta":%s,%s"index":0}],"created":1,"id":"c-1","model":"gemini","object":"chat.completion.chunk"}`,
			[][2]string{{`{"content":"Hel","role":"assistant"}`, ``}, {`{"content":"lo","role":"assistant"}`, ``}, {`{"content":".","role":"assistant"}`, `"finish_reason":"stop",`}},
			`  order: ["choices", "created", "id", "model", "object", `,
		},
	} {
		var stream strings.Builder
		for _, d := range tt.deltas {
			fmt.Fprintf(&stream, "data: "+tt.chunk+"\n\n", d[0], d[1])
		}
		x := streamIn(map[int]string{0: stream.String() + "data: [DONE]\n\n"})
		x.Body = []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}`)
		if text, _ := checkBytesAgain(t, name, x); literals(text) > 0 || !strings.Contains(text, tt.want) {
			t.Errorf("%s: it is\n%s", name, text)
		}
	}
}
