package yamlfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// Tidy returns the text of a file in the standard layout: keys in the order in which
// [Format] writes them, indented by two spaces, with the author's comments and blank lines.
// Keys of an error, an envelope or a usage that are no words of the language are moved below
// extra. The scenarios stay the same. To tidy the result again changes nothing.
//
// The error is a [diag.List] for the problems that [Parse] reports, and for a comment that
// stands where it cannot be kept.
func Tidy(file string, src []byte) (text []byte, err error) {
	meant, today := reading{noted: func(*yaml.Node, table.Layout) {}}, src
	if meant.read(file, src); len(meant.problems) > 0 {
		if today, err = node.Tidy(src, rewrite); err != nil {
			today = nil
		}
		meant.parsed, meant.problems = nil, nil
		if meant.read(file, today); len(meant.problems) > 0 {
			_, problems := Parse(file, src)
			return nil, problems.Err()
		}
	}
	var lost diag.Problem
	// If sorting the keys changes the meaning, as when an alias comes before its anchor,
	// the keys keep their order.
	for _, sorted := range []bool{true, false} {
		text := today
		for range 3 { // until nothing changes
			before := text
			text, err = node.Tidy(before, func(text string, docs []*yaml.Node) { arrange(text, docs, sorted) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			list, problems := Parse(file, text)
			if lost = lostComment(file, src, text); lost.Message != "" || len(problems) > 0 || !sameScenarios(meant.scenarios(), list) {
				break
			}
			if bytes.Equal(before, text) {
				return text, nil
			}
		}
	}
	if lost.Message == "" {
		return nil, fmt.Errorf("%s: it cannot be laid out without a change of what it says; please report the file", file)
	}
	return nil, diag.List{lost}
}

var comment = node.Lazily(`(?m)(?:^|[ \t])#.*$`)

// lostComment returns the problem that the text of a file has no comment, or something that
// looks like one, which its source has; or the zero problem.
func lostComment(file string, src, text []byte) diag.Problem {
	kept := map[string]int{}
	for _, c := range comment().FindAll(text, -1) {
		kept[string(bytes.TrimSpace(c))]++
	}
	for i, line := range diag.SplitLines(src) {
		at := comment().FindStringIndex(line)
		if at == nil {
			continue
		}
		c := strings.TrimSpace(line[at[0]:])
		if kept[c]--; kept[c] < 0 {
			return diag.Problem{Pos: diag.Pos{File: file, Line: i + 1, Col: 1}, Message: "fmt cannot lay this out and keep its comment", Hint: "give the comment a line of its own, outside of brackets"}
		}
	}
	return diag.Problem{}
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

// layoutsIn are the layouts that the table of the language has for the sections and lists of a text.
func layoutsIn(text string) map[place]table.Layout {
	known := map[place]table.Layout{}
	d := newDecoder("")
	d.Noted = func(n *yaml.Node, how table.Layout) {
		if _, ok := known[placeOf(n)]; !ok {
			known[placeOf(n)] = how
		}
	}
	scenario := language()
	roots, _ := d.Documents([]byte(text))
	for _, root := range roots {
		scenario.Read(d, root, new(scenarioAsWritten))
	}
	return known
}

// arrange gives the sections and lists of the documents of a text their layout. With sorted it
// also sorts their keys.
func arrange(text string, docs []*yaml.Node, sorted bool) {
	known := layoutsIn(text)
	var lay func(n *yaml.Node)
	lay = func(n *yaml.Node) {
		how := known[placeOf(n)]
		if how.Instead != nil {
			long := *how.Instead
			long.HeadComment, long.LineComment, long.FootComment = n.HeadComment, n.LineComment, n.FootComment
			*n = long
			return
		}
		*n = *table.WrittenOut(n, how.Short, func(key string) bool { return slices.Contains(how.Keys, key) })
		if how.Foreign != nil {
			moveBelowExtra(n, how.Foreign)
		}
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
	for _, doc := range docs {
		lay(doc)
	}
}

// moveBelowExtra moves the keys with these names below the key extra.
func moveBelowExtra(n *yaml.Node, names []string) {
	extra := node.Member(n, "extra")
	if extra.Key == nil {
		extra = node.Pair{
			Key:   &yaml.Node{Kind: yaml.ScalarNode, Value: "extra", Line: n.Line},
			Value: &yaml.Node{Kind: yaml.MappingNode, Style: n.Style, Line: n.Line},
		}
	} else if extra.Value.Style != n.Style {
		return // one of them has lines of its own, and the other has not
	}
	var rest, below []*yaml.Node
	for _, p := range node.Members(n) {
		switch {
		case p.Key == extra.Key:
			below = append(below, p.Value.Content...)
		case slices.Contains(names, p.Name):
			below = append(below, p.Key, p.Value)
		default:
			rest = append(rest, p.Key, p.Value)
			continue
		}
		if !slices.Contains(rest, extra.Key) {
			rest = append(rest, extra.Key, extra.Value)
		}
	}
	n.Content, extra.Value.Content = rest, below
}
