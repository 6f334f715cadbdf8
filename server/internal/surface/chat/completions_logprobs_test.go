package chat_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// logprobsOf returns the log-probabilities of each chunk of a stream, or of an answer that is
// not streamed. It leaves out the numbers, which are invented.
func logprobsOf(t *testing.T, body string) (list []string) {
	t.Helper()
	if strings.HasPrefix(body, "{") {
		return []string{withoutNumbers(object(t, body).Get("choices").Items()[0].Get("logprobs"))}
	}
	for _, event := range events(body) {
		if event == "[DONE]" {
			continue
		}
		list = append(list, withoutNumbers(object(t, event).Get("choices").Items()[0].Get("logprobs")))
	}
	return list
}

func withoutNumbers(logprobs ojson.Value) string {
	for _, name := range []string{"token_logprobs", "top_logprobs"} {
		for i, item := range logprobs.Get(name).Items() {
			switch item.Kind() {
			case ojson.NumberKind:
				logprobs.Get(name).Items()[i] = ojson.String("N")
			case ojson.ObjectKind:
				logprobs.Get(name).Items()[i] = ojson.Int(int64(len(item.Members())))
			}
		}
	}
	return logprobs.String()
}

func TestLogprobsHaveTheirOldForm(t *testing.T) {
	t.Parallel()
	const authored = `
message:
  content: Hi you
  logprobs:
    content:
      - { token: Hi, logprob: -0.5, top_logprobs: [{ token: Hi, logprob: -0.5 }, { token: Yo, logprob: -2 }] }
      - { token: " you", logprob: -0.25, top_logprobs: [] }
`
	const afterTemplate = `
stream:
- { role: assistant, content: "{{ .last_user }}: " }
- { content: é, logprobs: { content: [{ token: é, logprob: -0.5, top_logprobs: [] }] } }
- finish: stop
`
	const afterRun = `
stream:
- role: assistant
- text: "{{ .last_user }}: "
- { content: a, logprobs: { content: [{ token: a, logprob: -0.5, top_logprobs: [] }] } }
- finish: stop
`
	const afterLarge = `
stream:
- { role: assistant, content: { repeat: é, bytes: 200000 } }
- { content: a, logprobs: { content: [{ token: a, logprob: -0.5, top_logprobs: [] }] } }
- finish: stop
`
	tests := []struct {
		name, yaml, members string
		want                []string
	}{
		{"not asked for", "message: Hi", streamed, []string{`null`}},
		{"none for the most likely tokens", "message: Hi you", `"logprobs":0,` + streamed, []string{
			`{"tokens":["Hi"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[0]}`,
			`{"tokens":[" you"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[2]}`,
		}},
		{"two for each token", "message: Hi you", `"logprobs":2,` + streamed, []string{
			`{"tokens":["Hi"],"token_logprobs":["N"],"top_logprobs":[2],"text_offset":[0]}`,
			`{"tokens":[" you"],"token_logprobs":["N"],"top_logprobs":[2],"text_offset":[2]}`,
		}},
		{"in one piece", "message: Hi you", `"logprobs":2`, []string{
			`{"tokens":["Hi"," you"],"token_logprobs":["N","N"],"top_logprobs":[2,2],"text_offset":[0,2]}`,
		}},
		{"offsets count characters", "message: é東 ö!", `"logprobs":1`, []string{
			`{"tokens":["é","東"," ö","!"],"token_logprobs":["N","N","N","N"],"top_logprobs":[1,1,1,1],"text_offset":[0,1,2,4]}`,
		}},
		{"nothing comes before the first token of an echo", "message: Hi", `"logprobs":1,"echo":true,` + streamed, []string{
			`{"tokens":["Say"," it"],"token_logprobs":[null,"N"],"top_logprobs":[null,1],"text_offset":[0,3]}`,
			`{"tokens":["Hi"],"token_logprobs":["N"],"top_logprobs":[1],"text_offset":[6]}`,
		}},
		{"an echo in one piece", "message: Hi", `"prompt":"é","logprobs":0,"echo":true`, []string{
			`{"tokens":["é","Hi"],"token_logprobs":[null,"N"],"top_logprobs":null,"text_offset":[0,1]}`,
		}},
		{"an echo of nothing", "message: Hi", `"prompt":"","logprobs":0,"echo":true,` + streamed, []string{
			`{"tokens":["Hi"],"token_logprobs":[null],"top_logprobs":null,"text_offset":[0]}`,
		}},
		{"an echo of tokens", "message: Hi", `"prompt":[15,990],"logprobs":0,"echo":true,` + streamed, []string{
			`{"tokens":["<|15|>","<|990|>"],"token_logprobs":[null,"N"],"top_logprobs":null,"text_offset":[0,6]}`,
			`{"tokens":["Hi"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[13]}`,
		}},
		{"a stream says itself what it repeats", "stream:\n- { role: assistant, content: a, logprobs: true, finish: stop }", `"logprobs":1,"echo":true,` + streamed, []string{
			`{"tokens":["a"],"token_logprobs":["N"],"top_logprobs":[1],"text_offset":[0]}`,
		}},
		{"authored", authored, `"logprobs":2,` + streamed, []string{
			`{"tokens":["Hi"],"token_logprobs":["N"],"top_logprobs":[2],"text_offset":[0]}`,
			`{"tokens":[" you"],"token_logprobs":["N"],"top_logprobs":[0],"text_offset":[2]}`,
		}},
		{"authored and not asked for", authored, streamed, []string{
			`{"tokens":["Hi"],"token_logprobs":["N"],"top_logprobs":[2],"text_offset":[0]}`,
			`{"tokens":[" you"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[2]}`,
		}},
		{"authored and not asked for, in one piece", authored, `"stream":false`, []string{
			`{"tokens":["Hi"," you"],"token_logprobs":["N","N"],"top_logprobs":[2,0],"text_offset":[0,2]}`,
		}},
		{"after a template", afterTemplate, streamed, []string{
			`null`, `{"tokens":["é"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[8]}`, `null`,
		}},
		{"after a template that is cut", afterRun, `"stream":false`, []string{
			`{"tokens":["a"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[8]}`,
		}},
		{"after a large text", afterLarge, streamed, []string{
			`null`, `{"tokens":["a"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[100000]}`, `null`,
		}},
		{"of a template", `message: "{{ .last_user }}!"`, `"logprobs":0,` + streamed, []string{
			`{"tokens":["Say"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[0]}`,
			`{"tokens":[" it"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[3]}`,
			`{"tokens":["!"],"token_logprobs":["N"],"top_logprobs":null,"text_offset":[6]}`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := logprobsOf(t, play(t, "name: x\n"+tt.yaml, tt.members))
			if got, want := strings.Join(got, "\n"), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// The first of a token's alternatives is the token itself, with its own number.
func TestATokenIsTheLikeliestOfItsAlternatives(t *testing.T) {
	t.Parallel()
	l := object(t, play(t, "name: x\nmessage: Hi", `"logprobs":3`)).Get("choices").Items()[0].Get("logprobs")
	top := l.Get("top_logprobs").Items()[0].Members()
	if len(top) != 3 || top[0].Name != "Hi" || top[0].Value.Text() != l.Get("token_logprobs").Items()[0].Text() {
		t.Errorf("logprobs %s", l)
	}
}

// An echoed prompt has as many tokens as its usage counts.
func TestAnEchoHasTheTokensThatAreCounted(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{`"Say it, please: 12345"`, `"extraordinarily"`, `"  "`, `[1,22,333]`, `"東京"`} {
		v := object(t, play(t, "name: x\nmessage: Hi", `"echo":true,"logprobs":0,"prompt":`+prompt))
		usage := v.Get("usage")
		counted, _ := usage.Get("total_tokens").Int()
		if shown := len(v.Get("choices").Items()[0].Get("logprobs").Get("tokens").Items()); int64(shown) != counted {
			t.Errorf("the prompt %s: %d tokens with log-probabilities, and usage %s", prompt, shown, usage)
		}
	}
}
