package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/tidy"
)

// Tidy returns the text of a file in the standard layout: keys in the order in which
// [Format] writes them, indented by two spaces, with the author's comments and blank
// lines. The scenarios stay the same. To tidy the result again changes nothing.
//
// The error is a [diag.List] for the problems that [Parse] reports, and for a line that
// cannot be laid out.
func Tidy(file string, src []byte) ([]byte, error) {
	meant, problems := Parse(file, src)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	docs, err := tidy.Documents(src)
	if line, ok := errors.AsType[*tidy.Line](err); ok {
		return nil, diag.List{{Pos: diag.Pos{File: file, Line: line.Number, Col: 1}, Message: "fmt cannot lay this line out", Hint: line.Reason}}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	// If sorting the keys changes the meaning, as when an alias comes before its anchor,
	// the keys keep their order.
	for _, sorted := range []bool{true, false} {
		text, err := tidy.Print(docs, func(i int) tidy.Style { return layoutOf(docs[i], sorted) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list, problems := Parse(file, text)
		if len(problems) == 0 && sameScenarios(meant, list) && sameComments(docs, text) {
			return text, nil
		}
	}
	return nil, fmt.Errorf("%s: it cannot be laid out without a change of what it says; please report the file", file)
}

// sameScenarios reports whether two lists hold equal scenarios.
func sameScenarios(a, b []*scenarios.Scenario) bool {
	return slices.EqualFunc(a, b, func(a, b *scenarios.Scenario) bool {
		one, err := Format(a)
		other, otherErr := Format(b)
		return err == nil && otherErr == nil && bytes.Equal(one, other)
	})
}

// sameComments reports whether a text has exactly the comments of the documents.
func sameComments(docs []tidy.Document, text []byte) bool {
	written, err := tidy.Documents(text)
	if err != nil {
		return false
	}
	want, err := tidy.Comments(docs)
	got, gotErr := tidy.Comments(written)
	return err == nil && gotErr == nil && slices.Equal(got, want)
}

// layout is the [tidy.Style] of a document, which follows the table of the language.
// Known has the layout of each section and list, by its place in the document.
type layout struct {
	sorted bool
	known  map[place]table.Layout
}

// place identifies a mapping or list of a document by where it begins.
type place struct {
	kind         yaml.Kind
	line, column int
}

func placeOf(n *yaml.Node) place { return place{n.Kind, n.Line, n.Column} }

func layoutOf(doc tidy.Document, sorted bool) layout {
	l := layout{sorted: sorted, known: map[place]table.Layout{}}
	d := newDecoder("")
	d.Noted = func(n *yaml.Node, how table.Layout) {
		if _, known := l.known[placeOf(n)]; !known {
			l.known[placeOf(n)] = how
		}
	}
	scenario := language()
	_, _ = d.Documents([]byte(doc.Text), func(root *yaml.Node) { scenario.Read(d, root, new(scenarioAsWritten)) }) // Parse has reported all problems before
	return l
}

// InLines implements [tidy.Style].
func (l layout) InLines(n *yaml.Node) bool { return l.known[placeOf(n)].InLines }

// Order implements [tidy.Style].
func (l layout) Order(n *yaml.Node) []int {
	how := l.known[placeOf(n)]
	order := make([]int, len(n.Content)/2)
	for i := range order {
		order[i] = i
	}
	if l.sorted && how.Keys != nil {
		slices.SortStableFunc(order, func(a, b int) int { return how.Rank(n.Content[2*a].Value) - how.Rank(n.Content[2*b].Value) })
	}
	return order
}
