// Package diag is what is wrong with a scenario and where: problems at places in
// files, printed with the line that they are about, and the word that was
// probably meant.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Problem is one thing that is wrong, mostly problem in a scenario file.
type Problem struct {
	Pos
	Width   int    // how many characters to underline; 0 when unknown
	Rule    string // the lint rule that was broken, or ""
	Message string // what was found and what was expected: unknown key "contnet" in step
	Hint    string // what to do: did you mean "content"?
}

// String is the problem in one line, as editors and CI systems read it:
// file:line:col: message (hint) [rule]. A problem of a value made in Go has no
// position and starts with the message.
func (d Problem) String() string {
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
func (d Problem) head() string {
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
type List []Problem

// Error is one line for each problem, as [Diagnostic.String] writes it.
func (ds List) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Err is ds as an error, or nil when there are no problems.
func (ds List) Err() error {
	if len(ds) == 0 {
		return nil
	}
	return ds
}

// Sort orders ds by file, line and column. Problems at the same place keep their
// order.
func (ds List) Sort() {
	slices.SortStableFunc(ds, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col),
		)
	})
}

// Unique is ds without repetitions of the same problem. It needs ds sorted.
func (ds List) Unique() List {
	seen := make(map[Problem]bool, len(ds))
	return slices.DeleteFunc(ds, func(d Problem) bool {
		twice := seen[d]
		seen[d] = true
		return twice
	})
}

// Pos is a place in a scenario file. The zero Pos is a value made in Go.
type Pos struct {
	File      string
	Line, Col int // 1-based; Col counts characters
}

// quoteLimit is how many characters of a text are repeated in a message.
const quoteLimit = 80

// Quote is a text in quotes, cut to a length that fits a message.
func Quote(s string) string { return strconv.Quote(Shorten(s)) }

// Shorten cuts a text that is too long to be repeated in a message.
func Shorten(s string) string {
	if utf8.RuneCountInString(s) <= quoteLimit {
		return s
	}
	cut := 0
	for range quoteLimit {
		_, size := utf8.DecodeRuneInString(s[cut:])
		cut += size
	}
	return s[:cut] + "…"
}
