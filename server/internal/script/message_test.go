package script_test

import (
	"math"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// messageScript returns the script of the first reply of a scenario without mistakes, for this
// want.
func messageScript(t *testing.T, src string, a ask) (*script.Script, script.Want) {
	t.Helper()
	sel, want := checkedAsking(t, src, a)
	sc, problems := script.NewFor(sel, want).Reply(chat.Surface{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return sc, want
}

func checkedAsking(t *testing.T, src string, a ask) (*scenarios.Selection, script.Want) {
	t.Helper()
	set, diags := yamlfile.Check(nil, yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\n" + src)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return asking(t, set.Scenarios()[0], a)
}

// The streams of messages, as in recordings. The layout adds the empty members beside a role,
// logprobs: null and usage: null.
func TestMessagesBecomeTheStreamsOfTheRealService(t *testing.T) {
	t.Parallel()
	const details = `"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}`
	for _, tt := range []struct {
		name, src string
		ask       ask
		layout    scenarios.Layout
		want      string
	}{
		{"plain text", "message: Hello world.", ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"Hello"}
content {"content":" world"}
content {"content":"."}
finish {} finish="stop"
`},
		{"usage that is asked for is counted", "message: Hello world.", ask{Usage: true}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"Hello"}
content {"content":" world"}
content {"content":"."}
finish {} finish="stop"
usage usage={"prompt_tokens":<prompt>,"completion_tokens":3,"total_tokens":<0>,` + details + `}
`},
		{"an answer that is not streamed always has usage", "message: Hi", ask{Fold: true, Layout: scenarios.LayoutMinimal}, scenarios.LayoutMinimal, `
role {"role":"assistant"}
content {"content":"Hi"}
finish {} finish="stop"
usage usage={"prompt_tokens":<prompt>,"completion_tokens":1,"total_tokens":<0>}
`},
		{"an empty answer", `message: { content: "" }`, ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
finish {} finish="stop"
`},
		{"a length stop", "message: { content: Once upon, finish: length }", ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"Once"}
content {"content":" upon"}
finish {} finish="length"
`},
		{"a single call opens beside the role", `message: { tool_calls: [{ name: f, arguments: '{"city":"Oslo"}' }] }`, ask{}, scenarios.LayoutGPT4o, `
tool {"role":"assistant","tool_calls":[{"index":0,"id":<0>,"type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{\""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"city"}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"\":\"Os"}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"lo\"}"}}]}
finish {} finish="tool_calls"
`},
		{"parallel calls come one after the other, in their layout", `message: { tool_calls: [{ id: call_a, name: f }, { id: call_b, name: g }] }`, ask{}, scenarios.LayoutParallel, `
role {"role":"assistant","content":null} omit=delta.refusal
tool {"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
tool {"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"g","arguments":""}}]}
tool {"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}
finish {} finish="tool_calls"
`},
		{"a reasoning model keeps its layout with parallel calls", `message: { tool_calls: [{ id: a, name: f }, { id: b, name: g }] }`, ask{Layout: scenarios.LayoutReasoning}, scenarios.LayoutReasoning, `
role {"role":"assistant","content":null} omit=delta.refusal
tool {"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
tool {"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}]}
tool {"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}
finish {} finish="tool_calls"
`},
		{"text, then a call", `message: { content: Let me, tool_calls: [{ id: a, name: f }] }`, ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"Let"}
content {"content":" me"}
tool {"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
finish {} finish="tool_calls"
`},
		{"a custom tool call", `message: { custom_tool_calls: [{ id: a, name: sh, input: ls -l }] }`, ask{}, scenarios.LayoutGPT4o, `
tool {"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"sh","input":""}}]}
tool {"tool_calls":[{"index":0,"custom":{"input":"ls"}}]}
tool {"tool_calls":[{"index":0,"custom":{"input":" -l"}}]}
finish {} finish="tool_calls"
`},
		{"a legacy function call", `message: { function_call: { name: f, arguments: '{"a":1}' } }`, ask{}, scenarios.LayoutGPT4o, `
tool {"role":"assistant","function_call":{"name":"f","arguments":""}}
tool {"function_call":{"arguments":"{\""}}
tool {"function_call":{"arguments":"a\":1}"}}
finish {} finish="function_call"
`},
		{"a refusal", "message: { refusal: I cannot. }", ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant","content":null,"refusal":""}
refusal {"refusal":"I"}
refusal {"refusal":" cannot"}
refusal {"refusal":"."}
finish {} finish="stop"
`},
		{"reasoning comes before the content", "quirks: [reasoning-member]\nmessage: { reasoning: Hm now, content: Yes }", ask{Usage: true, Layout: scenarios.LayoutMinimal}, scenarios.LayoutMinimal, `
role {"role":"assistant"}
reasoning {"reasoning_content":"Hm"}
reasoning {"reasoning_content":" now"}
content {"content":"Yes"}
finish {} finish="stop"
usage usage={"prompt_tokens":<prompt>,"completion_tokens":3,"total_tokens":<0>}
`},
		{"annotations are one late chunk", "message: { content: See, annotations: [{ type: url_citation }] }", ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"See"}
chunk {"annotations":[{"type":"url_citation"}]}
finish {} finish="stop"
`},
		{"audio: expires_at comes last and there is no finish", "envelope: { created: 1700000000 }\nmessage: { audio: { id: audio_1, transcript: Hi all, data: AAAA } }", ask{Usage: true}, scenarios.LayoutAudio, `
role {"role":"assistant"} omit=delta.content
audio {"content":null,"audio":{"id":"audio_1","transcript":"Hi"}}
audio {"audio":{"transcript":" all"}}
audio {"role":"assistant","content":null,"audio":{"id":"audio_1","data":"AAAA"}}
usage usage={"prompt_tokens":<prompt>,"completion_tokens":3,"total_tokens":<0>,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0,"text_tokens":<prompt>,"image_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":1,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0,"text_tokens":2}}
audio {"audio":{"expires_at":1700003600}} omit=finish_reason
`},
		{"authored log-probabilities cut the text", `message: { content: "Hé!", logprobs: [{ token: "H", logprob: -0.5 }, { token: "\\xc3", logprob: -1, bytes: [195] }, { token: "\\xa9!", logprob: -2, bytes: [169, 33] }] }`, ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"} logprobs={"content":[],"refusal":null}
content {"content":"H"} logprobs={"content":[{"token":"H","logprob":-0.5,"bytes":[72],"top_logprobs":[]}],"refusal":null}
content {"content":"é!"} logprobs={"content":[{"token":"\\xc3","logprob":-1,"bytes":[195],"top_logprobs":[]},{"token":"\\xa9!","logprob":-2,"bytes":[169,33],"top_logprobs":[]}],"refusal":null}
finish {} finish="stop"
`},
		{"authored log-probabilities that are not asked for", `message: { content: "Hé!", logprobs: [{ token: "H", logprob: -0.5 }, { token: "é!", logprob: -1 }], when_asked: true }`, ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"H"}
content {"content":"é!"}
finish {} finish="stop"
`},
		{"authored log-probabilities that are asked for", `message: { content: "Hé!", logprobs: [{ token: "H", logprob: -0.5 }, { token: "é!", logprob: -1 }], when_asked: true }`, ask{Logprobs: true}, scenarios.LayoutGPT4o, `
role {"role":"assistant"} logprobs={"content":[],"refusal":null}
content {"content":"H"} logprobs={"content":[{"token":"H","logprob":-0.5,"bytes":[72],"top_logprobs":[]}],"refusal":null}
content {"content":"é!"} logprobs={"content":[{"token":"é!","logprob":-1,"bytes":[195,169,33],"top_logprobs":[]}],"refusal":null}
finish {} finish="stop"
`},
		{"log-probabilities of a refusal", `message: { refusal: "No.", logprobs: { refusal: [{ token: "No.", logprob: -0.5 }] } }`, ask{}, scenarios.LayoutGPT4o, `
role {"role":"assistant","content":null,"refusal":""} logprobs={"content":null,"refusal":[]}
refusal {"refusal":"No."} logprobs={"content":null,"refusal":[{"token":"No.","logprob":-0.5,"bytes":[78,111,46],"top_logprobs":[]}]}
finish {} finish="stop"
`},
		{"log-probabilities that are switched off", "message: { content: So, logprobs: false }", ask{Logprobs: true}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"So"}
finish {} finish="stop"
`},
		{"a reasoning model has no log-probabilities", "message: So", ask{Logprobs: true, Layout: scenarios.LayoutReasoning}, scenarios.LayoutReasoning, `
role {"role":"assistant"}
content {"content":"So"}
finish {} finish="stop"
`},
		{"several choices open in turn, take turns and finish in order", `message: { choices: [One two three, { content: Un, finish: length }], usage: { prompt_tokens: 1, completion_tokens: 4 } }`, ask{N: 2, Usage: true, Layout: scenarios.LayoutMinimal}, scenarios.LayoutMinimal, `
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
		{"n asks for the message several times", `message: "{{ .request.user }} a"`, ask{N: 2}, scenarios.LayoutGPT4o, `
role {"role":"assistant"}
content {"content":"ada"}
role choice=1 {"role":"assistant"}
content choice=1 {"content":"ada"}
content {"content":" a"}
content choice=1 {"content":" a"}
finish {} finish="stop"
finish choice=1 {} finish="stop"
`},
		{"calls of several choices have ids of their own", `message: { tool_calls: [{ name: f }] }`, ask{N: 2}, scenarios.LayoutGPT4o, `
tool {"role":"assistant","tool_calls":[{"index":0,"id":<0>,"type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
tool choice=1 {"role":"assistant","tool_calls":[{"index":0,"id":<1>,"type":"function","function":{"name":"f","arguments":""}}]}
tool choice=1 {"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
finish {} finish="tool_calls"
finish choice=1 {} finish="tool_calls"
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sc, asked := messageScript(t, tt.src, tt.ask)
			if got, want := spoken(t, sc, asked), strings.TrimPrefix(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if asked.Layout != tt.layout {
				t.Errorf("got the layout %s, want %s", asked.Layout, tt.layout)
			}
		})
	}
}

func TestGeneratedLogprobsSpellTheTextAndListWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	sc, _ := messageScript(t, `message: "It is 18 °C in {{ .match.city }}.\n"
when: { user: { matches: '(?P<city>\w+)' } }`, ask{Logprobs: true, TopLogprobs: 20})
	text := ""
	for _, entries := range contentLogprobs(sc) {
		for _, entry := range entries {
			text += spelledBy(t, entry)
			if n := len(entry.Get("top_logprobs").Items()); n != 20 {
				t.Errorf("%d top_logprobs, want 20: %s", n, entry)
			}
			if first := entry.Get("top_logprobs").Items()[0]; first.Get("token").Text() != entry.Get("token").Text() {
				t.Errorf("the token is not the likeliest of its top_logprobs: %s", entry)
			}
			if sum := probabilities(t, entry); sum > 1 {
				t.Errorf("the probabilities of the top_logprobs add up to %v: %s", sum, entry)
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

// probabilities returns the sum of the probabilities of the tokens at one place. Each is less
// likely than the one before.
func probabilities(t *testing.T, entry ojson.Value) (sum float64) {
	t.Helper()
	last := 0.0
	for _, other := range entry.Get("top_logprobs").Items() {
		p, err := strconv.ParseFloat(other.Get("logprob").Text(), 64)
		if err != nil || p >= last {
			t.Errorf("%v after %v, %v: %s", p, last, err, entry)
		}
		last = p
		sum += math.Exp(p)
	}
	return sum
}

// spelledBy returns the text of a token, from its bytes.
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

// contentLogprobs returns the entries of each group with log-probabilities.
func contentLogprobs(sc *script.Script) (lists [][]ojson.Value) {
	for i := range sc.Groups {
		for _, beat := range sc.Groups[i].Beats {
			if l, ok := beat.(script.Logprobs); ok {
				lists = append(lists, l.Content.Items())
			}
		}
	}
	return lists
}

func TestEachOfManyCallsHasItsOwnID(t *testing.T) {
	t.Parallel()
	sel, want := checkedAsking(t, "message: { tool_calls: [{ name: f }, { name: g }] }", ask{N: 128})
	sc, problems := script.New(sel, want).Reply(chat.Surface{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	v := new(player.Values)
	if _, _, err := sc.Fill(sel, ojson.Style{}, 0, v); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range sc.Groups {
		for _, beat := range sc.Groups[i].Beats {
			start, ok := beat.(script.CallStart)
			if !ok {
				continue
			}
			id, isHole := hole.In(start.ID)
			if !isHole {
				t.Fatalf("the id %s is the same for all requests", start.ID)
			}
			seen[string(v.Get(id))] = true
		}
	}
	if len(seen) != 256 || sc.PerRequest {
		t.Errorf("%d different ids, want 256; each request needs a script of its own: %t", len(seen), sc.PerRequest)
	}
	for id := range seen {
		if !regexp.MustCompile(`^"call_[0-9A-Za-z]{24}"$`).MatchString(id) {
			t.Errorf("the id is %s", id)
		}
	}
}

func TestOnlyWhatDependsOnTheRequestIsLeftOpen(t *testing.T) {
	t.Parallel()
	for src, open := range map[string]bool{
		"message: Hello":                                                    false,
		"message: { fake: { words: 3 } }":                                   false,
		"message: { tool_calls: [{ name: f }] }":                            false,
		"message: { fake: { json_schema: request } }":                       true,
		"message: '{{ .last_user }}'":                                       true,
		"message: { tool_calls: [{ name: get_weather, arguments: fake }] }": true,
		"stream: [{ role: assistant }, { content: a, extra: { moderation: '{{ .turn }}' } }, { finish: stop }]": true,
	} {
		sel, want := checkedAsking(t, src, ask{})
		sc, problems := script.New(sel, want).Reply(chat.Surface{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got := sc.OpenTexts(); got != open {
			t.Errorf("%s: texts are left open: %t, want %t", src, got, open)
		}
		if built, _ := script.NewFor(sel, want).Reply(chat.Surface{}); built.OpenTexts() || built.PerRequest {
			t.Errorf("%s: built for a request, something is still left open", src)
		}
	}
}

// A long text becomes as many steps as it has tokens. Steps are large, so they must not be
// copied again and again. Not parallel: allocations of other tests would count.
func TestTheStepsOfALongMessageAreCopiedOnce(t *testing.T) {
	const words = 20_000
	m := scenarios.Message{Content: scenarios.Some(scenarios.Text{Source: strings.Repeat("word ", words)})}
	d := script.Derivation{Open: func(_ *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) { return nil, body }}
	sel, want := checkedAsking(t, "message: Hi", ask{})
	b := script.NewFor(sel, want)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	steps := b.Message(&m, d)
	runtime.ReadMemStats(&after)
	each := uint64(unsafe.Sizeof(scenarios.Step{}))
	if took := (after.TotalAlloc - before.TotalAlloc) / each; len(steps) < words || took > uint64(5*len(steps)/2) {
		t.Errorf("%d steps took the memory of %d", len(steps), took)
	}
}
