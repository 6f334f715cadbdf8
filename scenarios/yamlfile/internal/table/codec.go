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
type Codec[T any] struct {
	Form
	Get func(d *Decoder, n *yaml.Node) (value T, complete bool)
	// Write makes the YAML of v; nil says that v cannot be written so.
	Write func(v T) *yaml.Node
}

// Form is how a kind of value is written in YAML, whatever Go makes of it. What needs
// no more than that is not compiled again for each type.
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

// Read is the value of n. It reports problems itself; complete is false if there
// were any.
func (c *Codec[T]) Read(d *Decoder, n *yaml.Node) (value T, complete bool) {
	if !c.fits(d, n) {
		return value, false
	}
	return c.Get(d, n)
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
func Mapped[A, B any](c Codec[A], f func(A, diag.Pos) B, back func(B) (A, bool)) Codec[B] {
	return Codec[B]{
		Form: c.Form,
		Get: func(d *Decoder, n *yaml.Node) (B, bool) {
			a, complete := c.Get(d, n)
			return f(a, d.Pos(n)), complete
		},
		Write: func(b B) *yaml.Node {
			a, ok := back(b)
			if !ok {
				return nil
			}
			return c.Write(a)
		},
	}
}

// ReadAs is c as a further form of a value that is read but never written.
func ReadAs[A, B any](c Codec[A], f func(A, diag.Pos) B) Codec[B] {
	return Mapped(c, f, func(B) (a A, ok bool) { return a, false })
}

// WithWriter is c whose values are written by another function.
func WithWriter[T any](c Codec[T], write func(v T) *yaml.Node) Codec[T] {
	c.Write = write
	return c
}

// Unquoted is c, written without quotes where every reader of YAML takes it for a
// text.
func Unquoted[T any](c Codec[T]) Codec[T] {
	return WithWriter(c, func(v T) *yaml.Node {
		n := c.Write(v)
		if n != nil && n.Kind == yaml.ScalarNode && node.IsName(n.Value) {
			n.Style = 0
		}
		return n
	})
}

// InLines is c, written over several lines where it is a list or a mapping.
func InLines[T any](c Codec[T]) Codec[T] {
	get := c.Get
	c.Get = func(d *Decoder, n *yaml.Node) (T, bool) {
		if d.Noted != nil && len(n.Content) > 0 {
			d.Noted(n, Layout{InLines: true})
		}
		return get(d, n)
	}
	return WithWriter(c, func(v T) *yaml.Node {
		n := c.Write(v)
		if n != nil && len(n.Content) > 0 {
			n.Style &^= yaml.FlowStyle
		}
		return n
	})
}

// OrRather is c with a hint for values of the wrong kind.
func OrRather[T any](c Codec[T], instead func(d *Decoder, n *yaml.Node) string) Codec[T] {
	c.Instead = instead
	return c
}

// Validated is c with a further condition on what was read.
func Validated[T any](c Codec[T], check func(d *Decoder, n *yaml.Node, v *T) bool) Codec[T] {
	get := c.Get
	c.Get = func(d *Decoder, n *yaml.Node) (T, bool) {
		v, complete := get(d, n)
		return v, complete && check(d, n, &v)
	}
	return c
}

// AnyOf reads what one of the forms reads. Forms are told apart by the kind of
// YAML value alone; where two could read it, the first does. The first that can
// write a value writes it.
func AnyOf[T any](codecs ...Codec[T]) Codec[T] {
	forms := make([]Form, len(codecs))
	for i := range codecs {
		forms[i] = codecs[i].Form
	}
	return Codec[T]{
		Form: anyOf(forms),
		Get:  func(d *Decoder, n *yaml.Node) (T, bool) { return codecs[firstOf(forms, n)].Read(d, n) },
		Write: func(v T) *yaml.Node {
			for i := range codecs {
				if n := codecs[i].Write(v); n != nil {
					return n
				}
			}
			return nil
		},
	}
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
func Nullable[T any](c Codec[T]) Codec[scenarios.Opt[T]] {
	there := func(o scenarios.Opt[T]) (T, bool) { return o.Value, o.Present && !o.Null }
	isNull := func(o scenarios.Opt[T]) bool { return o.Present && o.Null }
	return AnyOf(Mapped(c, func(v T, _ diag.Pos) scenarios.Opt[T] { return scenarios.Some(v) }, there), Null(scenarios.NullOf[T], isNull))
}

// Null reads null as a value, and writes the values for which isNull holds.
func Null[T any](value func() T, isNull func(T) bool) Codec[T] {
	return Codec[T]{
		Form: Form{Noun: "null", Shapes: node.Null, Schema: schema.Of("null")},
		Get:  func(*Decoder, *yaml.Node) (T, bool) { return value(), true },
		Write: func(v T) *yaml.Node {
			if !isNull(v) {
				return nil
			}
			return node.Plain("null")
		},
	}
}

// NullCodec reads null as true.
func NullCodec() Codec[bool] {
	yes := func(null bool) bool { return null }
	return Null(func() bool { return true }, yes)
}

// Pointer is c for a member that may be left out.
func Pointer[T any](c Codec[T]) Codec[*T] {
	return Mapped(c, func(v T, _ diag.Pos) *T { return &v }, func(p *T) (v T, ok bool) {
		if p == nil {
			return v, false
		}
		return *p, true
	})
}

// ListOf reads a list, without the items that could not be read.
func ListOf[T any](word string, item Codec[T]) Codec[[]T] {
	return Codec[[]T]{
		Form: Form{Noun: word, Shapes: node.List, Partial: true, Schema: func(w *schema.Writer) ojson.Value { return w.List(item.Schema) }},
		Get: func(d *Decoder, n *yaml.Node) ([]T, bool) {
			items, complete := make([]T, 0, len(n.Content)), true
			for _, child := range n.Content {
				v, ok := item.Read(d, child)
				if ok || item.Partial {
					items = append(items, v)
				}
				complete = complete && ok
			}
			return items, complete
		},
		Write: func(list []T) *yaml.Node {
			n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, v := range list {
				child := item.Write(v)
				if child == nil {
					return nil
				}
				n.Content = append(n.Content, child)
			}
			return n
		},
	}
}

// OneOrMore reads a list, or a single item without the list around it.
func OneOrMore[T any](word string, item Codec[T]) Codec[[]T] {
	one := ReadAs(item, func(v T, _ diag.Pos) []T { return []T{v} })
	read := one.Get
	one.Get = func(d *Decoder, n *yaml.Node) ([]T, bool) {
		list, complete := read(d, n)
		if !complete && !item.Partial {
			return nil, false // an item that could not be read is none, as in a list
		}
		return list, complete
	}
	return AnyOf(one, ListOf(word, item))
}

// NonEmpty is c, and refuses an empty list.
func NonEmpty[T any](c Codec[[]T]) Codec[[]T] {
	return Validated(c, func(d *Decoder, n *yaml.Node, v *[]T) bool {
		if len(*v) == 0 && len(n.Content) == 0 {
			d.Report(n, "", "the list is empty")
			return false
		}
		return true
	})
}

// NamedValue is a member of a mapping whose keys are free.
type NamedValue[V any] struct {
	Name  string
	Value V
}

// MappingCodec reads a mapping whose keys are free. Item makes any number of
// items of a member; members are what is written for a list of items.
func MappingCodec[V, T any](word string, value Codec[V], item func(*Decoder, node.Pair, V) ([]T, bool), members func([]T) []NamedValue[V]) Codec[[]T] {
	return Codec[[]T]{
		Form: Form{Noun: word, Shapes: node.Mapping, Schema: func(w *schema.Writer) ojson.Value { return w.Free(value.Schema) }},
		Get: func(d *Decoder, n *yaml.Node) ([]T, bool) {
			pairs, complete := d.Pairs(n)
			var items []T
			for _, p := range pairs {
				v, ok := value.Read(d, p.Value)
				if ok || value.Partial {
					made, good := item(d, p, v)
					items = append(items, made...)
					ok = ok && good
				}
				complete = complete && ok
			}
			return items, complete
		},
		Write: func(items []T) *yaml.Node {
			n := node.NewMapping(yaml.FlowStyle)
			for _, m := range members(items) {
				child := value.Write(m.Value)
				if child == nil {
					return nil
				}
				node.Add(n, m.Name, child)
			}
			return n
		},
	}
}
