package serving

import (
	"fmt"
	"io"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
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
	if r.Exit != nil {
		exit = fmt.Sprint(*r.Exit)
	}
	fmt.Fprintf(&b, rowFormat, r.Variant, exit, fmt.Sprintf("%.2fs", r.Seconds), r.Verdict)
	_, err := io.WriteString(p.out, b.String())
	return err
}

// Failed returns the number of runs with a bad verdict.
func (p *SweepReport) Failed() int {
	n := 0
	for _, r := range p.results {
		if r.Failed {
			n++
		}
	}
	return n
}

// Finish prints the end of the report: as text, the failed runs and the summary.
func (p *SweepReport) Finish() error {
	report := console.Report{Name: "fakeopenai sweep"}
	for _, r := range p.results {
		c := console.Case{Name: r.Variant, Took: r.took()}
		if r.Failed {
			c.Verdict, c.Detail, c.Output = string(r.Verdict), r.Detail, r.explain()
		}
		report.Cases = append(report.Cases, c)
	}
	return report.Print(p.out, p.format, struct {
		Failed int      `json:"failed"`
		Runs   []result `json:"runs"`
	}{p.Failed(), append([]result{}, p.results...)}, p.end())
}

// end is the failed runs and the summary, as text.
func (p *SweepReport) end() string {
	var b strings.Builder
	for _, r := range p.results {
		if r.Failed {
			b.WriteString("\n" + r.explain())
		}
	}
	fmt.Fprintf(&b, "\n%s, %d failed\n", console.Count(len(p.results), "run"), p.Failed())
	if len(p.results) == 1 && p.Failed() == 1 {
		b.WriteString("the command must succeed with the scenario as it is written before its variants say anything\n")
	}
	return b.String()
}

// explain describes a failed run, with a scenario that reproduces it and the end of the
// command's output.
func (r result) explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s (%s)\n", r.Variant, r.Verdict, r.Detail, r.About)
	for line := range strings.Lines(r.Scenario) {
		fmt.Fprintf(&b, "  %s\n", strings.TrimRight(line, "\n"))
	}
	for line := range strings.Lines(r.Output) {
		fmt.Fprintf(&b, "  | %s\n", strings.TrimRight(line, "\r\n"))
	}
	return b.String()
}
