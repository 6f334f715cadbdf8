package answer_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
)

// Whether the path of a damage exists is first checked without log-probabilities, because
// inventing them takes a thousand allocations for each word. The test is not parallel, because
// the allocations of other tests would count.
func TestPlacesInLongTextsCostNoLogprobs(t *testing.T) {
	const words = 4000
	src := yamlfile.Source{Name: "x.yaml", Data: []byte(`
name: long
when: { surface: chat }
message: { content: { repeat: 'a"b ', bytes: 16000 } }
damage: { retype: { frames: content, at: delta.content, to: array } }
`)}
	allocations := testing.AllocsPerRun(1, func() {
		if _, problems := yamlfile.Check(answer.Check, src); len(problems) > 0 {
			t.Fatalf("got problems:\n%v", problems)
		}
	})
	if perWord := allocations / words; perWord > 400 {
		t.Errorf("the check makes %.0f allocations for each word, want at most 400", perWord)
	}
}
