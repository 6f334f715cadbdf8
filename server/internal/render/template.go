package render

import (
	"errors"
	"sync"
	"text/template/parse"
)

// Template is a parsed text with template actions.
type Template struct {
	Source string
	names  [][]string // names are what it uses below the dot; see [namesIn].
	// machines render it. They are reused, because binding the template functions costs more than
	// most templates do.
	machines *sync.Pool
}

// parsed caches templates by their source, as answers use the same ones again. The
// sources have at most so many bytes in total.
var parsed struct {
	sync.RWMutex
	templates map[string]Template
	size      int
}

const maxParsed = 1 << 18

// parseOnce is Parse with the cache.
func parseOnce(source string) (Template, error) {
	parsed.RLock()
	t, ok := parsed.templates[source]
	parsed.RUnlock()
	if ok {
		return t, nil
	}
	t, err := Parse(source)
	if err != nil || len(source) > maxParsed {
		return t, err
	}
	parsed.Lock()
	defer parsed.Unlock()
	if parsed.size += len(source); parsed.templates == nil || parsed.size > maxParsed {
		parsed.templates, parsed.size = map[string]Template{}, len(source)
	}
	parsed.templates[source] = t
	return t, nil
}

// Parse parses a template. Unknown functions are no error: [Check] finds them. The
// template counts its work: see [work].
func Parse(source string) (Template, error) {
	tree, err := parseTree(source)
	if err != nil {
		return Template{}, err
	}
	t := Template{Source: source, names: namesIn(tree.Root)}
	checkWritten(tree.Root)
	countRounds(tree.Root)
	t.machines = &sync.Pool{New: func() any { return newMachine(tree) }}
	return t, nil
}

// parseTree parses a template as it is written.
func parseTree(source string) (*parse.Tree, error) {
	tree := parse.New(templateName)
	tree.Mode = parse.SkipFuncCheck
	set := map[string]*parse.Tree{}
	if _, err := tree.Parse(source, "", "", set); err != nil {
		return nil, templateError(err)
	}
	if len(set) > 1 {
		return nil, errors.New("a text cannot define templates; write the text where it is used")
	}
	return tree, nil
}

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
