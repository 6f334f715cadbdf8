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
func namesIn(root *parse.ListNode) names {
	var n names
	n.list(root, true)
	return n
}

// list collects the names in a list of nodes. Root is false where the dot is not the
// data of the template, as inside range.
func (n *names) list(list *parse.ListNode, root bool) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.ActionNode:
			n.pipe(node.Pipe, root)
		case *parse.IfNode:
			n.branch(&node.BranchNode, root, root)
		case *parse.WithNode:
			n.branch(&node.BranchNode, root, false)
		case *parse.RangeNode:
			n.branch(&node.BranchNode, root, false)
		}
	}
}

func (n *names) branch(b *parse.BranchNode, root, inside bool) {
	n.pipe(b.Pipe, root)
	n.list(b.List, inside)
	n.list(b.ElseList, root)
}

func (n *names) pipe(p *parse.PipeNode, root bool) {
	for _, command := range p.Cmds {
		for _, argument := range command.Args {
			n.argument(argument, root)
		}
	}
}

func (n *names) argument(argument parse.Node, root bool) {
	switch a := argument.(type) {
	case *parse.DotNode:
		n.all = n.all || root
	case *parse.FieldNode:
		if root {
			n.field(a.Ident)
		}
	case *parse.VariableNode:
		if a.Ident[0] == "$" {
			n.field(a.Ident[1:])
		}
	case *parse.ChainNode:
		n.argument(a.Node, root)
	case *parse.PipeNode:
		n.pipe(a, root)
	}
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
