package serving

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// Result is what a client made of one case: a variant of a sweep, a specimen, or all cases of a hunt.
type Result struct {
	Case    string        `json:"case"`
	About   string        `json:"about,omitempty"`
	Verdict sweep.Verdict `json:"verdict"`
	Failed  bool          `json:"failed"`
	Detail  string        `json:"detail,omitempty"` // Detail is the reason for the verdict.
	Seconds float64       `json:"seconds"`
	Exit    *int          `json:"exit,omitempty"` // Exit is the exit code of the command; nil if it was killed, or is an adapter.
	// Delivery says what the server saw of a specimen: requests, and how far the last answer came.
	Delivery string             `json:"delivery,omitempty"`
	Outcome  *scenarios.Outcome `json:"outcome,omitempty"` // Outcome is what the client came to; nil if it does not print that.
	// Scenario is, of a failed run, the text of a scenario file that plays the variant by itself.
	Scenario string `json:"scenario,omitempty"`
	Output   string `json:"output,omitempty"` // Output is the end of what the command of a failed run printed.

	*Drawn         // Drawn is nil but for a hunt.
	printed *reply // printed is what an adapter printed; nil if it printed no reply.
}

func took(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// Explain describes a failed case, with a scenario that reproduces it and the end of the command's output.
func (r *Result) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s (%s)\n", r.Case, r.Verdict, r.Detail, r.About+r.Delivery)
	return b.String() + prefixLines("  ", r.Scenario) + prefixLines("  | ", r.Output)
}

func prefixLines(prefix, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(prefix + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// Report collects the results of an experiment, as --format json prints them.
type Report struct {
	Failed  int      `json:"failed"`
	Results []Result `json:"results"`

	out          io.Writer
	name, format string
	row          func(*Result) string // row is printed as text after each result; nil is none.
}

// NewReport returns a report of the command of this name, in the format text, json or junit.
func NewReport(out io.Writer, name, format string) *Report {
	return &Report{Results: []Result{}, out: out, name: name, format: format}
}

// Add adds the next result.
func (p *Report) Add(r Result) error {
	if p.Results = append(p.Results, r); r.Failed {
		p.Failed++
	}
	if p.format != "text" || p.row == nil {
		return nil
	}
	_, err := io.WriteString(p.out, p.row(&r))
	return err
}

// Finish prints the report, or as text only its end.
func (p *Report) Finish(end string) error {
	report := console.Report{Name: "fakeopenai " + p.name}
	for _, r := range p.Results {
		c := console.Case{Name: r.Case, Took: took(r.Seconds)}
		if r.Failed {
			c.Verdict, c.Detail, c.Output = string(r.Verdict), r.Detail, r.Explain()
		}
		report.Cases = append(report.Cases, c)
	}
	return report.Print(p.out, p.format, p, end)
}

// InRows has the report print a line of a table after each result. The columns have fixed widths, because lines are
// printed before the later ones are known.
func (p *Report) InRows() *Report {
	const format = "%-20s  %4s  %8s  %s\n"
	p.row = func(r *Result) string {
		exit, head := "-", ""
		if r.Exit != nil {
			exit = fmt.Sprint(*r.Exit)
		}
		if len(p.Results) == 1 {
			head = fmt.Sprintf(format, "VARIANT", "EXIT", "TIME", "VERDICT")
		}
		return head + fmt.Sprintf(format, r.Case, exit, fmt.Sprintf("%.2fs", r.Seconds), r.Verdict)
	}
	return p
}

// Summary is the failed runs of a sweep and their number, as text.
func (p *Report) Summary() string {
	var b strings.Builder
	for i := range p.Results {
		if r := &p.Results[i]; r.Failed {
			b.WriteString("\n" + r.Explain())
		}
	}
	fmt.Fprintf(&b, "\n%s, %d failed\n", console.Count(len(p.Results), "run"), p.Failed)
	if len(p.Results) == 1 && p.Failed == 1 {
		b.WriteString("the command must succeed with the scenario as it is written before its variants say anything\n")
	}
	return b.String()
}
