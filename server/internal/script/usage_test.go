package script_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// Usage counts all that the stream said before it. A token is a piece of the default cut. The
// prompt counts as 100.
func TestUsageCountsTheTextsThatAreFilledIn(t *testing.T) {
	t.Parallel()
	const ada = "{{ .request.user }}" // one token
	for _, tt := range []struct{ name, steps, want string }{
		{"nothing", "", "100 0 0 100"},
		{"a content", "- content: 'a b " + ada + "'", "100 3 0 103"},
		{"contents, known and not", "- content: a b\n- content: '" + ada + " c'\n- content: d", "100 5 0 105"},
		{"a text in pieces", "- { text: 'a b " + ada + "', by: rune }", "100 3 0 103"},
		{"a refusal", "- refusal: 'a " + ada + "'", "100 2 0 102"},
		{"reasoning counts twice over", "- reasoning: 'a b " + ada + "'\n- content: '" + ada + "'", "100 4 3 104"},
		{"the name and the arguments of a call", "- tool_call: { name: '" + ada + "', arguments: 'b " + ada + "' }", "100 3 0 103"},
		{"arguments in one piece", "- { tool_call: { name: f, arguments: 'b " + ada + "' }, pieces: 0 }", "100 3 0 103"},
		{"arguments in the author's pieces are not counted by these", "- { tool_call: { name: f, arguments: 'b " + ada + "' }, pieces: ['x x x x {{ .turn }}'] }", "100 3 0 103"},
		{"what is no text of the answer does not count", "- { delta: { x: '" + ada + "' }, extra: { y: '" + ada + "' } }\n- comment: '" + ada + "'\n- finish: '" + ada + "'", "100 0 0 100"},
		{"generated texts as if they were written", "- content: { repeat: abcdefgh, bytes: 9000 }\n- content: { repeat: abcdefgh, bytes: 9000 }\n- content: '" + ada + "'", "100 3601 0 3701"},
		{"only what comes before", "- content: '" + ada + "'\n- usage: {}\n- content: 'b " + ada + "'", "100 3 0 103"},
		{"reasoning that is written is a part of the answer", "- content: 'a " + ada + "'\n- usage: { reasoning_tokens: 7 }", "100 9 7 109"},
		{"a number that is written is counted on from", "- content: 'a " + ada + "'\n- usage: { completion_tokens: 7 }\n- content: '" + ada + "'", "100 8 0 108"},
		{"without forgetting the reasoning", "- reasoning: 'a " + ada + "'\n- usage: { completion_tokens: 7 }\n- content: '" + ada + "'", "100 8 2 108"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, diags := yamlfile.Parse("x.yaml", []byte("name: x\nstream:\n  "+strings.ReplaceAll(tt.steps+"\n- usage: {}", "\n", "\n  ")+"\n"))
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			sel, want := asking(t, list[0], ask{})
			for name, b := range map[string]*script.Builder{"filled in": script.New(sel, want), "built": script.NewFor(sel, want)} {
				sc, problems := b.Reply(chat.Surface{})
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				v := new(player.Values)
				if _, _, err := sc.Fill(sel, ojson.Style{}, 100, v); err != nil {
					t.Fatal(err)
				}
				if got := lastUsage(sc, v); got != tt.want {
					t.Errorf("%s: counted %s, want %s", name, got, tt.want)
				}
			}
		})
	}
}

// lastUsage returns the numbers of the last usage of a filled script: prompt, completion,
// reasoning, total.
func lastUsage(sc *script.Script, v *player.Values) string {
	beats := sc.Groups[len(sc.Groups)-1].Beats
	u := beats[len(beats)-1].(script.Usage)
	var list []string
	for _, n := range []ojson.Value{u.Prompt, u.Completion, u.Reasoning, u.Total} {
		text := n.String()
		if id, ok := hole.In(n); ok {
			text = string(v.Get(id))
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}
