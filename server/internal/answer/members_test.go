package answer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// Adding members that a scenario writes one by one would search those that are there for each,
// and make a new list. The test is not parallel, because it counts the allocations of the process.
func TestMembersThatAScenarioWritesAreAddedTogether(t *testing.T) {
	testflag.NoRace(t)
	for name, tt := range map[string]struct {
		src  string
		most float64 // most is how many allocations 2000 more members may take.
	}{
		"extra of an envelope": {"name: x\nmessage: Hi\nenvelope: { extra: { %s } }\n", 1000},
		"extra of a step":      {"name: x\nstream: [{ role: assistant }, { text: a, extra: { %s } }, { finish: stop }]\n", 1000},
		"usage":                {"name: x\nstream: [{ role: assistant }, { text: a }, { finish: stop }, { usage: { extra: { %s } } }]\n", 1000},
		"beside an error":      {"name: x\nerror: { status: 400, message: a, beside: { %s } }\n", 1000},
		"an item":              {"name: x\nstream: [{ item: { type: web_search_call, extra: { %s } } }, { text: Hi }, { finish: stop }]\n", 1000},
	} {
		making := func(members int) float64 {
			var list []string
			for i := range members {
				list = append(list, fmt.Sprintf("m%d: 1", i))
			}
			set := loaded(t, fmt.Sprintf(tt.src, strings.Join(list, ", ")))
			asked := matched(t, set, `{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hello"}]}`)
			if name == "an item" {
				asked = Ask(responses.Surface{}, asked.Selection, false)
			}
			return testing.AllocsPerRun(1, func() {
				if _, err := NewMaker().Make(asked); err != nil {
					t.Fatal(err)
				}
			})
		}
		if more := making(3000) - making(1000); more > tt.most {
			t.Errorf("%s: making an answer with 2000 more members takes %.0f more allocations, want at most %.0f", name, more, tt.most)
		}
	}
}
