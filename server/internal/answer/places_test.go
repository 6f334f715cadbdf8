package answer

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// A path of a manner that several replies share must exist in at least one of them. A condition
// on n tells how many choices there are.
func TestPlacesAreLookedForInAllTheRepliesThatNameThem(t *testing.T) {
	t.Parallel()
	const src = `
# What all replies share is in one of them.
name: shared
when: { user: shared }
damage: [{ drop: tool }, { retype: { at: error.message, to: array } }]
end: { close: { after: 5 } }
replies:
  - message: Hello
    times: 1
  - error: { status: 500 }
    times: 1
  - message: { tool_calls: [{ name: f, arguments: { a: 1, b: 2, c: 3, d: 4 } }] }
---
name: choices
when: { user: choices, body: { n: 4 } }
message: Hello
damage: { drop: 12 }
---
# What chance may leave is there for the damage after it.
name: chance
when: { user: chance }
message: Hello
damage: [{ drop: content, chance: 0.5 }, { duplicate: content }]
---
# What a base puts there can be taken out again, though no chunk has it of itself.
name: base
when: { user: base }
envelope: { set: { trace: x } }
message: Hello
---
name: child
extends: base
envelope: { omit: trace }
---
# Each [DONE] is a frame, behind role, content, finish and usage.
name: dones
when: { user: dones }
message: { content: Hello, by: all }
wire: { done: 2 }
damage: { drop: 6 }
`
	if _, problems := yamlfile.Check(Check, yamlfile.Source{Name: "shared.yaml", Data: []byte(src)}); len(problems) > 0 {
		t.Errorf("got problems:\n%v", problems)
	}
}

// An answer ends at a byte that one of its forms has. What only a request knows can be longer.
func TestAnAnswerEndsAtAByteThatItHas(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"message: a\nend: { close: { byte: 100000 } }":                              "x.yaml:4:6: close byte: there is no byte 100000 (the answer has ",
		"message: a\nend: { cut: { after: 1, byte: 99999 } }":                       "x.yaml:4:6: cut byte: there is no byte 99999 (frame 2 has ",
		"message: a\nend: { stall: { byte: 300 } }":                                 "",
		"message: '{{ .last_user }}'\nend: { close: { byte: 100000 } }":             "",
		"error: { body: oops }\nend: { cut: { byte: 5 } }":                          "cut byte: there is no byte 5 (the answer has 4 bytes",
		"message: a\nend: { cut: { byte: 100000, chance: 0.5 } }":                   "there is no byte 100000",
		"wire: { drip: 9 }\nmessage: a\nend: { linger: { after: 2, byte: 10000 } }": "there is no byte 10000 (frame 3 has ",
	} {
		_, problems := yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nwhen: { surface: chat }\n" + src)})
		if (want == "") != (len(problems) == 0) || !strings.Contains(problems.Error(), want) {
			t.Errorf("%s: got %v, want %s", src, problems, want)
		}
	}
}
