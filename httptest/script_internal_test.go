package fakeopenai

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// A plain step is not checked as a file, so a file must be able to say it, whatever its texts are.
func TestAFileCanSayEveryPlainStep(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "a\nb", "\r\n", "\x00\x1b", "\xff", "null", "1.5", "true", "- a: b", "{{ .last_user }}", "{{", "\u2028é\ufeff", "\xed\xa0\x80"} {
		for _, st := range []scenarios.Step{step.Role(text), step.Content(text), step.Refusal(text), step.Finish(text), step.Content(text, step.With(step.Finish(text)))} {
			if !allPlain([]scenarios.Step{st}) {
				t.Fatalf("%q: the step is not plain", text)
			}
			file, err := yamlfile.Format(&scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Stream: &[]scenarios.Step{st}}}})
			if err != nil {
				continue // no file is checked for such a step, either
			}
			if _, problems := yamlfile.Parse("x", file); len(problems) > 0 {
				t.Errorf("%q: %v", text, problems)
			}
		}
	}
}

func TestStepsThatAreNotPlain(t *testing.T) {
	t.Parallel()
	sized := scenarios.Some(scenarios.Text{Repeat: "a"})
	for _, st := range []scenarios.Step{{}, {Content: sized}, step.Content("a", step.Pieces("a")), step.Content("a", step.After(-1)), step.Hold(""), step.Content("a", step.With(step.Heartbeat()))} {
		if allPlain([]scenarios.Step{step.Content("a"), st}) {
			t.Errorf("%+v is plain", st)
		}
	}
}
