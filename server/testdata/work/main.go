// Command work checks files and answers requests of two lengths, and writes how many statements
// were executed and how many bytes were allocated for each. It must be built with -cover and
// -covermode=atomic.
package main

import (
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/coverage"
	"strconv"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// An input is a text in which parts stand any number of times: each in place of a ▮, with its
// number in place of %d.
type input struct {
	name, text string
	parts      []string
}

func (in *input) long(n int) string {
	text := in.text
	for _, part := range in.parts {
		var all strings.Builder
		for i := range n {
			all.WriteString(strings.ReplaceAll(part, "%d", fmt.Sprint(i+1)))
		}
		text = strings.Replace(text, "▮", all.String(), 1)
	}
	return text
}

var files = []input{
	{"replies with conditions", "name: x\nreplies:\n▮", []string{"  - { when: { user: { contains: w%d } }, message: Hello %d }\n"}},
	{"replies for turns", "name: x\nreplies:\n▮", []string{"  - { when: { model: gpt-4o, turn: %d }, message: Hello }\n"}},
	{"replies that cannot be", "name: x\nreplies:\n  - message: Hello\n▮", []string{"  - message: Hello %d\n"}},
	{"scenarios", "▮", []string{"---\nname: x%d\nwhen: { user: { contains: w%d } }\nmessage: Hello\n"}},
	{"conditions", "name: x\nmessage: Hello\nwhen:\n  body:\n▮", []string{"    metadata.k%d: v\n"}},
	{"calls", "name: x\nmessage:\n  tool_calls:\n▮", []string{"    - { name: f%d, arguments: { a: 1 } }\n"}},
	{"paths", "name: x\nstream:\n  - role: assistant\n▮  - finish: stop\n", []string{"  - { content: a, omit: delta.contnt%d }\n"}},
	{"letters without a space", "name: x\nmessage: ▮\n", []string{strings.Repeat("letters", 23)}},
	{"arguments", "name: x\nmessage: { tool_calls: [{ name: f, arguments: '[0▮]' }] }\nquirks: [arguments-not-object]\n", []string{", 1000"}},
	{"mistakes", "name: x\nstream:\n▮", []string{"  - { newline: crlf, colour%d: x, bytes: 3, ttft: [1, 2] }\n"}},
	{"paths of one step", "name: x\nstream:\n  - { role: assistant, omit: [▮id] }\n  - finish: stop\n", []string{"delta.contnt%d, "}},
}

// answered are files whose scenario is asked for a stream and for an answer in one piece.
var answered = []input{
	{"damage", "name: x\ndamage: [{ drop: 1 }, { drop: -1 }, { drop: [content, 8, -2] }, { duplicate: all }, { swap: [2, -1] }, { rename: { frames: all, from: object, to: kind } }]\n" +
		"stream:\n  - role: assistant\n▮  - finish: stop\n", []string{"  - content: word %d\n  - refusal: word %d\n"}},
	{"chunks", "name: x\nstream:\n  - role: assistant\n▮  - finish: stop\n", []string{"  - content: word %d\n"}},
	{"members", "name: x\nenvelope: { extra: { m: 1▮ } }\nstream: [{ role: assistant }, { content: a, extra: { m: 1▮ } }, { finish: stop }, { usage: { extra: { m: 1▮ } } }]\n",
		[]string{", member_of_the_envelope_%d: 1", ", member_of_the_step_%d: 1", ", member_of_the_usage_%d: 1"}},
	{"members beside an error", "name: x\nerror: { status: 400, message: a, beside: { m: 1▮ } }\n", []string{", m%d: 1"}},
	{"members of an item", "name: x\nstream: [{ item: { type: web_search_call, extra: { m: 1▮ } } }, { text: Hi }, { finish: stop }]\n", []string{", m%d: 1"}},
}

var recorded = []input{
	{"odd events", "▮", []string{"data: {\"odd\":%d}\n\n"}},
	{"odd values", `{"odd":[0▮]}`, []string{`,{"a":%d}`}},
	{"what begins like many secrets", "odd ▮", []string{"c00kies-00 "}},
	{"what is encoded again and again", "odd %▮", []string{"25"}},
	{"names of secrets", "odd ▮", []string{"password: "}},
	{"items that are too many for a message", `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"gpt-4o","output":[{"id":"fc_0","type":"function_call","status":"completed","name":"f",` +
		`"call_id":"c0","arguments":"{}"}▮]}`, []string{`,{"id":"fc_%d","type":"function_call","status":"completed","name":"f","call_id":"c%d","arguments":"{}","odd":%d}`}},
}

// inSteps are recorded as steps or as messages if they have few parts, and as bytes if they have many.
var inSteps = []input{
	{"members of events", `data: {"choices":[{"index":0,"delta":{"content":"a"▮}}]▮}` + "\n\n" + `data: {"choices":[{"index":0,"delta":{"content":"b"▮}}]▮}` + "\n\n",
		[]string{`,"m%d":0`, `,"n%d":0`, `,"m%d":1`, `,"n%d":1`}},
	{"calls of a message", `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"c0","type":"function","function":{"name":"f","arguments":"{}"}}▮],"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"tool_calls"}]}`,
		[]string{`,{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}`}},
}

const chat, responses = "/v1/chat/completions", "/v1/responses"

// requests are by their paths.
var requests = map[string][]input{
	chat: {
		{"required names", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":` +
			`{"type":"object","additionalProperties":false,"properties":{"p":{"type":"string"}▮},"required":["p"▮]}}}]}`, []string{`,"p%d":{"type":"string"}`, `,"p%d"`}},
		{"calls and results", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}▮]},` +
			`{"role":"tool","tool_call_id":"c","content":"x"}▮]}`, []string{`,{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}`, `,{"role":"tool","tool_call_id":"c%d","content":"x"}`}},
		{"messages", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}▮]}`, []string{`,{"role":"user","content":"word %d"}`}},
	},
	responses: {
		{"items of answers", `{"model":"gpt-4o","input":[{"role":"user","content":"hi"}▮]}`, []string{`,{"role":"assistant","content":"word %d"}`}},
		{"members of the reasoning", `{"model":"gpt-4o","input":"hi","reasoning":{"effort":null▮}}`, []string{`,"k%d":1`}},
		{"members of a text", `{"model":"gpt-4o","input":"hi","text":{"format":{"type":"text"}▮}}`, []string{`,"k%d":1`}},
		{"members of a tool", `{"model":"gpt-4o","input":"hi","tools":[{"type":"web_search"▮}]}`, []string{`,"k%d":1`}},
	},
}

func main() {
	for _, in := range files {
		compare("file: "+in.name, 150, func(n int) func() {
			text := []byte(in.long(n))
			return func() {
				_, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: text})
				problems.Render(func(string) []byte { return text })
			}
		})
	}
	for _, in := range answered {
		compare("answer: "+in.name, 150, func(n int) func() {
			text := in.long(n)
			return func() { answer(text) }
		})
	}
	for _, in := range recorded {
		compare("record: "+in.name, 150, func(n int) func() { return func() { record(in.long(n), n) } })
	}
	for _, in := range inSteps {
		compare("record: "+in.name, 20, func(n int) func() { return func() { record(in.long(n), n) } })
	}
	for _, strict := range []bool{true, false} {
		s := start("name: x\nmessage: '{{ .last_user }}'\n", strict)
		for path, list := range requests {
			for _, in := range list {
				compare(fmt.Sprintf("request: %s, strict %t", in.name, strict), 1000, func(n int) func() {
					body := in.long(n)
					return func() { ask(s, path, body) }
				})
			}
		}
	}
}

// record writes a scenario of an answer, which came in n pieces after n cookies.
func record(answer string, n int) {
	x := recording.Exchange{
		Method: http.MethodPost, Path: chat, Status: http.StatusOK, AnswerHeader: http.Header{"Content-Type": {"application/json"}},
		Header: http.Header{}, Body: []byte(`{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`),
	}
	for i := range n {
		x.AnswerHeader.Add("Set-Cookie", fmt.Sprintf("c=c00kies-%09d", i))
		x.Pieces = append(x.Pieces, recording.Piece{Data: []byte(answer[i*len(answer)/n : (i+1)*len(answer)/n])})
	}
	if strings.Contains(answer, `"object":"response"`) {
		x.Path, x.Body = responses, []byte(`{"model":"gpt-4o","input":"hi"}`)
	}
	new(recording.Redactor).Redact(&x)
	var c recording.Collection
	if err := c.Add(&x); err != nil || len(c.Files()) != 1 {
		log.Fatal(err)
	}
}

// answer checks a scenario, and makes its answers.
func answer(scenario string) {
	s := start(scenario, false)
	defer s.Close()
	path, asked := chat, `"messages":[{"role":"user","content":"hi"}]`
	if strings.Contains(scenario, "item:") {
		path, asked = responses, `"input":"hi"`
	}
	for _, stream := range []string{"true", "false"} {
		if ask(s, path, `{"model":"gpt-4o","stream":`+stream+`,`+asked+`}`) == http.StatusNotFound {
			log.Fatalf("no answer from\n%s", scenario)
		}
	}
}

func ask(s *server.Server, path, body string) (status int) {
	r, w := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)), httptest.NewRecorder()
	r.Header.Set("Authorization", "Bearer k")
	s.ServeHTTP(w, r)
	return w.Code
}

func start(scenario string, strict bool) *server.Server {
	set, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte(scenario)})
	if err := problems.Err(); err != nil {
		log.Fatal(err)
	}
	s, err := server.New(server.Config{
		Scenarios: set, Strict: strict, CheckHistory: true, JournalSize: -1, StoreSize: -1,
		Logger: slog.New(slog.DiscardHandler), Observe: func(journal.Entry) {},
	})
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// compare writes a line with the statements of few parts and of eight times as many, and with the
// bytes.
func compare(name string, few int, prepare func(n int) (do func())) {
	small, large := prepare(few), prepare(8*few)
	small() // what is done only once does not count
	statements, bytes := work(small)
	moreStatements, moreBytes := work(large)
	fmt.Printf("%s\t%d\t%d\t%d\t%d\n", name, statements, moreStatements, bytes, moreBytes)
}

func work(do func()) (statements, bytes uint64) {
	var before, after runtime.MemStats
	if err := coverage.ClearCounters(); err != nil {
		log.Fatal(err)
	}
	runtime.GC()
	runtime.GC() // twice, to empty the pools
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return executed(), after.TotalAlloc - before.TotalAlloc
}

// covdata returns the path of Go's tool that reads counters; to run it by its name takes longer.
var covdata = sync.OnceValue(func() string {
	path, err := exec.Command("go", "tool", "-n", "covdata").Output()
	if err != nil {
		log.Fatal(err)
	}
	return strings.TrimSpace(string(path))
})

// executed returns how many statements were executed since the counters were cleared.
func executed() (n uint64) {
	dir, err := os.MkdirTemp("", "work")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	profile := filepath.Join(dir, "profile")
	for _, write := range []func(string) error{coverage.WriteMetaDir, coverage.WriteCountersDir} {
		if err := write(dir); err != nil {
			log.Fatal(err)
		}
	}
	if out, err := exec.Command(covdata(), "textfmt", "-i="+dir, "-o="+profile).CombinedOutput(); err != nil {
		log.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(text)) { // such as a.go:8.26,9.14 2 35: two statements, 35 times
		if fields := strings.Fields(line); len(fields) == 3 && fields[2] != "0" {
			some, _ := strconv.ParseUint(fields[1], 10, 64)
			times, _ := strconv.ParseUint(fields[2], 10, 64)
			n += some * times
		}
	}
	return n
}
