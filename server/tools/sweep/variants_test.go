package sweep_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

const swept = "name: plain\nmessage: Grüße\n"

// TestEveryVariantIsAScenario checks that the line that a sweep prints for a variant can be
// put into a file.
func TestEveryVariantIsAScenario(t *testing.T) {
	t.Parallel()
	answer := []byte("data: {}\n\ndata: {\"finish_reason\":\"stop\"}\n\n")
	list := slices.Concat(sweep.Variants(), sweep.Truncations(answer))
	seen := map[string]bool{}
	for _, v := range list {
		if seen[v.Name] || v.Name == "" || v.About == "" {
			t.Errorf("variant %q: the name is taken, or it says nothing about itself", v.Name)
		}
		seen[v.Name] = true
		line := v.Scenario("plain")
		if strings.Contains(line, "\n") {
			t.Errorf("variant %q takes more than one line: %s", v.Name, line)
		}
		set, problems := server.CheckFiles(yamlfile.Source{Name: v.Name, Data: []byte(swept + "---\n" + line + "\n")})
		if len(problems) > 0 {
			t.Errorf("%s:\n%v", line, problems)
			continue
		}
		if set.Lookup("plain-"+v.Name) == nil {
			t.Errorf("%s is no scenario plain-%s", line, v.Name)
		}
		if _, err := v.Manner(); err != nil {
			t.Errorf("Manner: %v", err)
		}
	}
}

func TestAVariantSaysOnlyHowAnAnswerIsSpoken(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"wire: { newline: xx }":         "expected one of lf, crlf",
		"message: other":                "a variant says only how",
		"when: { model: gpt-4}":         "a variant says only how",
		"seed: 3":                       "a variant says only how",
		"strict: true":                  "a variant says only how",
		"quirks: [missing-role]":        "a variant says only how",
		"}\n---\n{ name: y, extends: x": "a variant says only how",
	} {
		_, err := sweep.Variant{Name: "mine", YAML: yaml}.Manner()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "mine") {
			t.Errorf("%s: error %v, want one about mine with %q", yaml, err, want)
		}
	}
}

func checked(t *testing.T, yaml string) *scenarios.Set {
	t.Helper()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "test.yaml", Data: []byte(yaml)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}

func TestSpokenLaysAMannerOverReplies(t *testing.T) {
	t.Parallel()
	set := checked(t, `
name: two
wire: { newline: cr, bom: true }
replies:
  - when: { turn: 1 }
    message: one
    wire: { newline: lf }
  - message: two
`)
	crlf := scenarios.Manner{Wire: scenarios.Wire{Newline: "crlf"}}
	second := func(scenario string, reply int) bool { return scenario == "two" && reply == 1 }
	for _, tt := range []struct {
		name  string
		set   *scenarios.Set
		turns [2]string
	}{
		{"in all of them", set.With(crlf, nil), [2]string{"crlf", "crlf"}},
		{"in one of them", set.With(crlf, second), [2]string{"lf", "crlf"}},
		{"and leaves the set itself alone", set, [2]string{"lf", "cr"}},
		{"also in a part of a set", set.Only("two").With(crlf, second), [2]string{"lf", "crlf"}},
	} {
		for i, want := range tt.turns {
			sel, miss := tt.set.Match(t.Context(), &scenarios.Request{Model: "gpt-4o", Turn: i + 1}, nil, "", 1)
			if miss != nil {
				t.Fatalf("%s: %v", tt.name, miss)
			}
			if got := sel.Manner.Wire; got.Newline != want || got.BOM == nil {
				t.Errorf("%s: turn %d has %+v, want newline %s and the scenario's bom", tt.name, i+1, got, want)
			}
		}
	}
}

func TestOnlyLeavesTheOthersOut(t *testing.T) {
	t.Parallel()
	set := checked(t, "name: a\nmessage: a\n---\nname: b\nwhen: { model: gpt-4o }\nmessage: b\n")
	only := set.Only("a")
	sel, miss := only.Match(t.Context(), &scenarios.Request{Model: "gpt-4o"}, nil, "", 1)
	if miss != nil || sel.Scenario.Name != "a" || len(only.Scenarios()) != 1 || only.Lookup("b") != nil {
		t.Errorf("Only(a) answers with %v, %v", sel, miss)
	}
	if n := len(set.Only("c").Scenarios()); n != 0 {
		t.Errorf("Only of no scenario has %d", n)
	}
}

// A variant that writes each event by itself removes the bursts of the scenario.
func TestEventsApartAreInNoBurst(t *testing.T) {
	t.Parallel()
	found := 0
	for _, v := range sweep.Variants() {
		if v.Name != "apart" && v.Name != "in-threes" {
			continue
		}
		found++
		m, err := v.Manner()
		if err != nil {
			t.Fatal(err)
		}
		every := time.Second
		bursts := scenarios.Manner{Pace: scenarios.Pace{Every: &every, Burst: &scenarios.Bounds{Min: 5, Max: 5}}}
		if got := bursts.Overlay(&m).Pace.Burst; got == nil || got.Max != 1 {
			t.Errorf("%s leaves bursts of %v", v.Name, got)
		}
	}
	if found != 2 {
		t.Errorf("found %d of the variants", found)
	}
}
