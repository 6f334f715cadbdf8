package responses_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // go test ./... -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
)

// Steps that all surfaces know become events that break no rule about events, whatever else is
// wrong with the scenario.
func TestFixturesBreakNoRuleAboutEvents(t *testing.T) {
	t.Parallel()
	about := map[string]bool{}
	for _, rule := range lint.Rules() {
		about[rule.Name] = strings.HasPrefix(rule.Doc, "On responses")
	}
	sayable := 0
	for _, name := range fixtures.Names() {
		src, err := fixtures.FS.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		list, problems := yamlfile.Parse(name+".yaml", src)
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		s := list[0]
		if slices.ContainsFunc(s.Replies, hasChunk) {
			continue // it is JSON of chat completions
		}
		s.Quirks, s.Extends, s.Envelope.Layout = nil, "", ""
		if slices.ContainsFunc(s.Replies, func(r scenarios.Reply) bool { return r.When.Surface == "responses" }) {
			s.Replies = slices.DeleteFunc(s.Replies, func(r scenarios.Reply) bool { return r.When.Surface == "" }) // these are for others
		}
		for i := range s.Replies { // a reply for one surface stays so
			if s.Replies[i].When.Surface != "" {
				continue
			}
			s.Replies[i].When.Surface = "responses"
			if s.Replies[i].Stream != nil { // here no [DONE] ends a stream, and none can be left out
				*s.Replies[i].Stream = slices.DeleteFunc(steps(s.Replies[i]), func(st scenarios.Step) bool { return st.Done != nil && !*st.Done })
			}
			for k := range steps(s.Replies[i]) { // here usage comes unasked
				steps(s.Replies[i])[k].WhenAsked = false
			}
		}
		set, problems := scenarios.Build(nil, s)
		if err := problems.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		problems = answer.Check(set)
		said := true
		for _, p := range problems {
			if about[p.Rule] {
				t.Errorf("%v", p)
			}
			said = said && (p.Rule != "" || len(p.Message) == 0)
		}
		if said {
			sayable++
		}
	}
	if sayable < 35 {
		t.Errorf("only %d bundled scenarios can be said", sayable)
	}
}

func hasChunk(r scenarios.Reply) bool {
	return r.Stream != nil && slices.ContainsFunc(*r.Stream, func(st scenarios.Step) bool { return st.Chunk != nil })
}

// Only events inside of items belong to one, whatever members an author gives to others.
func TestAnEventThatNeedsNoItemCanNameOne(t *testing.T) {
	t.Parallel()
	list, _ := yamlfile.Parse("x.yaml", []byte(`name: x
when: { surface: responses }
stream: [{ role: assistant }, { content: Hi }, { chunk: { type: keepalive, item_id: msg_1, sequence_number: 5 } }, { finish: stop }]`))
	set, problems := scenarios.Build(nil, list...)
	if problems = append(problems, answer.Check(set)...); len(problems) > 0 {
		t.Error(problems)
	}
}

// Each line of a good stream of whole events is changed in one way, which breaks one rule.
func TestEachChangeOfAGoodStreamBreaksARule(t *testing.T) {
	t.Parallel()
	const good = `{"type":"response.created","response":{"id":"resp_1","output":[],"usage":null}}
{"type":"response.in_progress","response":{"id":"resp_1"}}
{"type":"response.output_item.added","output_index":0,"item":{"id":"ws_1","type":"web_search_call","status":"in_progress"}}
{"type":"response.web_search_call.in_progress","output_index":0,"item_id":"ws_1"}
{"type":"response.web_search_call.searching","output_index":0,"item_id":"ws_1"}
{"type":"response.web_search_call.completed","output_index":0,"item_id":"ws_1"}
{"type":"response.output_item.done","output_index":0,"item":{"id":"ws_1","type":"web_search_call","status":"completed"}}
{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","content":[]}}
{"type":"response.content_part.added","output_index":1,"item_id":"msg_1","content_index":0,"part":{"type":"output_text","text":""}}
{"type":"response.output_text.delta","output_index":1,"item_id":"msg_1","content_index":0,"delta":"Hi","logprobs":[{"token":"Hi","logprob":-0.5,"bytes":[72,105],"top_logprobs":[]}]}
{"type":"response.output_text.done","output_index":1,"item_id":"msg_1","content_index":0,"text":"Hi","logprobs":[]}
{"type":"response.content_part.done","output_index":1,"item_id":"msg_1","content_index":0,"part":{"type":"output_text","text":"Hi"}}
{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","status":"completed","content":[{"type":"output_text","text":"Hi"}]}}
{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"call_1","name":"f","arguments":""}}
{"type":"response.function_call_arguments.delta","output_index":2,"item_id":"fc_1","delta":"{}"}
{"type":"response.function_call_arguments.done","output_index":2,"item_id":"fc_1","arguments":"{}"}
{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{}"}}
{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[{"id":"ws_1","type":"web_search_call","status":"completed"},{"id":"msg_1","type":"message","status":"completed","content":[{"type":"output_text","text":"Hi"}]},{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{}"}],"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}}`
	lines := strings.Split(good, "\n")
	for _, tt := range []struct {
		line           int
		from, to, rule string
	}{
		{0, "", "", ""},
		{13, `"call_id":"call_1",`, "", "tool-call-without-id"},
		{13, `,"name":"f"`, "", "tool-call-without-name"},
		{7, `"content":[]`, `"content":[{"type":"output_text","text":"Hi"}]`, "opened-with-content"},
		{13, `"arguments":""`, `"arguments":"{"`, "opened-with-content"},
		{8, `"text":""`, `"text":"H"`, "opened-with-content"},
		{8, `"output_text"`, `"mystery"`, "event-incomplete"},
		{5, lines[5], "", "item-events-wrong"},
		{4, lines[4], lines[4] + "\n" + lines[4], "item-events-wrong"},
		{16, `"status":"completed"`, `"status":"in_progress"`, "output-differs status-does-not-fit"},
		{12, `"status":"completed"`, `"status":"in_progress"`, "output-differs status-does-not-fit"},
		{17, `"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}`, `"usage":null`, "usage-incomplete"},
		{17, `"total_tokens":3`, `"total_tokens":4`, "usage-total-wrong"},
		{0, `"output":[]`, `"output":[{"id":"msg_1"}]`, "status-does-not-fit"},
		{0, `"usage":null`, `"usage":{"input_tokens":1}`, "status-does-not-fit"},
		{0, `"id":"resp_1",`, "", "event-incomplete"},
		{9, `"token":"Hi","logprob":-0.5,"bytes":[72,105]`, `"token":"Ho","logprob":-0.5,"bytes":[72,111]`, "logprobs-do-not-spell-content"},
		{17, lines[17], `{"type":"error","error":{"message":"x"}}` + "\n" + lines[17], "event-after-end"},
		{17, lines[17], lines[17] + "\n" + lines[3], "event-after-end"},
		{17, lines[17], lines[17] + "\n" + lines[9], "content-after-finish"},
		{12, lines[12], lines[13] + "\n" + lines[12], "item-not-closed item-not-open output-index-wrong"},
	} {
		changed := slices.Clone(lines)
		changed[tt.line] = strings.Replace(lines[tt.line], tt.from, tt.to, 1)
		yaml, n := "name: x\nwhen: { surface: responses }\nstream:\n", 0
		for line := range strings.SplitSeq(strings.Join(changed, "\n"), "\n") {
			if line != "" {
				yaml += "  - chunk: " + strings.TrimSuffix(line, "}") + `,"sequence_number":` + strconv.Itoa(n) + "}\n"
				n++
			}
		}
		list, problems := yamlfile.Parse("x.yaml", []byte(yaml))
		set, more := scenarios.Build(nil, list...)
		var rules []string
		for _, p := range slices.Concat(problems, more, answer.Check(set)) {
			rules = append(rules, p.Rule)
		}
		slices.Sort(rules)
		if got := strings.Join(slices.Compact(rules), " "); got != tt.rule {
			t.Errorf("%s in place of %s breaks %q, want %q", tt.to, tt.from, got, tt.rule)
		}
	}
}

// One mistake breaks one rule.
func TestWhatComesAfterTheEndBreaksOneRule(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]string{
		"content: more": "content-after-finish", "error: It broke.": "error-after-finish", "heartbeat: 1": "event-after-end", "finish: stop": "two-finishes",
	} {
		list, _ := yamlfile.Parse("x.yaml", []byte("name: x\nwhen: { surface: responses }\nstream: [{ content: Hi }, { finish: stop }, { "+step+" }]"))
		set, problems := scenarios.Build(nil, list...)
		problems = append(problems, answer.Check(set)...)
		if len(problems) != 1 || problems[0].Rule != want {
			t.Errorf("%s breaks %v, want %s", step, problems, want)
		}
	}
}

// steps returns the steps of a reply's stream; nil if it has none.
func steps(r scenarios.Reply) []scenarios.Step {
	if r.Stream == nil {
		return nil
	}
	return *r.Stream
}
