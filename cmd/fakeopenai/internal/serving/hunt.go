package serving

import (
	"context"
	"fmt"
	"io"
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

// HuntReport is the report of a hunt, as hunt --format json prints it.
type HuntReport struct {
	Found    bool                `json:"found"`
	Runs     int                 `json:"runs"`
	Seed     int64               `json:"seed"`
	Case     int                 `json:"case,omitempty"` // Case is the number of the case that failed first.
	Verdict  sweep.Verdict       `json:"verdict,omitempty"`
	Detail   string              `json:"detail,omitempty"`
	Changes  []sweep.Description `json:"changes,omitempty"`
	Stable   bool                `json:"stable"`
	Scenario string              `json:"scenario,omitempty"`
	Output   string              `json:"output,omitempty"`
	Repeat   string              `json:"repeat,omitempty"` // Repeat are the flags with which the hunt comes to it again.

	text    string
	seconds float64
}

// NewHuntReport reports what was found, which may be nil.
func NewHuntReport(found *sweep.Found, runs int, seed int64, took time.Duration) *HuntReport {
	r := &HuntReport{Runs: runs, Seed: seed, Stable: true, seconds: took.Seconds()}
	if found == nil {
		return r
	}
	r.Found, r.Case, r.Verdict, r.Detail, r.Stable, r.Output = true, found.First, found.Verdict, found.Detail, found.Stable, found.Output
	for _, c := range found.Changes {
		r.Changes = append(r.Changes, c.Describe())
	}
	r.text = found.Explain()
	if len(found.Changes) > 0 {
		r.Scenario, r.Repeat = found.Scenario(), fmt.Sprintf("--seed %d --runs %d", seed, found.First)
	}
	return r
}

// Print prints the report as text, json or junit.
func (r *HuntReport) Print(out io.Writer, format string) error {
	hunt := console.Case{Name: "hunt", Took: took(r.seconds)}
	if r.Found {
		hunt.Verdict, hunt.Detail, hunt.Output = string(r.Verdict), r.Detail, r.explain()
	}
	report := console.Report{Name: "fakeopenai hunt", Cases: []console.Case{hunt}}
	return report.Print(out, format, r, r.explain())
}

// explain is the report as text.
func (r *HuntReport) explain() string {
	var b strings.Builder
	if r.Found {
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(r.text, "\n"))
		b.WriteString(quotedOutput(r.Output))
	}
	if r.Repeat != "" {
		fmt.Fprintf(&b, "\nto repeat it, hunt with %s\n", r.Repeat)
	}
	found := "nothing found"
	if r.Found {
		found = "1 failure found"
	}
	fmt.Fprintf(&b, "\n%s with seed %d, %s\n", console.Count(r.Runs, "run"), r.Seed, found)
	return b.String()
}
