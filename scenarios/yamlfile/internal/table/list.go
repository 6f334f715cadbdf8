package table

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// ListOf makes a codec of lists. Items that could not be read are left out.
func ListOf[T any](word string, item Codec[*T]) Codec[*[]T] {
	return Codec[*[]T]{
		Form: Form{
			Noun: word, Shapes: node.List, Partial: true, Schema: func(w *Writer) ojson.Value { return w.List(item.Schema) },
			Instead: func(_ *Decoder, n *yaml.Node) string {
				if text, ok := InLine(n, MostInLine); ok && node.ShapeOf(n)&item.Shapes != 0 {
					return "write [" + text + "]"
				}
				return ""
			},
		},
		Get: func(d *Decoder, n *yaml.Node, into *[]T) bool {
			complete := true
			*into = make([]T, 0, len(n.Content))
			for _, child := range n.Content {
				var v T
				ok := item.Read(d, child, &v)
				if ok || item.Partial {
					*into = append(*into, v)
				}
				complete = complete && ok
			}
			return complete
		},
		Write: func(from *[]T) *yaml.Node {
			n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for i := range *from {
				child := item.Write(&(*from)[i])
				if child == nil {
					return nil
				}
				n.Content = append(n.Content, child)
			}
			return n
		},
	}
}

// OneOrMore makes a codec of lists that also reads a single item without a list.
func OneOrMore[T any](word string, item Codec[*T]) Codec[*[]T] {
	return AnyOf(ReadOnly(Single(item)), ListOf(word, item))
}

// NonEmpty returns c, which now refuses an empty list.
func NonEmpty[T any](c Codec[*[]T]) Codec[*[]T] {
	describe := c.Schema
	c.Schema = func(w *Writer) ojson.Value { return nonEmptySchema(describe(w)) }
	return Validated(c, func(d *Decoder, n *yaml.Node, v *[]T) bool {
		if len(*v) == 0 && len(n.Content) == 0 {
			d.Report(n, "add an element, or leave the key out", "the list is empty")
			return false
		}
		return true
	})
}

// NamedValue is a member of a mapping whose keys the author chooses.
type NamedValue[V any] struct {
	Name  string
	Value V
}

// MappingCodec makes a codec of mappings whose keys the author chooses. Item returns the
// item that a member stands for; member returns the member to write for an item.
func MappingCodec[V, T any](word string, value Codec[*V], item func(*Decoder, node.Pair, V) (T, bool), member func(T) NamedValue[V]) Codec[*[]T] {
	form := Form{Noun: word, Shapes: node.Mapping, Schema: func(w *Writer) ojson.Value { return w.Free(value.Schema) }}
	return NewCodec(form, func(d *Decoder, n *yaml.Node) (items []T, complete bool) {
		pairs, complete := d.Pairs(n)
		for _, p := range pairs {
			var v V
			ok := value.Read(d, p.Value, &v)
			if ok || value.Partial {
				one, good := item(d, p, v)
				items = append(items, one)
				ok = ok && good
			}
			complete = complete && ok
		}
		return items, complete
	}, func(items []T) *yaml.Node {
		n := node.NewMapping(yaml.FlowStyle)
		for _, one := range items {
			m := member(one)
			child := value.Write(&m.Value)
			if child == nil {
				return nil
			}
			node.Add(n, m.Name, child)
		}
		return n
	})
}
