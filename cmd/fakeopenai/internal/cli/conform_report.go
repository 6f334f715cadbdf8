package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// compared is a result beside the failure that is known of its specimen; "" for none. It fails if the verdict is another
// than is known or, if none is known, a failure.
func compared(r serving.Result, known sweep.Verdict) serving.Result {
	isFailure := slices.Contains(serving.Failures(), r.Verdict)
	r.Known, r.Failed = known, isFailure
	if known == "" {
		return r
	}
	switch r.Failed = r.Verdict != known; {
	case !r.Failed:
		r.Detail += " (known)"
	case !isFailure:
		r.Detail = fmt.Sprintf("it is %s, and known as %s: take it off the list", r.Verdict, known)
	default:
		r.Detail = fmt.Sprintf("it is known as %s: %s", known, r.Detail)
	}
	return r
}

// specimensTable is a table of what is not ok, and the counts.
func specimensTable(report *serving.Report) string {
	var out strings.Builder
	table := console.Table(&out)
	counts := map[sweep.Verdict]int{}
	for _, r := range report.Results {
		if counts[r.Verdict]++; r.Verdict != sweep.OK || r.Known != "" {
			fmt.Fprintf(table, "%s\t%s\t%s [%s]\n", r.Case, r.Verdict, r.Detail, r.Delivery)
		}
	}
	table.Flush()
	if i := slices.IndexFunc(report.Results, func(r serving.Result) bool { return r.Failed && r.Output != "" }); i >= 0 {
		fmt.Fprintf(&out, "\nThe adapter's stderr when it crashed at %s:\n%s\n\n", report.Results[i].Case, strings.TrimSpace(report.Results[i].Output))
	}
	var parts []string
	for _, verdict := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[verdict], verdict))
	}
	fmt.Fprintf(&out, "%s: %s\n", console.Count(len(report.Results), "specimen"), strings.Join(parts, ", "))
	return out.String()
}
