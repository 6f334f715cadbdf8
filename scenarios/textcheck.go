package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// prepareTexts parses every template of a scenario and keeps it for the
// requests to come. It finds what no request could make right: bad syntax,
// unknown functions and names, and groups that no condition captures.
func prepareTexts(s *Scenario) Diagnostics {
	p := textPreparer{templates: map[string]*parse.Tree{}}
	for i := range s.Replies {
		r := &s.Replies[i]
		p.captures = append(s.When.groupNames(), r.When.groupNames()...)
		// The scenario's manner is spoken with each reply, so it can use only what
		// is captured whichever of them answers.
		p.walk(reflect.ValueOf(&s.Manner).Elem(), s.Pos)
		p.walk(reflect.ValueOf(r).Elem(), r.Pos)
	}
	s.templates = p.templates
	p.problems.Sort()
	return p.problems.unique()
}

// textPreparer collects the templates of a scenario.
type textPreparer struct {
	templates map[string]*parse.Tree
	captures  []string // the groups that the conditions in force capture
	problems  Diagnostics
}

// walk prepares every text inside v. A text inside a JSON value stands at the
// place of the nearest thing around it that has one.
func (p *textPreparer) walk(v reflect.Value, pos Pos) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			p.walk(v.Elem(), pos)
		}
	case reflect.Slice:
		for i := range v.Len() {
			p.walk(v.Index(i), pos)
		}
	case reflect.Struct:
		p.walkStruct(v, pos)
	}
}

func (p *textPreparer) walkStruct(v reflect.Value, pos Pos) {
	switch value := v.Interface().(type) {
	case Text:
		p.text(value, pos)
		return
	case ojson.Value:
		p.value(value, pos)
		return
	case Fake:
		p.fake(&value)
		return
	case When, Regexp:
		return
	}
	if field := v.FieldByName("Pos"); field.IsValid() {
		if own, ok := field.Interface().(Pos); ok && own.Line > 0 {
			pos = own
		}
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			p.walk(v.Field(i), pos)
		}
	}
}

func (p *textPreparer) text(t Text, pos Pos) {
	if t.Pos.Line > 0 {
		pos = t.Pos
	}
	if t.isTemplate() {
		p.source(t.Source, pos)
	}
}

func (p *textPreparer) value(v ojson.Value, pos Pos) {
	if v.Kind() == ojson.StringKind && hasAction(v.Text()) {
		p.source(v.Text(), pos)
	}
	for _, item := range v.Items() {
		p.value(item, pos)
	}
	for _, m := range v.Members() {
		p.value(m.Value, pos)
	}
}

// fake checks what a generator says; its schema is no text, whatever it holds.
func (p *textPreparer) fake(f *Fake) {
	if err := checkFake(f); err != nil {
		p.problem(f.Pos, err.Error(), "")
	}
}

func (p *textPreparer) problem(pos Pos, message, hint string) {
	p.problems = append(p.problems, Diagnostic{Pos: pos, Message: message, Hint: hint})
}

func (p *textPreparer) source(source string, pos Pos) {
	tree, err := parseTemplate(source)
	if err != nil {
		p.problem(pos, "the template is not right: "+err.Error(), `a text with {{ that is no template is written {{ "{{" }}`)
		return
	}
	p.templates[source] = tree
	c := templateCheck{textPreparer: p, pos: pos}
	c.nodes(tree.Root, true)
}

// templateCheck looks through one template.
type templateCheck struct {
	*textPreparer
	pos Pos
}

// nodes checks a list of nodes. Where root is false the dot is something else
// than the data that every template sees.
func (c *templateCheck) nodes(list *parse.ListNode, root bool) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			c.pipe(n.Pipe, root)
		case *parse.IfNode:
			c.branch(&n.BranchNode, root, root)
		case *parse.WithNode:
			c.branch(&n.BranchNode, root, false)
		case *parse.RangeNode:
			c.branch(&n.BranchNode, root, false)
		case *parse.TemplateNode:
			c.problem(c.pos, "a text cannot call another template", "write the text where it is used")
		}
	}
}

func (c *templateCheck) branch(n *parse.BranchNode, root, inside bool) {
	c.pipe(n.Pipe, root)
	c.nodes(n.List, inside)
	c.nodes(n.ElseList, root)
}

func (c *templateCheck) pipe(p *parse.PipeNode, root bool) {
	if p == nil {
		return
	}
	for _, command := range p.Cmds {
		c.command(command, root)
	}
}

func (c *templateCheck) command(n *parse.CommandNode, root bool) {
	for i, arg := range n.Args {
		c.argument(arg, root)
		name, ok := arg.(*parse.IdentifierNode)
		if !ok || i > 0 || name.Ident != "fake" || len(n.Args) < 2 {
			continue
		}
		if text, ok := n.Args[1].(*parse.StringNode); ok {
			c.fakeName(text.Text)
		}
	}
}

func (c *templateCheck) argument(n parse.Node, root bool) {
	switch n := n.(type) {
	case *parse.IdentifierNode:
		c.function(n.Ident)
	case *parse.FieldNode:
		if root {
			c.field(n.Ident)
		}
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			c.field(n.Ident[1:])
		}
	case *parse.ChainNode:
		c.argument(n.Node, root)
	case *parse.PipeNode:
		c.pipe(n, root)
	}
}

func (c *templateCheck) function(name string) {
	known := slices.Concat(templateFunctions, builtinFunctions)
	if !slices.Contains(known, name) {
		c.problem(c.pos, fmt.Sprintf("unknown template function %q", name), didYouMean(name, known))
	}
}

func (c *templateCheck) fakeName(name string) {
	if fakeFunction(name) == nil {
		c.problem(c.pos, fmt.Sprintf("there is no fake %q", name), didYouMean(name, fakeNames()))
	}
}

// field checks a name below the dot, and of the captured groups also the name
// below that.
func (c *templateCheck) field(names []string) {
	if !slices.Contains(templateNames, names[0]) {
		c.problem(c.pos, fmt.Sprintf("templates know no .%s", names[0]), didYouMean(names[0], templateNames))
		return
	}
	if names[0] != "match" || len(names) == 1 || slices.Contains(c.captures, names[1]) {
		return
	}
	hint := didYouMean(names[1], c.captures)
	if hint == "" {
		hint = fmt.Sprintf(`capture it in when, as in user: { matches: "(?P<%s>\w+)" }`, names[1])
	}
	c.problem(c.pos, fmt.Sprintf("no condition captures .match.%s", names[1]), hint)
}

// didYouMean is a hint, or "" when nothing known is near.
func didYouMean(word string, known []string) string {
	if near := suggest(strings.ToLower(word), known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}
