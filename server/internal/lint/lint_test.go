package lint_test

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
)

// load parses a file, and returns the findings in its scenarios.
func load(t *testing.T, file, src string) diag.List {
	t.Helper()
	list, diags := yamlfile.Parse(file, []byte(src))
	if len(diags) > 0 {
		t.Fatalf("Parse:\n%v", diags)
	}
	set, diags := scenarios.Build(nil, list...)
	diags = append(diags, answer.Check(set)...)
	diags.Sort()
	return diags.Unique()
}

func TestEachRuleFiresOnItsExampleAndIsSilencedByItsQuirk(t *testing.T) {
	t.Parallel()
	for _, rule := range lint.Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			if rule.Doc == "" || rule.Example == "" {
				t.Fatalf("rule without doc or example: %+v", rule)
			}
			diags := load(t, "rule.yaml", rule.Example)
			if len(diags) == 0 {
				t.Error("the example does not break the rule")
			}
			for _, d := range diags {
				if d.Rule != rule.Name || d.Line == 0 {
					t.Errorf("the example also gives: %v", d)
				}
			}
			quirky := strings.Replace(rule.Example, "\n", "\nquirks: ["+rule.Name+"]\n", 1)
			if diags := load(t, "rule.yaml", quirky); len(diags) > 0 {
				t.Errorf("with the quirk there is still:\n%v", diags)
			}
		})
	}
}

func TestEveryExampleBelongsToARule(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".yaml")
		if !slices.ContainsFunc(lint.Rules(), func(r lint.Rule) bool { return r.Name == name }) {
			t.Errorf("rules/%s belongs to no rule", f.Name())
		}
	}
	if n := len(lint.Rules()); n < 24 {
		t.Errorf("there are %d rules, want at least 24", n)
	}
}

func TestEachRuleIsThereOnceAndSurfacesSkipNoOthers(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, rule := range lint.Rules() {
		if known[rule.Name] {
			t.Errorf("there are two rules %s", rule.Name)
		}
		known[rule.Name] = true
	}
	for _, s := range answer.Surfaces() {
		for _, name := range s.Info().Skips {
			if !known[name] {
				t.Errorf("%s skips %s, which is no rule", s.Info().Name, name)
			}
		}
	}
}

// What api.openai.com sends, and what a word of the language asks for explicitly, needs no
// quirk. The bundled scenarios are checked, too, and have most of it.
func TestEverydayStreamsNeedNoQuirk(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"heartbeats, waits and comments": `
stream:
  - comment: ping
  - heartbeat: 2
  - role: assistant
  - heartbeat: 1
  - wait: 10ms
  - content: Hello
  - hold: later
  - comment: ping
  - finish: stop
  - heartbeat: 1
`,
		"an error before anything": `
stream:
  - error: { message: The server had an error, type: server_error }
`,
		"a call that ends with stop, as a forced one does": `
message:
  tool_calls: [{ name: get_weather, arguments: { city: Oslo } }]
  finish: stop
`,
		"a call with a template in its arguments": `
message:
  tool_calls: [{ name: get_weather, arguments: '{{ json .last_user }}' }]
`,
		"a call without arguments": `
message:
  tool_calls: [{ name: get_time }]
`,
		"log-probabilities without bytes": `
stream:
  - role: assistant
  - content: Hel
    logprobs: [{ token: Hel, logprob: -0.25, bytes: [72, 101, 108], top_logprobs: [{ token: Hel, logprob: -0.25, bytes: [72, 101, 108] }] }]
  - content: lo
    logprobs: [{ token: lo, logprob: -9999.0 }]
  - finish: stop
`,
		"log-probabilities of the pieces of a character": `
stream:
  - role: assistant
  - content: "é"
    logprobs:
      - { token: 'bytes:\xc3', logprob: -0.25, bytes: [195] }
      - { token: 'bytes:\xa9', logprob: -0.25, bytes: [169] }
  - finish: stop
`,
		"log-probabilities whose tokens end elsewhere than the chunks": `
stream:
  - role: assistant
  - content: Hel
    logprobs: [{ token: He, logprob: -0.25 }]
  - content: lo
    logprobs: [{ token: llo, logprob: -0.25 }]
  - finish: stop
`,
		"everything on the wire is odd": `
message: Hello
wire: { newline: crlf, bom: true, done: 2, ids: true, retry: 3 }
damage: [{ drop: finish }]
end: { linger: 1s }
`,
		"members that Azure and OpenAI send, and what is left out of them": `
stream:
  - role: assistant
    extra: { prompt_filter_results: [], obfuscation: abc }
  - content: x
    omit: [system_fingerprint, logprobs]
  - finish: stop
`,
		"an error with a template": `
error: { status: 429, code: rate_limit_exceeded, retry_after: 2s }
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diags := load(t, "x.yaml", "name: x"+src); len(diags) > 0 {
				t.Errorf("unexpected:\n%v", diags)
			}
		})
	}
}

func TestProblemsPointAtWhatIsWritten(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"stream:\n  - role: assistant\n  - finish: stpo\n":                                                                                   `x.yaml:4:13: finish must be one of stop, length, tool_calls, content_filter, function_call, not "stpo" (did you mean "stop"?) [unknown-finish-reason]`,
		"message:\n  content: Hello\n  finish: tool_calls\n":                                                                                 `x.yaml:4:11: finish is tool_calls, but choice 0 has no such call (if that is meant, say so with quirks: [finish-does-not-fit]) [finish-does-not-fit]`,
		"message:\n  choices:\n    - Hello\n    - { content: x, finish: function_call }\n":                                                   `x.yaml:5:29: finish is function_call, but choice 1 has no such call (if that is meant, say so with quirks: [finish-does-not-fit]) [finish-does-not-fit]`,
		"message: { content: Hello, finish: null }\n":                                                                                        `x.yaml:2:10: choice 0 has no finish after this, its last chunk (leave finish out, or write quirks: [missing-finish] in scenario, beside message, if null is meant; end: close in place of finish sends no finish and no [DONE]) [missing-finish]`,
		"stream:\n  - role: assistant\n  - content: Hello\n":                                                                                 `x.yaml:4:5: choice 0 has no finish after this, its last chunk (write a step - finish: stop behind it, or say how the stream ends with end; or list missing-finish under quirks) [missing-finish]`,
		"when: { surface: chat }\nstream: [{ content: a }, { finish: stop }]\n":                                                              `x.yaml:3:10: the first chunk of choice 0 has no role (write a step - role: assistant before it or, if that is meant, quirks: [missing-role]) [missing-role]`,
		"when: { surface: chat }\nstream: [{ role: assistant }, { finish: stop }, { content: a, choice: 1 }, { finish: stop, choice: 1 }]\n": `x.yaml:3:49: the first chunk of choice 1 has no role (write a step - { choice: 1, role: assistant } before it or, if that is meant, quirks: [missing-role]) [missing-role]`,
		"when: { surface: chat }\nstream: [{ tool_call: { name: f, arguments: '{}' } }, { finish: tool_calls }]\n":                           `x.yaml:3:10: the first chunk of choice 0 has no role (write role: assistant beside it or, if that is meant, quirks: [missing-role]) [missing-role]`,
		"stream: [{ role: assistant }, { delta: 5 }, { finish: stop }]\n":                                                                    `x.yaml:2:31: delta is an integer, not an object (if that is meant, say so with quirks: [delta-member-type]) [delta-member-type]`,
		"stream:\n  - role: assistant\n  - finish: stop\n  - content: a\n    repeat: 50\n":                                                   `x.yaml:5:5: content comes after the finish of choice 0 (if that is meant, say so with quirks: [content-after-finish]) [content-after-finish]`,
	} {
		diags := load(t, "x.yaml", "name: x\n"+src)
		if got := diags.Error(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
	}
}

func TestInheritedQuirksSilenceButNeedNotOccur(t *testing.T) {
	t.Parallel()
	diags := load(t, "x.yaml", `
name: base
quirks: [missing-role]
stream: [content: Hello, finish: stop]
---
name: crlf
extends: base
wire: { newline: crlf }
---
name: grandchild
extends: crlf
wire: { bom: true }
---
name: other
extends: base
message: Hello
`)
	if len(diags) > 0 {
		t.Errorf("unexpected:\n%v", diags)
	}
}

func TestLintReportsAnInheritedStreamOnlyOnce(t *testing.T) {
	t.Parallel()
	diags := load(t, "x.yaml", `
name: base
when: { surface: chat }
stream: [content: Hello, finish: stop]
---
name: crlf
extends: base
wire: { newline: crlf }
`)
	if len(diags) != 1 {
		t.Errorf("%d problems, want 1:\n%v", len(diags), diags)
	}
}

// What a variant does to the stream of another scenario is a problem of the variant.
func TestAFindingOfAVariantIsAtTheVariant(t *testing.T) {
	t.Parallel()
	diags := load(t, "x.yaml", `name: base
stream: [{ role: assistant }, { content: a }, { finish: stop }]
---
name: variant
extends: base
envelope: { omit: [model] }
`)
	want := `x.yaml:4:1: scenario "variant", which extends base: the chunk has no model, at x.yaml:2 (if that is meant, say so with quirks: [chunk-without-envelope]) [chunk-without-envelope]`
	if got := diags.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestQuirksMustBeRulesAndMustOccur(t *testing.T) {
	t.Parallel()
	diags := load(t, "x.yaml", `name: x
quirks: [missing-rol, two-dones, "*"]
message: Hello
`)
	want := `x.yaml:2:10: there is no lint rule "missing-rol" (did you mean "missing-role"?)
x.yaml:2:23: quirk two-dones is listed but does not occur (take it off the list)
x.yaml:2:34: there is no lint rule "*" (fakeopenai check --rules lists them)`
	if got := diags.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Damage decides what is sent: no quirk is needed for a step that it takes away, or for what only
// that step makes odd. A chance to stay, or a part that stays, is enough to need it.
func TestWhatDamageTakesAwayNeedsNoQuirk(t *testing.T) {
	t.Parallel()
	const after = "stream:\n- role: assistant\n- content: a\n- finish: stop\n- content: b\n- content: c\n"
	for yaml, want := range map[string]int{
		after + "damage: [{ drop: 4 }, { drop: 4 }]":                                    0,
		after + "damage: { drop: 4 }":                                                   1,
		after + "damage: { drop: finish }":                                              0,
		after + "damage: { drop: finish, chance: 0.5 }":                                 2,
		after + "damage: { duplicate: finish }":                                         2,
		after + "quirks: [content-after-finish]\ndamage: { drop: finish }":              1,
		"stream:\n- role: assistant\n- finish: stop\n- text: a b\ndamage: { drop: 3 }":  1,
		"stream:\n- role: assistant\n- finish: stop\n- text: a b\ndamage: { drop: -1 }": 1,
		"stream:\n- role: assistant\n- finish: stop\n- text: a b\n- content: '{{ .turn }}'\ndamage: [{ drop: -2 }, { drop: 3 }, { drop: 3 }]": 0,
	} {
		if found := load(t, "x.yaml", "name: a\n"+yaml); len(found) != want {
			t.Errorf("%s\nhas %d findings, want %d: %v", yaml, len(found), want, found)
		}
	}
}

func TestAChunkBetweenTwoUsagesIsBehindTheFirst(t *testing.T) {
	t.Parallel()
	found := load(t, "x.yaml", `name: x
when: { surface: chat }
quirks: [two-usages]
stream:
  - { role: assistant, content: Hello }
  - usage: { prompt_tokens: 9, completion_tokens: 1 }
  - finish: stop
  - usage: { prompt_tokens: 9, completion_tokens: 1 }
`)
	if len(found) != 1 || found[0].Rule != "usage-not-last" || found[0].Line != 7 {
		t.Errorf("got %v, want usage-not-last at the finish", found)
	}
}

func TestStreamsMadeInGoAreCheckedToo(t *testing.T) {
	t.Parallel()
	steps := []scenarios.Step{{Content: scenarios.Some(scenarios.Text{Source: "Hello"})}, {Finish: scenarios.Some(scenarios.Text{Source: "stop"})}}
	s := &scenarios.Scenario{Name: "x", When: scenarios.When{Surface: "chat"}, Replies: []scenarios.Reply{{Stream: &steps}}}
	if got, want := checked(t, s).Error(), `scenario "x", reply 1, step 1: the first chunk of choice 0 has no role`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	s.Quirks = []scenarios.Quirk{{Rule: scenarios.AnyQuirk}}
	if diags := checked(t, s); len(diags) > 0 {
		t.Errorf("with any quirk there is still:\n%v", diags)
	}
}

// checked returns the findings in a scenario that a set accepts.
func checked(t *testing.T, s *scenarios.Scenario) diag.List {
	t.Helper()
	set, err := scenarios.NewSet(s)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Check(set)
}

// The rules check what a client gets: finished chunks, and the chunks in raw bytes and event
// data.
func TestTheFinishedChunkIsRead(t *testing.T) {
	t.Parallel()
	const (
		head  = `{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":`
		role  = head + `{"role":"assistant"},"finish_reason":null}]}`
		typo  = head + `{"role":"assistant","contnet":"Hi"},"finish_reason":null}]}`
		tail  = "\n  - content: Hello\n  - finish: stop\n"
		start = "\nstream:\n  - role: assistant\n"
	)
	for name, tt := range map[string]struct{ scenario, want string }{
		"set":                 {start + "  - { finish: stop, set: { finish_reason: bogus } }\n", "unknown-finish-reason"},
		"set a choice":        {start + "  - { content: Hi, set: { 'choices[0].index': 2 } }\n  - finish: stop\n", "choice-index-gap missing-finish missing-role"},
		"set a member":        {start + "  - { content: Hi, set: { delta.contnet: Hi } }\n  - finish: stop\n", "unknown-delta-member"},
		"set back":            {start + "  - { finish: bogus, set: { finish_reason: stop } }\n", ""},
		"omit":                {"\nstream:\n  - { role: assistant, content: Hi, omit: delta.role }\n  - finish: stop\n", "missing-role"},
		"omit a finish":       {start + "  - { finish: stop, omit: finish_reason }\n", "choice-incomplete missing-finish"},
		"set choices":         {start + "  - { finish: stop, set: { choices: [] } }\n", "missing-finish"},
		"envelope":            {"\nenvelope: { extra: { usage: { prompt_tokens: -1 } } }" + start + "  - finish: stop\n", "two-usages usage-incomplete usage-incomplete usage-negative usage-negative"},
		"envelope, templated": {"\nenvelope: { set: { finish_reason: '{{ .last_user }}' } }" + start + "  - finish: stop\n", "two-finishes"},
		"usage":               {start + "  - finish: stop\n  - { usage: { prompt_tokens: 1 }, set: { usage.prompt_tokens: -1, usage.total_tokens: -1 } }\n", "usage-negative"},
		"completions": {"\nwhen: { surface: completions }\nstream:\n  - { content: Hi }\n  - { finish: stop, set: { finish_reason: bogus } }\n",
			"unknown-finish-reason"},
		"nothing to choose":        {"\nenvelope: { omit: choices }" + start + "  - content: Hi\n  - finish: stop\n", "choices-not-a-list"},
		"no id and no model":       {"\nenvelope: { omit: [id, model] }" + start + "  - content: Hi\n  - finish: stop\n", "chunk-without-envelope"},
		"a role in raw bytes":      {"\nstream:\n  - raw: '" + "data: " + role + "\n\n\n\n'" + tail, "envelope-changes"},
		"a role in an event":       {"\nstream:\n  - event: { data: '" + role + "' }" + tail, "envelope-changes"},
		"a typing error in raw":    {"\nstream:\n  - raw: '" + "data: " + typo + "\n\n\n\n'" + tail, "envelope-changes unknown-delta-member"},
		"a typing error in events": {"\nstream:\n  - event: { data: '" + typo + "' }" + tail, "envelope-changes unknown-delta-member"},
		"no finish beside raw":     {"\nstream:\n  - event: { data: '" + role + "' }\n  - content: Hello\n", "envelope-changes missing-finish"},
		"bytes that say anything":  {"\nstream:\n  - raw: 'data: {'\n  - { role: assistant, content: Hello }\n", ""},
		"a completion in raw": {"\nwhen: { surface: completions }\nstream:\n  - raw: 'data: " +
			`{"id":"x","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":"Hi","logprobs":null,"finish_reason":"bogus"}]}` + "\n\n\n\n'\n",
			"unknown-finish-reason"},
		"a completion in an event": {"\nwhen: { surface: completions }\nstream:\n  - event: { data: '" +
			`{"id":"x","object":"text_completion","created":1,"modle":"m","choices":[{"index":0,"text":"Hi","finish_reason":"stop"}]}` + "' }\n",
			"chunk-without-envelope unknown-chunk-member"},
		"a completion as a chunk": {"\nwhen: { surface: completions }\nstream:\n  - chunk: " +
			`{ id: x, object: text_completion, created: 1, model: m, choices: [{ index: 0, txt: Hi, finish_reason: stop }] }` + "\n", "choice-incomplete"},
		"a completion in a chat":         {"\nstream:\n  - event: { data: '{\"object\":\"text_completion\",\"choices\":[{\"text\":\"Hi\"}]}' }\n", ""},
		"choices that are an object":     {"\nstream:\n  - event: { data: '{\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":{}}' }" + tail, "choices-not-a-list"},
		"a short entry":                  {start + "  - content: Hi\n    logprobs: [{ token: Hi, logprob: -0.5 }]\n    set: { 'logprobs.content[0]': { token: Hi, logprob: -1.5 } }\n  - finish: stop\n", "logprob-entry-short"},
		"an entry that is filled in":     {start + "  - content: Hi\n    logprobs: [{ token: Hi, logprob: -0.5 }]\n    set: { 'logprobs.content[0].logprob': -1.5 }\n  - finish: stop\n", ""},
		"an entry without its bytes":     {start + "  - content: Hi\n    logprobs: [{ token: Hi, logprob: -0.5 }]\n    omit: 'logprobs.content[0].bytes'\n  - finish: stop\n", "logprob-entry-short"},
		"an extra member":                {start + "  - { content: Hi, extra: { provider: x } }\n  - finish: stop\n", ""},
		"an extra member of all":         {"\nenvelope: { extra: { provider: x } }" + start + "  - finish: stop\n", ""},
		"an extra error":                 {start + "  - { content: Hi, extra: { error: x } }\n  - finish: stop\n", "unknown-chunk-member"},
		"an extra member that is near":   {start + "  - { content: Hi, extra: { chioces: x } }\n  - finish: stop\n", "unknown-chunk-member"},
		"a near one of all":              {"\nenvelope: { extra: { modle: x } }" + start + "  - finish: stop\n", "unknown-chunk-member"},
		"another model at a step":        {start + "  - { finish: stop, set: { model: m } }\n", "envelope-changes"},
		"the same model everywhere":      {"\nenvelope: { set: { model: m } }" + start + "  - { finish: stop, set: { model: m } }\n", ""},
		"the id of the envelope":         {"\nenvelope: { id: chatcmpl-1 }" + start + "  - { finish: stop, set: { id: chatcmpl-1 } }\n", ""},
		"another object at one step":     {start + "  - { finish: stop, set: { object: completion } }\n", "envelope-changes"},
		"the usual object at one step":   {start + "  - { finish: stop, set: { object: chat.completion.chunk } }\n", ""},
		"an envelope that is taken away": {start + "  - { finish: stop, omit: [object, model] }\n", "chunk-without-envelope"},
		"an index that is a text":        {start + "  - { finish: stop, set: { 'choices[0].index': '0' } }\n", "choice-incomplete"},
		"a usage that is a text":         {start + "  - finish: stop\n  - { usage: {}, set: { usage: none } }\n", "usage-not-numbers"},
		"a chunk after an error":         {"\nstream:\n  - event: { data: '{\"error\":{\"message\":\"x\"}}' }\n  - { role: assistant, content: Hello }\n", "chunk-after-error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rules []string
			diags := load(t, "read.yaml", "name: read"+tt.scenario)
			for _, d := range diags {
				rules = append(rules, d.Rule)
			}
			slices.Sort(rules)
			if got := strings.Join(rules, " "); got != tt.want {
				t.Errorf("it breaks %q, want %q:\n%v", got, tt.want, diags)
			}
		})
	}
}

// One mistake gives one finding.
func TestOneMistakeBreaksOneRule(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ stream, want, hint string }{
		"an empty finish reason": {`
  - { role: assistant, content: Hel, finish: "" }
  - { content: lo, finish: "" }
  - finish: stop
`, "unknown-finish-reason unknown-finish-reason", ""},
		"an empty finish reason at the end": {`
  - { role: assistant, content: Hello }
  - finish: ""
`, "unknown-finish-reason", ""},
		"a first late name": {`
  - role: assistant
  - tool_calls: [{ index: 0, id: call_1, type: function, function: { arguments: "" } }]
  - tool_calls: [{ index: 0, function: { name: get_weather, arguments: "{}" } }]
  - finish: tool_calls
`, "tool-name-late", ""},
		"a first late id": {`
  - role: assistant
  - tool_calls: [{ index: 0, type: function, function: { name: get_weather, arguments: "" } }]
  - tool_calls: [{ index: 0, id: call_1, function: { arguments: "{}" } }]
  - finish: tool_calls
`, "tool-call-without-id", ""},
		"an index that is used again": {`
  - role: assistant
  - tool_calls: [{ index: 0, id: call_1, type: function, function: { name: f, arguments: "{}" } }]
  - tool_calls: [{ index: 0, id: call_2, type: function, function: { name: g, arguments: "{}" } }]
  - tool_calls: [{ index: 0, id: call_3, type: function, function: { name: g, arguments: "{}" } }]
  - finish: tool_calls
`, "tool-index-reused tool-index-reused", ""},
		"an id that the request decides": {`
  - role: assistant
  - tool_calls: [{ index: 0, id: call_1, type: function, function: { name: f, arguments: "{}" } }]
  - tool_calls: [{ index: 0, id: "{{ .turn }}", type: function, function: { name: f, arguments: "" } }]
  - finish: tool_calls
`, "tool-id-repeated tool-name-repeated", ""},
		"an id that changes": {`
  - role: assistant
  - tool_calls: [{ index: 0, id: call_1, type: function, function: { name: f, arguments: "" } }]
  - tool_calls: [{ index: 0, id: call_2, function: { arguments: "{}" } }]
  - finish: tool_calls
`, "tool-id-repeated", ""},
		"arguments that are an object": {`
  - role: assistant
  - tool_calls: [{ index: 0, id: call_1, type: function, function: { name: f, arguments: { city: Oslo } } }]
  - finish: tool_calls
`, "arguments-not-text", ""},
		"a usage without a sum": {`
  - { role: assistant, content: Hello }
  - finish: stop
  - usage: { prompt_tokens: null, completion_tokens: 1 }
`, "usage-not-numbers", ""},
		"text beside a call": {`
  - role: assistant
  - { content: Hello, tool_calls: [{ index: 0, id: call_1, type: function, function: { name: f, arguments: "{}" } }] }
  - finish: tool_calls
`, "content-after-call", ""},
		"an error between two finishes": {`
  - { role: assistant, content: Hello, finish: stop }
  - { role: assistant, content: Hello, choice: 1 }
  - error: { message: overloaded }
`, "", ""},
		"an error as a chunk": {`
  - { role: assistant, content: Hello }
  - chunk: { error: { message: overloaded } }
  - finish: stop
`, "unknown-chunk-member", `an error in mid-stream is a step of its own: write error: {"message":"overloaded"}; if that is meant, quirks: [unknown-chunk-member]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rules []string
			diags := load(t, "once.yaml", "name: once\nstream:"+tt.stream)
			for _, d := range diags {
				rules = append(rules, d.Rule)
				if tt.hint != "" && d.Hint != tt.hint {
					t.Errorf("the hint is %q, want %q", d.Hint, tt.hint)
				}
			}
			if got := strings.Join(rules, " "); got != tt.want {
				t.Errorf("it breaks %s, want %s:\n%v", got, tt.want, diags)
			}
		})
	}
}

// A rule of one API does not concern another. A scenario for no API in particular is refused on the
// API whose rule it breaks, with the rule and what to write.
func TestARuleBelongsToAnAPI(t *testing.T) {
	t.Parallel()
	for src, refused := range map[string]map[string]string{
		"message: { reasoning: Hm, content: Hi }":                                               {"chat": "reasoning-member"},
		"stream: [{ content: Hi }, { finish: stop }]":                                           {"chat": "missing-role"},
		"stream: [{ role: assistant }, { content: Hi }, { finish: stop, usage: {} }]":           {"chat": "usage-with-choices", "completions": "usage-with-choices"},
		"stream: [{ role: assistant }, { content: Hi }, { finish: stop }]":                      {},
		"quirks: [missing-role]\nstream: [{ content: Hi }, { finish: stop }]":                   {},
		"stream: [{ role: assistant }, { content: Hi, set: { item_id: x } }, { finish: stop }]": {"responses": "item-not-open", "realtime": "item-not-open"},
	} {
		list, diags := yamlfile.Parse("x.yaml", []byte("name: x\n"+src))
		set, more := scenarios.Build(nil, list...)
		diags = append(append(diags, more...), answer.Check(set)...)
		if len(diags) > 0 {
			t.Errorf("%s\ndoes not load: %v", src, diags)
		}
		got := map[string]string{}
		for name, p := range set.Scenarios()[0].Replies[0].RefusedOn {
			got[name] = p.Rule
			if !strings.HasPrefix(p.Message, "on "+answer.SurfaceNamed(name).Info().Title+": ") || !strings.Contains(p.Hint, "when: { surface: ") {
				t.Errorf("%s\nis refused on %s with %v", src, name, p)
			}
		}
		if !maps.Equal(got, refused) {
			t.Errorf("%s\nis refused on %v, want %v", src, got, refused)
		}
	}
}

// Who names all rules that are told at first is told of no other, and of none that does not occur.
func TestFindingsAreToldTogether(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]string{
		"stream: [{ role: assistant }, { content: Hi, set: { item_id: x } }, { role: assistant }, { finish: stop }]":                        {"role-repeated"},
		"stream: [{ role: assistant }, { tool_call: { name: f, arguments: '{}', index: 1 } }, { role: assistant }, { finish: tool_calls }]": {"tool-index-gap", "index has no effect here: it needs the surface chat, and on chat completions: choice 0 has its role again [role-repeated]"},
	} {
		check := func(quirks string) (told []string) {
			list, diags := yamlfile.Parse("x.yaml", []byte("name: x\n"+src+quirks))
			set, more := scenarios.Build(nil, list...)
			for _, p := range append(append(diags, more...), answer.Check(set)...) {
				told = append(told, cmp.Or(p.Rule, p.Message))
			}
			return told
		}
		got := check("")
		if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s\nis told %q, want %q", src, got, want)
		}
		if rest := check("\nquirks: [" + got[0] + "]"); len(got) == 1 && rest != nil {
			t.Errorf("%s\nwith these quirks is told %q", src, rest)
		}
	}
}
