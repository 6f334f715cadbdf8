package scenarios

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// maxText is how many bytes one text may grow to, and maxReply how many all
// texts of a reply together.
const (
	maxText  = 64 << 20
	maxReply = 256 << 20
)

// Render is the text with its templates filled in for the request.
func (sel *Selection) Render(t Text) (string, error) {
	text, err := newRenderer(sel, "text").text(t)
	return text, placed(t.Pos, err)
}

// RenderValue renders the texts inside a JSON value for the request. The error
// says what could not be rendered.
func (sel *Selection) RenderValue(v ojson.Value) (ojson.Value, error) {
	return newRenderer(sel, "value").value(v)
}

// isTemplate reports whether the text depends on the request.
func (t Text) isTemplate() bool { return !t.literal && hasAction(t.Source) }

func hasAction(source string) bool { return strings.Contains(source, "{{") }

// generated is the unit again and again, as many bytes as asked for, but never
// with a part of a character at the end.
func (t Text) generated() (string, error) {
	if t.Bytes > maxText {
		return "", fmt.Errorf("a text of %d bytes is longer than the limit of %d", t.Bytes, maxText)
	}
	size := int(t.Bytes)
	text := strings.Repeat(t.Repeat, size/len(t.Repeat)+1)
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size], nil
}

// renderer fills in the texts of one answer. Each text draws from a source of
// its own, so that it does not matter which of them is rendered first.
type renderer struct {
	sel     *Selection
	purpose string
	times   map[string]int // how often each text was rendered
	source  string         // the text that is being rendered
	random  *rand.Rand     // what it draws from; nil until it does
	root    *template.Template
	data    map[string]any
}

func newRenderer(sel *Selection, purpose string) *renderer {
	return &renderer{sel: sel, purpose: purpose, times: map[string]int{}}
}

// begin makes the source of chance ready for a text. When the same text comes
// again, it draws something else.
func (r *renderer) begin(source string) {
	r.source, r.random = source, nil
	r.times[source]++
}

// rand is where the template functions draw from.
func (r *renderer) rand() *rand.Rand {
	if r.random == nil {
		r.random = r.sel.RequestRand(fmt.Sprint(r.purpose, " ", r.times[r.source], " ", r.source))
	}
	return r.random
}

func (r *renderer) text(t Text) (string, error) {
	switch {
	case t.Repeat != "":
		return t.generated()
	case t.isTemplate():
		return r.execute(t.Source)
	}
	return t.Source, nil
}

// value fills in the texts inside a JSON value.
func (r *renderer) value(v ojson.Value) (ojson.Value, error) {
	if !valueIsTemplate(v) {
		return v, nil
	}
	switch v.Kind() {
	case ojson.StringKind:
		text, err := r.execute(v.Text())
		return ojson.String(text), err
	case ojson.ArrayKind:
		items := make([]ojson.Value, len(v.Items()))
		for i, item := range v.Items() {
			var err error
			if items[i], err = r.value(item); err != nil {
				return v, err
			}
		}
		return ojson.Array(items...), nil
	}
	members := make([]ojson.Member, len(v.Members()))
	for i, m := range v.Members() {
		value, err := r.value(m.Value)
		if err != nil {
			return v, err
		}
		members[i] = ojson.M(m.Name, value)
	}
	return ojson.Object(members...), nil
}

// valueIsTemplate reports whether a text inside v depends on the request.
func valueIsTemplate(v ojson.Value) bool {
	if v.Kind() == ojson.StringKind {
		return hasAction(v.Text())
	}
	for _, item := range v.Items() {
		if valueIsTemplate(item) {
			return true
		}
	}
	for _, m := range v.Members() {
		if valueIsTemplate(m.Value) {
			return true
		}
	}
	return false
}

// templateName is what a template is called in the errors of text/template.
const templateName = "text"

func (r *renderer) execute(source string) (string, error) {
	tree, err := r.sel.Scenario.template(source)
	if err != nil {
		return "", err
	}
	if r.root == nil {
		r.root = template.New("").Option("missingkey=error").Funcs(r.functions())
		r.data = templateData(r.sel)
	}
	t, err := r.root.AddParseTree(templateName, tree)
	if err != nil {
		return "", err
	}
	r.begin(source)
	var out boundedText
	if err := t.Execute(&out, r.data); err != nil {
		return "", templateError(err)
	}
	return out.String(), nil
}

// template is the parsed form of a text: from the load, or made now for a
// scenario that was not prepared.
func (s *Scenario) template(source string) (*parse.Tree, error) {
	if tree := s.templates[source]; tree != nil {
		return tree, nil
	}
	return parseTemplate(source)
}

// parseTemplate reads a template without asking whether its functions exist;
// [checkTemplate] does that.
func parseTemplate(source string) (*parse.Tree, error) {
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

// templateError takes off an error of text/template what only repeats where it
// is: the template's name and its line.
func templateError(err error) error {
	if exec, ok := errors.AsType[template.ExecError](err); ok {
		err = exec.Err
	}
	text := err.Error()
	if _, after, ok := strings.Cut(text, `executing "`+templateName+`" at `); ok {
		return errors.New(after)
	}
	text = strings.TrimPrefix(text, "template: ")
	if rest, ok := strings.CutPrefix(text, templateName+":"); ok {
		if _, after, ok := strings.Cut(rest, ": "); ok {
			text = after
		}
	}
	return errors.New(text)
}

// boundedText collects what a template writes, up to a limit.
type boundedText struct{ strings.Builder }

func (b *boundedText) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxText {
		return 0, fmt.Errorf("the text grows beyond the limit of %d bytes", maxText)
	}
	return b.Builder.Write(p)
}

// placed puts a place in front of an error.
func placed(pos Pos, err error) error {
	if err == nil || pos.Line == 0 {
		return err
	}
	return fmt.Errorf("%s:%d:%d: %w", pos.File, pos.Line, pos.Col, err)
}
