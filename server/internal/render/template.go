package render

import (
	"errors"
	"slices"
	"strconv"
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
// bytes of all sources together are bounded.
var parsed struct {
	sync.RWMutex
	templates map[string]Template
	size      int
}

const maxParsed = 1 << 18

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
	reachFar(tree.Root)
	countRounds(tree.Root)
	countReads(tree.Root)
	t.machines = &sync.Pool{New: func() any { return newMachine(tree) }}
	return t, nil
}

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

// reachFunction is the function by which a path ends in nothing where text/template would fail, because a value on its
// way is no mapping: where a template only asks whether there is something, as with default.
const reachFunction = "reach"

// seekFunction takes the place of index there, and finds nothing where that fails.
const seekFunction = "seek"

func reachFar(root *parse.ListNode) {
	first := func(p *parse.PipeNode) { p.Cmds[0].Args = reaching(p.Cmds[0].Args) }
	eachNode(root, true, func(n parse.Node, _ bool) {
		switch n := n.(type) {
		case *parse.IfNode:
			first(n.Pipe)
		case *parse.WithNode:
			first(n.Pipe)
		case *parse.RangeNode:
			first(n.Pipe)
		case *parse.PipeNode:
			if len(n.Cmds) > 1 && asks(n.Cmds[1]) {
				first(n)
			}
		case *parse.CommandNode:
			for i := 1; i < len(n.Args) && asks(n); i++ {
				if command := reaching(n.Args[i : i+1]); len(command) > 1 {
					one := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: command}
					n.Args[i] = &parse.PipeNode{NodeType: parse.NodePipe, Pos: n.Pos, Cmds: []*parse.CommandNode{one}}
				}
			}
		}
	})
}

func asks(c *parse.CommandNode) bool {
	function, ok := c.Args[0].(*parse.IdentifierNode)
	return ok && slices.Contains([]string{"default", "and", "or", "not"}, function.Ident)
}

// reaching returns the command of a path or of index, with the function that follows it; any other command as it is.
func reaching(command []parse.Node) []parse.Node {
	if function, ok := command[0].(*parse.IdentifierNode); ok && function.Ident == "index" {
		return append([]parse.Node{parse.NewIdentifier(seekFunction).SetPos(function.Pos)}, command[1:]...)
	}
	if len(command) != 1 {
		return command
	}
	var from parse.Node
	var names []string
	switch n := command[0].(type) {
	case *parse.FieldNode:
		from, names = &parse.DotNode{NodeType: parse.NodeDot, Pos: n.Pos}, n.Ident
	case *parse.VariableNode:
		from, names = &parse.VariableNode{NodeType: parse.NodeVariable, Pos: n.Pos, Ident: n.Ident[:1]}, n.Ident[1:]
	case *parse.PipeNode:
		n.Cmds[0].Args = reaching(n.Cmds[0].Args)
		return command
	case *parse.ChainNode:
		reaching([]parse.Node{n.Node})
		from, names = n.Node, n.Field
	default:
		return command
	}
	command = []parse.Node{parse.NewIdentifier(reachFunction).SetPos(command[0].Position()), from}
	for _, name := range names {
		command = append(command, &parse.StringNode{NodeType: parse.NodeString, Pos: from.Position(), Quoted: strconv.Quote(name), Text: name})
	}
	return command
}

// reach returns the value at a path of names from a value; null if there is none.
func reach(from any, names ...string) any {
	for _, name := range names {
		switch v := from.(type) {
		case map[string]any:
			from = v[name]
		case map[string]string:
			from = v[name]
		default:
			return null(nil)
		}
	}
	if from == nil {
		return null(nil)
	}
	return from
}

func (w *work) seek(item any, indexes ...any) (any, error) {
	v, err := w.index(item, indexes...)
	if err != nil && !errors.Is(err, errTooManySteps) && !errors.Is(err, errLeft) || v == nil {
		return null(nil), nil
	}
	return v, err
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
