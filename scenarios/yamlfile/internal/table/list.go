package table

import (
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// ListOf reads a list, without the items that could not be read.
func ListOf[T any](word string, item Codec[*T]) Codec[*[]T] {
	return Codec[*[]T]{listOf(word, item.codec)}
}

// listOf is a [ListOf] of any type.
func listOf(word string, item codec) codec {
	return codec{
		Form: Form{Noun: word, Shapes: node.List, Partial: true, Schema: func(w *schema.Writer) ojson.Value { return w.List(item.Schema) }},
		get: func(d *Decoder, n *yaml.Node, into any) (complete bool) {
			list := reflect.ValueOf(into).Elem()
			items, read := reflect.MakeSlice(list.Type(), len(n.Content), len(n.Content)), 0
			complete = true
			for _, child := range n.Content {
				v := items.Index(read)
				ok := item.read(d, child, v.Addr().Interface())
				if ok || item.Partial {
					read++
				} else {
					v.SetZero() // the next takes its place
				}
				complete = complete && ok
			}
			list.Set(items.Slice(0, read))
			return complete
		},
		write: func(from any) *yaml.Node {
			n, list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}, reflect.ValueOf(from).Elem()
			for i := range list.Len() {
				child := item.write(list.Index(i).Addr().Interface())
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
func OneOrMore[T any](word string, item Codec[*T]) Codec[*[]T] {
	return AnyOf(Codec[*[]T]{listOfOne(item.codec)}, ListOf(word, item))
}

// listOfOne reads an item as the only one of a list. It writes none.
func listOfOne(item codec) codec {
	return codec{
		Form: item.Form,
		get: func(d *Decoder, n *yaml.Node, into any) bool {
			list := reflect.ValueOf(into).Elem()
			items := reflect.MakeSlice(list.Type(), 1, 1)
			complete := item.get(d, n, items.Index(0).Addr().Interface())
			if complete || item.Partial {
				list.Set(items) // else it is none, as in a list
			}
			return complete
		},
		write: func(any) *yaml.Node { return nil },
	}
}

// NonEmpty is c, and refuses an empty list.
func NonEmpty[T any](c Codec[*[]T]) Codec[*[]T] {
	describe := c.Schema
	c.Schema = func(w *schema.Writer) ojson.Value { return schema.NonEmpty(describe(w)) }
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
func MappingCodec[V, T any](word string, value Codec[*V], item func(*Decoder, node.Pair, V) ([]T, bool), members func([]T) []NamedValue[V]) Codec[*[]T] {
	form := Form{Noun: word, Shapes: node.Mapping, Schema: func(w *schema.Writer) ojson.Value { return w.Free(value.Schema) }}
	return NewCodec(form, func(d *Decoder, n *yaml.Node) ([]T, bool) {
		pairs, complete := d.Pairs(n)
		var items []T
		for _, p := range pairs {
			var v V
			ok := value.Read(d, p.Value, &v)
			if ok || value.Partial {
				made, good := item(d, p, v)
				items = append(items, made...)
				ok = ok && good
			}
			complete = complete && ok
		}
		return items, complete
	}, func(items []T) *yaml.Node {
		n := node.NewMapping(yaml.FlowStyle)
		for _, m := range members(items) {
			child := value.Write(&m.Value)
			if child == nil {
				return nil
			}
			node.Add(n, m.Name, child)
		}
		return n
	})
}
