package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Diagnostic is one problem in a scenario file.
type Diagnostic struct {
	Pos
	Width   int    // how many characters to underline; 0 when unknown
	Rule    string // the lint rule that was broken, or ""
	Message string // what was found and what was expected: unknown key "contnet" in step
	Hint    string // what to do: did you mean "content"?
}

// String is the problem in one line, as editors and CI systems read it:
// file:line:col: message (hint) [rule]. A problem of a value made in Go has no
// position and starts with the message.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.head())
	if d.Hint != "" {
		fmt.Fprintf(&b, " (%s)", d.Hint)
	}
	if d.Rule != "" {
		fmt.Fprintf(&b, " [%s]", d.Rule)
	}
	return b.String()
}

// head is the position and the message. A column that is not known counts as
// the first, so that the form stays the same.
func (d Diagnostic) head() string {
	switch {
	case d.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, max(d.Col, 1), d.Message)
	case d.File != "":
		return d.File + ": " + d.Message
	}
	return d.Message
}

// Diagnostics are all problems of a load, sorted by position. As an error it
// prints one line for each.
type Diagnostics []Diagnostic

// Error is one line for each problem, as [Diagnostic.String] writes it.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Err is ds as an error, or nil when there are no problems.
func (ds Diagnostics) Err() error {
	if len(ds) == 0 {
		return nil
	}
	return ds
}

// Sort orders ds by file, line and column. Problems at the same place keep their
// order.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col),
		)
	})
}

// unique is ds without repetitions of the same problem. It needs ds sorted.
func (ds Diagnostics) unique() Diagnostics {
	seen := make(map[Diagnostic]bool, len(ds))
	return slices.DeleteFunc(ds, func(d Diagnostic) bool {
		twice := seen[d]
		seen[d] = true
		return twice
	})
}
