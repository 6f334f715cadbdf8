package invent

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"github.com/brianvoe/gofakeit/v6"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// templateSlot matches a slot of a fake template: the name of a gofakeit function, and
// its parameters.
var templateSlot = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z0-9]+)(?::([^{}]*))?\}`) })

// template fills a fake template: a text with slots such as {firstname} or
// {number:1,10}, or one with actions such as {{FirstName}}, in gofakeit's template
// language.
func (f *Faker) template(source string, b *budget) (string, error) {
	if (scenarios.Text{Source: source}).IsTemplate() {
		text, err := f.actions(source, b)
		if err != nil {
			err = fmt.Errorf("the fake template is not right: %w", err)
		}
		return text, err
	}
	text := templateSlot().ReplaceAllStringFunc(source, func(s string) string {
		slot := templateSlot().FindStringSubmatch(s)
		info := gofakeit.GetFuncLookup(slot[1])
		if info == nil {
			b.fail("there is no fake %q", slot[1])
		}
		b.allow(slot[1], strings.Split(slot[2], ","))
		if b.err != nil {
			return s
		}
		text := f.gen.Generate(s)
		b.spend(len(text) / bytesPerStep)
		return text
	})
	return text, b.err
}

// actions fills a template with actions. Its functions and its loops spend steps.
func (f *Faker) actions(source string, b *budget) (string, error) {
	tree, set := parse.New("fake"), map[string]*parse.Tree{}
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(source, "", "", set); err != nil {
		return "", err
	}
	if len(set) > 1 {
		return "", errors.New("it cannot define templates")
	}
	countRounds(tree.Root)
	functions := template.FuncMap{roundFunction: func() (string, error) { b.spend(1); return "", b.err }}
	for name, builtin := range map[string]any{
		"print": fmt.Sprint, "printf": fmt.Sprintf, "println": fmt.Sprintln, "html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	} {
		functions[name] = b.paid(name, reflect.ValueOf(builtin))
	}
	methods := reflect.ValueOf(f.gen)
	for i, method := range slices.Collect(methods.Type().Methods()) {
		if name := strings.ToLower(method.Name); method.Type.NumOut() > 0 && (counts(name) || name == "regex") {
			functions[method.Name] = b.paid(name, methods.Method(i))
		}
	}
	functions["IntRange"] = func(first, last int) (list []int, err error) {
		for n := first; n <= last && b.spend(1); n++ {
			list = append(list, n)
		}
		return list, b.err
	}
	text, err := f.gen.Template(tree.Root.String(), &gofakeit.TemplateOptions{Funcs: functions})
	if b.err != nil {
		return "", b.err
	}
	return text, err
}

// bytesPerStep is how many bytes of text that a fake template makes cost a step: as many steps as
// there are make a text of [scenarios.MaxText].
const bytesPerStep = scenarios.MaxText / maxSteps

// counts reports whether an argument of a gofakeit function says how much it makes. The bounds of
// a number do not.
func counts(name string) bool {
	info := gofakeit.GetFuncLookup(name)
	return info != nil && slices.ContainsFunc(info.Params, func(p gofakeit.Param) bool {
		return strings.HasSuffix(p.Type, "int") && p.Field != "min" && p.Field != "max"
	})
}

// allow stops the work if the arguments of a function ask for too much.
func (b *budget) allow(name string, arguments []string) {
	n := 1.0
	for _, text := range arguments {
		if f, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			n *= max(1, f)
		}
	}
	switch {
	case counts(name) && n > maxGenerated:
		b.fail("%s asks for %.0f, and fake makes %d at a time at most", name, n, maxGenerated)
	case name == "regex" && compiled(strings.Join(arguments, ",")) == nil:
		b.fail("its pattern %.100q is beyond what fake can do", strings.Join(arguments, ","))
	case name == "printf" && strings.Count(arguments[0], "%") > maxVerbs:
		b.fail("printf has more than %d verbs", maxVerbs)
	}
}

// maxVerbs is how many verbs a format can have: each can be a million characters wide.
const maxVerbs = 16

// paid is a function of templates that spends steps for the text that it makes.
func (b *budget) paid(name string, function reflect.Value) any {
	call := function.Call
	if function.Type().IsVariadic() {
		call = function.CallSlice
	}
	return reflect.MakeFunc(function.Type(), func(args []reflect.Value) []reflect.Value {
		var texts []string
		for _, arg := range args {
			texts = append(texts, fmt.Sprint(arg))
		}
		if b.allow(name, texts); b.err != nil {
			panic(b.err) // text/template makes an error of it
		}
		results := call(args)
		if made := results[0]; made.Kind() == reflect.String && !b.spend(made.Len()/bytesPerStep) {
			panic(b.err)
		}
		return results
	}).Interface()
}

// roundFunction is the function that countRounds calls in each loop.
const roundFunction = "_round"

func countRounds(n parse.Node) {
	var branch *parse.BranchNode
	switch n := n.(type) {
	case *parse.ListNode:
		for _, node := range n.Nodes {
			countRounds(node)
		}
		return
	case *parse.IfNode:
		branch = &n.BranchNode
	case *parse.WithNode:
		branch = &n.BranchNode
	case *parse.RangeNode:
		branch = &n.BranchNode
	default:
		return
	}
	countRounds(branch.List)
	if branch.ElseList != nil {
		countRounds(branch.ElseList)
	}
	if _, loops := n.(*parse.RangeNode); loops {
		branch.List.Nodes = slices.Insert(branch.List.Nodes, 0, parse.Node(&parse.TextNode{NodeType: parse.NodeText, Text: []byte("{{" + roundFunction + "}}")}))
	}
}
