package render

import "text/template/parse"

// Tail is the literal text after the last action, with which every result ends.
func (t Template) Tail() string {
	if t.tree == nil {
		return ""
	}
	nodes := t.tree.Root.Nodes
	if len(nodes) == 0 {
		return ""
	}
	if text, ok := nodes[len(nodes)-1].(*parse.TextNode); ok {
		return string(text.Text)
	}
	return ""
}
