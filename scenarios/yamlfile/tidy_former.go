package yamlfile

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// rewriter replaces words of former versions.
type rewriter struct {
	known  map[place]table.Layout
	around []*yaml.Node // around are the values around the one that is rewritten, and it, the outermost first.
}

// rewrite does in the documents of a text what those leads say that are for words of former versions.
func rewrite(text string, docs []*yaml.Node) {
	r := rewriter{known: layoutsIn(text)}
	for _, doc := range docs {
		r.walk(doc)
	}
}

func (r *rewriter) walk(n *yaml.Node) {
	r.around = append(r.around, n)
	section := r.known[placeOf(n)].Section
	for _, p := range node.Members(n) {
		u := table.Unknown{Pair: p, Section: section, Within: n}
		for _, row := range leads()[[2]string{section, p.Name}] {
			if groups, ok := row.fits(u); ok {
				if row.former {
					r.apply(p, row.filled(u, groups))
				}
				break
			}
		}
	}
	for _, child := range slices.Clone(n.Content) {
		r.walk(child)
	}
	r.around = r.around[:len(r.around)-1]
}

// wordsOfLead matches what to write of the hint of a lead, and where.
var wordsOfLead = node.Lazily(`^(?:leave it out(?:: .*)?|write (.+?))(, and (?:write )?close in place of cut| in scenario| in step, behind the error)?(?:; .*)?$`)

// apply does in the innermost mapping what a hint says in place of one of its members. It changes nothing where something
// else stands at the place already.
func (r *rewriter) apply(p node.Pair, hint string) {
	m := wordsOfLead().FindStringSubmatch(hint)
	var doc yaml.Node
	if m == nil || strings.Contains(hint, "…") || yaml.Unmarshal([]byte("{"+m[1]+"}"), &doc) != nil {
		return
	}
	within, said := r.around[len(r.around)-1], doc.Content[0]
	setLine(said, p.Key.Line)
	if said.Content != nil && said.Content[0].Value == "end" && slices.ContainsFunc(r.around, isOfOtherAPI) {
		return
	}
	to := r.target(said, m[2])
	for _, q := range node.Members(said) {
		switch there := node.Member(to, q.Name); {
		case there.Key == nil || there.Key == p.Key:
			at := slices.Index(to.Content, p.Key) // or at the end
			if at < 0 {
				at = len(to.Content)
			}
			to.Content = slices.Insert(to.Content, at, q.Key, q.Value)
		case there.Value.Kind == yaml.SequenceNode && q.Value.Kind == yaml.SequenceNode:
			there.Value.Content = append(there.Value.Content, q.Value.Content...)
			said = q.Value // its items have the comments
		default:
			return
		}
	}
	at, around := slices.Index(within.Content, p.Key), r.around[len(r.around)-2]
	within.Content = slices.Delete(slices.Clone(within.Content), at, at+2)
	heirs := slices.Concat(said.Content, within.Content[at:], within.Content, around.Content)
	if i := slices.Index(around.Content, within); len(within.Content) == 0 {
		heirs[0].HeadComment = joined(heirs[0].HeadComment, around.Content[i-1].HeadComment)
		around.Content = slices.Delete(slices.Clone(around.Content), i-1, i+1)
	}
	heirs[0].HeadComment, heirs[0].FootComment = joined(heirs[0].HeadComment, p.Key.HeadComment), joined(heirs[0].FootComment, p.Key.FootComment)
	heirs[1].LineComment = joined(heirs[1].LineComment, p.Key.LineComment+p.Value.LineComment)
}

// isOfOtherAPI reports whether a scenario or reply is for an API whose streams do not end with [DONE].
func isOfOtherAPI(n *yaml.Node) bool {
	surface := memberAt(n, "when.surface")
	return surface != nil && surface.Value != "chat" && surface.Value != "completions"
}

// target is the mapping in which a hint says to write something: where it stands, or a place around it.
func (r *rewriter) target(said *yaml.Node, where string) *yaml.Node {
	last := len(r.around) - 1
	switch where {
	case "":
	case " in scenario":
		for last--; last > 0 && !slices.Contains(r.known[placeOf(r.around[last])].Keys, said.Content[0].Value); {
			last--
		}
	case " in step, behind the error":
		step, list := node.NewMapping(0), r.around[last-2]
		list.Content = slices.Insert(list.Content, slices.Index(list.Content, r.around[last-1])+1, step)
		return step
	default:
		end := r.around[last-1].Content
		end[slices.Index(end, r.around[last])-1].Value = "close"
	}
	return r.around[last]
}

// setLine gives a node and all below a line, and no column: there is nothing of them in the text.
func setLine(n *yaml.Node, line int) {
	n.Line, n.Column = line, 0
	for _, child := range n.Content {
		setLine(child, line)
	}
}

// joined returns two comments as one.
func joined(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }
