package table

import (
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// ListOf makes a codec of lists. Items that could not be read are left out.
func ListOf(word string, item Codec) Codec {
	list := reflect.SliceOf(item.Type)
	return Codec{
		Type: list, Noun: word, Shapes: node.List, Partial: true, Schema: func(w *Writer) ojson.Value { return w.List(item.Schema) },
		Instead: func(_ *Decoder, n *yaml.Node) string {
			if text, ok := InLine(n, MostInLine); ok && node.ShapeOf(n)&item.Shapes != 0 {
				return "write [" + text + "]"
			}
			return ""
		},
		Get: func(d *Decoder, n *yaml.Node, into any) bool {
			complete, items, used := true, reflect.MakeSlice(list, len(n.Content), len(n.Content)), 0
			for _, child := range n.Content {
				v := items.Index(used)
				ok := item.Read(d, child, v.Addr().Interface())
				if ok || item.Partial {
					used++
				} else {
					v.SetZero()
				}
				complete = complete && ok
			}
			reflect.ValueOf(into).Elem().Set(items.Slice(0, used))
			return complete
		},
		Write: func(from any) *yaml.Node {
			n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			items := reflect.ValueOf(from).Elem()
			for i := range items.Len() {
				child := item.Write(items.Index(i).Addr().Interface())
				if child == nil {
					return nil
				}
				n.Content = append(n.Content, child)
			}
			return n
		},
	}
}

// Single makes a codec that reads an item as a list of one.
func Single(item Codec) Codec {
	c, list := item, reflect.SliceOf(item.Type)
	c.Type = list
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		one := reflect.MakeSlice(list, 1, 1)
		complete := item.Get(d, n, one.Index(0).Addr().Interface())
		if complete || item.Partial {
			reflect.ValueOf(into).Elem().Set(one) // otherwise the list stays empty, as in ListOf
		}
		return complete
	}
	c.Write = func(from any) *yaml.Node {
		items := reflect.ValueOf(from).Elem()
		if items.Len() != 1 {
			return nil
		}
		return item.Write(items.Index(0).Addr().Interface())
	}
	return c
}

// OneOrMore makes a codec of lists that also reads a single item without a list.
func OneOrMore(word string, item Codec) Codec {
	return AnyOf(ReadOnly(Single(item)), ListOf(word, item))
}

// NonEmpty returns c, a codec of lists, which now refuses an empty one.
func NonEmpty(c Codec) Codec {
	get, describe := c.Get, c.Schema
	c.Schema = func(w *Writer) ojson.Value { return nonEmptySchema(describe(w)) }
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		complete := get(d, n, into)
		if complete && len(n.Content) == 0 && reflect.ValueOf(into).Elem().Len() == 0 {
			d.Report(n, "add an element, or leave the key out", "the list is empty")
			return false
		}
		return complete
	}
	return c
}

// NamedValue is a member of a mapping whose keys the author chooses.
type NamedValue[V any] struct {
	Name  string
	Value V
}

// MappingCodec makes a codec of mappings whose keys the author chooses, and whose values
// are read by value, a codec of V. Item returns the item that a member stands for; member
// returns the member to write for an item.
func MappingCodec[V, T any](word string, value Codec, item func(*Decoder, node.Pair, V) (T, bool), member func(T) NamedValue[V]) Codec {
	value = value.forType(reflect.TypeFor[V]())
	form := Codec{Noun: word, Shapes: node.Mapping, Schema: func(w *Writer) ojson.Value { return w.Free(value.Schema) }}
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
