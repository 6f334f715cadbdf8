package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// usesOfNames are templates that use the names of templates in every way, correctly and
// incorrectly.
var usesOfNames = []string{
	`no name`, `{{/* nothing */}}`, `a {{ .last_user }} b {{- .match.city -}} c`, `{{ .request.seed }} {{ .request.model }}`, `{{ .last_user.x }}`, `{{ .match }}`,
	`{{ .request.system }}`, `{{ .request.system.deep }}`, `{{ .match.city.x }}`, `{{ .api_key }}{{ .request.empty }}`, `{{ .request.nothing }}`,
	`{{ $x := .last_user }}`, `{{ .last_user }}{{ $x := .last_user }}{{ $x }}`, `{{ .last_user | upper }}`,
	`{{ .last_user }}`, `{{ .match.city }}`, `{{ .match.none }}`, `{{ .request.model }}`, `{{ .request.user }}`, `{{ .request.none }}`,
	`{{ .none }}`, `{{ .none.model }}`, `{{ .header.Accept }}`, `{{ .api_key }} {{ .turn }} {{ .attempt }} {{ .prompt_tokens }}`, `{{ .usage.tokens }}`,
	`{{ .tool_result }}`, `{{ index .tool_results "call_1" }}`, `{{ json .tool_results }}`, `{{ json .match }}`,
	`{{ .request.messages }}`, `{{ (index .request.messages 0).content }}`, `{{ (index .request.messages 0).none }}`,
	`{{ json .request }}`, `{{ index .request "seed" }}`, `{{ len .request }}`, `{{ (.request).seed }}`, `{{ (.).last_user }}`,
	`{{ json . }}`, `{{ . | json }}`, `{{ $ | json }}`, `{{ len . }}`, `{{ index . "turn" }}`, `{{ if . }}yes{{ end }}`,
	`{{ with .request }}{{ .seed }} {{ .model }}{{ end }}`, `{{ with . }}{{ .last_user }}{{ end }}`, `{{ with $ }}{{ .last_user }}{{ end }}`,
	`{{ with .match }}{{ $.last_user }} {{ .city }} {{ . }}{{ end }}`, `{{ with "" }}{{ .none }}{{ else }}{{ .turn }}{{ end }}`,
	`{{ with "" }}{{ else with .request }}{{ .seed }}{{ end }}`, `{{ with .last_user }}{{ .request }}{{ end }}`,
	`{{ range .request.messages }}{{ .role }}: {{ .content }} {{ $.request.seed }}{{ else }}{{ .turn }}{{ end }}`,
	`{{ range $name, $value := .request }}{{ $name }}={{ $value }} {{ end }}`, `{{ range $name, $_ := . }}{{ $name }} {{ end }}`,
	`{{ range .request.none }}{{ end }}`, `{{ $x := . }}{{ $x.request.seed }}`, `{{ $x := .request }}{{ $x.seed }}`, `{{ $x := 1 }}{{ $x = $.turn }}{{ $x }}`,
	`{{ if eq .turn 2 }}{{ .request.seed }}{{ else if .none }}{{ else }}{{ .attempt }}{{ end }}`,
	`{{ printf "%v %v" .request.seed (printf "%v" .last_user) }}`, `{{ .request.seed | default 3 }}`, `{{ print .request.seed $.request.deep.x }}`,
}

func asked(t *testing.T) *scenarios.Selection {
	t.Helper()
	body, err := ojson.Parse([]byte(`{"model":"gpt-4o","seed":7,"system":"<&>","empty":"","nothing":null,"deep":{"x":[1.5,null,true]},"messages":[{"role":"user","content":"hi"},{"role":"tool","content":"22"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return &scenarios.Selection{
		Scenario: &scenarios.Scenario{}, Match: map[string]string{"city": "Paris"}, Spending: scenarios.Spending{Tokens: 9},
		Request: &scenarios.Request{
			Model: "gpt-4o", Body: body, LastUser: "hi", APIKey: "sk", Turn: 2, Attempt: 1, Header: map[string][]string{"Accept": {"*/*"}},
			Messages: []scenarios.RequestMessage{{Role: "user", Text: "hi"}, {Role: "tool", Text: "22", ToolCallID: "call_1"}},
		},
	}
}

// TestATemplateSeesAllThatItUses checks that preparing only the data that a template uses does
// not change its result, whether text or error.
func TestATemplateSeesAllThatItUses(t *testing.T) {
	t.Parallel()
	for _, source := range usesOfNames {
		parsed, err := Parse(source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		all := parsed
		all.names = [][]string{nil}
		want, wantErr := New(asked(t), "text").Render(all, 1)
		got, err := New(asked(t), "text").Render(parsed, 1)
		if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s renders to %q, %v; with everything in sight to %q, %v", source, got, err, want, wantErr)
		}
		again := New(asked(t), "text")
		if _, err := again.Render(all, 1); fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v, want %v", source, err, wantErr)
		}
		if got, err := again.Render(parsed, 1); got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s renders to %q, %v after another template, and to %q, %v before", source, got, err, want, wantErr)
		}
	}
}

func TestTextsOfTheRequestAreBounded(t *testing.T) {
	t.Parallel()
	sel := asked(t)
	sel.Request.LastUser = strings.Repeat("x", scenarios.MaxText/2)
	for source, fits := range map[string]bool{"{{ .last_user }}{{ .last_user }}": true, "{{ .last_user }}.{{ .last_user }}": false} {
		parsed, err := Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		text, err := New(sel, "text").Render(parsed, 1)
		if (err == nil) != fits || fits && len(text) != scenarios.MaxText {
			t.Errorf("%s: %d bytes, %v", source, len(text), err)
		}
	}
}

func TestOnlyWhatATemplateUsesIsMade(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"{{ .last_user }}":                                             "map[last_user:hi]",
		"{{ .request.seed }} {{ $.request.seed }}":                     "map[request:map[model:gpt-4o seed:7]]",
		"{{ with .match }}{{ . }}{{ .city }}{{ .request }}{{ end }}":   "map[match:map[city:Paris]]",
		"{{ range .request.deep.x }}{{ . }}{{ end }}{{ add 1 .turn }}": "map[request:map[deep:map[x:[1.5 null true]] model:gpt-4o] turn:2]",
		"no name": "map[]",
	} {
		parsed, err := Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		d := data{sel: asked(t)}
		if got := fmt.Sprint(d.provide(parsed.names)); got != want {
			t.Errorf("for %s there is %s, want %s", source, got, want)
		}
	}
}

// A template can ask for what the request lacks, or has as null, in each way in which templates ask.
func TestWhatIsMissingCanBeAskedFor(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`{{ .request.x | default "y" }}`:                                            "y",
		`{{ .request.x.y.z | default "y" }}`:                                        "y",
		`{{ $.request.nothing | default "y" | upper }}`:                             "Y",
		`{{ .request.nothing.x | default "y" }}`:                                    "y",
		`{{ .request.deep.y.z | default "y" }}`:                                     "y",
		`{{ .request.seed | default "y" }}`:                                         "7",
		`{{ default "y" .request.x }}{{ default "y" (.request.x) }}`:                "yy",
		`{{ upper (.request.x | default "y") }}`:                                    "Y",
		`{{ or .request.x .request.user "y" }}{{ and .request.x "z" | default 1 }}`: "y1",
		`{{ if .request.x }}yes{{ else if not .request.y }}no{{ end }}`:             "no",
		`{{ if eq .request.x "a" }}a{{ else }}b{{ end }}{{ ne .request.x 1 }}`:      "btrue",
		`{{ with .request.x }}{{ . }}{{ else }}none{{ end }}`:                       "none",
		`{{ range .request.x }}a{{ else }}none{{ end }}`:                            "none",
		`{{ range .request.messages }}{{ .name | default "anon" }} {{ end }}`:       "anon anon ",
		`{{ (index .request.messages 0).name | default "anon" }}`:                   "anon",
		`{{ index .request "x" | default "z" }}`:                                    "z",
		`{{ $r := .request }}{{ $r.x | default "y" }}`:                              "y",
		`{{ .header.Host | default "y" }}{{ .tool_results.none | default "z" }}`:    "yz",
		`{{ .match.city | default "y" }}{{ .match.none | default "z" }}`:            "Parisz",
		`{{ range .request.deep.x }}{{ . | default "y" }} {{ end }}`:                "1.5 y true ",
		`{{ .request.deep.x }}{{ json .request.deep }}`:                             `[1.5 null true]{"x":[1.5,null,true]}`,
		`{{ json .request.nothing }}`:                                               "null",
	} {
		text := scenarios.Text{Source: source}
		if got, err := Text(asked(t), text); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", source, got, err, want)
		}
	}
}
