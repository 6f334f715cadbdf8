package render_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// richRequest is a request with all that templates can refer to. Some texts look like templates.
func richRequest(t testing.TB) *scenarios.Request {
	t.Helper()
	body, err := os.ReadFile("../../../scenarios/testdata/request.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := ojson.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	return &scenarios.Request{
		Model: "gpt-4o", User: "ada", LastUser: "weather in {{ Oslo", Body: v, Turn: 2, Attempt: 1, Header: map[string][]string{"X-Trace": {"t1"}},
		Messages: []scenarios.RequestMessage{{Role: "user", Text: "weather in {{ Oslo"}, {Role: "assistant"}, {Role: "tool", Text: "18 {{ C", ToolCallID: "call_1"}},
	}
}

// speaking returns a selection of the only reply of a scenario with the given condition. The
// request has a value for everything that templates can refer to.
func speaking(t *testing.T, r scenarios.Reply) *scenarios.Selection {
	t.Helper()
	re, err := regexp.Compile(`weather in (?P<city>\S+)`)
	if err != nil {
		t.Fatal(err)
	}
	s := &scenarios.Scenario{Name: "spoken", When: scenarios.When{User: &scenarios.TextMatch{Matches: re}}, Replies: []scenarios.Reply{r}}
	if diags := render.Check(s); len(diags) > 0 {
		t.Fatal(diags)
	}
	return &scenarios.Selection{
		Scenario: s, Reply: &s.Replies[0], Request: richRequest(t), Seed: 7,
		Match: map[string]string{"city": "Oslo"}, Manner: s.Manner.Overlay(&r.Manner),
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, source, want string }{
		{"a text without actions is itself", "plain { } text", "plain { } text"},
		{"what a condition captured", "in {{ .match.city }}", "in Oslo"},
		{"a member of the request", "{{ .request.model }} {{ .request.temperature }}", "gpt-4o 0.5"},
		{"a place inside the request", `{{ (index .request.messages 0).content }}`, "weather in {{ Oslo"},
		{"the last user message", "{{ .last_user }}", "weather in {{ Oslo"},
		{"a tool's result by its id", "{{ .tool_results.call_1 }}", "18 {{ C"},
		{"the last tool's result", "{{ .tool_result }}", "18 {{ C"},
		{"a header", `{{ header "x-trace" }}|{{ index .header "X-Trace" }}|{{ header "none" }}`, "t1|t1|"},
		{"turn and attempt", "{{ .turn }}.{{ .attempt }}", "2.1"},
		{"a text becomes JSON", `{"city":{{ json .last_user }}}`, `{"city":"weather in {{ Oslo"}`},
		{"a list becomes JSON", `{{ json (split "," "a,b") }}`, `["a","b"]`},
		{"upper and lower", `{{ upper "a" }}{{ lower "B" }}`, "Ab"},
		{"trim, replace, split and join", `{{ trim " a " }}{{ replace "b" "c" "abba" }}{{ join "-" (split " " "x y") }}`, "aaccax-y"},
		{"a default for what is empty", `{{ default "nobody" (index .request "nickname") }} {{ default "x" .request.user }}`, "nobody ada"},
		{"a default where a value on the way is no mapping",
			`{{ .request.temperature.y.z | default "a" }}{{ .request.user.y | default "b" }}{{ .request.messages.y | default "c" }}{{ default "d" .last_user.y }}{{ $x := .request.user }}{{ $x.y.z | default "e" }}{{ (index .request.messages 0).content.y | default "f" }}{{ .turn.x | default "g" }}{{ index .request.messages 9 | default "h" }}{{ (index .request.messages 9).content | default "i" }}{{ index .turn 0 | default "j" }}{{ (index .request.user "x") | default "k" }}`,
			"abcdefghijk"},
		{"questions where a value on the way is no mapping",
			`{{ if .request.user.y }}no{{ else }}a{{ end }}{{ with .request.temperature.y }}no{{ else }}b{{ end }}{{ range .request.user.list }}no{{ else }}c{{ end }}{{ or .request.user.y "d" }}{{ if not .turn.y }}e{{ end }}{{ range .request.messages }}{{ .role.of | default "f" }}{{ end }}`,
			"abcdefff"},
		{"numbers", `{{ add (int "40") 2 }}`, "42"},
		{"the time of the request", `{{ now }} {{ now "90s" }} {{ now "-1h" }} {{ unix }} {{ add unix 60 }} {{ unix_ms }} {{ http_date "30s" }}`,
			"2026-09-21T14:13:20Z 2026-09-21T14:14:50Z 2026-09-21T13:13:20Z 1790000000 1790000060 1790000000250 Mon, 21 Sep 2026 14:13:50 GMT"},
		{"hashes", `{{ sha256 "abc" }} {{ sha256 .api_key | printf "%.8s" }} {{ slice (sha256 .request.user) 0 8 }}`,
			"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 5e884898 fdee430d"},
		{"braces that are no action", `{{ "{{" }}`, "{{"},
		{"conditions and loops", `{{ if eq .turn 2 }}again{{ end }}{{ range .request.messages }}.{{ end }}`, "again..."},
		{"the dot inside with is another", `{{ with .match }}{{ .city }}{{ $.turn }}{{ end }}`, "Oslo2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := scenarios.Text{Source: tt.source}
			sel := speaking(t, scenarios.Reply{Stream: &[]scenarios.Step{{Content: scenarios.Some(text)}}})
			sel.Request.APIKey, sel.Request.Time = "password", time.UnixMilli(1790000000250)
			if got, err := render.Text(sel, text); got != tt.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// longText begins a template with a text of nine megabytes, and a loop.
const longText = `{{ $x := .last_user }}{{ range 19 }}{{ $x = print $x $x }}{{ end }}{{ $z := print $x "" }}{{ range 9000 }}`

func TestRenderFails(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for _, tt := range []struct{ name, source, want string }{
		{"a member that the request does not have", "{{ .request.nickname }}", `x.yaml:3:5: .request.nickname has no value in this request, which has seed, empty, list: write {{ .request.nickname | default "none" }}, or let when ask for it, as in body: { nickname: { exists: true } }`},
		{"a member that is null", "{{ .request.empty }}", `.request.empty has no value in this request`},
		{"a member of a member that is missing", "{{ .request.a.b }}", `.request.a.b has no value in this request`},
		{"a member of null", "{{ $.request.empty.b }}", `$.request.empty.b has no value in this request`},
		{"a member that is looked up", `{{ index .request "nickname" }}`, `x.yaml:3:5: index .request "nickname" has no value in this request: write {{ index .request "nickname" | default "none" }}`},
		{"a member of an item", `{{ range .request.list }}{{ .name }}{{ end }}`, `.name has no value in this request: write {{ .name | default "none" }}`},
		{"a member that a function needs", "{{ upper .request.nickname }}", `.request.nickname has no value in this request`},
		{"a member that a function of values needs", "{{ print .request.nickname }}", `<print .request.nickname>: error calling print: a value is missing in this request: write it with a default`},
		{"a member that is formatted", `{{ printf "%s" .request.empty }}`, `a value is missing in this request`},
		{"a member as JSON", "{{ json .request.nickname }}", `a value is missing in this request`},
		{"null that a function needs", "{{ upper .request.empty }}", `.request.empty has no value in this request`},
		{"nothing by default", `{{ .request.nickname | default .request.user }}`, `.request.nickname | default .request.user has no value in this request`},
		{"a user that the request does not have", "a {{ with .turn }}{{ $.request.user }}{{ end }}", `x.yaml:3:5: $.request.user has no value in this request, which has seed, empty, list: write .last_user for what the user said, or {{ $.request.user | default "none" }}`},
		{"a tool result that is not there", "{{ .tool_results.call_2 }}", `.tool_results.call_2 has no value in this request`},
		{"a text that is no number", `{{ int .last_user }}`, `Oslo" is not a whole number`},
		{"a text that would fill the memory", `{{ range 100000000 }}{{ base62 (add $.turn 1000000) }}{{ end }}`, "grows beyond the limit of 67108864 bytes"},
		{"too many drawn characters", `{{ hex (add .turn 100000000) }}`, "the limit is 1048576"},
		{"a text that doubles", `{{ $x := .last_user }}{{ range 60 }}{{ $x = printf "%s%s" $x $x }}{{ end }}{{ len $x }}`, "grows beyond the limit of 67108864 bytes"},
		{"a list that doubles", `{{ $x := .last_user }}{{ range 60 }}{{ $x = print $x $x }}{{ end }}{{ len (split "" $x) }}`, "grows beyond the limit"},
		{"texts that are replaced by longer ones", `{{ $x := .last_user }}{{ range 60 }}{{ $x = replace "e" "eeee" $x }}{{ end }}`, "grows beyond the limit"},
		{"texts that are joined", `{{ $x := .last_user }}{{ range 60 }}{{ $x = join $x (split "e" $x) }}{{ end }}`, "grows beyond the limit"},
		{"texts that are escaped again and again", `{{ $x := .last_user }}{{ range 1000 }}{{ $x = json $x | html | js | urlquery }}{{ $x = print $x $x }}{{ end }}`, "it takes more than 250000 steps"},
		{"texts in another case", `{{ $x := .last_user }}{{ range 18 }}{{ $x = print $x $x }}{{ end }}{{ range 90000000 }}{{ $y := upper $x }}{{ end }}`, "it takes more than 250000 steps"},
		{"a text that is filled up", `{{ printf "%999999[1]d%999999[1]d" .turn | printf "%[1]*d%[1]*d%[2]s%[2]s" 999999 | len }}{{ $f := "%999999[1]d" }}{{ range 12 }}{{ $f = print $f $f }}{{ end }}{{ printf $f .turn }}`, "grows beyond the limit"},
		{"a long text that is hashed again and again", longText + `{{ sha256 $x }}{{ end }}`, "it takes more than 250000 steps"},
		{"a long text that is trimmed again and again", longText + `{{ $y := trim $x }}{{ end }}`, "it takes more than 250000 steps"},
		{"a long text that is split again and again", longText + `{{ $y := split "," $x }}{{ end }}`, "it takes more than 250000 steps"},
		{"long texts that are compared again and again", longText + `{{ $y := eq $x $z }}{{ end }}`, "it takes more than 250000 steps"},
		{"long texts that are put in order again and again", longText + `{{ $y := le $x $z }}{{ end }}`, "it takes more than 250000 steps"},
		{"a long name that is looked up again and again", longText + `{{ $y := index $.tool_results $x }}{{ end }}`, "it takes more than 250000 steps"},
		{"members that are sorted again and again", `{{ range 100000 }}{{ range $.tool_results }}{{ break }}{{ end }}{{ end }}`, "it takes more than 250000 steps"},
		{"a text compared with a number", `{{ if eq .last_user 1 }}{{ end }}`, "x.yaml:3:5: <eq .last_user 1>: error calling eq: incompatible types for comparison"},
		{"a text of a pipe compared with a number", `{{ if .last_user | eq 1 }}{{ end }}`, "<eq 1>: error calling eq: incompatible types for comparison"},
		{"loops in loops", `{{ $t := .turn }}{{ range 100000 }}{{ range 100000 }}{{ end }}{{ end }}`, "it takes more than 250000 steps"},
		{"a loop without end inside a condition", `{{ if .turn }}{{ with 9 }}{{ range 9000000000 }}{{ continue }}{{ end }}{{ end }}{{ end }}`, "it takes more than 250000 steps"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := scenarios.Text{Source: tt.source, Pos: diag.Pos{File: "x.yaml", Line: 3, Col: 5}}
			sel := speaking(t, scenarios.Reply{Stream: &[]scenarios.Step{{Content: scenarios.Some(text)}}})
			sel.Request = &scenarios.Request{Turn: 1, LastUser: "weather in {{ Oslo", Messages: []scenarios.RequestMessage{{Role: "tool", ToolCallID: "call_1"}}}
			sel.Request.Body, _ = ojson.Parse([]byte(`{"seed":7,"empty":null,"list":[{"id":1}]}`))
			late, cancel := context.WithTimeout(t.Context(), 30*time.Second) // without bounds some would never end
			defer cancel()
			sel.Context = late
			if got, err := render.Text(sel, text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %.50q, %v, want an error with %q", got, err, tt.want)
			}
		})
	}
}

func TestAToolResultThatIsMissingIsAnError(t *testing.T) {
	t.Parallel()
	sel := speaking(t, scenarios.Reply{Stream: &[]scenarios.Step{}})
	sel.Request = &scenarios.Request{Turn: 1, Messages: []scenarios.RequestMessage{{Role: "user", Text: "Hi"}}}
	const want = `.tool_result has no value in this request: write {{ .tool_result | default "none" }}, or let when ask for it, as in tool_result: true`
	for _, source := range []string{"{{ .tool_result }}", "{{ upper .tool_result }}", "{{ with .turn }}{{ $.tool_result }}{{ end }}"} {
		if got, err := render.Text(sel, scenarios.Text{Source: source}); err == nil || strings.ReplaceAll(err.Error(), "$.", ".") != want {
			t.Errorf("%s is %q, %v, want the error %s", source, got, err, want)
		}
	}
	const safe = `{{ if .tool_result }}wrong{{ end }}{{ .tool_result | default "none" }}`
	if got, err := render.Text(sel, scenarios.Text{Source: safe}); got != "none" || err != nil {
		t.Errorf("%s is %q, %v", safe, got, err)
	}
	sel.Request.Messages = []scenarios.RequestMessage{{Role: "tool"}}
	if got, err := render.Text(sel, scenarios.Text{Source: "{{ .tool_result }}"}); got != "" || err != nil {
		t.Errorf("an empty result is %q, %v", got, err)
	}
}

func TestCapturesThatTheRequestLeavesEmptyAreFound(t *testing.T) {
	t.Parallel()
	sel := speaking(t, scenarios.Reply{Stream: &[]scenarios.Step{
		{Content: scenarios.Some(scenarios.Text{Source: "{{ .match.city }} {{ upper .match.city }}", Pos: diag.Pos{File: "x.yaml", Line: 3, Col: 5}})},
	}})
	if got := render.EmptyCaptures(sel); len(got) > 0 {
		t.Errorf("found %v, although all is captured", got)
	}
	sel.Match = map[string]string{"city": ""}
	const want = "x.yaml:3:5: .match.city is empty: the request does not fit the condition that captures it"
	if got := render.EmptyCaptures(sel); got.Error() != want {
		t.Errorf("found %v, want %s", got, want)
	}
}

func TestTemplatesAreCheckedAtLoad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, source, want string }{
		{"an action that does not end", "{{ .turn", `unclosed action`},
		{"an unknown function", `{{ uper "x" }}`, `unknown template function "uper" (did you mean "upper"?)`},
		{"an unknown function inside parentheses", `{{ upper (lowr "x") }}`, `unknown template function "lowr"`},
		{"an unknown name", `{{ .lastuser }}`, `templates know no .lastuser (did you mean "last_user"?)`},
		{"a group that nothing captures", `{{ .match.cty }}`, `no condition captures .match.cty (did you mean "city"?)`},
		{"a group, through the dollar sign", `{{ with .turn }}{{ $.match.town }}{{ end }}`, `no condition captures .match.town`},
		{"a group by its number", `{{ .match.1 }}`, `groups have names here: capture with matches: '(?P<name>.+)', and write .match.name`},
		{"a group as a function", `{{ city }}`, `unknown template function "city" (write .match.city)`},
		{"a group without match", `{{ .city }}`, `templates know no .city (write .match.city)`},
		{"a function far from all", `{{ name }}`, `unknown template function "name" (known functions: fake, hex, `},
		{"a name without its dot", `{{ last_user }}`, `unknown template function "last_user" (write .last_user)`},
		{"a name far from all", `{{ .colour.name }}`, `templates know no .colour (known names: .match, .request, `},
		{"a name that has another", `{{ .user }}`, `templates know no .user (write .last_user)`},
		{"a member of the request", `{{ .model }}`, `templates know no .model (write .request.model)`},
		{"an unknown fake", `{{ fake "fristname" }}`, `there is no fake "fristname" (did you mean "firstname"?)`},
		{"a fake that needs parameters", `{{ fake "regex" }}`, `there is no fake "regex"`},
		{"a text that doubles", `{{ $x := "x" }}{{ range 60 }}{{ $x = printf "%s%s" $x $x }}{{ end }}`, `the template cannot be rendered: <printf "%s%s" $x $x>: error calling printf: a text grows beyond the limit of 67108864 bytes`},
		{"loops in loops", `{{ range 100000 }}{{ range 100000 }}{{ end }}{{ end }}`, `the template cannot be rendered: it takes more than 250000 steps`},
		{"a text that is no number", `{{ int "many" }}`, `the template cannot be rendered: <int "many">: error calling int: "many" is not a whole number`},
		{"a time that is no duration later", `{{ now "soon" }}`, `"soon" is no duration such as 30s or -1h`},
		{"the function that counts loops", `{{ range 3 }}{{ _round }}{{ end }}`, `unknown template function "_round"`},
		{"a template in a template", `{{ define "a" }}x{{ end }}{{ template "a" }}`, `cannot define templates`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := scenarios.Text{Source: tt.source, Pos: diag.Pos{File: "x.yaml", Line: 3, Col: 5}}
			sel := speaking(t, scenarios.Reply{Stream: &[]scenarios.Step{}})
			sel.Scenario.Replies[0].Stream = &[]scenarios.Step{{Content: scenarios.Some(text)}}
			got := render.Check(sel.Scenario).Error()
			if !strings.HasPrefix(got, "x.yaml:3:5: ") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want it to hold %q", got, tt.want)
			}
		})
	}
}

func TestEveryTextOfAScenarioIsChecked(t *testing.T) {
	t.Parallel()
	src := `name: x
envelope: { id: "{{ bad1 }}", extra: { a: ["{{ bad2 }}"] } }
wire: { headers: { X-A: "{{ bad3 }}" }, comments_between: "{{ bad4 }}" }
replies:
  - error: { message: "{{ bad5 }}", headers: { X-B: "{{ bad6 }}" } }
    times: 1
  - message: { content: "{{ bad7 }}", tool_calls: [{ name: "{{ bad8 }}", arguments: { a: "{{ bad9 }}" } }] }
    times: 1
  - stream:
      - role: assistant
      - delta: { content: "{{ bad10 }}" }
        set: { "delta.content": "{{ bad11 }}" }
      - event: { data: "{{ bad12 }}" }
      - error: { code: "{{ bad13 }}" }
      - tool_call: { name: f, arguments: "{}" }
        pieces: ["{{ bad14 }}"]
      - finish: tool_calls
`
	list, diags := yamlfile.Parse("x.yaml", []byte(src))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	got := render.Check(list[0])
	if len(got) != 14 {
		t.Errorf("got %d problems, want 14, one for each text:\n%v", len(got), got)
	}
}

func TestAScenarioUsesOnlyWhatIsCapturedWithEachOfItsReplies(t *testing.T) {
	t.Parallel()
	src := `name: x
when: { user: { matches: '(?P<city>\w+)' } }
envelope: { id: "{{ .match.city }}{{ .match.day }}" }
replies:
  - when: { system: { matches: '(?P<day>\w+)' } }
    message: "{{ .match.day }}"
  - message: "{{ .match.day }}"
`
	list, diags := yamlfile.Parse("x.yaml", []byte(src))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var lines []int
	for _, d := range render.Check(list[0]) {
		lines = append(lines, d.Line)
	}
	if len(lines) != 2 || lines[0] != 3 || lines[1] != 7 {
		t.Errorf("problems at lines %v, want 3 (no day with the second reply) and 7", lines)
	}
}

// Templates within the bounds are rendered as without bounds.
func TestLoopsAndFunctionsWithinTheirBounds(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`{{ range 3 }}{{ range 2 }}.{{ else }}x{{ end }}{{ end }}`:                                                                                 "......",
		`{{ range $i, $m := .request.messages }}{{ $i }}{{ else }}none{{ end }}`:                                                                   "012",
		`{{ range 5 }}{{ if eq . 3 }}{{ break }}{{ end }}{{ . }}{{ end }}`:                                                                         "012",
		`{{ range (split "," "") }}[{{ . }}]{{ end }}`:                                                                                             "[]",
		`{{ printf "%5d|%-5s|%q|%x|%v|100%%" 7 "a" "b" "c" .turn }}`:                                                                               `    7|a    |"b"|63|2|100%`,
		`{{ if and (eq .turn 2) (ne $.last_user "") (1 | lt 0) }}{{ index .request.messages 0 | len }}{{ end }}{{ $x := .turn }}{{ $x | eq 2 3 }}`: "2true",
		`{{ print 1 "a" 2 }}{{ println "b" }}{{ html "<" }}{{ js "'" }}{{ urlquery "&" }}`:                                                         "1a2b\n&lt;\\'%26",
	} {
		text := scenarios.Text{Source: source}
		sel := speaking(t, scenarios.Reply{Stream: &[]scenarios.Step{}})
		if got, err := render.Text(sel, text); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", source, got, err, want)
		}
	}
}

// Rendering stops when the context ends.
func TestRenderingStops(t *testing.T) {
	t.Parallel()
	sel := speaking(t, scenarios.Reply{Stream: &[]scenarios.Step{}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sel.Context = ctx
	if got, err := render.Text(sel, scenarios.Text{Source: `{{ range 2 }}{{ . }}{{ end }}`}); err == nil {
		t.Errorf("got %q", got)
	}
}

// No template takes long, or makes a text larger than the limit.
func FuzzRender(f *testing.F) {
	f.Cleanup(render.LimitSteps(10_000)) // the fuzzer fails inputs that take 10 s
	for _, source := range []string{
		`{{ $x := .last_user }}{{ range 60 }}{{ $x = printf "%s%s" $x $x }}{{ end }}{{ $x }}`,
		`{{ $x := "%" }}{{ range 30 }}{{ $x = print $x "99999d" $x }}{{ end }}{{ printf $x 1 2 }}`,
		`{{ $x := "a" }}{{ range 60 }}{{ $x = replace "" $x $x | json }}{{ end }}`,
		`{{ $x := split "" "aaaa" }}{{ range 60 }}{{ $x = split "" (join "ab" $x) }}{{ end }}`,
		`{{ range 100000 }}{{ range 100000 }}{{ end }}{{ end }}`,
		`{{ range .request.messages }}{{ .content }}{{ end }}{{ upper (html (urlquery .request)) }}`,
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		s := &scenarios.Scenario{Name: "fuzzed", Replies: []scenarios.Reply{{Stream: &[]scenarios.Step{{Content: scenarios.Some(scenarios.Text{Source: source})}}}}}
		render.Check(s)
		ctx, leave := context.WithTimeout(t.Context(), 30*time.Second)
		defer leave()
		sel := &scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: richRequest(t), Context: ctx}
		got, err := render.Text(sel, scenarios.Text{Source: source})
		if ctx.Err() != nil || err == nil && len(got) > scenarios.MaxText {
			t.Errorf("%d bytes, and after half a minute: %v", len(got), ctx.Err())
		}
	})
}
