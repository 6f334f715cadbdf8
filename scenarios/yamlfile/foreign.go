package yamlfile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// What is pasted from other APIs and SDKs is not taken, since it is not what goes out; the hint has it as steps or as a
// message. The rows of [foreign item] in leads.txt say for each of their events and parts what it says here.

// foreignWrappers are the keys of mappings around events and parts.
var foreignWrappers = strings.Fields("candidates message output stream chunks events parts blocks content data doStream doGenerate response delta result part generations generation tool_calls toolCalls tool_call_chunks")

// foreignKinds are the keys that say what kind of event or part a mapping is, and those of a mapping that is one thing without a kind.
var foreignKinds, foreignWholes = strings.Fields("type event_kind part_kind part_delta_kind block_type event"), strings.Fields("thought function name toolName")

// foreignItems are the events and parts in a value, without what is around them.
func foreignItems(n *yaml.Node) (items []*yaml.Node) {
	if isText(n) {
		n = foreignLines(n.Value)
	}
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			items = append(items, foreignItems(item)...)
		}
		return items
	}
	kind, data, rest := foreignKind(n), valueOf(n, "data"), node.NewMapping(yaml.FlowStyle)
	switch {
	case data != nil && data.Kind == yaml.MappingNode && kind != "" && foreignKind(data) == "":
		event := *data
		node.Add(&event, "type", node.Quoted(kind))
		return foreignItems(&event)
	case strings.HasPrefix(kind, "response.") && data == nil, kind == "message_start":
		return []*yaml.Node{n} // what is inside is said by other events
	}
	for _, p := range node.Members(n) {
		switch inside := p.Value.Kind != yaml.ScalarNode && slices.Contains(foreignWrappers, p.Name); {
		case p.Name == "text" && isText(valueOf(n, "delta")): // all of the text so far
		case inside && (p.Name != "delta" || foreignKind(p.Value) != ""):
			items = append(items, foreignItems(p.Value)...)
		case kind == "" && !hasAny(n, foreignWholes): // each of its members is something of its own
			items = append(items, mappingOf(p.Name, p.Value))
		default:
			rest.Content = append(rest.Content, p.Key, p.Value)
		}
	}
	if len(rest.Content) > 0 {
		items = append(items, rest)
	}
	return items
}

// foreignLines are the JSON values in the lines of a text, as of server-sent events; none if it has other lines.
func foreignLines(text string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
		if line == "" || line == "[DONE]" || line[0] == ':' || strings.HasPrefix(line, "event:") {
			continue
		}
		if len(line) > 2 && line[1] == ':' { // the former data stream of the AI SDK
			line = `{"` + line[:1] + `": ` + line[2:] + "}"
		}
		if values := flowOf(line); len(values) == 1 && values[0].Kind == yaml.MappingNode {
			list.Content = append(list.Content, values...)
			continue
		}
		return &yaml.Node{}
	}
	return list
}

// foreignKind is what kind of event or part a mapping says that it is; "" if it says none.
func foreignKind(n *yaml.Node) string {
	for _, key := range foreignKinds {
		if kind := valueOf(n, key); isText(kind) {
			return kind.Value
		}
	}
	return ""
}

func hasAny(n *yaml.Node, keys []string) bool {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 { // the members in a list would be garbage
		if slices.Contains(keys, n.Content[i].Value) {
			return true
		}
	}
	return false
}

// foreignSteps are the steps for the events and parts in a value; nil if there is one that no row knows.
func foreignSteps(n *yaml.Node) (steps []*yaml.Node) {
	for _, item := range foreignItems(n) {
		u := table.Unknown{Section: "foreign item", Within: item, Pair: node.Pair{Name: cmp.Or(foreignKind(item), "item"), Value: item}}
		hint := leadFor(u, leads())
		if hint == "" || strings.Contains(hint, "…") {
			return nil
		}
		if hint != "leave it out" {
			steps = append(steps, flowOf(hint)...)
		}
	}
	return steps
}

// flowOf reads values in one line.
func flowOf(text string) []*yaml.Node {
	var doc yaml.Node
	if yaml.Unmarshal([]byte("["+text+"]"), &doc) != nil {
		return nil
	}
	return doc.Content[0].Content
}

// foreignKeys are keys of events and parts without a kind.
var foreignKeys = strings.Fields("thinking reasoning_details candidates message response token event_kind part_kind block_type messageStart contentBlockStart contentBlockDelta functionCall toolUse reasoningContent thought tool_call_chunks data")

// isForeign reports whether a value may be of another API: for most, a glance at it says no.
func isForeign(n *yaml.Node) bool {
	if n.Kind == yaml.SequenceNode {
		return slices.ContainsFunc(n.Content, isForeign)
	}
	var kind *yaml.Node
	if hasAny(n, foreignKinds[:1]) {
		kind = valueOf(n, "type")
	}
	switch {
	case isText(n):
		return foreignLine().MatchString(n.Value) && !strings.Contains(n.Value, `"choices"`) && !strings.Contains(n.Value, `"sequence_number"`)
	case kind != nil: // a message has the first of these, too
		return !slices.Contains(strings.Fields("text output_text input_text refusal function custom"), kind.Value) && !strings.HasSuffix(kind.Value, "_call")
	}
	return hasAny(n, foreignKeys) || hasAny(n, []string{"delta"}) && isText(valueOf(n, "delta")) || hasAny(valueOf(n, "tool_call"), []string{"json_args"}) || hasAny(n, foreignWrappers) && slices.ContainsFunc(node.Members(n), func(p node.Pair) bool {
		return p.Value.Kind != yaml.ScalarNode && slices.Contains(foreignWrappers, p.Name) && isForeign(p.Value)
	})
}

var foreignLine = node.Lazily(`(?m)^(data: ?\{|event: ?\w|\{"|[0-9a-f]:)`)

// foreignStream is a pasted value as the steps of a stream; "" if it is none of another API.
func foreignStream(n *yaml.Node) string {
	written, finish, usage, calls, failed := []string{"{ role: assistant }"}, "", "", 0, false
	for _, step := range foreignSteps(n) {
		switch key, value := step.Content[0].Value, step.Content[1]; key {
		case "finish":
			finish = finishWord(value)
			continue
		case "tool_call":
			calls++
		case "fragment":
			value.Content = append(value.Content, node.Plain("index"), node.Plain(strconv.Itoa(calls-1)))
		case "error":
			failed = true
		}
		switch text, ok := table.InLine(step, table.MostInLine); {
		case !ok:
			return ""
		case strings.HasPrefix(text, "{usage:"):
			usage = text
		default:
			written = append(written, text)
		}
	}
	switch {
	case len(written) == 1:
		return ""
	case finish == "" && calls > 0:
		finish = "tool_calls"
	}
	if !failed {
		written = append(written, "{ finish: "+cmp.Or(finish, "stop")+" }")
	}
	if usage != "" {
		written = append(written, usage)
	}
	return "[" + strings.Join(written, ", ") + "]" + thinking(written...)
}

// thinking is the quirk beside an answer that reasons on chat completions; "" for others.
func thinking(written ...string) string {
	if strings.Contains(strings.Join(written, ""), "{reasoning: ") {
		return ", quirks: [reasoning-member]"
	}
	return ""
}

// foreignMessage is a pasted value as the members of a message; "" if it is none of another API.
func foreignMessage(n *yaml.Node) string {
	message, calls := node.NewMapping(yaml.FlowStyle), &yaml.Node{Kind: yaml.SequenceNode}
	for _, step := range foreignSteps(n) {
		key, value := step.Content[0].Value, step.Content[1]
		switch there := valueOf(message, key); {
		case key == "tool_call":
			calls.Content = append(calls.Content, value)
		case key == "finish":
			if word := finishWord(value); word != "stop" && word != "tool_calls" {
				node.Add(message, key, node.Plain(word))
			}
		case there == nil:
			node.Add(message, key, value)
		case there.Kind == yaml.ScalarNode:
			there.Value += value.Value
		}
	}
	if len(calls.Content) > 0 {
		node.Add(message, "tool_calls", calls)
	}
	if text, ok := table.InLine(message, 5*table.MostInLine); ok && len(message.Content) > 0 {
		return strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	}
	return ""
}

// foreignChoices are the items of a list, or of the list in it, as messages.
func foreignChoices(n *yaml.Node) string {
	if len(n.Content) == 1 {
		n = n.Content[0]
	}
	var choices []string
	for _, item := range n.Content {
		choices = append(choices, "{ "+foreignMessage(item)+" }")
	}
	return "[" + strings.Join(choices, ", ") + "]"
}

// finishWord is a finish in the words of chat completions.
func finishWord(value *yaml.Node) string {
	hint := leadFor(table.Unknown{Section: "message", Pair: node.Pair{Name: "finish", Value: value}}, doubtful())
	return cmp.Or(strings.TrimPrefix(hint, "write finish: "), value.Value)
}
