package answer

import (
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
