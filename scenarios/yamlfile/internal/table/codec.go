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
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Codec reads and writes one kind of value, describes it in JSON Schema, and has its
// name for messages. Reader, writer, schema and word list all use the same codecs, so
// that they cannot disagree.
type Codec struct {
	Type   reflect.Type // Type is the type of the values in Go.
	Noun   string       // Noun is the name of such a value in messages: a duration such as 50ms.
	Shapes node.Shape   // Shapes is the kinds of YAML values that the codec reads.
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
	// Get reads the value of n, which has one of the shapes, into the value of the type that
	// into points to. It reports problems to d; complete is false if there were any.
	Get func(d *Decoder, n *yaml.Node, into any) (complete bool)
	// Write returns the YAML of the value that from points to, or nil if this codec cannot
	// write it.
	Write func(from any) *yaml.Node
}

// NewCodec completes a codec with two functions: get reads a value that has one of the
// shapes, and write returns the YAML of v, or nil if it cannot be written.
func NewCodec[T any](c Codec, get func(d *Decoder, n *yaml.Node) (value T, complete bool), write func(v T) *yaml.Node) Codec {
	c.Type = reflect.TypeFor[T]()
	c.Get = func(d *Decoder, n *yaml.Node, into any) (complete bool) {
		*into.(*T), complete = get(d, n)
		return complete
	}
	c.Write = func(from any) *yaml.Node { return write(*from.(*T)) }
	return c
}

// Read is Get for a value of any shape. It reports a value of the wrong one.
func (c *Codec) Read(d *Decoder, n *yaml.Node, into any) (complete bool) {
	return c.fits(d, n) && c.Get(d, n, into)
}

// fits reports whether n has one of the shapes. If it has not, fits adds a problem to d.
func (c *Codec) fits(d *Decoder, n *yaml.Node) bool {
	if node.ShapeOf(n)&c.Shapes != 0 {
		return true
	}
	d.Report(n, c.hint(d, n), "expected %s, found %s", c.Noun, node.InWords(n))
	return false
}

// hint returns what to do about a value of the wrong kind, or "" if that is not known.
func (c *Codec) hint(d *Decoder, n *yaml.Node) string {
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
func (c *Codec) Keys() []string {
	if c.keys == nil {
		return nil
	}
	return c.keys()
}

// wordAlone is the likely value of a key that an author wrote without a value.
var wordAlone = map[string]string{
	"done": "true", "usage": "{}", "heartbeat": "1", "role": "assistant", "finish": "stop", "gzip": "flush", "logprobs": "true",
}

// forType returns c for values of a type: that of c, or a pointer to it, which is nil for an
// absent value. It panics for another type, which is a mistake in the table.
func (c Codec) forType(t reflect.Type) Codec {
	if t.Kind() == reflect.Pointer && t.Elem() == c.Type {
		return Pointer(c)
	}
	if t != c.Type {
		panic(fmt.Sprintf("the codec of %s is for %s, and not for %s", c.Noun, c.Type, t))
	}
	return c
}

// Pointer returns c for a value that is kept as a pointer, nil if it is left out.
func Pointer(c Codec) Codec {
	get, write, elem := c.Get, c.Write, c.Type
	c.Type = reflect.PointerTo(elem)
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		p := reflect.New(elem)
		reflect.ValueOf(into).Elem().Set(p)
		return get(d, n, p.Interface())
	}
	c.Write = func(from any) *yaml.Node {
		p := reflect.ValueOf(from).Elem()
		if p.IsNil() {
			return nil
		}
		return write(p.Interface())
	}
	return c
}

// Mapped makes a codec of another Go type from c: f converts what c has read at a
// position, and back converts a value to what c writes, or is not ok if c cannot write
// it.
func Mapped[A, B any](c Codec, f func(A, diag.Pos) B, back func(B) (A, bool)) Codec {
	get, write := c.forType(reflect.TypeFor[A]()).Get, c.Write
	c.Type = reflect.TypeFor[B]()
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		var a A
		complete := get(d, n, &a)
		*into.(*B) = f(a, d.Pos(n))
		return complete
	}
	c.Write = func(from any) *yaml.Node {
		a, ok := back(*from.(*B))
		if !ok {
			return nil
		}
		return write(&a)
	}
	return c
}

// ReadAs is [Mapped] for a short form that is read, but never written.
func ReadAs[A, B any](c Codec, f func(A, diag.Pos) B) Codec {
	return Mapped(c, f, func(B) (a A, ok bool) { return a, false })
}

// As makes a codec of a struct from the codec of one of its fields. It reads a value into a
// struct that has only this field, and a position in Pos, and writes a struct that has no
// other.
func As[T any](c Codec, name string) Codec { return as(reflect.TypeFor[T](), c, name) }

func as(t reflect.Type, c Codec, name string) Codec {
	field, pos := fieldNamed(t, name), fieldOf[diag.Pos](t, "Pos")
	c = c.forType(field.Type)
	get, write := c.Get, c.Write
	c.Type = t
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		setField(pos, into, d.Pos(n))
		return get(d, n, field.in(into).Addr().Interface())
	}
	c.Write = func(from any) *yaml.Node {
		rest := reflect.New(t)
		rest.Elem().Set(reflect.ValueOf(from).Elem())
		member := field.in(rest.Interface())
		absent := member.Kind() == reflect.Slice && member.IsNil()
		member.SetZero()
		if absent || !zeroButPosition(rest.Elem()) {
			return nil
		}
		return write(field.in(from).Addr().Interface())
	}
	return c
}

// Constant makes a codec that reads one word as a value, and writes no other value.
func Constant[T comparable](word string, value T) Codec {
	return Mapped(WordCodec(word), func(string, diag.Pos) T { return value }, func(v T) (string, bool) { return word, v == value })
}

// ReadOnly returns c, which now writes nothing, for a short form that has a longer one.
func ReadOnly(c Codec) Codec {
	c.Write = func(any) *yaml.Node { return nil }
	return c
}

// Unquoted returns c, which now writes a text without quotes where every reader of YAML
// reads a text.
func Unquoted(c Codec) Codec {
	return relaid(c, func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && node.IsName(n.Value) {
			n.Style = 0
		}
	})
}

// InLines returns c, which now writes lists and mappings over several lines.
func InLines(c Codec) Codec {
	get := c.Get
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool {
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

// relaid returns c with a Write that lets lay change each node that is written.
func relaid(c Codec, lay func(n *yaml.Node)) Codec {
	write := c.Write
	c.Write = func(from any) *yaml.Node {
		n := write(from)
		if n != nil {
			lay(n)
		}
		return n
	}
	return c
}

// OrRather returns c with a function that returns hints for values of the wrong kind.
func OrRather(c Codec, instead func(d *Decoder, n *yaml.Node) string) Codec {
	c.Instead = instead
	return c
}

// Validated returns c with a further check of what was read. The check reports its
// problems itself.
func Validated[T any](c Codec, check func(d *Decoder, n *yaml.Node, v *T) bool) Codec {
	get := c.forType(reflect.TypeFor[T]()).Get
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		return get(d, n, into) && check(d, n, into.(*T))
	}
	return c
}

// Refusing returns c, which now reports the values for which bad returns true.
func Refusing[T any](c Codec, bad func(*T) bool, hint, message string) Codec {
	return Validated(c, func(d *Decoder, n *yaml.Node, v *T) bool {
		if bad(v) {
			d.Report(n, hint, "%s", message)
			return false
		}
		return true
	})
}

// AnyOf makes a codec of several. The first that accepts the shape of a YAML value reads
// it, and the first that can write a Go value writes it.
func AnyOf(codecs ...Codec) Codec {
	c := anyOf(codecs)
	c.Type = codecs[0].Type
	for i := range codecs {
		codecs[i] = codecs[i].forType(c.Type)
	}
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool { return codecs[firstOf(codecs, n)].Read(d, n, into) }
	c.Write = func(from any) *yaml.Node {
		for i := range codecs {
			if n := codecs[i].Write(from); n != nil {
				return n
			}
		}
		return nil
	}
	return c
}

func anyOf(codecs []Codec) Codec {
	var all Codec
	words := make([]string, len(codecs))
	for i, c := range codecs {
		words[i] = strings.ReplaceAll(c.Noun, " or ", ", ")
		all.Shapes |= c.Shapes
		all.AnyText = all.AnyText || c.AnyText
		all.Partial = all.Partial || c.Partial
	}
	all.Noun = OneOf(words)
	all.Instead = func(d *Decoder, n *yaml.Node) string { return firstHint(codecs, d, n) }
	all.Schema = func(w *Writer) ojson.Value {
		list := ojson.Array()
		for _, c := range codecs {
			list.Push(c.Schema(w))
		}
		return ojson.Object(ojson.M("anyOf", list))
	}
	return all
}

// firstOf returns the index of the codec for n: one that takes it, or the first that
// accepts its shape, or 0.
func firstOf(codecs []Codec, n *yaml.Node) int {
	shape, best := node.ShapeOf(n), -1
	for i := range codecs {
		c := &codecs[i]
		switch {
		case shape&c.Shapes == 0:
		case c.Takes != nil && c.Takes(n):
			return i
		case best < 0 || c.Takes == nil && codecs[best].Takes != nil:
			best = i
		}
	}
	return max(0, best)
}

func firstHint(codecs []Codec, d *Decoder, n *yaml.Node) string {
	for _, c := range codecs {
		if c.Instead == nil {
			continue
		}
		if hint := c.Instead(d, n); hint != "" {
			return hint
		}
	}
	return ""
}

// Nullable returns a codec that reads null beside what c, a codec of T, reads.
func Nullable[T any](c Codec) Codec {
	isNull := func(o scenarios.Opt[T]) bool { return o.Present && o.Null }
	return AnyOf(Some[T](c), Null(scenarios.NullOf[T], isNull))
}

// Some returns c, a codec of T, for a value that can be absent, but not null.
func Some[T any](c Codec) Codec {
	return Mapped(c, func(v T, _ diag.Pos) scenarios.Opt[T] { return scenarios.Some(v) },
		func(o scenarios.Opt[T]) (T, bool) { return o.Value, o.Present && !o.Null })
}

// Null makes a codec that reads null as value(), and writes null for the values for
// which isNull returns true.
func Null[T any](value func() T, isNull func(T) bool) Codec {
	form := Codec{Noun: "null", Shapes: node.Null, Schema: SchemaOf("null")}
	return NewCodec(form, func(*Decoder, *yaml.Node) (T, bool) { return value(), true }, func(v T) *yaml.Node {
		if !isNull(v) {
			return nil
		}
		return node.Plain("null")
	})
}

// NullCodec reads null as true.
func NullCodec() Codec {
	return Null(func() bool { return true }, func(null bool) bool { return null })
}

// codecs is the codecs of the keys that have none of their own, by the type of the struct field.
var codecs = map[reflect.Type]func() Codec{
	reflect.TypeFor[bool]():                          BoolCodec,
	reflect.TypeFor[time.Duration]():                 DurationCodec,
	reflect.TypeFor[scenarios.Text]():                TextCodec,
	reflect.TypeFor[scenarios.Opt[scenarios.Text]](): func() Codec { return Nullable[scenarios.Text](TextCodec()) },
	reflect.TypeFor[[]scenarios.Path]():              func() Codec { return NonEmpty(OneOrMore("a list of paths", PathCodec())) },
	reflect.TypeFor[[]scenarios.Assignment]():        assignmentsCodec,
	reflect.TypeFor[ojson.Value]():                   AnyJSON,
}

// codecFor returns the codec for a type. It panics if there is none: a mistake in the table.
func codecFor(t reflect.Type) Codec {
	elem := t
	if t.Kind() == reflect.Pointer {
		elem = t.Elem()
	}
	if codec := codecs[elem]; codec != nil {
		return codec()
	}
	panic(fmt.Sprintf("a key for %s needs a codec", t))
}

// assignmentsCodec reads a mapping from paths to the values that are put there.
func assignmentsCodec() Codec {
	return MappingCodec("a mapping of paths to JSON values", AnyJSON(), func(d *Decoder, p node.Pair, v ojson.Value) (scenarios.Assignment, bool) {
		path, ok := d.Path(p.Key)
		return scenarios.Assignment{Path: path, Value: v}, ok
	}, func(a scenarios.Assignment) NamedValue[ojson.Value] {
		return NamedValue[ojson.Value]{Name: a.Path.String(), Value: a.Value}
	})
}

// TextCodec reads a template text.
func TextCodec() Codec { return templated(SourceCodec("a text")) }

// LooseTextCodec reads a template text. A number or boolean without quotes is a text, too.
func LooseTextCodec() Codec { return templated(LooseCodec("a text")) }

func templated(c Codec) Codec {
	text := Mapped(c, func(s string, p diag.Pos) scenarios.Text { return scenarios.Text{Source: s, Pos: p} }, writtenText)
	text.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		// Unlike a name, a text may hold bytes that are no UTF-8.
		t := into.(*scenarios.Text)
		*t = scenarios.Text{Source: n.Value, Pos: d.Pos(n)}
		switch {
		case !node.IsBytes(n) || !t.IsTemplate():
		case utf8.ValidString(t.Source):
			t.Source = scenarios.EscapeActions(t.Source)
		default:
			t.Literal = true
		}
		return true
	}
	return text
}

// writtenText returns what is written for a text. It is not ok for a generated text, and
// for bytes that would become a template.
func writtenText(t scenarios.Text) (string, bool) {
	bytes := !utf8.ValidString(t.Source) && !ojson.HasSurrogate(t.Source) // is written as !!binary, which is never a template
	switch {
	case bytes:
		return t.Source, !t.IsTemplate()
	case t.Literal: // becomes a template that renders to the text
		return scenarios.EscapeActions(t.Source), true
	}
	return t.Source, t.Repeat == ""
}

// JSONCodec reads a value of the given kinds as JSON.
func JSONCodec(word string, shapes node.Shape) Codec {
	return NewCodec(
		Codec{Noun: word, Shapes: shapes, Schema: func(*Writer) ojson.Value { return typesSchema(shapes) }},
		func(d *Decoder, n *yaml.Node) (ojson.Value, bool) {
			v, ok := d.JSON(n)
			compared := d.isInside("when") || d.isInside("damage") || d.isInside("expect")
			return v, ok && (!compared || d.refuseTemplates(n))
		},
		node.FromJSON,
	)
}

// refuseTemplates reports templates in the texts of a value that is compared and never
// rendered.
func (d *Decoder) refuseTemplates(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		return node.ShapeOf(n) != node.Text || d.refuseTemplate(n, n.Value)
	}
	ok := true
	for i, child := range n.Content {
		if n.Kind == yaml.SequenceNode || i%2 == 1 {
			ok = d.refuseTemplates(child) && ok
		}
	}
	return ok
}

// AnyJSON reads any value as JSON.
func AnyJSON() Codec { return JSONCodec("any JSON value", node.Any) }

// ObjectJSON reads a mapping as a JSON object.
func ObjectJSON() Codec { return JSONCodec("a mapping", node.Mapping) }

// MergeMembers sets the members of another object in the object *v.
func MergeMembers(v *ojson.Value, more ojson.Value) {
	if v.IsAbsent() && len(more.Members()) > 0 {
		*v = ojson.Object()
	}
	v.SetAll(more.Members())
}
