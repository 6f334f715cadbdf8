package answer

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// What is expected of these fits. Those that contradict their replies are in testdata/err/expect_contradicted.yaml;
// the bundled scenarios and the zoo have more of both the usual and the odd.
func TestWhatFitsAReplyCanBeExpected(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"end: { cut: { after: 1 } }, expect: { error: true }",
		"end: { cut: { after: 2 } }, expect: { text: Hello, error: any }",
		"end: { cut: { after: 2 } }, expect: [{ error: true }, { text: Hello }]",
		"end: { cut: { after: -1, inside: false } }, expect: [{ text: Hello there., finish: stop }, { error: true }]",
		"end: { cut: { after: 1, chance: 0.5 } }, expect: [{ text: Hello there., finish: stop }, { error: true }]",
		"end: { linger: 5s }, expect: { text: Hello there., finish: stop }",
		"end: { stall: { for: 5s, after: -1 } }, expect: { error: true }",
		"wire: { done: false }, expect: [{ text: Hello there., finish: stop }, { error: true }]",
		"wire: { done: false, final_blank: false }, expect: [{ error: true }, { text: Hello there., finish: stop }]",
		"wire: { newline: cr, bom: true, gzip: flush, split: byte }, expect: { text: Hello there., finish: stop }",
		"wire: { gzip: truncate }, expect: { error: true }",
		"wire: { headers: { Content-Length: '9000' } }, expect: { error: true }",
		"wire: { format: json }, expect: { error: true }",
		"wire: { format: ndjson }, expect: [{ error: true }, { text: Hello there. }]",
		"when: { stream: false }, expect: { text: Hello there., finish: stop }",
		"when: { surface: responses }, expect: { text: Hello there., usage: { completion_tokens: 3 } }",
		"when: { surface: responses }, end: { close: { after: 4 } }, expect: { error: true }",
		"when: { surface: responses }, envelope: { response: failed }, expect: { error: true }",
		"when: { surface: responses }, damage: [{ drop: content }], expect: { text: Hello there., finish: stop }",
		"damage: [{ drop: content }], expect: { text: '', finish: stop }",
		"damage: [{ swap: [2, 3] }], expect: { text: ' thereHello.' }",
		"damage: [{ drop: finish, chance: 0.5 }], expect: { text: Hello there., finish: stop }",
		"limits: { rpm: 1 }, expect: [{ text: Hello there. }, { error: true }]",
		"expect: { usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }",
	} {
		rightly(t, "{ name: x, message: Hello there., "+src+" }")
	}
	for _, src := range []string{
		`message: "Hi {{ .last_user }}", expect: { text: Hi you, finish: stop }`,
		`when: { user: { matches: '(?P<city>\w+)' } }, message: { tool_calls: [{ name: f, arguments: '{"c":"{{ .match.city }}"}' }] }, expect: { calls: [{ name: f, arguments: { c: Oslo } }] }`,
		"message: { fake: { words: 3 } }, expect: { text: one two three, finish: stop }",
		"replies: [{ chance: 0.5, message: A }, { message: B }], expect: [{ text: A }, { text: B }]",
		"stream: [{ role: assistant }, { content: Hi }, { raw: \"nonsense\\n\\n\" }, { finish: stop }], expect: { text: Hi, finish: stop }",
		"stream: [{ role: assistant }, { content: Hi }, { raw: \"data: nonsense\\n\\n\" }, { finish: stop }], expect: [{ error: true }, { text: Hi, finish: stop }]",
		"message: { tool_calls: [{ id: a, name: f, arguments: '{' }], finish: length }, expect: [{ calls: [], finish: length }, { calls: [{ name: f, arguments: '{' }] }, { error: true }]",
		"when: { path: /v1/files }, error: 404, expect: { error: true }",
	} {
		rightly(t, "{ name: x, "+src+" }")
	}
}

func rightly(t *testing.T, src string) {
	t.Helper()
	if _, problems := yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte(src)}); len(problems) > 0 {
		t.Errorf("%s: %v", src, problems)
	}
}

// What the request decides is not compared, and the rest is.
func TestWhatIsNotComparedIsNoted(t *testing.T) {
	t.Parallel()
	for src, noted := range map[string]bool{
		"{ text: Hi you }":                     true,
		"{ finish: stop }":                     false,
		"{ usage: { completion_tokens: 5 } }":  true,
		"{ text: Hi you, error: any }":         true,
		"[{ finish: stop }, { text: Hi you }]": true,
	} {
		set, problems := yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte(`{ name: x, message: "Hi {{ .last_user }}", expect: ` + src + " }")})
		if len(problems) > 0 {
			t.Errorf("%s: %v", src, problems)
		} else if got := len(set.Scenarios()[0].Replies[0].Notes) > 0; got != noted {
			t.Errorf("%s: noted: %t, want %t", src, got, noted)
		}
	}
	if _, problems := yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte(`{ name: x, message: "Hi {{ .last_user }}", expect: { finish: length } }`)}); !strings.Contains(problems.Error(), `the finish is "stop"`) {
		t.Errorf("%v", problems)
	}
}
