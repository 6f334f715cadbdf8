package yamlfile

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

// codec knows one kind of value: how it is read and written, what its JSON Schema
// is, and what a person calls it. Reader, writer, schema and word list are all
// made of codecs, so that they cannot disagree.
type codec[T any] struct {
	noun   string     // noun names such a value in messages: a duration such as 50ms.
	shapes node.Shape // shapes are the kinds of YAML values as which it is written.
	// partial says that a value which lacks what could not be read is still of
	// use.
	partial bool
	anyText bool     // anyText says that any text will do, so that quotes can make one of a number.
	keys    []string // keys are the keys of a mapping.
	// instead says what to write in place of a value of the wrong kind; "" if it
	// does not know, nil if there is nothing to know.
	instead func(d *decoder, n *yaml.Node) string
	get     func(d *decoder, n *yaml.Node) (value T, complete bool)
	// write makes the YAML of v; nil says that v cannot be written so.
	write  func(v T) *yaml.Node
	schema func(w *schema.Writer) ojson.Value
}

// read is the value of n. It reports problems itself; complete is false if there
// were any.
func (c codec[T]) read(d *decoder, n *yaml.Node) (value T, complete bool) {
	if node.ShapeOf(n)&c.shapes == 0 {
		d.Report(n, c.hint(d, n), "expected %s, found %s", c.noun, node.InWords(n))
		return value, false
	}
	return c.get(d, n)
}

// hint says what to do about a value of the wrong kind, where the reason is a
// known trap of YAML.
func (c codec[T]) hint(d *decoder, n *yaml.Node) string {
	if c.instead != nil {
		if hint := c.instead(d, n); hint != "" {
			return hint
		}
	}
	switch kind := node.ShapeOf(n); {
	case kind == node.Nothing && c.shapes&node.Null != 0:
		return "write null if that is meant"
	case kind&(node.Number|node.Bool) != 0 && c.anyText:
		return fmt.Sprintf("write %q in quotes if a text is meant", n.Value)
	case kind == node.Text && c.shapes&node.Bool != 0:
		if b, ok := node.OldBoolean(n); ok {
			return "write " + strconv.FormatBool(b)
		}
	case kind == node.Mapping && c.shapes&node.Text != 0:
		return node.TemplateHint(n)
	case kind == node.Text && slices.Contains(c.keys, n.Value):
		return fmt.Sprintf("a key needs a colon and a value: %q", n.Value+": …")
	}
	return ""
}

// mapped is c with another type: f makes the value from what was read and where.
// Back is what c has to write for a value; it is not ok if c cannot write it.
func mapped[A, B any](c codec[A], f func(A, diag.Pos) B, back func(B) (A, bool)) codec[B] {
	return codec[B]{
		noun: c.noun, shapes: c.shapes, partial: c.partial, anyText: c.anyText, keys: c.keys, instead: c.instead, schema: c.schema,
		get: func(d *decoder, n *yaml.Node) (B, bool) {
			a, complete := c.get(d, n)
			return f(a, d.Pos(n)), complete
		},
		write: func(b B) *yaml.Node {
			a, ok := back(b)
			if !ok {
				return nil
			}
			return c.write(a)
		},
	}
}

// readAs is c as a further form of a value that is read but never written.
func readAs[A, B any](c codec[A], f func(A, diag.Pos) B) codec[B] {
	return mapped(c, f, func(B) (a A, ok bool) { return a, false })
}

// withWriter is c whose values are written by another function.
func withWriter[T any](c codec[T], write func(v T) *yaml.Node) codec[T] {
	c.write = write
	return c
}

// unquoted is c, written without quotes where every reader of YAML takes it for a
// text.
func unquoted[T any](c codec[T]) codec[T] {
	return withWriter(c, func(v T) *yaml.Node {
		n := c.write(v)
		if n != nil && n.Kind == yaml.ScalarNode && node.IsName(n.Value) {
			n.Style = 0
		}
		return n
	})
}

// inLines is c, written over several lines where it is a list or a mapping.
func inLines[T any](c codec[T]) codec[T] {
	return withWriter(c, func(v T) *yaml.Node {
		n := c.write(v)
		if n != nil && len(n.Content) > 0 {
			n.Style &^= yaml.FlowStyle
		}
		return n
	})
}

// orRather is c with a hint for values of the wrong kind.
func orRather[T any](c codec[T], instead func(d *decoder, n *yaml.Node) string) codec[T] {
	c.instead = instead
	return c
}

// validated is c with a further condition on what was read.
func validated[T any](c codec[T], check func(d *decoder, n *yaml.Node, v *T) bool) codec[T] {
	get := c.get
	c.get = func(d *decoder, n *yaml.Node) (T, bool) {
		v, complete := get(d, n)
		return v, complete && check(d, n, &v)
	}
	return c
}

// anyOf reads what one of the forms reads. Forms are told apart by the kind of
// YAML value alone; where two could read it, the first does. The first that can
// write a value writes it.
func anyOf[T any](forms ...codec[T]) codec[T] {
	var all codec[T]
	words := make([]string, len(forms))
	for i, f := range forms {
		words[i] = strings.ReplaceAll(f.noun, " or ", ", ")
		all.shapes |= f.shapes
		all.anyText = all.anyText || f.anyText
		all.partial = all.partial || f.partial
	}
	all.noun = hint.OneOf(words)
	all.instead = func(d *decoder, n *yaml.Node) string { return firstHint(forms, d, n) }
	all.get = func(d *decoder, n *yaml.Node) (T, bool) {
		form := forms[0]
		for _, f := range forms {
			if node.ShapeOf(n)&f.shapes != 0 {
				form = f
				break
			}
		}
		return form.read(d, n)
	}
	all.write = func(v T) *yaml.Node {
		for _, f := range forms {
			if n := f.write(v); n != nil {
				return n
			}
		}
		return nil
	}
	all.schema = func(w *schema.Writer) ojson.Value {
		list := ojson.Array()
		for _, f := range forms {
			list.Push(f.schema(w))
		}
		return ojson.Object(ojson.M("anyOf", list))
	}
	return all
}

// firstHint is what the first of the forms that knows something says to write in
// place of n.
func firstHint[T any](forms []codec[T], d *decoder, n *yaml.Node) string {
	for _, f := range forms {
		if f.instead == nil {
			continue
		}
		if hint := f.instead(d, n); hint != "" {
			return hint
		}
	}
	return ""
}

// nullable is c, or null.
func nullable[T any](c codec[T]) codec[scenarios.Opt[T]] {
	there := func(o scenarios.Opt[T]) (T, bool) { return o.Value, o.Present && !o.Null }
	isNull := func(o scenarios.Opt[T]) bool { return o.Present && o.Null }
	return anyOf(mapped(c, func(v T, _ diag.Pos) scenarios.Opt[T] { return scenarios.Some(v) }, there), null(scenarios.NullOf[T], isNull))
}

// null reads null as a value, and writes the values for which isNull holds.
func null[T any](value func() T, isNull func(T) bool) codec[T] {
	return codec[T]{
		noun: "null", shapes: node.Null,
		get: func(*decoder, *yaml.Node) (T, bool) { return value(), true },
		write: func(v T) *yaml.Node {
			if !isNull(v) {
				return nil
			}
			return node.Plain("null")
		},
		schema: schema.Of("null"),
	}
}

// nullCodec reads null as true.
func nullCodec() codec[bool] {
	yes := func(null bool) bool { return null }
	return null(func() bool { return true }, yes)
}

// pointer is c for a member that may be left out.
func pointer[T any](c codec[T]) codec[*T] {
	return mapped(c, func(v T, _ diag.Pos) *T { return &v }, func(p *T) (v T, ok bool) {
		if p == nil {
			return v, false
		}
		return *p, true
	})
}

// listOf reads a list, without the items that could not be read.
func listOf[T any](word string, item codec[T]) codec[[]T] {
	return codec[[]T]{
		noun: word, shapes: node.List, partial: true,
		get: func(d *decoder, n *yaml.Node) ([]T, bool) {
			items, complete := make([]T, 0, len(n.Content)), true
			for _, child := range n.Content {
				v, ok := item.read(d, child)
				if ok || item.partial {
					items = append(items, v)
				}
				complete = complete && ok
			}
			return items, complete
		},
		write: func(list []T) *yaml.Node {
			n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, v := range list {
				child := item.write(v)
				if child == nil {
					return nil
				}
				n.Content = append(n.Content, child)
			}
			return n
		},
		schema: func(w *schema.Writer) ojson.Value { return w.List(item.schema) },
	}
}

// oneOrMore reads a list, or a single item without the list around it.
func oneOrMore[T any](word string, item codec[T]) codec[[]T] {
	return anyOf(readAs(item, func(v T, _ diag.Pos) []T { return []T{v} }), listOf(word, item))
}

// nonEmpty is c, and refuses an empty list.
func nonEmpty[T any](c codec[[]T]) codec[[]T] {
	return validated(c, func(d *decoder, n *yaml.Node, v *[]T) bool {
		if len(*v) == 0 && len(n.Content) == 0 {
			d.Report(n, "", "the list is empty")
			return false
		}
		return true
	})
}

// namedValue is a member of a mapping whose keys are free.
type namedValue[V any] struct {
	name  string
	value V
}

// mappingCodec reads a mapping whose keys are free. Item makes any number of
// items of a member; members are what is written for a list of items.
func mappingCodec[V, T any](word string, value codec[V], item func(*decoder, node.Pair, V) ([]T, bool), members func([]T) []namedValue[V]) codec[[]T] {
	return codec[[]T]{
		noun: word, shapes: node.Mapping,
		get: func(d *decoder, n *yaml.Node) ([]T, bool) {
			pairs, complete := d.Pairs(n)
			var items []T
			for _, p := range pairs {
				v, ok := value.read(d, p.Value)
				if ok || value.partial {
					made, good := item(d, p, v)
					items = append(items, made...)
					ok = ok && good
				}
				complete = complete && ok
			}
			return items, complete
		},
		write: func(items []T) *yaml.Node {
			n := node.NewMapping(yaml.FlowStyle)
			for _, m := range members(items) {
				child := value.write(m.value)
				if child == nil {
					return nil
				}
				node.Add(n, m.name, child)
			}
			return n
		},
		schema: func(w *schema.Writer) ojson.Value { return w.Free(value.schema) },
	}
}
