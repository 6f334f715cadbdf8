package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/hint"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// Codec knows one kind of value: how it is read and written, what its JSON Schema
// is, and what a person calls it. Reader, writer, schema and word list are all
// made of codecs, so that they cannot disagree.
//
// P is the type of pointers to such a value. Go compiles a generic function once for
// each form of its types in memory, and all pointers have the same: with the values
// themselves there would be several thousand functions.
type Codec[P any] struct{ codec }

// codec is a [Codec] of any type.
type codec struct {
	Form
	// get reads the value of n, which has one of the shapes, into what into points
	// to.
	get func(d *Decoder, n *yaml.Node, into any) (complete bool)
	// write makes the YAML of what from points to; nil says that it cannot be
	// written so.
	write func(from any) *yaml.Node
}

// NewCodec is a codec of values that are read and written by functions. Write makes
// the YAML of v; nil says that v cannot be written so.
func NewCodec[T any](form Form, get func(d *Decoder, n *yaml.Node) (value T, complete bool), write func(v T) *yaml.Node) Codec[*T] {
	return Codec[*T]{codec{
		Form: form,
		get: func(d *Decoder, n *yaml.Node, into any) (complete bool) {
			*into.(*T), complete = get(d, n)
			return complete
		},
		write: func(from any) *yaml.Node { return write(*from.(*T)) },
	}}
}

// Form is how a kind of value is written in YAML, whatever Go makes of it.
type Form struct {
	Noun   string     // Noun names such a value in messages: a duration such as 50ms.
	Shapes node.Shape // Shapes are the kinds of YAML values as which it is written.
	// Partial says that a value which lacks what could not be read is still of
	// use.
	Partial bool
	AnyText bool            // AnyText says that any text will do, so that quotes can make one of a number.
	keys    func() []string // keys are the keys of a mapping; nil for other codecs.
	// Instead says what to write in place of a value of the wrong kind; "" if it
	// does not know, nil if there is nothing to know.
	Instead func(d *Decoder, n *yaml.Node) string
	Schema  func(w *schema.Writer) ojson.Value
}

// Read reads the value of n into what into points to. It reports problems itself;
// complete is false if there were any.
func (c Codec[P]) Read(d *Decoder, n *yaml.Node, into P) (complete bool) { return c.read(d, n, into) }

// Get is [Codec.Read] of a value that is known to have one of the codec's shapes.
func (c Codec[P]) Get(d *Decoder, n *yaml.Node, into P) (complete bool) { return c.get(d, n, into) }

// Write makes the YAML of what from points to; nil says that it cannot be written so.
func (c Codec[P]) Write(from P) *yaml.Node { return c.write(from) }

// read is [Codec.Read].
func (c *codec) read(d *Decoder, n *yaml.Node, into any) (complete bool) {
	return c.fits(d, n) && c.get(d, n, into)
}

// fits reports whether n is of a kind as which such a value is written. If it is not,
// that is a problem.
func (c *Form) fits(d *Decoder, n *yaml.Node) bool {
	if node.ShapeOf(n)&c.Shapes != 0 {
		return true
	}
	d.Report(n, c.hint(d, n), "expected %s, found %s", c.Noun, node.InWords(n))
	return false
}

// hint says what to do about a value of the wrong kind, where the reason is a
// known trap of YAML.
func (c *Form) hint(d *Decoder, n *yaml.Node) string {
	if c.Instead != nil {
		if hint := c.Instead(d, n); hint != "" {
			return hint
		}
	}
	switch kind := node.ShapeOf(n); {
	case kind == node.Nothing && c.Shapes&node.Null != 0:
		return "write null if that is meant"
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && n.Value != "" && node.ShapeOf(node.Plain(n.Value))&c.Shapes != 0:
		return "leave out the quotes"
	case kind&(node.Number|node.Bool) != 0 && c.AnyText:
		return fmt.Sprintf("write %q in quotes if a text is meant", n.Value)
	case kind == node.Text && c.Shapes&node.Bool != 0:
		if b, ok := node.OldBoolean(n); ok {
			return "write " + strconv.FormatBool(b)
		}
	case kind == node.Mapping && c.Shapes&node.Text != 0:
		return node.TemplateHint(n)
	case kind == node.Text && slices.Contains(c.Keys(), n.Value):
		if usual := wordAlone[n.Value]; usual != "" {
			return "write " + n.Value + ": " + usual
		}
		return fmt.Sprintf("a key needs a colon and a value: %q", n.Value+": …")
	}
	return ""
}

// wordAlone are the values that people most likely mean who write only the key.
var wordAlone = map[string]string{
	"done": "true", "usage": "{}", "heartbeat": "1", "role": "assistant", "finish": "stop", "gzip": "flush", "logprobs": "true",
}

// Mapped is c with another type: f makes the value from what was read and where.
// Back is what c has to write for a value; it is not ok if c cannot write it.
func Mapped[A, B any](c Codec[*A], f func(A, diag.Pos) B, back func(B) (A, bool)) Codec[*B] {
	return Codec[*B]{codec{
		Form: c.Form,
		get: func(d *Decoder, n *yaml.Node, into any) bool {
			var a A
			complete := c.get(d, n, &a)
			*into.(*B) = f(a, d.Pos(n))
			return complete
		},
		write: func(from any) *yaml.Node {
			a, ok := back(*from.(*B))
			if !ok {
				return nil
			}
			return c.write(&a)
		},
	}}
}

// ReadAs is c as a further form of a value that is read but never written.
func ReadAs[A, B any](c Codec[*A], f func(A, diag.Pos) B) Codec[*B] {
	return Mapped(c, f, func(B) (a A, ok bool) { return a, false })
}

// WithWriter is c whose values are written by another function.
func WithWriter[T any](c Codec[*T], write func(v T) *yaml.Node) Codec[*T] {
	c.write = func(from any) *yaml.Node { return write(*from.(*T)) }
	return c
}

// WithReader is c whose values are read by another function.
func WithReader[P any](c Codec[P], get func(d *Decoder, n *yaml.Node, into P) (complete bool)) Codec[P] {
	c.get = func(d *Decoder, n *yaml.Node, into any) bool { return get(d, n, into.(P)) }
	return c
}

// Unquoted is c, written without quotes where every reader of YAML takes it for a
// text.
func Unquoted[P any](c Codec[P]) Codec[P] {
	return relaid(c, func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && node.IsName(n.Value) {
			n.Style = 0
		}
	})
}

// InLines is c, written over several lines where it is a list or a mapping.
func InLines[P any](c Codec[P]) Codec[P] {
	get := c.get
	c.get = func(d *Decoder, n *yaml.Node, into any) bool {
		if d.Noted != nil && len(n.Content) > 0 {
			d.Noted(n, Layout{InLines: true})
		}
		return get(d, n, into)
	}
	return relaid(c, func(n *yaml.Node) {
		if len(n.Content) > 0 {
			n.Style &^= yaml.FlowStyle
		}
	})
}

// relaid is c with something done to what is written.
func relaid[P any](c Codec[P], lay func(n *yaml.Node)) Codec[P] {
	write := c.write
	c.write = func(from any) *yaml.Node {
		n := write(from)
		if n != nil {
			lay(n)
		}
		return n
	}
	return c
}

// OrRather is c with a hint for values of the wrong kind.
func OrRather[P any](c Codec[P], instead func(d *Decoder, n *yaml.Node) string) Codec[P] {
	c.Instead = instead
	return c
}

// Validated is c with a further condition on what was read.
func Validated[P any](c Codec[P], check func(d *Decoder, n *yaml.Node, v P) bool) Codec[P] {
	get := c.get
	c.get = func(d *Decoder, n *yaml.Node, into any) bool {
		return get(d, n, into) && check(d, n, into.(P))
	}
	return c
}

// AnyOf reads what one of the forms reads. Forms are told apart by the kind of
// YAML value alone; where two could read it, the first does. The first that can
// write a value writes it.
func AnyOf[P any](codecs ...Codec[P]) Codec[P] {
	forms := make([]Form, len(codecs))
	for i := range codecs {
		forms[i] = codecs[i].Form
	}
	return Codec[P]{codec{
		Form: anyOf(forms),
		get:  func(d *Decoder, n *yaml.Node, into any) bool { return codecs[firstOf(forms, n)].read(d, n, into) },
		write: func(from any) *yaml.Node {
			for i := range codecs {
				if n := codecs[i].write(from); n != nil {
					return n
				}
			}
			return nil
		},
	}}
}

// anyOf is the form of values that are written in one of several.
func anyOf(forms []Form) Form {
	var all Form
	words := make([]string, len(forms))
	for i, f := range forms {
		words[i] = strings.ReplaceAll(f.Noun, " or ", ", ")
		all.Shapes |= f.Shapes
		all.AnyText = all.AnyText || f.AnyText
		all.Partial = all.Partial || f.Partial
	}
	all.Noun = hint.OneOf(words)
	all.Instead = func(d *Decoder, n *yaml.Node) string { return firstHint(forms, d, n) }
	all.Schema = func(w *schema.Writer) ojson.Value {
		list := ojson.Array()
		for _, f := range forms {
			list.Push(f.Schema(w))
		}
		return ojson.Object(ojson.M("anyOf", list))
	}
	return all
}

// firstOf is the first of the forms in which n can be written; 0 if there is none.
func firstOf(forms []Form, n *yaml.Node) int {
	shape := node.ShapeOf(n)
	return max(0, slices.IndexFunc(forms, func(f Form) bool { return shape&f.Shapes != 0 }))
}

// firstHint is what the first of the forms that knows something says to write in
// place of n.
func firstHint(forms []Form, d *Decoder, n *yaml.Node) string {
	for _, f := range forms {
		if f.Instead == nil {
			continue
		}
		if hint := f.Instead(d, n); hint != "" {
			return hint
		}
	}
	return ""
}

// Nullable is c, or null.
func Nullable[T any](c Codec[*T]) Codec[*scenarios.Opt[T]] {
	there := func(o scenarios.Opt[T]) (T, bool) { return o.Value, o.Present && !o.Null }
	isNull := func(o scenarios.Opt[T]) bool { return o.Present && o.Null }
	return AnyOf(Mapped(c, func(v T, _ diag.Pos) scenarios.Opt[T] { return scenarios.Some(v) }, there), Null(scenarios.NullOf[T], isNull))
}

// Null reads null as a value, and writes the values for which isNull holds.
func Null[T any](value func() T, isNull func(T) bool) Codec[*T] {
	form := Form{Noun: "null", Shapes: node.Null, Schema: schema.Of("null")}
	return NewCodec(form, func(*Decoder, *yaml.Node) (T, bool) { return value(), true }, func(v T) *yaml.Node {
		if !isNull(v) {
			return nil
		}
		return node.Plain("null")
	})
}

// NullCodec reads null as true.
func NullCodec() Codec[*bool] {
	yes := func(null bool) bool { return null }
	return Null(func() bool { return true }, yes)
}

// Pointer is c for a member that may be left out.
func Pointer[T any](c Codec[*T]) Codec[**T] {
	return Mapped(c, func(v T, _ diag.Pos) *T { return &v }, func(p *T) (v T, ok bool) {
		if p == nil {
			return v, false
		}
		return *p, true
	})
}
