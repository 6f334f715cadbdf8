package answer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
)

// The time of the checks at load is proportional to the size of the file: eight times as many
// lines, or a line that is eight times as long, take about eight times as long.
func TestCheckIsLinear(t *testing.T) {
	testflag.NoRace(t)
	for name, file := range map[string]struct{ head, line, tail string }{
		"replies with conditions": {"name: x\nreplies:\n", "  - { when: { user: { contains: w%[1]d } }, message: Hello %[1]d }\n", ""},
		"replies for turns":       {"name: x\nreplies:\n", "  - { when: { model: gpt-4o, turn: %[1]d }, message: Hello }\n", ""},
		"replies that cannot be":  {"name: x\nreplies:\n  - message: Hello\n", "  - message: Hello %[1]d\n", ""},
		"scenarios":               {"", "---\nname: x%[1]d\nwhen: { user: { contains: w%[1]d } }\nmessage: Hello\n", ""},
		"conditions":              {"name: x\nmessage: Hello\nwhen:\n  body:\n", "    metadata.k%[1]d: v\n", ""},
		"calls":                   {"name: x\nmessage:\n  tool_calls:\n", "    - { name: f%[1]d, arguments: { a: 1 } }\n", ""},
		"paths":                   {"name: x\nstream:\n  - role: assistant\n", "  - { content: a, omit: delta.contnt%[1]d }\n", "  - finish: stop\n"},
		"letters without a space": {"name: x\nmessage: ", strings.Repeat("letters", 23), "\n"},
		"arguments":               {"name: x\nmessage: { tool_calls: [{ name: f, arguments: '[0", ", %[1]d", "]' }] }\nquirks: [arguments-not-object]\n"},
		"paths of one step":       {"name: x\nstream:\n  - { role: assistant, omit: [", "delta.contnt%[1]d, ", "id] }\n  - finish: stop\n"},
	} {
		t.Run(name, func(t *testing.T) {
			testflag.Linear(t, 100, func(lines int) func() {
				var b strings.Builder
				b.WriteString(file.head)
				for i := range lines {
					b.WriteString(strings.ReplaceAll(file.line, "%[1]d", fmt.Sprint(i+1)))
				}
				b.WriteString(file.tail)
				src := []byte(b.String())
				return func() {
					_, problems := yamlfile.Check(answer.Check, yamlfile.Source{Name: "x.yaml", Data: src})
					problems.Render(func(string) []byte { return src })
				}
			})
		})
	}
}
