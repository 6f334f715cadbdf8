package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// work is one kind of load.
type work struct {
	name     string
	about    string        // about describes the work in the report.
	scenario string        // scenario is the YAML that fakeopenai plays.
	request  string        // request is the JSON body of each request.
	conns    int           // conns is the number of simultaneous connections.
	gap      time.Duration // gap is the pause between the chunks of a stream; 0 is none.
	events   int           // events is the number of events in fakeopenai's answer; those of other targets may differ.
}

// paced reports whether answers have pauses. The figures of a paced work are about how
// exactly the pauses are kept, not about throughput.
func (w *work) paced() bool { return w.gap > 0 }

// streamed reports whether the answer is a stream.
func (w *work) streamed() bool { return strings.Contains(w.request, `"stream":true`) }

// question is the model and the user's message in every request of a run.
type question struct{ model, message string }

// usual is the question unless -model or -message changes it.
var usual = question{"gpt-4o", "hello Alice, how are you?"}

// JSON members that make request ask for a stream, and for a stream with usage.
const (
	asStream  = `"stream":true,`
	withUsage = asStream + `"stream_options":{"include_usage":true},`
)

// request is the JSON body of a request for q. more is further members, each followed by a comma.
func (q question) request(more string) string {
	return fmt.Sprintf(`{"model":%s,%s"messages":[{"role":"system","content":"You are a helpful assistant."},{"role":"user","content":%s}]}`,
		quoted(q.model), more, quoted(q.message))
}

// quoted is text as a JSON string.
func quoted(text string) []byte {
	src, _ := json.Marshal(text) // a string can always be written
	return src
}

// stream is a scenario of n chunks: a role, n-2 words and a finish reason. manner is YAML
// keys of the scenario, such as a pace.
func stream(n int, manner string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: bench\n%sstream:\n  - role: assistant\n", manner)
	for i := range n - 2 {
		fmt.Fprintf(&b, "  - content: ' word%d'\n", i%100)
	}
	b.WriteString("  - finish: stop\n")
	return b.String()
}

// gap is the pause between the chunks of paced streams.
const gap = 50 * time.Millisecond

// perFrame is a pause too short to matter, which makes each chunk leave in its own write.
const perFrame = "pace: { every: 1ns }\n"

// templated is a scenario with a message of about n tokens, the text captured by a condition in it.
func templated(n int) string {
	return "name: bench\nwhen: { user: { matches: 'hello (?P<who>\\w+)' } }\nmessage: 'Hello {{ .match.who }}," + strings.Repeat(" word", n-4) + "'\n"
}

// works are all kinds of load that ask q: one paced work for each number in streams, whose
// streams last length.
func works(q question, streams []int, length time.Duration) []work {
	ask, askUsage := q.request(asStream), q.request(withUsage)
	list := []work{
		{name: "short", about: "streams of 20 chunks, 64 connections", scenario: stream(20, ""), request: ask, conns: 64, events: 21},
		{name: "short-template", about: "the same with a template, a captured group and usage", scenario: templated(18), request: askUsage, conns: 64, events: 21},
		{name: "short-per-frame", about: "the same, a write for each chunk forced", scenario: stream(20, perFrame), request: ask, conns: 64, events: 21},
		{name: "long", about: "streams of 2,000 chunks, 8 connections", scenario: stream(2000, ""), request: ask, conns: 8, events: 2001},
		{name: "long-template", about: "the same with a template", scenario: templated(1998), request: askUsage, conns: 8, events: 2001},
		{name: "whole", about: "answers that are not streamed, 64 connections", scenario: stream(20, ""), request: q.request(""), conns: 64, events: 1},
		{name: "idle", about: "streams of 20 chunks, one connection", scenario: stream(20, ""), request: ask, conns: 1, events: 21},
		{name: "idle-per-frame", about: "the same, a write for each chunk forced", scenario: stream(20, perFrame), request: ask, conns: 1, events: 21},
	}
	for _, n := range streams {
		chunks := int(length / gap)
		list = append(list, work{
			name: fmt.Sprintf("paced-%d", n), about: fmt.Sprintf("%d streams at a time, 20 chunks a second each, for %v", n, length),
			scenario: stream(chunks, fmt.Sprintf("pace: { every: %v }\n", gap)), request: ask, conns: n, gap: gap, events: chunks + 1,
		})
	}
	return list
}
