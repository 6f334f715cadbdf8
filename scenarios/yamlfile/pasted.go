package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// mostPasted is the largest number of characters of a pasted chunk that a hint repeats.
const mostPasted = 400

// valueOf returns the value of a key of a mapping, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node { return node.Member(n, key).Value }

// pastedChunk reports a chunk of the API that was pasted where a step is expected.
func pastedChunk(d *table.Decoder, n *yaml.Node) bool {
	choices := node.Member(n, "choices")
	if choices.Key == nil || valueOf(n, "chunk") != nil {
		return false
	}
	hint := "write all of it under the key chunk"
	if text, ok := table.InLine(n, mostPasted); ok {
		hint = "write chunk: " + text
	}
	d.Report(n, hint, "this is a whole chunk of the API")
	return true
}

// pastedCompletion reports a whole completion, or chunk, of the API that was pasted where
// a scenario, a reply or a message is expected.
func pastedCompletion(d *table.Decoder, n *yaml.Node) bool {
	choices := node.Member(n, "choices")
	if choices.Key == nil || choices.Value.Kind != yaml.SequenceNode || len(choices.Value.Content) == 0 {
		return false
	}
	hint := "save it as answer.json, and fakeopenai import answer.json --out . makes a scenario of it"
	switch first := choices.Value.Content[0]; {
	case valueOf(first, "message") != nil:
	case valueOf(first, "delta") == nil:
		return false
	default:
		hint = "write it as a step of a stream, under the key chunk"
		if text, ok := table.InLine(n, mostPasted); ok {
			hint = "write stream: [{ chunk: " + text + " }]"
		}
	}
	d.Report(n, hint, "this is a whole answer of the API")
	return true
}
