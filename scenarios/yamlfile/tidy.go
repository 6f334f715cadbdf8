package yamlfile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// Tidy returns the text of a file in the standard layout: keys in the order in which [Format] writes them, indented by two spaces,
// with the author's comments and blank lines. Words of former versions become those of today that send the same. Keys of an error,
// an envelope or a usage that are no words of the language are moved below extra. To tidy the result again changes nothing.
//
// The error is a [diag.List] for the problems that [Parse] reports, without words of former
// versions that become others, and for a comment that stands where it cannot be kept.
func Tidy(file string, src []byte) (text []byte, err error) {
	meant, today := reading{noted: func(*yaml.Node, table.Layout) {}}, src
	if meant.read(file, src); len(meant.problems) > 0 {
		today, _ = node.Tidy(src, rewrite)
		before := meant.problems
		meant.parsed, meant.problems = nil, nil
		if meant.read(file, today); len(meant.problems) > 0 {
			_, problems := Parse(file, src)
			return nil, remaining(problems, before, meant.problems).Err()
		}
	}
	var lost diag.Problem
	// If sorting the keys changes the meaning, as when an alias comes before its anchor, the keys keep their order.
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

// remaining returns the problems that a file still has after it was rewritten, or all if it cannot be told which these are.
// Before and after are the problems that reading alone finds, before and after the rewriting.
func remaining(all, before, after diag.List) diag.List {
	has := func(list diag.List, p diag.Problem) bool {
		return slices.ContainsFunc(list, func(q diag.Problem) bool { return q.Message == p.Message && q.Hint == p.Hint })
	}
	some := slices.DeleteFunc(slices.Clone(all), func(p diag.Problem) bool { return has(before, p) && !has(after, p) })
	if len(some) < len(after) {
		return all
	}
	return some
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
		c := strings.TrimSpace(comment().FindString(line))
		if kept[c]--; c != "" && kept[c] < 0 {
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

// place identifies a mapping or list of a document by its kind and where it begins.
type place [3]int

func placeOf(n *yaml.Node) place { return place{int(n.Kind), n.Line, n.Column} }

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

// arrange gives the sections and lists of the documents of a text their layout. With sorted it also sorts their keys.
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
		short := map[string]table.Shorthand{}
		maps.Copy(short, how.Short)
		for _, name := range how.Foreign {
			short[name] = table.Shorthand{Below: "extra"}
		}
		*n = *table.WrittenOut(n, short, func(key string) bool { return slices.Contains(how.Keys, key) })
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

// rewrite does in the documents of a text what those leads say that are for words of former versions.
func rewrite(text string, docs []*yaml.Node) {
	known := layoutsIn(text)
	for _, doc := range docs {
		rewriteIn(known, []*yaml.Node{doc})
	}
}

// rewriteIn is rewrite for the last of some values, each of which stands in the one before it.
func rewriteIn(known map[place]table.Layout, path []*yaml.Node) {
	n := path[len(path)-1]
	u := table.Unknown{Section: known[placeOf(n)].Section, Within: n}
	for _, u.Pair = range node.Members(n) {
		for _, row := range leads()[[2]string{u.Section, u.Name}] {
			if groups, ok := row.fits(u); ok {
				if row.former {
					apply(path, u.Pair, row.filled(u, groups))
				}
				break
			}
		}
	}
	for _, child := range slices.Clone(n.Content) {
		rewriteIn(known, append(slices.Clip(path), child))
	}
}

// wordsOfLead matches what to write of the hint of a lead, and where.
var wordsOfLead = node.Lazily(`^(?:leave it out(?:: .*)?|write (.+?))(, and (?:write )?close in place of cut| in step, behind the error)?(?:; .*)?$`)

// saidDetails matches a usage that says its details.
var saidDetails = node.Lazily(`_tokens_details|(?:cached|reasoning|audio|prediction)_tokens`)

// apply does in the last mapping of a path what a hint says in place of one of its members. It changes nothing where something
// else stands at the place already.
func apply(path []*yaml.Node, p node.Pair, hint string) {
	m := wordsOfLead().FindStringSubmatch(hint)
	var doc yaml.Node
	if m == nil || strings.Contains(hint, "…") || yaml.Unmarshal([]byte("{"+m[1]+"}"), &doc) != nil {
		return
	}
	within, around, said := path[len(path)-1], path[len(path)-2], doc.Content[0]
	moveTo(said, &yaml.Node{Line: p.Key.Line}) // the text has nothing of it in a column
	if text, _ := yaml.Marshal(path[0]); strings.HasPrefix(m[1], "omit:") && saidDetails().Match(text) {
		return // it would leave out what a usage says, too
	}
	to := target(path, m[2])
	for _, q := range node.Members(said) {
		switch there := node.Member(to, q.Name); {
		case there.Key == nil || there.Key == p.Key:
			to.Content = append(slices.Clip(to.Content), q.Key, q.Value)
		case there.Value.Kind == yaml.SequenceNode && q.Value.Kind == yaml.SequenceNode:
			there.Value.Content = append(there.Value.Content, q.Value.Content...)
			said = q.Value // its items have the comments
		default:
			return
		}
	}
	at := slices.Index(within.Content, p.Key)
	within.Content = slices.Delete(slices.Clone(within.Content), at, at+2)
	heirs := slices.Concat(said.Content, within.Content[at:], within.Content, around.Content)
	if i := slices.Index(around.Content, within); len(within.Content) == 0 {
		heirs[0].HeadComment = node.Joined(heirs[0].HeadComment, around.Content[i-1].HeadComment)
		around.Content = slices.Delete(slices.Clone(around.Content), i-1, i+1)
	}
	heirs[0].HeadComment = node.Joined(heirs[0].HeadComment, node.Joined(p.Key.HeadComment, p.Key.FootComment))
	heirs[1].LineComment = node.Joined(heirs[1].LineComment, p.Key.LineComment+p.Value.LineComment)
}

// target is the mapping in which a hint says to write something: where it stands, or a place around it.
func target(path []*yaml.Node, where string) *yaml.Node {
	last := len(path) - 1
	switch around := path[last-1]; where {
	case "":
	case " in step, behind the error":
		step, list := node.NewMapping(0), path[last-2]
		list.Content = slices.Insert(list.Content, slices.Index(list.Content, around)+1, step)
		return step
	default:
		around.Content[slices.Index(around.Content, path[last])-1].Value = "close"
	}
	return path[last]
}
