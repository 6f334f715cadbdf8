package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/testkit"
)

// spoken are the lines of the first reply of a scenario, one to a line of text:
// the choice, the delta, and what else the chunk holds. A hole is shown as its
// number in angle brackets.
func spoken(t *testing.T, src string, ask script.Ask) (string, *script.Lines) {
	t.Helper()
	set, diags := yamlfile.Check(answer.Check, yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\n" + src)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	s := set.Scenarios()[0]
	sel := &scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: testkit.RichRequest(t), Seed: 7, Manner: s.Manner.Under(s.Replies[0].Manner)}
	sel.Match = map[string]string{}
	for _, name := range s.When.GroupNames() {
		sel.Match[name] = "Oslo"
	}
	lines, err := script.Expand(sel, ask)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i := range lines.Lines {
		fmt.Fprintln(&out, spokenLine(&lines.Lines[i]))
	}
	return out.String(), lines
}

func spokenLine(l *script.Line) string {
	parts := []string{string(l.Kind)}
	if l.Choice > 0 {
		parts = append(parts, fmt.Sprintf("choice=%d", l.Choice))
	}
	for _, v := range []struct {
		name  string
		value ojson.Value
	}{{"", l.Delta}, {"logprobs=", l.Logprobs}, {"finish=", finishOf(l)}, {"usage=", l.Usage}, {"error=", l.Error}, {"chunk=", l.Chunk}, {"extra=", l.Extra}} {
		if !v.value.IsAbsent() {
			parts = append(parts, v.name+shown(v.value))
		}
	}
	for _, p := range l.Omit {
		parts = append(parts, "omit="+p.String())
	}
	for _, a := range l.Set {
		parts = append(parts, "set="+a.Path.String()+"="+a.Value.String())
	}
	if l.Text != "" {
		parts = append(parts, fmt.Sprintf("%q", l.Text))
	}
	if l.Gap != nil {
		parts = append(parts, "gap="+l.Gap.String())
	}
	return strings.Join(parts, " ")
}

// finishOf is the finish of a line as JSON.
func finishOf(l *script.Line) ojson.Value {
	switch {
	case !l.Finish.Present:
		return ojson.Value{}
	case l.Finish.Null:
		return ojson.Null()
	}
	return ojson.String(l.Finish.Value)
}

func shown(v ojson.Value) string {
	text := v.String()
	for n := range 256 {
		text = strings.ReplaceAll(text, string([]byte{0, byte(n)}), fmt.Sprintf("<%d>", n))
	}
	return text
}

// The streams of messages, as wire recordings have them. The layout adds the
// empty members beside a role, logprobs: null and usage: null.
func TestMessagesBecomeTheStreamsOfTheRealService(t *testing.T) {
	t.Parallel()
	const details = `"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}`
	for _, tt := range []struct {
		name, src string
		ask       script.Ask
		layout    scenarios.Layout
		want      string
	}{
		{"plain text", "message: Hello world.", script.Ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"Hello"}
content {"content":" world"}
content {"content":"."}
finish {} finish="stop"
`},
		{"usage that is asked for is counted", "message: Hello world.", script.Ask{Usage: true}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"Hello"}
content {"content":" world"}
content {"content":"."}
finish {} finish="stop"
usage usage={"prompt_tokens":<5>,"completion_tokens":3,"total_tokens":<6>,` + details + `}
`},
		{"an answer that is not streamed always has usage", "message: Hi", script.Ask{Fold: true, Layout: scenarios.LayoutMinimal}, scenarios.LayoutMinimal, `
role {"role":"assistant"}
content {"content":"Hi"}
finish {} finish="stop"
usage usage={"prompt_tokens":<5>,"completion_tokens":1,"total_tokens":<6>}
`},
		{"an empty answer", `message: { content: "" }`, script.Ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
finish {} finish="stop"
`},
		{"a length stop", "message: { content: Once upon, finish: length }", script.Ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"Once"}
content {"content":" upon"}
finish {} finish="length"
`},
		{"a single call opens beside the role", `message: { tool_calls: [{ name: f, arguments: '{"city":"Oslo"}' }] }`, script.Ask{}, scenarios.LayoutGPT4o, `
tool {"role":"assistant","tool_calls":[{"index":0,"id":<32>,"type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{\""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"city"}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"\":\"Os"}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"lo\"}"}}]}
finish {} finish="tool_calls"
`},
		{"parallel calls come one after the other, in their layout", `message: { tool_calls: [{ id: call_a, name: f }, { id: call_b, name: g }] }`, script.Ask{}, scenarios.LayoutParallel, `
role {"role":"assistant","content":null} omit=delta.refusal
tool {"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
tool {"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"g","arguments":""}}]}
tool {"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}
finish {} finish="tool_calls"
`},
		{"a reasoning model keeps its layout with parallel calls", `message: { tool_calls: [{ id: a, name: f }, { id: b, name: g }] }`, script.Ask{Layout: scenarios.LayoutReasoning}, scenarios.LayoutReasoning, `
role {"role":"assistant","content":null} omit=delta.refusal
tool {"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
tool {"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}]}
tool {"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}
finish {} finish="tool_calls"
`},
		{"text, then a call", `message: { content: Let me, tool_calls: [{ id: a, name: f }] }`, script.Ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"Let"}
content {"content":" me"}
tool {"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
finish {} finish="tool_calls"
`},
		{"a custom tool call", `message: { custom_tool_calls: [{ id: a, name: sh, input: ls -l }] }`, script.Ask{}, scenarios.LayoutGPT4o, `
tool {"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"sh","input":""}}]}
tool {"tool_calls":[{"index":0,"custom":{"input":"ls"}}]}
tool {"tool_calls":[{"index":0,"custom":{"input":" -l"}}]}
finish {} finish="tool_calls"
`},
		{"a legacy function call", `message: { function_call: { name: f, arguments: '{"a":1}' } }`, script.Ask{}, scenarios.LayoutGPT4o, `
tool {"role":"assistant","function_call":{"name":"f","arguments":""}}
tool {"function_call":{"arguments":"{\""}}
tool {"function_call":{"arguments":"a\":1}"}}
finish {} finish="function_call"
`},
		{"a refusal", "message: { refusal: I cannot. }", script.Ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant","content":null,"refusal":""}
refusal {"refusal":"I"}
refusal {"refusal":" cannot"}
refusal {"refusal":"."}
finish {} finish="stop"
`},
		{"reasoning comes before the content", "quirks: [reasoning-member]\nmessage: { reasoning: Hm now, content: Yes }", script.Ask{Usage: true, Layout: scenarios.LayoutMinimal}, scenarios.LayoutMinimal, `
role {"role":"assistant"}
reasoning {"reasoning_content":"Hm"}
reasoning {"reasoning_content":" now"}
content {"content":"Yes"}
finish {} finish="stop"
usage usage={"prompt_tokens":<5>,"completion_tokens":3,"total_tokens":<6>}
`},
		{"annotations are one late chunk", "message: { content: See, annotations: [{ type: url_citation }] }", script.Ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"See"}
chunk {"annotations":[{"type":"url_citation"}]}
finish {} finish="stop"
`},
		{"audio: expires_at comes last and there is no finish", "envelope: { created: 1700000000 }\nmessage: { audio: { id: audio_1, transcript: Hi all, data: AAAA } }", script.Ask{Usage: true}, scenarios.LayoutAudio, `
role {"role":"assistant"} omit=delta.content
audio {"content":null,"audio":{"id":"audio_1","transcript":"Hi"}}
audio {"audio":{"transcript":" all"}}
audio {"role":"assistant","content":null,"audio":{"id":"audio_1","data":"AAAA"}}
usage usage={"prompt_tokens":<5>,"completion_tokens":2,"total_tokens":<6>,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0,"text_tokens":0,"image_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0,"text_tokens":0}}
audio {"audio":{"expires_at":1700003600}} omit=finish_reason
`},
		{"authored log-probabilities cut the text", `message: { content: "Hé!", logprobs: [{ token: "H", logprob: -0.5 }, { token: "\\xc3", logprob: -1, bytes: [195] }, { token: "\\xa9!", logprob: -2, bytes: [169, 33] }] }`, script.Ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"} logprobs={"content":[],"refusal":null}
content {"content":"H"} logprobs={"content":[{"token":"H","logprob":-0.5}],"refusal":null}
content {"content":"é!"} logprobs={"content":[{"token":"\\xc3","logprob":-1,"bytes":[195]},{"token":"\\xa9!","logprob":-2,"bytes":[169,33]}],"refusal":null}
finish {} finish="stop"
`},
		{"log-probabilities of a refusal", `message: { refusal: "No.", logprobs: { refusal: [{ token: "No.", logprob: -0.5 }] } }`, script.Ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant","content":null,"refusal":""} logprobs={"content":null,"refusal":[]}
refusal {"refusal":"No."} logprobs={"content":null,"refusal":[{"token":"No.","logprob":-0.5}]}
finish {} finish="stop"
`},
		{"log-probabilities that are switched off", "message: { content: So, logprobs: false }", script.Ask{Logprobs: true}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"So"}
finish {} finish="stop"
`},
		{"a reasoning model has no log-probabilities", "message: So", script.Ask{Logprobs: true, Layout: scenarios.LayoutReasoning}, scenarios.LayoutReasoning, `
role {"role":"assistant"}
content {"content":"So"}
finish {} finish="stop"
`},
		{"several choices open in turn, take turns and finish in order", `message: { choices: [One two three, { content: Un, finish: length }], usage: { prompt_tokens: 1, completion_tokens: 4 } }`, script.Ask{Usage: true, Layout: scenarios.LayoutMinimal}, scenarios.LayoutMinimal, `
role {"role":"assistant"}
content {"content":"One"}
role choice=1 {"role":"assistant"}
content choice=1 {"content":"Un"}
content {"content":" two"}
content {"content":" three"}
finish {} finish="stop"
finish choice=1 {} finish="length"
usage usage={"prompt_tokens":1,"completion_tokens":4,"total_tokens":5}
`},
		{"n asks for the message several times", `message: "{{ .request.user }} a"`, script.Ask{N: 2}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"ada"}
role choice=1 {"role":"assistant"}
content choice=1 {"content":"ada"}
content {"content":" a"}
content choice=1 {"content":" a"}
finish {} finish="stop"
finish choice=1 {} finish="stop"
`},
		{"calls of several choices have ids of their own", `message: { tool_calls: [{ name: f }] }`, script.Ask{N: 2}, scenarios.LayoutGPT4o, `
tool {"role":"assistant","tool_calls":[{"index":0,"id":<32>,"type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
tool choice=1 {"role":"assistant","tool_calls":[{"index":0,"id":<33>,"type":"function","function":{"name":"f","arguments":""}}]}
tool choice=1 {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
finish {} finish="tool_calls"
finish choice=1 {} finish="tool_calls"
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, lines := spoken(t, tt.src, tt.ask)
			if want := strings.TrimPrefix(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if lines.Layout != tt.layout {
				t.Errorf("got the layout %s, want %s", lines.Layout, tt.layout)
			}
		})
	}
}

func TestGeneratedLogprobsSpellTheTextAndListWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	_, lines := spoken(t, `message: "It is 18 °C in {{ .match.city }}.\n"
when: { user: { matches: '(?P<city>\w+)' } }`, script.Ask{Logprobs: true, TopLogprobs: 20})
	text := ""
	for _, l := range lines.Lines {
		for _, entry := range l.Logprobs.Get("content").Items() {
			text += spelledBy(t, entry)
			if n := len(entry.Get("top_logprobs").Items()); n != 20 {
				t.Errorf("%d top_logprobs, want 20: %s", n, entry)
			}
			if first := entry.Get("top_logprobs").Items()[0]; first.Get("token").Text() != entry.Get("token").Text() {
				t.Errorf("the token is not the likeliest of its top_logprobs: %s", entry)
			}
			if p := entry.Get("logprob").Text(); !strings.HasPrefix(p, "-") {
				t.Errorf("the log-probability %s is not negative", p)
			}
		}
	}
	if want := "It is 18 °C in Oslo.\n"; text != want {
		t.Errorf("the tokens spell %q, want %q", text, want)
	}
}

// spelledBy is the text of a token: its bytes.
func spelledBy(t *testing.T, entry ojson.Value) string {
	t.Helper()
	var text []byte
	for _, item := range entry.Get("bytes").Items() {
		n, ok := item.Int()
		if !ok || n < 0 || n > 255 {
			t.Errorf("a token has the byte %s: %s", item, entry)
		}
		text = append(text, byte(n))
	}
	return string(text)
}

func TestMoreCallsThanHolesStillHaveIDs(t *testing.T) {
	t.Parallel()
	_, lines := spoken(t, "message: { tool_calls: [{ name: f }, { name: g }] }", script.Ask{N: 128})
	seen := map[string]bool{}
	for _, l := range lines.Lines {
		for _, call := range l.Delta.Get("tool_calls").Items() {
			if id := call.Get("id"); !id.IsAbsent() {
				seen[id.String()] = true
			}
		}
	}
	if len(seen) != 256 || len(lines.Drawn) != int(script.HoleFill-script.HoleDrawn) {
		t.Errorf("%d different ids, %d of them drawn; want 256 and 192", len(seen), len(lines.Drawn))
	}
}

func TestOnlyWhatDependsOnTheRequestIsNotStatic(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		"message: Hello":                                                    true,
		"message: { fake: { words: 3 } }":                                   true,
		"message: { tool_calls: [{ name: f }] }":                            true,
		"message: { fake: { json_schema: request } }":                       false,
		"message: '{{ .last_user }}'":                                       false,
		"message: { tool_calls: [{ name: get_weather, arguments: fake }] }": false,
		"stream: [{ role: assistant }, { content: a, extra: { b: '{{ .turn }}' } }, { finish: stop }]": false,
	} {
		if _, lines := spoken(t, src, script.Ask{}); lines.Static != want {
			t.Errorf("%s: static is %t, want %t", src, lines.Static, want)
		}
	}
}
