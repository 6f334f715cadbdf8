// Package render renders the templates in a scenario's texts for a request, and checks
// templates at load. A template sees the request, and can draw random values; the same
// request draws the same.
package render

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
)

// Text renders a text for the request.
func Text(sel *scenarios.Selection, t scenarios.Text) (string, error) {
	if !t.IsTemplate() {
		text, err := Plain(t)
		return text, Placed(t.Pos, err)
	}
	text, err := New(sel, "text").Text(t)
	return text, Placed(t.Pos, err)
}

// Value renders the texts inside a JSON value for the request.
func Value(sel *scenarios.Selection, v ojson.Value) (ojson.Value, error) {
	if !ValueIsTemplate(v) {
		return v, nil
	}
	return New(sel, "value").Value(v)
}

// generated is a text that is given by its size: its unit, repeated up to that number of
// bytes, without an incomplete character at the end.
func generated(t scenarios.Text) (string, error) {
	if t.Bytes > scenarios.MaxText {
		return "", fmt.Errorf("a text of %d bytes is longer than the limit of %d", t.Bytes, scenarios.MaxText)
	}
	size := int(t.Bytes)
	text := strings.Repeat(t.Repeat, size/len(t.Repeat)+1)
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size], nil
}

// Renderer renders the texts of one answer. Each text draws from a source of its own,
// so that their order does not matter.
type Renderer struct {
	purpose string
	times   map[string]int // times counts how often each text was rendered; nil until the first.
	data    data           // data is what templates see.
}

// machine renders a template, once at a time.
type machine struct {
	bound      *template.Template // bound is the template with the machine's functions.
	sel        *scenarios.Selection
	purpose    string
	template   string     // template is the source of the template.
	occurrence int        // occurrence counts how often the template was rendered, including now.
	source     *rand.Rand // source has the random numbers of the template; nil until the template draws one.
	work       work       // work is the cost of rendering so far.
}

func newMachine(tree *parse.Tree) *machine {
	m := &machine{}
	m.bound = template.Must(template.New(templateName).Funcs(m.functions()).AddParseTree(templateName, tree))
	return m
}

// New makes a renderer. Renderers of the same answer with different purposes draw
// different values.
func New(sel *scenarios.Selection, purpose string) *Renderer {
	return &Renderer{purpose: purpose, data: data{sel: sel}}
}

// At says which step of the reply is rendered next.
func (r *Renderer) At(step int) { r.data.setStep(step) }

// UsesMessage reports whether a template in a reply names the message that a step waits for.
func UsesMessage(r *scenarios.Reply) (uses bool) {
	eachTemplate(r, diag.Pos{}, func(source string, _ diag.Pos) {
		t, err := parseOnce(source)
		uses = uses || err == nil && namesMessage(t.names)
	}, nil)
	return uses
}

func namesMessage(names [][]string) bool {
	return slices.ContainsFunc(names, func(path []string) bool { return len(path) > 0 && path[0] == "message" })
}

// rand is the source from which the template functions draw.
func (m *machine) rand() *rand.Rand {
	if m.source == nil {
		m.source = invent.RequestRand(m.sel, fmt.Sprint(m.purpose, " ", m.occurrence, " ", m.template))
	}
	return m.source
}

// Text renders a text.
func (r *Renderer) Text(t scenarios.Text) (string, error) {
	if t.IsTemplate() {
		return r.execute(t.Source)
	}
	return Plain(t)
}

// Plain returns a text that has no template.
func Plain(t scenarios.Text) (string, error) {
	if t.Repeat != "" {
		return generated(t)
	}
	return t.Source, nil
}

// Value renders the texts inside a JSON value.
func (r *Renderer) Value(v ojson.Value) (ojson.Value, error) {
	if !ValueIsTemplate(v) {
		return v, nil
	}
	var failed error
	v = v.Replaced(func(v ojson.Value) (ojson.Value, bool) {
		if failed != nil || v.Kind() != ojson.StringKind || !ValueIsTemplate(v) {
			return v, false
		}
		text, err := r.execute(v.Text())
		failed = err
		return ojson.String(text), true
	})
	return v, failed
}

// templateName is the name of templates in the errors of text/template.
const templateName = "text"

func (r *Renderer) execute(source string) (string, error) {
	t, err := parseOnce(source)
	if err != nil {
		return "", err
	}
	if r.times == nil {
		r.times = map[string]int{}
	}
	r.times[source]++
	return r.Render(t, r.times[source])
}

// Render renders a template for the nth time in an answer, counted from 1. Each time
// draws other values.
func (r *Renderer) Render(t Template, nth int) (string, error) {
	if r.data.heard == nil && namesMessage(t.names) {
		return "", nil // the stream does not get there before it is made anew, with the message
	}
	m := t.machines.Get().(*machine)
	defer func() {
		*m = machine{bound: m.bound} // keep no reference to the request
		t.machines.Put(m)
	}()
	m.sel, m.purpose, m.template, m.occurrence = r.data.sel, r.purpose, t.Source, nth
	m.work.ctx = r.data.sel.Context
	var out boundedText
	if err := m.bound.Execute(&out, r.data.provide(t.names)); err != nil {
		err = templateError(err)
		if missing := notThere().FindStringSubmatch(err.Error()); missing != nil {
			err = m.missing(missing[1])
		}
		return "", err
	}
	return out.String(), nil
}

// readInside matches the calls of readFunction in an error of text/template.
var readInside = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(` + readFunction + ` (\([^()]*\)|[^()]*)\)`) })

// templateError removes the template's name and line from an error of text/template:
// they say nothing that is not known.
func templateError(err error) error {
	for _, own := range []error{errTooManySteps, errLeft} {
		if errors.Is(err, own) {
			return own
		}
	}
	if missing, ok := errors.AsType[missingError](err); ok {
		return missing
	}
	if exec, ok := errors.AsType[template.ExecError](err); ok {
		err = exec.Err
	}
	const longest = 1000 // bytes; text/template writes out what it cannot compare
	text := readInside().ReplaceAllString(strings.ReplaceAll(err.Error(), " | "+readFunction, ""), "$1")
	text = strings.ToValidUTF8(text[:min(len(text), longest)], "")
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

// boundedText collects the output of a template, up to a limit.
type boundedText struct{ strings.Builder }

func (b *boundedText) Write(p []byte) (int, error) {
	if b.Len()+len(p) > scenarios.MaxText {
		return 0, fmt.Errorf("the text grows beyond the limit of %d bytes", scenarios.MaxText)
	}
	return b.Builder.Write(p)
}

// Placed adds a position in front of an error.
func Placed(pos diag.Pos, err error) error {
	if err == nil || pos.Line == 0 {
		return err
	}
	return fmt.Errorf("%s:%d:%d: %w", pos.File, pos.Line, pos.Col, err)
}
