package render

import (
	"slices"
	"text/template/parse"
)

// names are the names below the dot that a template uses. Nothing else of a request is
// computed for it.
type names struct {
	all     bool     // all says that the template uses the dot itself, and so every name.
	top     []string // top are the names directly below the dot, except request.
	request bool     // request says that the template uses the whole request.
	members []string // members are the members of the request that it uses.
}

// namesIn collects the names that a template uses.
func namesIn(root *parse.ListNode) (n names) {
	eachNode(root, true, func(node parse.Node, root bool) {
		switch node := node.(type) {
		case *parse.DotNode:
			n.all = n.all || root
		case *parse.FieldNode:
			if root {
				n.field(node.Ident)
			}
		case *parse.VariableNode:
			if node.Ident[0] == "$" {
				n.field(node.Ident[1:])
			}
		}
	})
	return n
}

// field adds a chain of names, of which the first is directly below the dot.
func (n *names) field(path []string) {
	switch {
	case len(path) == 0:
		n.all = true
	case path[0] != "request":
		n.top = added(n.top, path[0])
	case len(path) == 1:
		n.request = true
	default:
		n.members = added(n.members, path[1])
	}
}

func added(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
