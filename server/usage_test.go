package server_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fakeopenai/fakeopenai/server"
)

// The token counts of text and audio add up to the total, also in the layout audio.
func TestTheUsageOfAudioAddsUp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		yaml  string
		sound int64 // sound is the number of audio tokens, or -1 if it does not matter.
	}{
		"counted":             {`message: { audio: { transcript: Hello there. } }`, 17},
		"with sound":          {`message: { audio: { transcript: Hi., data: AAAA } }`, 1},
		"of a template":       {`message: { audio: { transcript: "Hi {{ .last_user }}." } }`, -1},
		"text":                {`{ message: Hi, envelope: { layout: audio } }`, 0},
		"text of a template":  {`{ message: "Hi {{ .last_user }}", envelope: { layout: audio } }`, 0},
		"prompt written":      {`message: { audio: { transcript: Hi }, usage: { prompt_tokens: 40, prompt_tokens_details: { audio_tokens: 25, image_tokens: 5 } } }`, -1},
		"sound of the prompt": {`message: { audio: { transcript: Hi }, usage: { prompt_tokens_details: { audio_tokens: 2 } } }`, -1},
		"completion written":  {`message: { audio: { transcript: Hello there. }, usage: { completion_tokens: 5 } }`, 5},
		"text written":        {`message: { audio: { transcript: Hello there. }, usage: { completion_tokens: 24, completion_tokens_details: { text_tokens: 7 } } }`, 17},
		"sound written":       {`message: { audio: { transcript: Hello there. }, usage: { completion_tokens: 24, completion_tokens_details: { audio_tokens: 20 } } }`, 20},
		"of two choices":      {`message: { choices: [{ audio: { transcript: Hi., data: AAAA } }, "Hi {{ .last_user }}"] }`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.yaml[0] == '{' {
				tt.yaml = tt.yaml[2 : len(tt.yaml)-2]
			}
			yaml := fmt.Sprintf("{ name: a, %s }", tt.yaml)
			r := start(t, yaml, server.Config{})
			n := 1
			if name == "of two choices" {
				n = 2
			}
			body := text(t, r.chat(fmt.Sprintf(`{"model":"gpt-audio-1.5","n":%d,"messages":[{"role":"user","content":"Say hi."}]}`, n)))
			number := func(path string) int64 {
				n, _ := value(t, body, "usage."+path).Int()
				return n
			}
			sum := func(of string) int64 {
				of += "_tokens_details."
				return number(of+"text_tokens") + number(of+"audio_tokens") + number(of+"image_tokens")
			}
			prompt, completion := number("prompt_tokens"), number("completion_tokens")
			if completion == 0 || number("total_tokens") != prompt+completion || sum("prompt") != prompt || sum("completion") != completion {
				t.Errorf("it does not add up: %s", value(t, body, "usage"))
			}
			if sound := number("completion_tokens_details.audio_tokens"); tt.sound >= 0 && sound != tt.sound {
				t.Errorf("%d tokens of sound, want %d", sound, tt.sound)
			}
		})
	}
}

// Of a negative number that a scenario writes, no part is sound.
func TestPartsOfANegativeUsageAreNotNegative(t *testing.T) {
	t.Parallel()
	const yaml = "name: a\nquirks: [usage-negative]\nmessage: { content: Hi, usage: { completion_tokens: -2 } }\n"
	for _, layout := range []string{"", "envelope: { layout: audio }\n"} {
		r := start(t, yaml+layout, server.Config{})
		body := text(t, r.chat(whole))
		parts := value(t, body, "usage.completion_tokens_details").Members()
		if value(t, body, "usage.completion_tokens").String() != "-2" || len(parts) == 0 {
			t.Errorf("%q: got %s", layout, body)
		}
		for _, part := range parts {
			if n, _ := part.Value.Int(); n < 0 {
				t.Errorf("%q: %s is %d", layout, part.Name, n)
			}
		}
	}
}

// usage_null says whether chunks without usage have "usage": null, whether it is asked for or not.
func TestUsageIsNullAsTheEnvelopeSays(t *testing.T) {
	t.Parallel()
	for envelope, want := range map[string]int{"usage_null: false": 0, "usage_null: true": 4} {
		r := start(t, "name: a\nenvelope: { "+envelope+" }\nmessage: Hello you", server.Config{})
		for _, ask := range []string{brief, strings.Replace(brief, `"include_obfuscation":false`, `"include_usage":true`, 1)} {
			if got := text(t, r.chat(ask)); strings.Count(got, `"usage":null`) != want {
				t.Errorf("%s: want %d times null in\n%s", envelope, want, got)
			}
		}
	}
}

const bounded = `
name: long
when: { prompt_tokens: { min: 40 } }
error: { code: context_length_exceeded, message: "{{ .prompt_tokens }} tokens are too many." }
---
name: short
message: "{{ .prompt_tokens }}"
`

// The size that conditions and templates see is the one that usage reports, on each API and with
// what was said before.
func TestThePromptHasTheSizeThatUsageReports(t *testing.T) {
	t.Parallel()
	r := start(t, bounded, server.Config{})
	long := strings.Repeat("Please say it in other words. ", 10)
	for _, tt := range []struct{ path, text, usage, short, long string }{
		{"/v1/chat/completions", "choices[0].message.content", "usage.prompt_tokens", `{"messages":[{"role":"user","content":"Hello there"}]}`, `{"messages":[{"role":"user","content":"` + long + `"}]}`},
		{"/v1/completions", "choices[0].text", "usage.prompt_tokens", `{"prompt":["Hello there","and there"]}`, `{"prompt":["Hello","` + long + `"]}`},
		{"/v1/completions", "choices[0].text", "usage.prompt_tokens", `{"prompt":[1,2,3]}`, `{"prompt":[` + strings.Repeat("1,", 39) + `1]}`},
		{"/v1/responses", "output[0].content[0].text", "usage.input_tokens", `{"input":"Hello there"}`, `{"input":[{"role":"user","content":"` + long + `"}]}`},
	} {
		status, body := r.sent(tt.path, tt.short)
		if status != 200 || value(t, body, tt.text).Text() != value(t, body, tt.usage).String() {
			t.Errorf("%s %s: %d, the template has %s, usage %s", tt.path, tt.short, status, value(t, body, tt.text).Text(), value(t, body, tt.usage))
		}
		if status, body = r.sent(tt.path, tt.long); status != 400 || !strings.Contains(body, "context_length_exceeded") {
			t.Errorf("%s %s: %d %s", tt.path, tt.long, status, body)
		}
	}
	_, short := r.sent("/v1/responses", `{"input":"`+long[:100]+`"}`)
	if status, body := r.sent("/v1/responses", fmt.Sprintf(`{"input":"And now?","previous_response_id":%q}`, value(t, short, "id").Text())); status != 400 || !strings.Contains(body, "42 tokens are too many") {
		t.Errorf("with what was said before: %d %s", status, body)
	}
}

func TestThePromptOfATurnHasASize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := converse(t, bounded, server.Config{})
		one := c.ending(t, create(`,"input":"`+strings.Repeat("a", 100)+`"`))
		if got := value(t, one, "response.output[0].content[0].text").Text(); got != "32" {
			t.Errorf("the first turn has %s tokens", got)
		}
		two := c.ending(t, create(fmt.Sprintf(`,"input":"b","previous_response_id":%q`, value(t, one, "response.id").Text())))
		wantContains(t, two, "context_length_exceeded")
		close(c.in)
	})
}
