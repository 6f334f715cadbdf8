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
	Width int    `json:"width,omitempty"` // Width is the number of characters to underline; 0 if it is not known.
	Rule  string `json:"rule,omitempty"`  // Rule is the lint rule that was broken, or "".
	// Message says what was found and what was expected: unknown key "contnet" in
	// step.
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // Hint says what to do: did you mean "content"?
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
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`   // Line counts from 1.
	Col  int    `json:"column,omitempty"` // Col counts characters, from 1.
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

// Render returns the problems as text for people: each with the line that it is about,
// and carets under the characters that are wrong. It has no colours and contains only
// printable characters; see [Printable]. Source returns the text of a file; if it
// returns nil, the lines of that file are left out.
func (ds List) Render(source func(file string) []byte) string {
	var b strings.Builder
	files := map[string][]string{}
	var last characters
	for _, d := range ds {
		lines, known := files[d.File]
		if !known {
			lines = SplitLines(source(d.File))
			files[d.File] = lines
		}
		d.render(&b, lines, &last)
	}
	return Printable(b.String())
}

// characters caches the characters of the line of the last problem: a long line may have
// many problems.
type characters struct {
	line  string
	runes []rune
}

func (c *characters) runesOf(line string) []rune {
	if line != c.line {
		c.line, c.runes = line, []rune(line)
	}
	return c.runes
}

func (d Problem) render(b *strings.Builder, lines []string, last *characters) {
	if d.Line < 1 || d.Line > len(lines) {
		b.WriteString(d.String() + "\n")
		return
	}
	b.WriteString(d.head())
	if d.Rule != "" {
		fmt.Fprintf(b, " [%s]", d.Rule)
	}
	b.WriteByte('\n')
	if d.Col > 0 {
		d.renderMarked(b, last.runesOf(lines[d.Line-1]))
	} else {
		d.renderNear(b, lines)
	}
}

// renderMarked prints the line of the problem, and carets under the wrong characters.
func (d Problem) renderMarked(b *strings.Builder, line []rune) {
	text, col := excerptAround(line, d.Col)
	number := strconv.Itoa(d.Line)
	gutter := strings.Repeat(" ", len(number)+2) + "|"
	fmt.Fprintf(b, "%s\n %s |%s\n", gutter, number, withLeadingSpace(string(text)))
	b.WriteString(gutter + " " + whiteSpaceFor(text[:min(col-1, len(text))]))
	width := d.Width
	if width == 0 {
		width = wordWidth(text[min(col-1, len(text)):])
	}
	b.WriteString(carets(text, col, width))
	if d.Hint != "" {
		b.WriteString(" " + d.Hint)
	}
	b.WriteByte('\n')
}

// renderNear prints the line of the problem and its neighbours. It is for problems
// without a column, whose line is not exact.
func (d Problem) renderNear(b *strings.Builder, lines []string) {
	first, last := max(d.Line-1, 1), min(d.Line+1, len(lines))
	width := len(strconv.Itoa(last))
	gutter := strings.Repeat(" ", width+2) + "|"
	b.WriteString(gutter + "\n")
	for n := first; n <= last; n++ {
		text, _ := excerptAround([]rune(lines[n-1]), 1)
		fmt.Fprintf(b, " %*d |%s\n", width, n, withLeadingSpace(string(text)))
	}
	b.WriteString(gutter)
	if d.Hint != "" {
		b.WriteString(" " + d.Hint)
	}
	b.WriteByte('\n')
}

// withLeadingSpace returns the text with a space before it. An empty text stays empty, so
// that no line ends in a space.
func withLeadingSpace(text string) string {
	if text == "" {
		return ""
	}
	return " " + text
}

// maxExcerpt is the largest number of characters of a line in an excerpt.
const maxExcerpt = 120

// excerptAround cuts a long line to the part around the column, and returns the part and
// the column in it.
func excerptAround(line []rune, col int) (part []rune, at int) {
	if len(line) <= maxExcerpt {
		return line, col
	}
	start := max(0, min(col-maxExcerpt/3, len(line)-maxExcerpt))
	end := min(len(line), start+maxExcerpt)
	part = append(part, line[start:end]...)
	if start > 0 {
		part[0] = '…'
	}
	if end < len(line) {
		part[len(part)-1] = '…'
	}
	return part, col - start
}

// whiteSpaceFor returns white space that is as wide as text on a terminal.
func whiteSpaceFor(text []rune) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		b.WriteString(strings.Repeat(" ", screenWidth(r)))
	}
	return b.String()
}

// wordWidth returns the number of characters to underline if a problem does not say it:
// those of the text in quotes or of the word at the beginning of text.
func wordWidth(text []rune) int {
	if len(text) > 0 && (text[0] == '"' || text[0] == '\'') {
		if end := slices.Index(text[1:], text[0]); end > 0 {
			return end + 2
		}
	}
	if end := slices.IndexFunc(text, endsWord); end >= 0 {
		return end
	}
	return len(text)
}

func endsWord(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(":,[]{}#\"'", r) }

// carets returns the carets under width characters of the line, from col on: at least
// one, and none behind the end of the line.
func carets(line []rune, col, width int) string {
	n := 0
	for i := col - 1; i < min(col-1+width, len(line)); i++ {
		n += screenWidth(line[i])
	}
	return strings.Repeat("^", max(n, 1))
}

// screenWidth returns how many columns of a terminal a character takes.
func screenWidth(r rune) int {
	switch {
	case printable(r) != r:
		return screenWidth(unicode.ReplacementChar)
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// wide is the blocks of characters that take two columns of a terminal.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, // Hangul Jamo
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1}, // CJK radicals, punctuation
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1}, // kana, CJK, Yi
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, // Hangul
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, // CJK compatibility
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1}, // CJK compatibility forms
		{Lo: 0xff00, Hi: 0xff60, Stride: 1}, // full-width forms
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1}, // full-width signs
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, // pictographs, emoticons
		{Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1}, // supplemental pictographs
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1}, // CJK extensions
	},
}

// SplitLines splits a file into lines as YAML does: also at a lone carriage return and
// at the three line separators beyond ASCII.
func SplitLines(src []byte) []string {
	text := strings.TrimPrefix(string(src), ByteOrderMark)
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var lines []string
	for text != "" {
		end := strings.IndexFunc(text, IsLineBreak)
		if end < 0 {
			return append(lines, text)
		}
		lines = append(lines, text[:end])
		_, size := utf8.DecodeRuneInString(text[end:])
		text = text[end+size:]
	}
	return lines
}

// ByteOrderMark may stand at the beginning of a file. It counts as no column.
const ByteOrderMark = "\ufeff"

// IsLineBreak reports whether YAML ends a line at r.
func IsLineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}
