// Package table has the building blocks of the table of the language: a [Codec] reads
// one kind of value, writes it and describes it in JSON Schema, and a [Section] is a
// mapping with known keys. The words of the language are in package yamlfile.
package table

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Codec reads and writes one kind of value, describes it in JSON Schema, and has its
// name for messages. Reader, writer, schema and word list all use the same codecs, so
// that they cannot disagree.
//
// P is the type of a pointer to such a value. Go compiles a generic function once for
// each memory layout of its type arguments, and all pointers have the same layout. With
// the value types themselves as arguments there would be several thousand functions.
type Codec[P any] struct {
	Form
	// Get reads the value of n, which has one of the shapes of the form, into *into. It
	// reports problems to d; complete is false if there were any.
	Get func(d *Decoder, n *yaml.Node, into P) (complete bool)
	// Write returns the YAML of *from, or nil if this codec cannot write it.
	Write func(from P) *yaml.Node
}

// NewCodec makes a codec of two functions: get reads a value that has one of the shapes
// of the form, and write returns the YAML of v, or nil if it cannot be written.
func NewCodec[T any](form Form, get func(d *Decoder, n *yaml.Node) (value T, complete bool), write func(v T) *yaml.Node) Codec[*T] {
	return Codec[*T]{
		Form: form,
		Get: func(d *Decoder, n *yaml.Node, into *T) (complete bool) {
			*into, complete = get(d, n)
			return complete
		},
		Write: func(from *T) *yaml.Node { return write(*from) },
	}
}

// Form describes the YAML of a kind of value, independent of its Go type.
type Form struct {
	Noun   string     // Noun is the name of such a value in messages: a duration such as 50ms.
	Shapes node.Shape // Shapes is the kinds of YAML values that the codec reads.
	// Takes reports whether the codec, beside others in [AnyOf] and [Either] that read the
	// same kind of value, is the one for n. Without it a codec is for what no other takes.
	Takes func(n *yaml.Node) bool
	// Partial says that the value is used even if parts of it could not be read.
	Partial bool
	AnyText bool            // AnyText says that every text is valid, so that a number can be put in quotes.
	keys    func() []string // keys returns the keys of a section; nil for other codecs.
	// Instead returns a hint what to write instead of a value of the wrong kind, or "".
	// It may be nil.
	Instead func(d *Decoder, n *yaml.Node) string
	Schema  func(w *Writer) ojson.Value
}

// Read is Get for a value of any shape. It reports a value of the wrong one.
func (c *Codec[P]) Read(d *Decoder, n *yaml.Node, into P) (complete bool) {
	return c.fits(d, n) && c.Get(d, n, into)
}

// fits reports whether n has one of the shapes. If it has not, fits adds a problem to d.
func (c *Form) fits(d *Decoder, n *yaml.Node) bool {
	if node.ShapeOf(n)&c.Shapes != 0 {
		return true
	}
	d.Report(n, c.hint(d, n), "expected %s, found %s", c.Noun, node.InWords(n))
	return false
}

// hint returns what to do about a value of the wrong kind, or "" if that is not known.
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
		return "a key needs a colon and a value"
	}
	return ""
}

// Keys returns the keys of a section; nil for other codecs.
func (c *Form) Keys() []string {
	if c.keys == nil {
		return nil
	}
	return c.keys()
}

// wordAlone is the likely value of a key that an author wrote without a value.
var wordAlone = map[string]string{
	"done": "true", "usage": "{}", "heartbeat": "1", "role": "assistant", "finish": "stop", "gzip": "flush", "logprobs": "true",
}

// Mapped makes a codec of another Go type from c: f converts what c has read at a
// position, and back converts a value to what c writes, or is not ok if c cannot write
// it.
func Mapped[A, B any](c Codec[*A], f func(A, diag.Pos) B, back func(B) (A, bool)) Codec[*B] {
	return Codec[*B]{
		Form: c.Form,
		Get: func(d *Decoder, n *yaml.Node, into *B) bool {
			var a A
			complete := c.Get(d, n, &a)
			*into = f(a, d.Pos(n))
			return complete
		},
		Write: func(from *B) *yaml.Node {
			a, ok := back(*from)
			if !ok {
				return nil
			}
			return c.Write(&a)
		},
	}
}

// ReadAs is [Mapped] for a short form that is read, but never written.
func ReadAs[A, B any](c Codec[*A], f func(A, diag.Pos) B) Codec[*B] {
	return Mapped(c, f, func(B) (a A, ok bool) { return a, false })
}

// As makes a codec of a struct from the codec of one of its members, to which at points.
// It reads a value into a struct that has only this member, and a position in Pos, and
// writes a struct that has no other.
func As[A, B any](c Codec[A], at func(B) A) Codec[B] {
	setPos := posSetter[B]()
	return Codec[B]{
		Form: c.Form,
		Get: func(d *Decoder, n *yaml.Node, into B) bool {
			setPos(into, d.Pos(n))
			return c.Get(d, n, at(into))
		},
		Write: func(from B) *yaml.Node {
			rest := empty[B]()
			reflect.ValueOf(rest).Elem().Set(reflect.ValueOf(from).Elem())
			member := reflect.ValueOf(at(rest)).Elem()
			absent := member.Kind() == reflect.Slice && member.IsNil()
			member.SetZero()
			if absent || !IsZeroButPosition(rest) {
				return nil
			}
			return c.Write(at(from))
		},
	}
}

// Constant makes a codec that reads one word as a value, and writes no other value.
func Constant[T comparable](word string, value T) Codec[*T] {
	return Mapped(WordCodec(word), func(string, diag.Pos) T { return value }, func(v T) (string, bool) { return word, v == value })
}

// Single makes a codec that reads an item as a list of one.
func Single[T any](item Codec[*T]) Codec[*[]T] {
	return Codec[*[]T]{
		Form: item.Form,
		Get: func(d *Decoder, n *yaml.Node, into *[]T) bool {
			var v T
			complete := item.Get(d, n, &v)
			if complete || item.Partial {
				*into = []T{v} // otherwise the list stays empty, as in ListOf
			}
			return complete
		},
		Write: func(from *[]T) *yaml.Node {
			if len(*from) != 1 {
				return nil
			}
			return item.Write(&(*from)[0])
		},
	}
}

// ReadOnly returns c, which now writes nothing, for a short form that has a longer one.
func ReadOnly[P any](c Codec[P]) Codec[P] {
	c.Write = func(P) *yaml.Node { return nil }
	return c
}

// Unquoted returns c, which now writes a text without quotes where every reader of YAML
// reads a text.
func Unquoted[P any](c Codec[P]) Codec[P] {
	return relaid(c, func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && node.IsName(n.Value) {
			n.Style = 0
		}
	})
}

// InLines returns c, which now writes lists and mappings over several lines.
func InLines[P any](c Codec[P]) Codec[P] {
	get := c.Get
	c.Get = func(d *Decoder, n *yaml.Node, into P) bool {
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

// relaid returns c, which now calls lay with each node that it has written.
func relaid[P any](c Codec[P], lay func(n *yaml.Node)) Codec[P] {
	write := c.Write
	c.Write = func(from P) *yaml.Node {
		n := write(from)
		if n != nil {
			lay(n)
		}
		return n
	}
	return c
}

// OrRather returns c with a function that returns hints for values of the wrong kind.
func OrRather[P any](c Codec[P], instead func(d *Decoder, n *yaml.Node) string) Codec[P] {
	c.Instead = instead
	return c
}

// Validated returns c with a further check of what was read. The check reports its
// problems itself.
func Validated[P any](c Codec[P], check func(d *Decoder, n *yaml.Node, v P) bool) Codec[P] {
	get := c.Get
	c.Get = func(d *Decoder, n *yaml.Node, into P) bool {
		return get(d, n, into) && check(d, n, into)
	}
	return c
}

// Refusing returns c, which now reports the values for which bad returns true.
func Refusing[P any](c Codec[P], bad func(P) bool, hint, message string) Codec[P] {
	return Validated(c, func(d *Decoder, n *yaml.Node, v P) bool {
		if bad(v) {
			d.Report(n, hint, "%s", message)
			return false
		}
		return true
	})
}

// AnyOf makes a codec of several. The first that accepts the shape of a YAML value reads
// it, and the first that can write a Go value writes it.
func AnyOf[P any](codecs ...Codec[P]) Codec[P] {
	forms := make([]Form, len(codecs))
	for i := range codecs {
		forms[i] = codecs[i].Form
	}
	return Codec[P]{
		Form: anyOf(forms),
		Get:  func(d *Decoder, n *yaml.Node, into P) bool { return codecs[firstOf(forms, n)].Read(d, n, into) },
		Write: func(from P) *yaml.Node {
			for i := range codecs {
				if n := codecs[i].Write(from); n != nil {
					return n
				}
			}
			return nil
		},
	}
}

// anyOf is the form of a codec made by [AnyOf].
func anyOf(forms []Form) Form {
	var all Form
	words := make([]string, len(forms))
	for i, f := range forms {
		words[i] = strings.ReplaceAll(f.Noun, " or ", ", ")
		all.Shapes |= f.Shapes
		all.AnyText = all.AnyText || f.AnyText
		all.Partial = all.Partial || f.Partial
	}
	all.Noun = OneOf(words)
	all.Instead = func(d *Decoder, n *yaml.Node) string { return firstHint(forms, d, n) }
	all.Schema = func(w *Writer) ojson.Value {
		list := ojson.Array()
		for _, f := range forms {
			list.Push(f.Schema(w))
		}
		return ojson.Object(ojson.M("anyOf", list))
	}
	return all
}

// firstOf returns the index of the form for n: one that takes it, or the first that
// accepts its shape, or 0.
func firstOf(forms []Form, n *yaml.Node) int {
	shape, best := node.ShapeOf(n), -1
	for i, f := range forms {
		switch {
		case shape&f.Shapes == 0:
		case f.Takes != nil && f.Takes(n):
			return i
		case best < 0 || f.Takes == nil && forms[best].Takes != nil:
			best = i
		}
	}
	return max(0, best)
}

// firstHint returns the hint of the first form that has one for n.
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

// Nullable returns a codec that reads null beside what c reads.
func Nullable[T any](c Codec[*T]) Codec[*scenarios.Opt[T]] {
	isNull := func(o scenarios.Opt[T]) bool { return o.Present && o.Null }
	return AnyOf(Some(c), Null(scenarios.NullOf[T], isNull))
}

// Some returns c for a value that can be absent, but not null.
func Some[T any](c Codec[*T]) Codec[*scenarios.Opt[T]] {
	return Mapped(c, func(v T, _ diag.Pos) scenarios.Opt[T] { return scenarios.Some(v) },
		func(o scenarios.Opt[T]) (T, bool) { return o.Value, o.Present && !o.Null })
}

// Null makes a codec that reads null as value(), and writes null for the values for
// which isNull returns true.
func Null[T any](value func() T, isNull func(T) bool) Codec[*T] {
	form := Form{Noun: "null", Shapes: node.Null, Schema: SchemaOf("null")}
	return NewCodec(form, func(*Decoder, *yaml.Node) (T, bool) { return value(), true }, func(v T) *yaml.Node {
		if !isNull(v) {
			return nil
		}
		return node.Plain("null")
	})
}

// NullCodec reads null as true.
func NullCodec() Codec[*bool] {
	return Null(func() bool { return true }, func(null bool) bool { return null })
}

// Pointer returns c for a value that is kept as a pointer, nil if it is left out.
func Pointer[P any](c Codec[P]) Codec[*P] {
	return Codec[*P]{
		Form: c.Form,
		Get: func(d *Decoder, n *yaml.Node, into *P) bool {
			*into = empty[P]()
			return c.Get(d, n, *into)
		},
		Write: func(from *P) *yaml.Node {
			if reflect.ValueOf(*from).IsNil() {
				return nil
			}
			return c.Write(*from)
		},
	}
}
