package table

import (
	"cmp"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Shorthand says what a key stands for that is not a key of the section and has only one
// meaning. It is read as that, and fmt writes that.
type Shorthand struct {
	As    string // As is the key that this one is another name of; with Below, the key in the mapping there.
	Below string // Below is a key whose value is a mapping; this key belongs into that mapping.
	Lift  bool   // Lift says that the value of this key is a mapping whose members belong in place of the key.
	Only  string // Only is the one value that the key can have; the key then changes nothing, and is left out.
}

func (s Shorthand) doc(key string) string {
	switch {
	case s.As != "" && s.Below == "":
		return "Another name of " + s.As + ", which fmt writes."
	case s.Below != "":
		return "Short for " + s.Below + ": { " + cmp.Or(s.As, key) + " }, which fmt writes."
	}
	return "Read as the API writes it; fmt leaves it out."
}

// WrittenOut returns the mapping n with what the keys of short stand for, and with the known keys as the language
// spells them: finish_reason for finishReason. It returns n itself where there is none.
func WrittenOut(n *yaml.Node, short map[string]Shorthand, known func(key string) bool) *yaml.Node {
	for _, p := range node.Members(n) {
		s, ok := short[p.Name]
		if name := Snake(p.Name); !ok && name != p.Name {
			if s, ok = short[name]; !ok && known(name) {
				s, ok = Shorthand{As: name}, true
			}
			p.Name = name
		}
		switch {
		case !ok:
		case s.Below != "":
			n = movedBelow(n, p, cmp.Or(s.As, p.Name), s.Below)
		case s.As != "" && node.Member(n, s.As).Key == nil:
			key := *p.Key
			key.Value = s.As
			n = replaced(n, p, &key, p.Value)
		case s.Lift && p.Value.Kind == yaml.MappingNode:
			n = replaced(n, p, p.Value.Content...)
		case s.Only != "" && p.Value.Value == s.Only:
			n = replaced(n, p)
		}
	}
	return n
}

func replaced(n *yaml.Node, p node.Pair, members ...*yaml.Node) *yaml.Node {
	out := *n
	i := slices.Index(n.Content, p.Key)
	out.Content = slices.Concat(n.Content[:i], members, n.Content[i+2:])
	return &out
}

// movedBelow returns a mapping with one of its members moved into the mapping of the key in,
// under the given name. If the value of that key is no mapping, nothing is moved.
func movedBelow(n *yaml.Node, moved node.Pair, name, in string) *yaml.Node {
	there := node.Member(n, in)
	called := *moved.Key
	called.Value = name
	switch {
	case there.Key == nil:
		key := &yaml.Node{Kind: yaml.ScalarNode, Value: in, Line: moved.Key.Line, Column: moved.Key.Column}
		value := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Line: moved.Value.Line, Column: moved.Value.Column, Content: []*yaml.Node{&called, moved.Value}}
		return replaced(n, moved, key, value)
	case there.Value.Kind != yaml.MappingNode:
		return n
	}
	all := *there.Value
	all.Content = append(slices.Clip(all.Content), &called, moved.Value)
	return replaced(replaced(n, there, there.Key, &all), moved)
}

// Shortly returns c with short forms of its values, which have the given shapes. Long returns the value that a short form
// stands for, or nil for any other value. The command fmt writes the long form.
func Shortly(c Codec, shapes node.Shape, long func(n *yaml.Node) *yaml.Node) Codec {
	get, describe, known := c.Get, c.Schema, c.Shapes
	whole := c
	c.Shapes |= shapes
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		meant := n
		if node.ShapeOf(n)&shapes != 0 {
			if m := long(n); m != nil {
				meant = m
			}
		}
		switch {
		case meant != n:
			meant.Line = 0
			place(meant, n)
			if d.Noted != nil {
				d.Noted(n, Layout{Instead: meant})
			}
		case node.ShapeOf(n)&known == 0:
			return whole.fits(d, n)
		}
		return get(d, meant, into)
	}
	c.Schema = func(w *Writer) ojson.Value {
		return ojson.Object(ojson.M("anyOf", ojson.Array(describe(w), typesSchema(shapes))))
	}
	return c
}

// Pasted is [Shortly] for values that people paste from elsewhere, which editors do not propose.
func Pasted(c Codec, shapes node.Shape, long func(n *yaml.Node) *yaml.Node) Codec {
	describe := c.Schema
	c = Shortly(c, shapes, long)
	c.Schema = describe
	return c
}

// place gives those nodes that have no position that of another node.
func place(n, at *yaml.Node) {
	if n.Line == 0 {
		n.Line, n.Column = at.Line, at.Column
	}
	for _, child := range n.Content {
		place(child, at)
	}
}
