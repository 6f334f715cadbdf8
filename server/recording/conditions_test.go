package recording

import (
	"fmt"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
)

// A condition is tried only on requests with the same text, so that twice as many requests take twice as
// many trials, and not four times as many. One that asks for no text, or for one with a placeholder, may match all.
func TestFewConditionsAreTried(t *testing.T) {
	t.Parallel()
	var list []*scenarios.Request
	for i := range 300 {
		list = append(list, &scenarios.Request{LastUser: fmt.Sprint("question ", i)})
	}
	of := rivals(append(list, &scenarios.Request{LastUser: "question 7"}))
	for user, want := range map[string]int{"question 3": 1, "question 7": 2, "": 301, "Hi redacted-email-123456": 301} {
		if n := len(of(&scenarios.Request{LastUser: user})); n != want {
			t.Errorf("the condition for %q is tried on %d requests, want %d", user, n, want)
		}
	}
}
