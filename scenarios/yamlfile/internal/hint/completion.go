package hint

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// PastedCompletion returns the hint for a whole completion, or chunk, of the API where a
// scenario, a reply or a message is expected, and the key by which it was recognised;
// nil if the mapping is neither.
func PastedCompletion(pairs []node.Pair) (at *yaml.Node, hint string) {
	i := slices.IndexFunc(pairs, func(p node.Pair) bool { return p.Name == "choices" })
	if i < 0 || pairs[i].Value.Kind != yaml.SequenceNode || len(pairs[i].Value.Content) == 0 {
		return nil, ""
	}
	choices := pairs[i].Value.Content
	switch {
	case valueOf(choices[0], "delta") != nil:
		hint = "write it as a step of a stream: stream: [{ chunk: { choices: … } }]"
		if text, ok := InLine(mappingOf(pairs), 400); ok {
			hint = "write stream: [{ chunk: " + text + " }]"
		}
		return pairs[i].Key, hint
	case valueOf(choices[0], "message") == nil:
		return nil, ""
	}
	hint = "write message: { content: … }, with what the message of the choice says"
	if text, ok := InLine(messageIn(choices), 400); ok {
		hint = "write message: " + text
	}
	return pairs[i].Key, hint
}

func mappingOf(pairs []node.Pair) *yaml.Node {
	whole := &yaml.Node{Kind: yaml.MappingNode}
	for _, p := range pairs {
		whole.Content = append(whole.Content, p.Key, p.Value)
	}
	return whole
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
