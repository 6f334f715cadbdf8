package hint

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// PastedChunk returns the hint for a chunk of the API where a step is expected, and the
// key by which it was recognised; nil if the mapping is no such chunk.
func PastedChunk(pairs []node.Pair) (at *yaml.Node, hint string) {
	i := slices.IndexFunc(pairs, func(p node.Pair) bool { return p.Name == "choices" })
	if i < 0 || slices.ContainsFunc(pairs, func(p node.Pair) bool { return p.Name == "chunk" }) {
		return nil, ""
	}
	hint = "write all of it under chunk: { choices: … }"
	if text, ok := InLine(mappingOf(pairs), 400); ok {
		hint = "write chunk: " + text
	}
	if content, ok := contentOf(pairs[i].Value); ok {
		hint += ", or in short content: " + content
	}
	return pairs[i].Key, hint
}

// contentOf returns the content of a chunk's choice if the chunk has nothing else.
func contentOf(choices *yaml.Node) (text string, ok bool) {
	if choices.Kind != yaml.SequenceNode || len(choices.Content) != 1 {
		return "", false
	}
	delta := valueOf(choices.Content[0], "delta")
	if delta == nil || len(delta.Content) != 2 || delta.Content[0].Value != "content" {
		return "", false
	}
	if finish := valueOf(choices.Content[0], "finish_reason"); finish != nil && node.ShapeOf(finish) != node.Null {
		return "", false
	}
	return InLine(delta.Content[1], MostInLine)
}

// valueOf returns the value of a key of a mapping, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
