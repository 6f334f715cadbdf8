package chat_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// A prompt has four forms. Each of its texts has n choices. Conditions and templates see each as a
// message of the user.
func TestPromptsOfEveryForm(t *testing.T) {
	t.Parallel()
	s := serve(t, "name: x\nmessage: '!'"+pinned)
	tests := []struct {
		prompt string
		texts  []string
		tokens int64 // tokens is the number of those of all prompts.
	}{
		{`"Say it"`, []string{"Say it"}, 2},
		{`""`, []string{""}, 0},
		{`["a","bcdef"]`, []string{"a", "bcdef"}, 2},
		{`[15,99]`, []string{"<|15|><|99|>"}, 2},
		{`[[1],[2,3]]`, []string{"<|1|>", "<|2|><|3|>"}, 3},
		{`[]`, nil, 0},
		{`null`, nil, 0},
	}
	for _, tt := range tests {
		req, err := chat.Completions.Read(nil, []byte(`{"model":"m","prompt":`+tt.prompt+`}`))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		last := ""
		for _, m := range req.Messages {
			texts, last = append(texts, m.Text), m.Text
			if m.Role != "user" {
				t.Errorf("%s: the role is %q", tt.prompt, m.Role)
			}
		}
		if !slices.Equal(texts, tt.texts) || req.LastUser != last || req.Turn != 1 {
			t.Errorf("%s: messages %q, last %q, turn %d; want %q", tt.prompt, texts, req.LastUser, req.Turn, tt.texts)
		}
		for n, repeated := range map[string]int{"1": 1, "2": 2} {
			_, body := ask(t, s, `"echo":true,"n":`+n+`,"prompt":`+tt.prompt)
			wantEchoes(t, object(t, body), tt.texts, repeated, tt.tokens)
		}
	}
}

// wantEchoes checks that an answer repeats each prompt so many times, and counts its tokens once.
func wantEchoes(t *testing.T, answer ojson.Value, prompts []string, times int, tokens int64) {
	t.Helper()
	var texts, want []string
	for _, prompt := range prompts {
		want = append(want, slices.Repeat([]string{prompt + "!"}, times)...)
	}
	if prompts == nil {
		want = slices.Repeat([]string{"!"}, times)
	}
	for i, c := range answer.Get("choices").Items() {
		if index, _ := c.Get("index").Int(); int(index) != i {
			t.Errorf("choice %d has the index %d", i, index)
		}
		texts = append(texts, c.Get("text").Text())
	}
	usage := fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, tokens, len(want), tokens+int64(len(want)))
	if got := answer.Get("usage").String(); !slices.Equal(texts, want) || got != usage {
		t.Errorf("texts %q and usage %s, want %q and %s", texts, got, want, usage)
	}
}

func TestWrongRequestsAreRefused(t *testing.T) {
	t.Parallel()
	servers := map[string]*server.Server{"lenient": serve(t, "name: x\nmessage: Hi"), "strict": serve(t, "name: x\nstrict: true\nmessage: Hi")}
	const form = "one of a string, array of strings, array of integers, or array of integer arrays"
	tests := []struct {
		members string
		always  bool // always says that a lenient server refuses it, too.
		param   string
		message string // message is a part of the error's message
	}{
		{`"prompt":5`, true, "prompt", form},
		{`"prompt":{}`, true, "prompt", form},
		{`"prompt":[1,"a"]`, true, "prompt[1]", form},
		{`"prompt":["a",[1]]`, true, "prompt[1]", form},
		{`"prompt":[[1],"a"]`, true, "prompt[1]", form},
		{`"prompt":[true]`, true, "prompt[0]", form},
		{`"prompt":[1.5]`, true, "prompt[0]", form},
		{`"prompt":[[1],["a"]]`, true, "prompt[1][0]", "an integer"},
		{`"n":129`, true, "n", "128"},
		{`"n":"two"`, true, "n", "integer"},
		{`"logprobs":6`, true, "logprobs", "5"},
		{`"logprobs":true`, true, "logprobs", "integer"},
		{`"best_of":21`, true, "best_of", "20"},
		{`"echo":"yes"`, true, "echo", "boolean"},
		{`"prompt":[` + strings.Repeat(`"a",`, 2048) + `"a"]`, true, "prompt", "2049 choices"},
		{`"prompt":[` + strings.Repeat(`"a",`, 20) + `"a"],"n":100`, true, "prompt", "2100 choices"},
		{`"n":2,"best_of":1`, false, "best_of", "greater than or equal to n"},
		{`"best_of":2,"stream":true`, false, "best_of", "Cannot stream"},
		{`"n":2,"best_of":2,"stream":true`, false, "", ""},
		{`"n":2,"best_of":3`, false, "", ""},
		{`"suffix":"end","seed":4,"user":"ada","logit_bias":{"50256":-100},"stop":["a","b"],"max_tokens":0`, false, "", ""},
		{`"stream_options":{"include_usage":true}`, false, "stream_options", "only allowed when 'stream' is enabled"},
		{`"temperature":3`, false, "temperature", "2"},
		{`"messages":[]`, false, "", "Unrecognized request argument supplied: messages"},
	}
	for _, tt := range tests {
		for name, s := range servers {
			status, body := ask(t, s, tt.members)
			want := http.StatusOK
			if tt.message != "" && (tt.always || name == "strict") {
				want = http.StatusBadRequest
			}
			members := tt.members[:min(60, len(tt.members))]
			if status != want {
				t.Errorf("%s, %s: status %d, want %d: %.300s", name, members, status, want, body)
				continue
			}
			if want == http.StatusOK {
				continue
			}
			if e := object(t, body).Get("error"); e.Get("param").Text() != tt.param || !strings.Contains(e.Get("message").Text(), tt.message) {
				t.Errorf("%s, %s: %s, want the param %q and %q", name, members, e, tt.param, tt.message)
			}
		}
	}
}

func TestStrictRequestsNeedAPromptAndAModelOfCompletions(t *testing.T) {
	t.Parallel()
	chatModel := `This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?`
	tests := []struct {
		body   string
		status int // status is 0 if the request is accepted
		want   string
	}{
		{`{"model":"gpt-3.5-turbo-instruct","prompt":"a"}`, 0, ""},
		{`{"model":"davinci-002","prompt":"a"}`, 0, ""},
		{`{"model":"my-own-model","prompt":"a"}`, 0, ""},
		{`{"model":"gpt-4o","prompt":"a"}`, 404, chatModel},
		{`{"model":"gpt-3.5-turbo","prompt":"a"}`, 404, chatModel},
		{`{"model":"o3","prompt":"a"}`, 404, chatModel},
		{`{"prompt":"a"}`, 400, "you must provide a model parameter"},
		{`{"model":"davinci-002"}`, 400, "Missing required parameter: 'prompt'."},
	}
	for _, tt := range tests {
		req, err := chat.Completions.Read(nil, []byte(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		got := chat.Completions.Check(req)
		switch {
		case got == nil:
			if tt.status != 0 {
				t.Errorf("%s is accepted", tt.body)
			}
		case got.Status != tt.status || got.Message != tt.want:
			t.Errorf("%s: %d %s, want %d %s", tt.body, got.Status, got.Message, tt.status, tt.want)
		case tt.status == 404 && (got.Param != "model" || got.Code != ""):
			t.Errorf("%s: param %q and code %q, want model and none", tt.body, got.Param, got.Code)
		}
	}
}

// A reply that completions cannot express is refused when it is requested. In a scenario for
// completions only, it is an error at load.
func TestWhatIsNotSayable(t *testing.T) {
	t.Parallel()
	tests := []struct{ reply, what string }{
		{"message: { tool_calls: [{ name: f }] }", "the message holds a tool call"},
		{"message: { custom_tool_calls: [{ name: f, input: x }] }", "the message holds a call of a custom tool"},
		{"message: { function_call: { name: f } }", "the message holds a function_call"},
		{"message: { content: Hi, tool_calls: [{ name: f }] }", "the message holds a tool call"},
		{"message: { refusal: No. }", "the message holds a refusal"},
		{"message: { content: Hi, reasoning: Hm. }", "the message holds reasoning"},
		{"message: { audio: { transcript: Hi } }", "the message holds audio"},
		{"message: { content: Hi, annotations: [] }", "the message holds annotations"},
		{"stream:\n- { role: assistant, content: Hi }\n- fragment: { index: 0, arguments: '{}' }", "step 2 is a tool call"},
		{"stream:\n- { role: assistant, content: Hi }\n- tool_call: { id: c, name: f, arguments: '{}' }\n- finish: tool_calls", "step 2 is a tool call"},
		{"stream:\n- { role: assistant, content: Hi }\n- delta: { content: Hi }\n- finish: stop", "step 2 is a literal delta of"},
		{"stream:\n- { role: assistant, content: Hi }\n- { content: Hi, set: { delta.content: 5 } }\n- finish: stop", "step 2 is a set of delta.content"},
		{"stream:\n- { role: assistant, content: Hi }\n- { content: Hi, omit: [delta.content] }\n- finish: stop", "step 2 is an omit of delta.content"},
	}
	for _, tt := range tests {
		set := silenced(t, "name: x\n"+tt.reply)
		if err := server.Check(set).Err(); err != nil {
			t.Fatal(err)
		}
		for _, members := range []string{streamed, `"stream":false`} {
			status, body := ask(t, serveSet(t, set), members)
			e := object(t, body).Get("error")
			want := `scenario "x", reply 1: ` + tt.what
			if status != http.StatusBadRequest || e.Get("code").Text() != "fake_unsayable" || !strings.HasPrefix(e.Get("message").Text(), want) ||
				!strings.HasSuffix(e.Get("message").Text(), ", which completions cannot express") {
				t.Errorf("%s: %d %s, want 400, fake_unsayable and %q", tt.reply, status, body, want)
			}
		}
	}
}

// A scenario for completions only must be possible there, even if quirks allow it to break
// rules.
func TestWhatIsForCompletionsMustBeSayable(t *testing.T) {
	t.Parallel()
	tests := []struct{ reply, want string }{
		{"message: { tool_calls: [{ name: f }] }", "3:1: the message holds a tool call, which completions cannot express"},
		{"stream:\n- content: Hi\n- refusal: No.\n- finish: stop", "5:3: step 2 is a refusal, which completions cannot express"},
		{"stream:\n- { content: Hi, set: { delta.content: 5 } }\n- finish: stop", "4:3: step 1 is a set of delta.content, a place in chat completions, which completions cannot express"},
		{"replies: [{ times: 1, message: Hi }, { message: { refusal: No. } }]", "3:38: the message holds a refusal, which completions cannot express"},
	}
	for _, tt := range tests {
		yaml := "name: x\nwhen: { surface: completions }\n" + tt.reply
		_, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte(yaml)})
		for name, list := range map[string]diag.List{"strict": problems, "silenced": server.Check(silenced(t, yaml))} {
			if len(list) != 1 || !strings.Contains(list[0].String(), tt.want) {
				t.Errorf("%s: %s\ngot  %v\nwant %s", name, tt.reply, list, tt.want)
			}
		}
	}
}

// silenced returns a set of one scenario, which may break any rule of the protocol.
func silenced(t *testing.T, yaml string) *scenarios.Set {
	t.Helper()
	parsed, problems := yamlfile.Parse("x.yaml", []byte(yaml))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	parsed[0].Quirks = []scenarios.Quirk{{Rule: scenarios.AnyQuirk}}
	set, err := scenarios.NewSet(parsed...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"model":"gpt-3.5-turbo-instruct","prompt":["a","b"],"n":2,"best_of":3,"logprobs":5,"echo":true}`))
	f.Add([]byte(`{"model":"davinci-002","prompt":[[1,2],[3]],"stream":true,"stream_options":{"include_usage":true}}`))
	f.Add([]byte(`{"prompt":[],"suffix":null,"logprobs":0}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := chat.Completions.Read(nil, body)
		if err != nil {
			return
		}
		if req.N < 1 || req.N > 128 || req.TopLogprobs < 0 || req.TopLogprobs > 5 {
			t.Errorf("n = %d, logprobs = %d", req.N, req.TopLogprobs)
		}
		if req.PromptTokens < 0 {
			t.Error("fewer than no tokens in the prompt")
		}
		if err := (chat.Completions).Check(req); err != nil && (err.Message == "" || err.Status < 400) {
			t.Errorf("error without message or status: %+v", err)
		}
	})
}
