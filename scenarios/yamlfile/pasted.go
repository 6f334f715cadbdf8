package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// mostPasted is the largest number of characters of pasted JSON that a hint translates.
const mostPasted = 400

// pastedChunk reports a chunk of the API that was pasted where a step is expected.
func pastedChunk(d *table.Decoder, n *yaml.Node) bool {
	choices := node.Member(n, "choices")
	if choices.Key == nil || node.Member(n, "chunk").Key != nil {
		return false
	}
	hint := "write all of it under chunk: { choices: … }"
	if text, ok := table.InLine(n, mostPasted); ok {
		hint = "write chunk: " + text
	}
	if content, ok := contentOf(choices.Value); ok {
		hint += ", or in short content: " + content
	}
	d.Report(choices.Key, hint, "this is a whole chunk of the API")
	return true
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
	return table.InLine(delta.Content[1], table.MostInLine)
}

// valueOf returns the value of a key of a mapping, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node { return node.Member(n, key).Value }

// pastedCompletion reports a whole completion, or chunk, of the API that was pasted where
// a scenario, a reply or a message is expected.
func pastedCompletion(d *table.Decoder, n *yaml.Node) bool {
	choices := node.Member(n, "choices")
	if choices.Key == nil || choices.Value.Kind != yaml.SequenceNode || len(choices.Value.Content) == 0 {
		return false
	}
	var hint string
	switch first := choices.Value.Content[0]; {
	case valueOf(first, "delta") != nil:
		hint = "write it as a step of a stream: stream: [{ chunk: { choices: … } }]"
		if text, ok := table.InLine(n, mostPasted); ok {
			hint = "write stream: [{ chunk: " + text + " }]"
		}
	case valueOf(first, "message") != nil:
		hint = "write message: { content: … }, with what the message of the choice says"
		if text, ok := table.InLine(messageIn(choices.Value.Content), mostPasted); ok {
			hint = "write message: " + text
		}
	default:
		return false
	}
	d.Report(choices.Key, hint, "this is a whole answer of the API")
	return true
}

// messageIn translates the choices of a completion into a message of the language.
func messageIn(choices []*yaml.Node) *yaml.Node {
	if len(choices) == 1 {
		return choiceAsMessage(choices[0])
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, c := range choices {
		list.Content = append(list.Content, choiceAsMessage(c))
	}
	message := node.NewMapping(yaml.FlowStyle)
	node.Add(message, "choices", list)
	return message
}

// choiceAsMessage translates a choice of a completion into a message of the language. It
// leaves out what is the default.
func choiceAsMessage(choice *yaml.Node) *yaml.Node {
	said, message := valueOf(choice, "message"), node.NewMapping(yaml.FlowStyle)
	if said == nil {
		said = choice
	}
	for _, m := range []struct{ from, to string }{{"content", "content"}, {"refusal", "refusal"}, {"reasoning_content", "reasoning"}, {"function_call", "function_call"}} {
		if v := valueOf(said, m.from); v != nil && node.ShapeOf(v)&(node.Null|node.Nothing) == 0 {
			node.Add(message, m.to, v)
		}
	}
	follows := "stop"
	for _, kind := range []struct{ word, inner, payload string }{{"tool_calls", "function", "arguments"}, {"custom_tool_calls", "custom", "input"}} {
		if calls := callsIn(valueOf(said, "tool_calls"), kind.inner, kind.payload); len(calls.Content) > 0 {
			node.Add(message, kind.word, calls)
			follows = "tool_calls"
		}
	}
	if valueOf(said, "function_call") != nil {
		follows = "function_call"
	}
	if finish := valueOf(choice, "finish_reason"); finish != nil && node.ShapeOf(finish) == node.Text && finish.Value != follows {
		node.Add(message, "finish", finish)
	}
	return message
}

// callsIn translates the calls of one type into the words of the language.
func callsIn(calls *yaml.Node, inner, payload string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	if calls == nil {
		return list
	}
	for _, c := range calls.Content {
		body := valueOf(c, inner)
		if body == nil {
			continue
		}
		call := node.NewMapping(yaml.FlowStyle)
		for _, m := range []struct {
			name string
			in   *yaml.Node
		}{{"id", c}, {"name", body}, {payload, body}} {
			if v := valueOf(m.in, m.name); v != nil {
				node.Add(call, m.name, v)
			}
		}
		list.Content = append(list.Content, call)
	}
	return list
}
