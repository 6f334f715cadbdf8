package server_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// Members that a scenario adds to all chunks do not replace usage that a step sets.
func TestTheEnvelopeKeepsAuthoredUsage(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]struct{ path, body string }{
		"chat":        {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`},
		"completions": {"/v1/completions", `{"model":"gpt-3.5-turbo-instruct","stream":true,"prompt":"Hi"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\nenvelope: { usage: null }\nstream: [{ role: assistant }, { finish: stop }, { usage: { prompt_tokens: 41, completion_tokens: 1 } }]", server.Config{})
			got := text(t, r.do("POST", ask.path, ask.body))
			wantContains(t, got, `"usage":null`, `"prompt_tokens":41`)
		})
	}
}

// What the envelope changes, it changes in every chunk and in the answer that is not
// streamed. A step takes precedence over it.
func TestTheEnvelopeEditsAllThatIsSent(t *testing.T) {
	t.Parallel()
	const edited = `
name: a
envelope:
  omit: [message.refusal, message.annotations, delta.refusal, logprobs, obfuscation]
  set: { system_fingerprint: null, usage.cost: 0.5, region: "{{ .request.model }}", finish_reason: stop }
stream: [{ role: assistant, set: { finish_reason: null } }, { content: Hi, set: { finish_reason: null } }, { finish: stop }, { usage: {} }]
`
	r := start(t, edited, server.Config{})
	const question = `"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`
	streamed := text(t, r.chat(`{"stream":true,`+question))
	whole := text(t, r.chat(`{`+question))
	for name, got := range map[string]string{"streamed": streamed, "whole": whole} {
		if events := strings.Count(got, "data: {"); name == "streamed" && strings.Count(got, `"region":"gpt-4o"`) != events {
			t.Errorf("a chunk has no region:\n%s", got)
		}
		for _, absent := range []string{"refusal", "annotations", "logprobs", "obfuscation", `"system_fingerprint":"fp`, `"system_fingerprint": "fp`} {
			if strings.Contains(got, absent) {
				t.Errorf("%s answer: %s is there:\n%s", name, absent, got)
			}
		}
		if strings.Count(got, "cost") != 1 {
			t.Errorf("%s answer: the cost is not told once:\n%s", name, got)
		}
		wantContains(t, got, `"finish_reason":`+map[string]string{"whole": " "}[name]+`"stop"`)
	}
	wantContains(t, streamed, `"content":"Hi"},"finish_reason":null`)
}

func TestTheEnvelopeSaysWhatIsInUsage(t *testing.T) {
	t.Parallel()
	const asked, unasked = `"stream":true,"stream_options":{"include_usage":true}`, `"stream":true`
	for name, tt := range map[string]struct {
		envelope, ask       string
		nulls, usage, zeros int
	}{
		"by default":                 {"{}", asked, 4, 1, 1},
		"without details":            {"{ usage_details: false }", asked, 4, 1, 0},
		"details of a bare layout":   {"{ usage_details: true, layout: minimal }", asked, 4, 1, 1},
		"without null":               {"{ usage_null: false }", asked, 0, 1, 1},
		"null unasked":               {"{ usage_null: true }", unasked, 4, 0, 0},
		"whole, and without details": {"{ usage_null: true, usage_details: false }", `"stream":false`, 0, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\nenvelope: "+tt.envelope+"\nmessage: Hello you", server.Config{})
			got := strings.ReplaceAll(text(t, r.chat(`{"model":"gpt-4o","messages":[],`+tt.ask+`}`)), ": ", ":")
			for part, want := range map[string]int{`"usage":null`: tt.nulls, `"total_tokens":`: tt.usage, `"cached_tokens":`: tt.zeros} {
				if n := strings.Count(got, part); n != want {
					t.Errorf("%d times %s, want %d:\n%s", n, part, want, got)
				}
			}
		})
	}
}

func TestTheEnvelopeEditsCompletions(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nenvelope: { usage_null: true, omit: logprobs, set: { text: Bye, provider: acme } }\nmessage: Hi", server.Config{})
	got := text(t, r.do("POST", "/v1/completions", `{"model":"gpt-3.5-turbo-instruct","prompt":["a","b"]}`))
	if strings.Count(got, `"text": "Bye"`) != 2 || strings.Contains(got, "logprobs") || !strings.Contains(got, "acme") {
		t.Errorf("got %s", got)
	}
	wantContains(t, text(t, r.do("POST", "/v1/completions", `{"model":"gpt-3.5-turbo-instruct","stream":true,"prompt":"a"}`)), `"text":"Bye"`, `"usage":null`)
}

// Some servers send created as a fraction, others as a text.
func TestCreatedCanBeAnyNumberOrText(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"1700000000.25":             `1700000000.25`,
		"2026-11-21T00:00:00Z":      `"2026-11-21T00:00:00Z"`,
		"'at {{ .request.model }}'": `"at gpt-4o"`,
		"1700000000":                `1700000000`,
		"null":                      `null`,
	} {
		r := start(t, "name: a\nenvelope: { created: "+written+" }\nmessage: Hi", server.Config{})
		for _, ask := range []string{ask, strings.Replace(ask, `"stream":true,`, "", 1)} {
			wantContains(t, strings.ReplaceAll(text(t, r.chat(ask)), `": `, `":`), `"created":`+want+",")
		}
		asked := r.do("POST", "/v1/completions", `{"model":"gpt-4o","stream":true,"prompt":"a"}`)
		wantContains(t, text(t, asked), `"created":`+want+",")
	}
}

// The reasoning of a message is cut as its by says, or else like the content.
func TestReasoningIsCut(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`{ reasoning: { text: Six sevens., by: word }, content: It is 42., by: all }`:                                          "Six| sevens.",
		`{ reasoning: { text: Six sevens., by: { size: 4 } }, content: Hi }`:                                                   "Six |seve|ns.",
		`{ reasoning: { text: "{{ .request.model }} sevens", by: word }, content: Hi, by: all }`:                               "gpt-4o| sevens",
		`{ reasoning: Six sevens., content: It is 42., by: all }`:                                                              "Six sevens.",
		`{ choices: [{ reasoning: { text: Six sevens., by: all, field: reasoning_content }, content: It is 42., by: rune }] }`: "Six sevens.",
	} {
		got := text(t, start(t, "name: a\nquirks: [reasoning-member]\nmessage: "+message, server.Config{}).chat(ask))
		var pieces []string
		for part := range strings.SplitSeq(got, `"reasoning_content":"`) {
			piece, _, _ := strings.Cut(part, `"}`)
			pieces = append(pieces, piece)
		}
		if joined := strings.Join(pieces[1:], "|"); joined != want {
			t.Errorf("%s: pieces %q, want %q", message, joined, want)
		}
	}
}

// A reply's envelope overrides its scenario's, and that overrides the one of the scenario
// that it extends: the paths of all of them are changed, and the last value for a path counts.
func TestEditsOfInheritedEnvelopesAddUp(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: base
envelope: { omit: [service_tier, logprobs], set: { b: 1, object: other, system_fingerprint: null } }
message: Hi
---
name: a
extends: base
quirks: [chunk-without-envelope]
envelope: { omit: object, set: { b2: 2, logprobs: null } }
replies:
  - message: Hi
    envelope: { omit: system_fingerprint, set: { b: 3 } }
`, server.Config{})
	got := text(t, r.chat(`{"model":"fake:a","stream":true,"messages":[]}`))
	for _, absent := range []string{"service_tier", `"object"`, "system_fingerprint"} {
		if strings.Contains(got, absent) {
			t.Errorf("%s is there:\n%s", absent, got)
		}
	}
	wantContains(t, got, `"b":3`, `"b2":2`, `"logprobs":null`)
}
