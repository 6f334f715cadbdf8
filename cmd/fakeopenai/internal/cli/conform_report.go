package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// conformReport is what a client made of all specimens, as conform --format json prints it.
type conformReport struct {
	Failed  int            `json:"failed"` // Failed counts the failures that are not known, and those known that did not occur.
	Seconds float64        `json:"seconds"`
	Results []conformEntry `json:"results"`

	known map[string]sweep.Verdict
}

// conformEntry is what a client made of one specimen.
type conformEntry struct {
	serving.Conformity
	Known sweep.Verdict `json:"known,omitempty"` // Known is the failure that is known of the specimen.
}

// add adds a result.
func (r *conformReport) add(c serving.Conformity) error {
	e := conformEntry{c, r.known[c.Specimen]}
	if e.fails() {
		r.Failed++
	}
	r.Results = append(r.Results, e)
	return nil
}

// fails reports whether the verdict is another than is known or, if none is known, a failure.
func (e *conformEntry) fails() bool {
	if e.Known != "" {
		return e.Verdict != e.Known
	}
	return slices.Contains(serving.Failures(), e.Verdict)
}

// reason is why the entry fails; "" if it does not.
func (e *conformEntry) reason() string {
	switch {
	case !e.fails():
		return ""
	case e.Known != "" && !slices.Contains(serving.Failures(), e.Verdict):
		return fmt.Sprintf("it is %s, and known as %s: take it off the list", e.Verdict, e.Known)
	case e.Known != "":
		return fmt.Sprintf("it is known as %s: %s", e.Known, e.Detail)
	}
	return e.Detail
}

func (r *conformReport) print(out io.Writer, format string) error {
	report := console.Report{Name: "fakeopenai conform"}
	for _, e := range r.Results {
		c := console.Case{Name: e.Specimen, Took: time.Duration(e.Seconds * float64(time.Second))}
		if e.fails() {
			c.Verdict, c.Detail, c.Output = string(e.Verdict), e.reason(), e.Delivery+"\n"+e.Output
		}
		report.Cases = append(report.Cases, c)
	}
	return report.Print(out, format, r, r.text())
}

// text is a table of what is not ok, and the counts.
func (r *conformReport) text() string {
	var out strings.Builder
	table := console.Table(&out)
	counts := map[sweep.Verdict]int{}
	for _, e := range r.Results {
		counts[e.Verdict]++
		if e.Verdict == sweep.OK && e.Known == "" {
			continue
		}
		note := e.Detail
		if e.fails() {
			note = e.reason()
		} else if e.Known != "" {
			note += " (known)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s [%s]\n", e.Specimen, e.Verdict, note, e.Delivery)
	}
	table.Flush()
	if i := slices.IndexFunc(r.Results, func(e conformEntry) bool { return e.fails() && e.Output != "" }); i >= 0 {
		fmt.Fprintf(&out, "\nThe adapter's stderr when it crashed at %s:\n%s\n\n", r.Results[i].Specimen, strings.TrimSpace(r.Results[i].Output))
	}
	var parts []string
	for _, verdict := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[verdict], verdict))
	}
	fmt.Fprintf(&out, "%s: %s\n", console.Count(len(r.Results), "specimen"), strings.Join(parts, ", "))
	return out.String()
}
