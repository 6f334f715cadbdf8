package script_test

import (
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

func TestStepsBecomeGroups(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, steps string
		ask         ask
		want        string
	}{
		{"parts of one step share a chunk, in the order of a delta", `
- { finish: stop, annotations: [], content: a, role: assistant, refusal: null, reasoning: r, usage: null }`, ask{}, `
finish {"role":"assistant","content":"a","refusal":null,"reasoning_content":"r","annotations":[]} finish="stop" usage=null
`},
		{"null and empty are not the same as left out", `
- { role: assistant, content: null, refusal: "" }
- { content: "" }
- { finish: null }
- { set: { x: 1 } }`, ask{}, `
role {"role":"assistant","content":null,"refusal":""}
content {"content":""}
heartbeat {} finish=null
heartbeat {} set=x=1
`},
		{"an expanding step: opening parts go first, finish and usage last", `
- { role: assistant, text: one two, finish: stop, usage: { prompt_tokens: 1 } }`, ask{Layout: scenarios.LayoutMinimal}, `
content {"role":"assistant","content":"one"}
finish {"content":" two"} finish="stop" usage={"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}
`},
		{"a text that is empty sends nothing", `
- text: ""
- { text: "", finish: stop }`, ask{}, `
finish {} finish="stop"
`},
		{"a text cut by size", `
- { text: abcde, by: { size: 2 } }`, ask{}, `
content {"content":"ab"}
content {"content":"cd"}
content {"content":"e"}
`},
		{"the arguments of a call in three pieces", `
- { tool_call: { id: c, name: f, arguments: '{"a":"bc"}' }, pieces: 3 }`, ask{}, `
tool {"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":":\"b"}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"c\"}"}}]}
`},
		{"the arguments of a call in its opening chunk", `
- { tool_call: { id: c, name: f, arguments: { a: [1.0, x] } }, pieces: 0 }`, ask{}, `
tool {"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":[1.0,\"x\"]}"}}]}
`},
		{"the pieces of a call as they are written", `
- { tool_call: { id: c, name: f, arguments: '{}' }, pieces: ['{', '{{ "}" }}'] }`, ask{}, `
tool {"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}
tool {"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}
`},
		{"a call without id, name and arguments", `
- tool_call: { id: null, arguments: null }
- tool_call: { name: g }`, ask{}, `
tool {"tool_calls":[{"index":0,"id":null,"type":"function","function":{"arguments":null}}]}
tool {"tool_calls":[{"index":1,"id":<0>,"type":"function","function":{"name":"g","arguments":""}}]}
`},
		{"fragments of calls, member by member", `
- fragment: { index: 0, id: a, type: function, name: f, arguments: '' }
- fragment: [{ index: 1, id: null, arguments: null }, { index: 0, arguments: '{"c":"{{ .last_user }}' }]
- fragment: { id: '', name: null, input: x }
- fragment: { index: null, type: custom }
- fragment: { index: -1, type: '', arguments: { a: [1.0] } }
- tool_call: { id: b, name: g }`, ask{}, `
tool {"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":1,"id":null,"function":{"arguments":null}},{"index":0,"function":{"arguments":"{\"c\":\"weather in {{ Oslo"}}]}
tool {"tool_calls":[{"id":"","custom":{"name":null,"input":"x"}}]}
tool {"tool_calls":[{"index":null,"type":"custom"}]}
tool {"tool_calls":[{"index":-1,"type":"","function":{"arguments":"{\"a\":[1.0]}"}}]}
tool {"tool_calls":[{"index":2,"id":"b","type":"function","function":{"name":"g","arguments":""}}]}
`},
		{"what later fragments repeat, and what they have in place of it", `
- { tool_call: { name: f, arguments: '{}', later: [id, type, name] }, pieces: 2 }
- { custom_tool: { id: c, name: g, input: ab, later: { id: '', name: null } }, pieces: 2 }`, ask{}, `
tool {"tool_calls":[{"index":0,"id":<0>,"type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":0,"id":<0>,"type":"function","function":{"name":"f","arguments":"{"}}]}
tool {"tool_calls":[{"index":0,"id":<0>,"type":"function","function":{"name":"f","arguments":"}"}}]}
tool {"tool_calls":[{"index":1,"id":"c","type":"custom","custom":{"name":"g","input":""}}]}
tool {"tool_calls":[{"index":1,"id":"","custom":{"name":null,"input":"a"}}]}
tool {"tool_calls":[{"index":1,"id":"","custom":{"name":null,"input":"b"}}]}
`},
		{"call indexes go on after literal ones, for each choice", `
- tool_calls: [{ index: 3, id: a }]
- tool_call: { id: b, name: f }
- { tool_call: { id: c, name: f }, choice: 1 }
- { tool_call: { id: d, name: f, index: 9 } }
- { tool_call: { id: e, name: f } }`, ask{}, `
tool {"tool_calls":[{"index":3,"id":"a"}]}
tool {"tool_calls":[{"index":4,"id":"b","type":"function","function":{"name":"f","arguments":""}}]}
tool choice=1 {"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":9,"id":"d","type":"function","function":{"name":"f","arguments":""}}]}
tool {"tool_calls":[{"index":10,"id":"e","type":"function","function":{"name":"f","arguments":""}}]}
`},
		{"heartbeats and repetitions, with their pauses", `
- { heartbeat: 2, after: 1s, every: 20ms }
- { content: a, repeat: 3, every: 5ms }
- wait: 300ms`, ask{}, `
heartbeat {} gap=1s
heartbeat {} gap=20ms
content {"content":"a"}
content {"content":"a"} gap=5ms
content {"content":"a"} gap=5ms
wait gap=300ms
`},
		{"log-probabilities stand on the first chunk, null on all", `
- { text: one two, logprobs: [{ token: one, logprob: -1 }] }
- { text: one two, logprobs: null }
- { content: a, logprobs: { content: null, refusal: [] } }
- { content: b, logprobs: false }`, ask{}, `
content {"content":"one"} logprobs={"content":[{"token":"one","logprob":-1,"bytes":[111,110,101],"top_logprobs":[]}],"refusal":null}
content {"content":" two"}
content {"content":"one"} logprobs=null
content {"content":" two"} logprobs=null
content {"content":"a"} logprobs={"content":null,"refusal":[]}
content {"content":"b"}
`},
		{"what nobody asked for is left out with when_asked", `
- { content: a, logprobs: [], when_asked: true }
- { finish: stop, usage: { prompt_tokens: 1, completion_tokens: 1 }, when_asked: true }
- { usage: { prompt_tokens: 1, completion_tokens: 1 }, when_asked: true }`, ask{}, `
content {"content":"a"}
finish {} finish="stop"
`},
		{"what is asked for is sent with when_asked", `
- { content: a, logprobs: [], when_asked: true }
- { usage: { prompt_tokens: 1, completion_tokens: 1 }, when_asked: true }`, ask{Logprobs: true, Usage: true, Layout: scenarios.LayoutMinimal}, `
content {"content":"a"} logprobs={"content":[],"refusal":null}
usage usage={"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}
`},
		{"literal deltas and chunks", `
- delta: { content: 1, x: [null, -9999.0] }
- delta: null
- { delta: { tool_calls: [] }, finish: stop }
- chunk: { choices: [], usage: { a: 1 } }
- chunk: [1]`, ask{}, `
content {"content":1,"x":[null,-9999.0]}
chunk null
finish {"tool_calls":[]} finish="stop"
usage chunk={"choices":[],"usage":{"a":1}}
chunk chunk=[1]
`},
		{"templates in literal values", `
- { delta: { a: ["{{ .request.user }}"] }, extra: { b: "{{ .turn }}" }, set: { c: "{{ .attempt }}" } }`, ask{}, `
chunk {"a":["ada"]} extra={"b":"2"} set=c="1"
`},
		{"wire and time steps", `
- comment: "for {{ .request.user }}"
- raw: "data: {\n\n"
- done: true
- hold: here`, ask{}, `
comment "for ada"
raw "data: {\n\n"
done
hold
`},
		{"an error in mid-stream, filled in as the real service would", `
- error: {}
- { error: { status: 429, message: "slow {{ .request.user }}", param: null, extra: { status: 429 } } }`, ask{}, `
error error={"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}
error error={"message":"slow ada","type":"requests","param":null,"code":"rate_limit_exceeded","status":429}
`},
		{"usage is completed in the recorded order and keeps what it does not know", `
- usage: { extra: { x: 1 }, completion_tokens: 5, prompt_tokens: 2, completion_tokens_details: { reasoning_tokens: 4, y: 1 }, prompt_tokens_details: null }
- usage: { prompt_tokens: null, total_tokens: 1.0 }`, ask{}, `
usage usage={"prompt_tokens":2,"completion_tokens":5,"total_tokens":7,"prompt_tokens_details":null,"completion_tokens_details":{"reasoning_tokens":4,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0,"y":1},"x":1}
usage usage={"prompt_tokens":null,"completion_tokens":5,"total_tokens":1.0,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, diags := yamlfile.Parse("x.yaml", []byte("name: x\nstream:\n  "+strings.ReplaceAll(strings.TrimSpace(tt.steps), "\n", "\n  ")+"\n"))
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diags := render.Check(list[0]); len(diags) > 0 {
				t.Fatal(diags)
			}
			sel, want := asking(t, list[0], tt.ask)
			sc, problems := script.NewFor(sel, want).Reply(chat.Surface{})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if got, want := spoken(t, sc, want), strings.TrimPrefix(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestGroupsFail(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"a text that cannot be rendered names its place", "stream:\n  - content: \"{{ .tool_results.other }}\"", `x.yaml:3:14: .tool_results.other has no value in this request`},
		{"a literal value that cannot be rendered names its step", "stream:\n  - delta: { a: \"{{ .tool_results.other }}\" }", `x.yaml:3:5: .tool_results.other has no value in this request`},
		{"a schema that the request does not bring", "message: { fake: { json_schema: request } }", `x.yaml:2:18: the request has no JSON schema for fake to satisfy; write the schema in the scenario, or send one with type json_schema: in response_format to chat completions, in text.format to responses`},
		{"a tool that the request does not offer", "message: { tool_calls: [{ name: fly, arguments: fake }] }", `the request offers no tool "fly"`},
		{"a schema that cannot be broken so", "message: { fake: { json_schema: { type: object }, break: missing_required } }", `x.yaml:2:18: break: missing_required cannot break the JSON schema: it has no object that requires a member; change the schema, or write another break`},
		{"a break of arguments that are written", "message: { tool_calls: [{ name: get_weather, arguments: '{}', break: empty }] }", `x.yaml:2:25: break is of arguments that are invented, and these are written`},
		{"a break without a schema", "message: { fake: { words: 3, break: empty } }", `x.yaml:2:18: break has no schema to break`},
		{"a reply that is an error", "error: no", "the reply is an error and has no stream"},
		{"more text than there may be", "stream:\n  - { content: { repeat: abc, bytes: 6000000 }, repeat: 20 }", "the texts of the answer have more than 68157440 bytes together"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, diags := yamlfile.Parse("x.yaml", []byte("name: x\n"+tt.src+"\n"))
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			sel, want := asking(t, list[0], ask{})
			sel.Request.Schema = scenarios.Request{}.Schema
			if _, problems := script.NewFor(sel, want).Reply(chat.Surface{}); !strings.Contains(problems.Error(), tt.want) {
				t.Errorf("built for the request: got %v, want an error with %q", problems, tt.want)
			}
			if err := buildAndFill(sel, want); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("filled in for the request: got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// buildAndFill builds a script without a request, and fills it for one.
func buildAndFill(sel *scenarios.Selection, want script.Want) error {
	sc, problems := script.New(sel, want).Reply(chat.Surface{})
	if len(problems) > 0 {
		return problems[:1]
	}
	_, _, err := sc.Fill(sel, ojson.Style{}, 0, new(player.Values))
	return err
}

func TestAScriptForNoRequestKeepsTemplatesAndSaysSo(t *testing.T) {
	t.Parallel()
	src := `name: x
message: { content: "in {{ .last_user }}", tool_calls: [{ name: f, arguments: '{"a":{{ json .last_user }}}' }, { name: g, arguments: fake, later: [id, name] }] }
`
	list, diags := yamlfile.Parse("x.yaml", []byte(src))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	sel, asked := asking(t, list[0], ask{})
	sc, problems := script.New(sel, asked).Reply(chat.Surface{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got strings.Builder
	for i := range sc.Groups {
		got.WriteString(spokenGroup(t, sc, &sc.Groups[i], asked))
		if sc.Groups[i].Templated {
			got.WriteString(" templated")
		}
		got.WriteString("\n")
	}
	want := `role {"role":"assistant"}
content {"content":<piece>} series=<in {{ .last_user }}> templated
tool {"tool_calls":[{"index":0,"id":<2>,"type":"function","function":{"name":"f","arguments":""}}]} templated
tool {"tool_calls":[{"index":0,"function":{"arguments":<piece>}}]} series=<{"a":{{ json .last_user }}}> templated
tool {"tool_calls":[{"index":1,"id":<4>,"type":"function","function":{"name":"g","arguments":""}}]} templated
tool {"tool_calls":[{"index":1,"id":<4>,"function":{"name":"g","arguments":<piece>}}]} series=<{}> templated
finish {} finish="tool_calls"
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
