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

// eachNode calls visit with a node of a template and all nodes inside it, outer ones first.
// Root is false where the dot is not the data of the template, as inside range.
func eachNode(n parse.Node, root bool, visit func(n parse.Node, root bool)) {
	visit(n, root)
	switch n := n.(type) {
	case *parse.ListNode:
		for _, node := range n.Nodes {
			eachNode(node, root, visit)
		}
	case *parse.ActionNode:
		eachNode(n.Pipe, root, visit)
	case *parse.IfNode:
		eachInBranch(&n.BranchNode, root, root, visit)
	case *parse.WithNode:
		eachInBranch(&n.BranchNode, root, false, visit)
	case *parse.RangeNode:
		eachInBranch(&n.BranchNode, root, false, visit)
	case *parse.PipeNode:
		for _, command := range n.Cmds {
			eachNode(command, root, visit)
		}
	case *parse.CommandNode:
		for _, argument := range n.Args {
			eachNode(argument, root, visit)
		}
	case *parse.ChainNode:
		eachNode(n.Node, root, visit)
	}
}

// eachInBranch is [eachNode] for what is inside an if, with or range. Inside is root for its
// list.
func eachInBranch(b *parse.BranchNode, root, inside bool, visit func(parse.Node, bool)) {
	eachNode(b.Pipe, root, visit)
	eachNode(b.List, inside, visit)
	if b.ElseList != nil {
		eachNode(b.ElseList, root, visit)
	}
}
