package render

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
)

// Check parses all templates of a scenario, and reports what is wrong for every
// request: bad syntax, unknown functions and names, and captures that no condition
// makes.
func Check(s *scenarios.Scenario) diag.List {
	p := textChecker{}
	for i := range s.Replies {
		r := &s.Replies[i]
		p.captures = append(s.When.GroupNames(), r.When.GroupNames()...)
		// The scenario's manner applies to each reply, so it can only use captures that
		// exist whichever reply answers.
		eachTemplate(&s.Manner, s.Pos, p.source, p.fake)
		rest := *r
		rest.Stream = nil
		eachTemplate(&rest, r.Pos, p.source, p.fake)
		if r.Stream == nil {
			continue
		}
		for k := range *r.Stream {
			st := &(*r.Stream)[k]
			eachTemplate(st, r.Pos, p.source, p.fake)
			p.heard = p.heard || st.Until != nil && len(st.Until.Message) > 0
		}
		p.heard = false
	}
	p.problems.Sort()
	return p.problems.Unique()
}

// EmptyCaptures are the places where templates of a selected reply use a capture that
// is empty, because no condition of the request captured it.
func EmptyCaptures(sel *scenarios.Selection) diag.List {
	p := textChecker{uncaptured: func(name string) (message, hint string) {
		return fmt.Sprintf(".match.%s is empty: the request does not fit the condition that captures it", name), ""
	}}
	for name, text := range sel.Match {
		if text != "" {
			p.captures = append(p.captures, name)
		}
	}
	eachTemplate(sel.Manner, sel.Scenario.Pos, p.source, nil)
	eachTemplate(sel.Reply, sel.Reply.Pos, p.source, nil)
	p.problems.Sort()
	return p.problems.Unique()
}

type textChecker struct {
	captures []string // captures are the named groups of the conditions that apply
	// uncaptured returns the message for a name that is not among the captures; nil
	// stands for the message to an author.
	uncaptured func(name string) (message, hint string)
	problems   diag.List
	heard      bool // heard says that a step before the text waits for a message.
}

// fake checks generated content. The texts inside its JSON schema are not templates.
func (p *textChecker) fake(f *scenarios.Fake) {
	if err := invent.Check(f); err != nil {
		p.problem(f.Pos, err.Error(), "")
	}
}

func (p *textChecker) problem(pos diag.Pos, message, hint string) {
	p.problems = append(p.problems, diag.Problem{Pos: pos, Message: message, Hint: hint})
}

func (p *textChecker) source(source string, pos diag.Pos) {
	if m := bodyAction().FindStringSubmatch(source); m != nil {
		named := ".request." + m[1] + m[2]
		if m[1] == "messages" {
			named = ".last_user"
		}
		p.problem(pos, "the members of the request's body are those of .request", "write {{ "+named+" }} in place of "+m[0])
		return
	}
	tree, err := parseTree(source)
	if err != nil {
		p.problem(pos, "the template is not right: "+err.Error(), syntaxHint(source))
		return
	}
	c := templateCheck{textChecker: p, pos: pos}
	before := len(p.problems)
	eachNode(tree.Root, true, c.node)
	if !c.fromRequest && len(p.problems) == before {
		c.render(source)
	}
}

// render renders a template that depends on no request, to find errors.
func (c *templateCheck) render(source string) {
	sel := &scenarios.Selection{Scenario: &scenarios.Scenario{}, Reply: &scenarios.Reply{}, Manner: &scenarios.Manner{}, Request: &scenarios.Request{}}
	if _, err := New(sel, "check").execute(source); err != nil {
		c.problem(c.pos, "the template cannot be rendered: "+err.Error(), "")
	}
}

// bodyAction matches the action of Handlebars, as WireMock and Mockoon have it, for a member of the body.
var bodyAction = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{\{? *(?:jsonPath )?(?:request\.|req\.)?(?:body|json)(?:\.| +'\$?\.?)(\w+)([^}' ]*)'? *\}+`)
})

var numberedGroup = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.match\.[0-9]`) })

// syntaxHint guesses what is wrong with a template that cannot be parsed.
func syntaxHint(source string) string {
	if numberedGroup().MatchString(source) {
		return "groups have names here: capture with matches: '(?P<name>.+)', and write .match.name"
	}
	return `a text with {{ that is no template is written {{ "{{" }}`
}

type templateCheck struct {
	*textChecker
	pos         diag.Pos
	fromRequest bool // fromRequest says that the result depends on the request.
}

// node checks one node of the template; see [eachNode].
func (c *templateCheck) node(n parse.Node, root bool) {
	switch n := n.(type) {
	case *parse.TemplateNode:
		c.problem(c.pos, "a text cannot call another template", "write the text where it is used")
	case *parse.CommandNode:
		c.command(n)
	case *parse.IdentifierNode:
		c.fromRequest = c.fromRequest || n.Ident == "header"
		c.function(n.Ident)
	case *parse.DotNode:
		c.fromRequest = c.fromRequest || root
	case *parse.FieldNode:
		if root {
			c.fromRequest = true
			c.field(n.Ident)
		}
	case *parse.VariableNode:
		c.fromRequest = c.fromRequest || n.Ident[0] == "$"
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			c.field(n.Ident[1:])
		}
	}
}

// command checks the name in a call of fake, and the id of a tool result.
func (c *templateCheck) command(n *parse.CommandNode) {
	if len(n.Args) == 3 && n.Args[0].String() == "index" && n.Args[1].String() == ".tool_results" && n.Args[2].Type() == parse.NodeNumber {
		c.problem(c.pos, "the tool results are known by the ids of their calls, and not by numbers", "write {{ .tool_result }} in place of {{ "+n.String()+" }}, or {{ .tool_results.call_1 }} for that of a call")
	}
	if len(n.Args) < 2 || n.Args[0].String() != "fake" {
		return
	}
	name, ok := n.Args[1].(*parse.StringNode)
	if ok && invent.Function(name.Text) == nil {
		c.problem(c.pos, fmt.Sprintf("there is no fake %q", name.Text), diag.DidYouMean(name.Text, invent.Names()))
	}
}

func (c *templateCheck) function(name string) {
	known := slices.Concat(templateFunctions, builtinFunctions)
	if !slices.Contains(known, name) {
		instead := otherNames[name]
		if slices.Contains(templateNames, name) {
			instead = "." + name
		}
		c.problem(c.pos, fmt.Sprintf("unknown template function %q", name), c.hint(name, instead, known, "known functions: "+strings.Join(templateFunctions, ", ")))
	}
}

// hint says what to write in place of an unknown name: the capture of that name, what else is
// meant by it, or the nearest of the known ones; otherwise which are known.
func (c *templateCheck) hint(name, instead string, known []string, all string) string {
	switch {
	case slices.Contains(c.captures, name):
		return "write .match." + name
	case instead != "":
		return "write " + instead
	}
	return cmp.Or(diag.DidYouMean(name, known), all)
}

// otherNames maps names that authors expect to those that templates have.
var otherNames = map[string]string{
	"user": ".last_user", "user_message": ".last_user", "last_user_message": ".last_user", "user_input": ".last_user", "query": ".last_user", "last_message": ".last_user or .tool_result", "text": ".last_user", "tool": ".tool_result", "tool_output": ".tool_result", "input": ".last_user", "prompt": ".last_user", "question": ".last_user", "content": ".last_user",
	"model": ".request.model", "body": ".request", "messages": ".request.messages", "tools": ".request.tools", "temperature": ".request.temperature",
	"key": ".api_key", "apikey": ".api_key", "headers": ".header", "result": ".tool_result",
	"time": "now", "date": "now", "timestamp": "unix", "captures": ".match", "groups": ".match", "count": ".attempt",
}

// field checks a name below the dot and, for captures, the name below that.
func (c *templateCheck) field(names []string) {
	if !slices.Contains(templateNames, names[0]) {
		c.problem(c.pos, fmt.Sprintf("templates know no .%s", names[0]), c.hint(names[0], otherNames[names[0]], templateNames, "known names: ."+strings.Join(templateNames, ", .")))
		return
	}
	if names[0] == "message" && !c.heard && c.uncaptured == nil {
		c.problem(c.pos, "no step before it waits for a message, so that there is no .message", "write the step - until: { message: TYPE } before it, or .last_user for what the user said")
		return
	}
	if names[0] == "usage" && len(names) > 1 && !slices.Contains(usageNames, names[1]) {
		hint := cmp.Or(diag.DidYouMean(names[1], usageNames), "known names: "+strings.Join(usageNames, ", "))
		c.problem(c.pos, fmt.Sprintf("templates know no .usage.%s", names[1]), hint)
		return
	}
	if names[0] != "match" || len(names) == 1 || slices.Contains(c.captures, names[1]) {
		return
	}
	if c.uncaptured != nil {
		message, hint := c.uncaptured(names[1])
		c.problem(c.pos, message, hint)
		return
	}
	hint := cmp.Or(diag.DidYouMean(names[1], c.captures), fmt.Sprintf(`capture it in when, as in user: { matches: '(?P<%s>\w+)' }`, names[1]))
	c.problem(c.pos, fmt.Sprintf("no condition captures .match.%s", names[1]), hint)
}

// This file finds texts in all fields of a scenario by reflection, so that a new field
// needs no code here.

var ourPackage = reflect.TypeFor[scenarios.Scenario]().PkgPath()

// HasTemplate reports whether a text of a manner has a template.
func HasTemplate(m *scenarios.Manner) bool {
	found := false
	eachTemplate(m, diag.Pos{}, func(string, diag.Pos) { found = true }, nil)
	return found
}

// eachTemplate calls visit with the source and the position of each template in part, a
// pointer to a [scenarios.Manner], a [scenarios.Reply] or another part of a scenario.
// Templates are texts with actions, also those inside JSON values; the latter have the
// position of the nearest thing around them that has one, or the position at.
// Conditions and generated content have no templates; the latter is given to fake, unless that is nil.
func eachTemplate(part any, at diag.Pos, visit func(source string, at diag.Pos), fake func(*scenarios.Fake)) {
	walkParts(reflect.ValueOf(part), 0, at, func(v any, at diag.Pos) {
		switch v := v.(type) {
		case scenarios.Text:
			if v.Pos.Line > 0 {
				at = v.Pos
			}
			if v.IsTemplate() {
				visit(v.Source, at)
			}
		case ojson.Value:
			eachAction(v, func(source string) { visit(source, at) })
		case scenarios.Fake:
			if fake != nil {
				fake(&v)
			}
		}
	})
}

// deepestPart is the deepest nesting of a scenario that is searched. Scenarios are far
// shallower, as none of their types contains itself. The limit stops a search through a
// type that would.
const deepestPart = 100

// walkParts calls visit with each [scenarios.Text], [ojson.Value] and [scenarios.Fake]
// inside v, and with the position of what is around it. It does not search inside
// these, nor in conditions. Depth is the depth of v.
func walkParts(v reflect.Value, depth int, at diag.Pos, visit func(v any, at diag.Pos)) {
	if depth++; depth > deepestPart {
		panic("render: a part of a scenario lies more than " + strconv.Itoa(deepestPart) + " values deep: does it contain itself?")
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walkParts(v.Elem(), depth, at, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkParts(v.Index(i), depth, at, visit)
		}
	case reflect.Struct:
		walkStruct(v, depth, at, visit)
	}
}

func walkStruct(v reflect.Value, depth int, at diag.Pos, visit func(v any, at diag.Pos)) {
	switch v.Type() {
	case reflect.TypeFor[scenarios.Text](), reflect.TypeFor[ojson.Value]():
		if !v.IsZero() { // most values are zero and hold nothing
			visit(v.Interface(), at)
		}
		return
	case reflect.TypeFor[scenarios.Fake]():
		visit(v.Interface(), at)
		return
	}
	if v.IsZero() {
		return
	}
	in := insideOf(v.Type())
	if in.pos >= 0 {
		if own, ok := reflect.TypeAssert[diag.Pos](v.Field(in.pos)); ok && own.Line > 0 {
			at = own
		}
	}
	for _, i := range in.fields {
		walkParts(v.Field(i), depth, at, visit)
	}
}

// inside lists the fields of a struct to search, and the index of the field with the
// position, or -1.
type inside struct {
	fields []int
	pos    int
}

// known caches the inside of each type: asking reflection each time took most of the
// search.
var known sync.Map

func insideOf(t reflect.Type) *inside {
	if in, ok := known.Load(t); ok {
		return in.(*inside)
	}
	in := &inside{pos: -1}
	for i := range t.NumField() {
		f := t.Field(i)
		switch kind := f.Type.Kind(); {
		case t.PkgPath() != ourPackage, t == reflect.TypeFor[scenarios.When](), t == reflect.TypeFor[scenarios.Until](), !f.IsExported():
		case f.Type == reflect.TypeFor[diag.Pos]() && f.Name == "Pos":
			in.pos = i
		case kind == reflect.Struct, kind == reflect.Pointer, kind == reflect.Slice:
			in.fields = append(in.fields, i)
		}
	}
	known.Store(t, in)
	return in
}

// ValueIsTemplate reports whether a text inside v has a template.
func ValueIsTemplate(v ojson.Value) bool {
	found := false
	eachAction(v, func(string) { found = true })
	return found
}

// eachAction calls visit with each text inside v that has a template action.
func eachAction(v ojson.Value, visit func(source string)) {
	if v.Kind() == ojson.StringKind && (scenarios.Text{Source: v.Text()}).IsTemplate() {
		visit(v.Text())
	}
	for _, item := range v.Items() {
		eachAction(item, visit)
	}
	for _, m := range v.Members() {
		eachAction(m.Value, visit)
	}
}
