package server_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

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
