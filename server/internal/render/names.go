package render

import "text/template/parse"

// namesIn lists what a template uses below the dot, so that nothing else of a request is computed
// for it: the name directly below the dot and, for the request, the member; nil is the dot itself.
func namesIn(root *parse.ListNode) (paths [][]string) {
	use := func(path []string) { paths = append(paths, path[:min(len(path), 2)]) }
	eachNode(root, true, func(node parse.Node, root bool) {
		switch node := node.(type) {
		case *parse.DotNode:
			if root {
				use(nil)
			}
		case *parse.FieldNode:
			if root {
				use(node.Ident)
			}
		case *parse.VariableNode:
			if node.Ident[0] == "$" {
				use(node.Ident[1:])
			}
		}
	})
	return paths
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
