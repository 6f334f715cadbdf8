package yamlfile

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

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
