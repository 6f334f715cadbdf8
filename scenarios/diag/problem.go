// Package diag has the problems of scenarios: each has a position in a file, a message
// and a hint. It prints them with the line that they are about, and finds the word that
// an author probably meant.
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

// Problem is one thing that is wrong with a scenario. It has a position in a file, unless
// the scenario was made in Go.
type Problem struct {
	Pos
	Width int    // Width is the number of characters to underline; 0 if it is not known.
	Rule  string // Rule is the lint rule that was broken, or "".
	// Message says what was found and what was expected: unknown key "contnet" in
	// step.
	Message string
	Hint    string // Hint says what to do: did you mean "content"?
}

// String returns the problem in one line, in the form that editors and CI systems read:
// file:line:col: message (hint) [rule]. Without a position it starts with the message.
// It contains only printable characters; see [Printable].
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

// head returns the position and the message. A column that is not known is printed as 1,
// so that the form stays the same.
func (d Problem) head() string {
	switch {
	case d.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", OneLine(d.File), d.Line, max(d.Col, 1), d.Message)
	case d.File != "":
		return OneLine(d.File) + ": " + d.Message
	}
	return d.Message
}

// List is a list of problems. It is an error whose text has one line for each problem.
type List []Problem

// Error returns the lines of [Problem.String] of all problems.
func (ds List) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns ds as an error, or nil if there are no problems.
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

// Unique returns ds without repeated problems, in the same order. It reuses the memory of
// ds, so the caller must not use ds afterwards.
func (ds List) Unique() List {
	seen := make(map[Problem]bool, len(ds))
	return slices.DeleteFunc(ds, func(d Problem) bool {
		twice := seen[d]
		seen[d] = true
		return twice
	})
}

// Pos is a position in a scenario file. The zero Pos is that of a value made in Go.
type Pos struct {
	File      string
	Line, Col int // Line and Col count from 1; Col counts characters.
}

// Printable returns a text in which each control character of terminals, and each
// character that changes the direction of text, is replaced by U+FFFD. Tabs and line
// feeds stay.
func Printable(s string) string { return strings.Map(printable, s) }

// OneLine is [Printable] for a text that must stay in its line, such as the name of a file:
// line feeds are replaced, too.
func OneLine(s string) string { return strings.ReplaceAll(Printable(s), "\n", "\ufffd") }

func printable(r rune) rune {
	const zeroWidthJoiner = '\u200d' // stays, because many emoji contain it
	if unicode.IsPrint(r) || r == '\t' || r == '\n' || r == zeroWidthJoiner || unicode.Is(unicode.Zs, r) {
		return r
	}
	return unicode.ReplacementChar
}

// quoteLimit is the largest number of characters of a text that a message repeats.
const quoteLimit = 80

// Quote returns a text in quotes, cut to 80 characters.
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
