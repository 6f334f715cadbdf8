package serving

import (
	"fmt"
	"io"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
)

// SweepReport prints the results of a sweep: as text, a line after each run; in the other
// formats, all at the end.
type SweepReport struct {
	out     io.Writer
	format  string
	results []result
}

// NewSweepReport returns a report that prints to out. The format is text, json or junit.
func NewSweepReport(out io.Writer, format string) *SweepReport {
	return &SweepReport{out: out, format: format}
}

// rowFormat is the format of a line of the table. The columns have fixed widths, because
// lines are printed before the later ones are known.
const rowFormat = "%-20s  %4s  %8s  %s\n"

// add adds the next result and, as text, prints its line.
func (p *SweepReport) add(r result) error {
	p.results = append(p.results, r)
	if p.format != "text" {
		return nil
	}
	var b strings.Builder
	if len(p.results) == 1 {
		fmt.Fprintf(&b, rowFormat, "VARIANT", "EXIT", "TIME", "VERDICT")
	}
	exit := "-"
	if r.exit >= 0 {
		exit = fmt.Sprint(r.exit)
	}
	fmt.Fprintf(&b, rowFormat, r.variant.Name, exit, fmt.Sprintf("%.2fs", r.duration.Seconds()), r.verdict)
	_, err := io.WriteString(p.out, b.String())
	return err
}

// Failed returns the number of runs with a bad verdict.
func (p *SweepReport) Failed() int {
	n := 0
	for _, r := range p.results {
		if r.verdict.Bad() {
			n++
		}
	}
	return n
}

// Finish prints the end of the report: as text, the failed runs and the summary.
func (p *SweepReport) Finish() error {
	switch p.format {
	case "json":
		return p.printJSON()
	case "junit":
		return p.printJUnit()
	}
	var b strings.Builder
	for _, r := range p.results {
		if r.verdict.Bad() {
			b.WriteString("\n" + r.explain())
		}
	}
	fmt.Fprintf(&b, "\n%s, %d failed\n", console.Count(len(p.results), "run"), p.Failed())
	if len(p.results) == 1 && p.Failed() == 1 {
		b.WriteString("the command must succeed with the scenario as it is written before its variants say anything\n")
	}
	if n := len(p.results); n == 2 && p.results[1].verdict == sweep.HeldBack {
		b.WriteString("the command must print what it reads as it reads it, past any buffer of its own, before variants that are held say anything\n")
	}
	_, err := io.WriteString(p.out, b.String())
	return err
}

// explain describes a failed run, with a scenario that reproduces it and the end of the
// command's output.
func (r result) explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s (%s)\n", r.variant.Name, r.verdict, r.detail, r.variant.About)
	for line := range strings.Lines(r.scenario) {
		fmt.Fprintf(&b, "  %s\n", strings.TrimRight(line, "\n"))
	}
	for line := range strings.Lines(r.output) {
		fmt.Fprintf(&b, "  | %s\n", strings.TrimRight(line, "\r\n"))
	}
	return b.String()
}

// runJSON is a run as sweep --format json prints it.
type runJSON struct {
	Variant string  `json:"variant"`
	About   string  `json:"about"`
	Exit    *int    `json:"exit"` // Exit is the exit code; null if the command was killed.
	Seconds float64 `json:"seconds"`
	Verdict string  `json:"verdict"`
	Failed  bool    `json:"failed"`
	Detail  string  `json:"detail,omitempty"`
	// Scenario is a scenario file that plays the variant by itself.
	Scenario string `json:"scenario,omitempty"`
	Output   string `json:"output,omitempty"`
}

func (p *SweepReport) printJSON() error {
	runs := make([]runJSON, len(p.results))
	for i, r := range p.results {
		runs[i] = runJSON{Variant: r.variant.Name, About: r.variant.About, Seconds: r.duration.Seconds(), Verdict: string(r.verdict), Failed: r.verdict.Bad(), Detail: r.detail}
		if r.exit >= 0 {
			runs[i].Exit = &r.exit
		}
		if r.verdict.Bad() {
			runs[i].Scenario, runs[i].Output = r.scenario, r.output
		}
	}
	return console.JSON(p.out, struct {
		Failed int       `json:"failed"`
		Runs   []runJSON `json:"runs"`
	}{p.Failed(), runs})
}

func (p *SweepReport) printJUnit() error {
	suite := console.Suite{Name: "fakeopenai sweep"}
	for _, r := range p.results {
		c := console.Case{Name: r.variant.Name, Took: r.duration}
		if r.verdict.Bad() {
			c.Failure = &console.Failure{Type: string(r.verdict), Message: r.detail, Text: r.explain()}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite.Print(p.out)
}
