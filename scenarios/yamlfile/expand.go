package yamlfile

import "gopkg.in/yaml.v3"

// expand replaces aliases by what they stand for, so that nothing after it meets
// one. It refuses what would grow without bound: aliases that hold themselves,
// too many values, too deep nesting.
func (d *decoder) expand(root *yaml.Node) bool {
	e := expander{decoder: d, open: map[*yaml.Node]bool{}}
	return e.walk(root, 0)
}

type expander struct {
	*decoder
	open map[*yaml.Node]bool // anchors that the walk is inside of
}

func (e *expander) walk(n *yaml.Node, depth int) bool {
	e.nodes++
	switch {
	case e.nodes > maxNodes:
		e.report(n, "", "the file has more than %d values, aliases written out", maxNodes)
		return false
	case depth > maxDepth:
		e.report(n, "", "nested deeper than %d levels", maxDepth)
		return false
	case n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!str":
		e.report(n, "leave it out", "the tag %s is not supported", n.ShortTag())
	}
	if n.Anchor != "" {
		e.open[n] = true
		defer delete(e.open, n)
	}
	for i, child := range n.Content {
		if child.Kind == yaml.AliasNode {
			if e.open[child.Alias] {
				e.report(child, "", "the alias *%s holds itself", child.Value)
				return false
			}
			child = child.Alias
			n.Content[i] = child
		}
		if !e.walk(child, depth+1) {
			return false
		}
	}
	return true
}
