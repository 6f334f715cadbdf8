package responses_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
)

// Steps that all surfaces know become events that break no rule about events, whatever else is
// wrong with the scenario.
func TestFixturesBreakNoRuleAboutEvents(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	about := map[string]bool{}
	for _, rule := range lint.Rules() {
		about[rule.Name] = strings.HasPrefix(rule.Doc, "On responses, ")
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
		s.Quirks, s.Extends = nil, ""
		for i := range s.Replies { // a reply for one surface stays so
			if s.Replies[i].When.Surface == "" {
				s.Replies[i].When.Surface = "responses"
			}
		}
		set, problems := scenarios.Build(s)
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
	set, problems := scenarios.Build(list...)
	if problems = append(problems, answer.Check(set)...); len(problems) > 0 {
		t.Error(problems)
	}
}
