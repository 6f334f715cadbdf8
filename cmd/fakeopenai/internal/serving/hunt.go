package serving

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// huntRest is how long a connection rests after each write in a hunt, so that the client reads what was
// written before it gets more. A hunt splits many answers into single bytes.
const huntRest = 50 * time.Microsecond

// Hunt plays the cases of a hunt to the command.
func (s *Sweep) Hunt(ctx context.Context, h *sweep.Hunt) (*sweep.Found, int, error) {
	s.Gap, s.Rest = time.Nanosecond, huntRest
	h.Set, h.Seed, h.Jobs, h.Check = s.Set, s.Config.Seed, s.Jobs, server.Check
	h.Play = func(ctx context.Context, c sweep.Case) (sweep.Result, error) {
		r, answers, err := s.play(ctx, c)
		return sweep.Result{Verdict: r.Verdict, Detail: r.Detail, Answers: answers, Output: r.Output}, err
	}
	return h.Run(ctx)
}

// Drawn is what the result of a hunt has beside those of other experiments.
type Drawn struct {
	Runs     int                 `json:"runs"`
	Seed     int64               `json:"seed"`
	First    int                 `json:"first,omitempty"` // First is the number of the case that failed first.
	Changes  []sweep.Description `json:"changes,omitempty"`
	Unstable bool                `json:"unstable,omitempty"` // Unstable says that the failure did not come again.
	Repeat   string              `json:"repeat,omitempty"`   // Repeat are the flags with which a hunt finds the same failure again.
}

// Drew returns the finding of a hunt, which may be nil, as a result and as text.
func Drew(found *sweep.Found, runs int, seed int64, took time.Duration) (r Result, text string) {
	r = Result{Case: "hunt", Verdict: sweep.OK, Seconds: took.Seconds(), Drawn: &Drawn{Runs: runs, Seed: seed}}
	what := "nothing found"
	if found != nil {
		what = "1 failure found"
		text = strings.TrimRight(found.Explain(), "\n") + "\n" + prefixLines("  | ", found.Output)
		r.Failed, r.Verdict, r.Detail, r.Output, r.First, r.Unstable = true, found.Verdict, found.Detail, found.Output, found.First, !found.Stable
		for _, c := range found.Changes {
			r.Changes = append(r.Changes, c.Describe())
		}
		if len(found.Changes) > 0 {
			r.Scenario, r.Repeat = found.Scenario(), fmt.Sprintf("--seed %d --runs %d", seed, found.First)
			text += fmt.Sprintf("\nto repeat it, hunt with %s\n", r.Repeat)
		}
	}
	return r, text + fmt.Sprintf("\n%s with seed %d, %s\n", console.Count(runs, "run"), seed, what)
}
