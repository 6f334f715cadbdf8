package table

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// WrittenOut returns the mapping n with the keys of short where they belong: each is a member of the mapping
// below the key that short names. It returns n itself where there is no such key.
func WrittenOut(n *yaml.Node, short map[string]string) *yaml.Node {
	for _, p := range node.Members(n) {
		if in := short[p.Name]; in != "" {
			n = movedBelow(n, p, in)
		}
	}
	return n
}

// movedBelow returns a mapping with one of its members moved below the key in. If that has a value which is no
// mapping, the mapping stays as it is.
func movedBelow(n *yaml.Node, moved node.Pair, in string) *yaml.Node {
	out := *n
	out.Content = nil
	there := node.Member(n, in)
	if there.Value != nil && there.Value.Kind != yaml.MappingNode {
		return n
	}
	for _, p := range node.Members(n) {
		switch {
		case p.Key == there.Key:
			all := *p.Value
			all.Content = append(all.Content[:len(all.Content):len(all.Content)], moved.Key, moved.Value)
			out.Content = append(out.Content, p.Key, &all)
		case p.Key != moved.Key:
			out.Content = append(out.Content, p.Key, p.Value)
		case there.Key == nil:
			key := &yaml.Node{Kind: yaml.ScalarNode, Value: in, Line: p.Key.Line, Column: p.Key.Column}
			value := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Line: p.Value.Line, Column: p.Value.Column, Content: []*yaml.Node{p.Key, p.Value}}
			out.Content = append(out.Content, key, value)
		}
	}
	return &out
}
