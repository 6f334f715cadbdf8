// Package diag reports what is wrong with a scenario and where: problems at
// places in files, printed with the line that they are about, and the word that
// was probably meant.
//
//	_, err := yamlfile.Load(fsys, "scenarios")
//	if problems, ok := errors.AsType[diag.List](err); ok {
//		fmt.Print(problems.Render(func(file string) []byte {
//			text, _ := fs.ReadFile(fsys, file)
//			return text
//		}))
//	}
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problem is one thing that is wrong with a scenario. It mostly has a place in a
// file; a problem of a scenario made in Go has none.
type Problem struct {
	Pos
	Width int    // Width is how many characters to underline; 0 is not known.
	Rule  string // Rule is the lint rule that was broken, or "".
	// Message is what was found and what was expected: unknown key "contnet" in
	// step.
	Message string
	Hint    string // Hint is what to do: did you mean "content"?
}

// String is the problem in one line, as editors and CI systems read it:
// file:line:col: message (hint) [rule]. A problem of a value made in Go has no
// position and starts with the message. It is printable, as what Render writes.
func (d Problem) String() string {
	var b strings.Builder
	b.WriteString(d.head())
	if d.Hint != "" {
		fmt.Fprintf(&b, " (%s)", d.Hint)
	}
	if d.Rule != "" {
		fmt.Fprintf(&b, " [%s]", d.Rule)
	}
	return Printable(b.String())
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

// List is a list of problems: all that were found, sorted by position. It is an
// error, which prints one line for each problem.
type List []Problem

// Error is one line for each problem, as [Problem.String] writes it.
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

// Unique is ds without repetitions of the same problem, in the same order. It
// uses the memory of ds, which must not be used after it.
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
	Line, Col int // Line and Col count from 1; Col counts characters.
}

// Printable is a text in which characters that steer a terminal, or turn the order
// of what is read, are replaced by U+FFFD, one for one. Tabs and line feeds stay.
func Printable(s string) string { return strings.Map(printable, s) }

func printable(r rune) rune {
	const zeroWidthJoiner = '\u200d' // it is within many emoji
	if unicode.IsPrint(r) || r == '\t' || r == '\n' || r == zeroWidthJoiner || unicode.Is(unicode.Zs, r) {
		return r
	}
	return unicode.ReplacementChar
}

// quoteLimit is how many characters of a text a message repeats.
const quoteLimit = 80

// Quote is a text in quotes, cut to 80 characters.
func Quote(s string) string { return strconv.Quote(Shorten(s)) }

// Shorten cuts a text of more than 80 characters, which would be too long to
// repeat in a message, and marks the cut with an ellipsis.
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
