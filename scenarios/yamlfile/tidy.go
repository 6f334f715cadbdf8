package yamlfile

import (
	"bytes"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// Tidy returns the text of a file in the standard layout: keys in the order in which
// [Format] writes them, indented by two spaces, with the author's comments, blank lines
// and texts. Brackets with comments in them stay as they are. The scenarios stay the same.
// To tidy the result again changes nothing.
//
// The error is a [diag.List] for the problems that [Parse] reports, and for a line that
// cannot be laid out.
func Tidy(file string, src []byte) (text []byte, err error) {
	meant, problems := Parse(file, src)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	// If sorting the keys changes the meaning, as when an alias comes before its anchor,
	// the keys keep their order.
	for _, sorted := range []bool{true, false} {
		text, err = node.Tidy(file, src, func(text string, root *yaml.Node) { arrange(text, root, sorted) })
		if err != nil {
			continue
		}
		if list, problems := Parse(file, text); len(problems) == 0 && sameScenarios(meant, list) {
			return text, nil
		}
		err = fmt.Errorf("%s: it cannot be laid out without a change of what it says; please report the file", file)
	}
	return nil, err
}

// sameScenarios reports whether two lists hold equal scenarios.
func sameScenarios(a, b []*scenarios.Scenario) bool {
	return slices.EqualFunc(a, b, func(a, b *scenarios.Scenario) bool {
		one, err := Format(a)
		other, otherErr := Format(b)
		return err == nil && otherErr == nil && bytes.Equal(one, other)
	})
}

// place identifies a mapping or list of a document by where it begins.
type place struct {
	kind         yaml.Kind
	line, column int
}

func placeOf(n *yaml.Node) place { return place{n.Kind, n.Line, n.Column} }

// arrange gives the sections and lists of a document the layout that the table of the
// language has for them. With sorted it also sorts their keys.
func arrange(text string, root *yaml.Node, sorted bool) {
	known := map[place]table.Layout{}
	d := newDecoder("")
	d.Noted = func(n *yaml.Node, how table.Layout) {
		if _, ok := known[placeOf(n)]; !ok {
			known[placeOf(n)] = how
		}
	}
	scenario := language()
	roots, _ := d.Documents([]byte(text)) // Parse has reported all problems before
	for _, root := range roots {
		scenario.Read(d, root, new(scenarioAsWritten))
	}
	var lay func(n *yaml.Node)
	lay = func(n *yaml.Node) {
		how := known[placeOf(n)]
		if how.InLines {
			n.Style &^= yaml.FlowStyle
		}
		if sorted && how.Keys != nil {
			pairs := slices.Collect(slices.Chunk(n.Content, 2))
			slices.SortStableFunc(pairs, func(a, b []*yaml.Node) int { return how.Rank(a[0].Value) - how.Rank(b[0].Value) })
			n.Content = slices.Concat(pairs...)
		}
		for _, child := range n.Content {
			lay(child)
		}
	}
	lay(root)
}
