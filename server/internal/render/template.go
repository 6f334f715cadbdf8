package render

import (
	"errors"
	"sync"
	"text/template/parse"
)

// Template is a text with actions, parsed.
type Template struct {
	Source string
	tree   *parse.Tree
	names  names   // names are what it uses of the request.
	fields []field // fields are all that it consists of; nil if it is more than that.
}

// parsed are the templates that are rendered for each answer by their source, for the
// next one. There are at most so many bytes of sources.
var parsed struct {
	sync.RWMutex
	templates map[string]Template
	size      int
}

const maxParsed = 1 << 18

// parseOnce is Parse, which remembers what it has read.
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

// Parse reads a template without asking whether its functions exist; [Check] does
// that. Its loops count how often they go round.
func Parse(source string) (Template, error) {
	tree, err := parseTree(source)
	if err != nil {
		return Template{}, err
	}
	countLoops(tree.Root)
	askForUser(tree.Root)
	return Template{source, tree, namesIn(tree.Root), fieldsOf(tree.Root)}, nil
}

// parseTree is a template as it is written.
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

// askForUser makes each {{ .request.user }} that nothing stands beside, such as a
// default, a mistake where the request has no user: most who write it mean what the
// user said.
func askForUser(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if isBareUser(n.Pipe) {
				call := parse.NewIdentifier(askedUser).SetPos(n.Pos)
				n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{call}})
			}
		case *parse.IfNode:
			askForUser(n.List)
			askForUser(n.ElseList)
		case *parse.WithNode:
			askForUser(n.List)
			askForUser(n.ElseList)
		case *parse.RangeNode:
			askForUser(n.List)
			askForUser(n.ElseList)
		}
	}
}

func isBareUser(p *parse.PipeNode) bool {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	switch p.Cmds[0].Args[0].String() {
	case ".request.user", "$.request.user":
		return true
	}
	return false
}
