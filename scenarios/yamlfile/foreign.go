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
var foreignWrappers = strings.Fields("candidates message output stream chunks events parts blocks content data doStream doGenerate response delta result part event_data raw_event generations generation")

// foreignNames are the keys that say what kind of event or part a mapping is.
var foreignNames = strings.Fields("type event_kind part_kind part_delta_kind block_type event")

// nativeTypes are the types of parts that a message has, too.
var nativeTypes = strings.Fields("text output_text input_text refusal function custom")

// foreignItems are the events and parts in a value, without what is around them.
func foreignItems(n *yaml.Node) (items []*yaml.Node) {
	switch node.ShapeOf(n) {
	case node.List:
		for _, item := range n.Content {
			items = append(items, foreignItems(item)...)
		}
	case node.Text:
		for line := range strings.Lines(n.Value) {
			var doc yaml.Node
			line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
			if line == "" || line == "[DONE]" || line[0] == ':' || strings.HasPrefix(line, "event:") {
				continue
			}
			if len(line) > 2 && line[1] == ':' { // the former data stream of the AI SDK
				line = `{"` + line[:1] + `": ` + line[2:] + "}"
			}
			if line[0] != '{' || yaml.Unmarshal([]byte(line), &doc) != nil {
				return nil
			}
			items = append(items, foreignItems(doc.Content[0])...)
		}
	case node.Mapping:
		rest := node.NewMapping(yaml.FlowStyle)
		if kind := valueOf(n, "type"); kind != nil && (strings.HasPrefix(kind.Value, "response.") || kind.Value == "message_start") {
			return []*yaml.Node{n} // what is inside is said by other events
		}
		for _, p := range node.Members(n) {
			inside := node.ShapeOf(p.Value)&(node.Mapping|node.List) != 0 && slices.Contains(foreignWrappers, p.Name)
			if kind := valueOf(n, "event"); inside && p.Name == "data" && kind != nil && valueOf(p.Value, "type") == nil {
				node.Add(p.Value, "type", kind)
			}
			if inside && (p.Name != "delta" || valueOf(p.Value, "type") != nil || valueOf(p.Value, "part_delta_kind") != nil) {
				items = append(items, foreignItems(p.Value)...)
				continue
			}
			rest.Content = append(rest.Content, p.Key, p.Value)
		}
		if !hasKind(n) { // each of its members is something of its own
			for _, p := range node.Members(rest) {
				items = append(items, mappingOf(p.Name, p.Value))
			}
		} else if len(rest.Content) > 0 {
			items = append(items, rest)
		}
	}
	return items
}

// hasKind reports whether a mapping says what kind of event or part it is.
func hasKind(n *yaml.Node) bool {
	return slices.ContainsFunc(append(foreignNames, "thought"), func(key string) bool { return valueOf(n, key) != nil })
}

// foreignSteps are the steps for the events and parts in a value; nil if it has none of another API, or one that no row knows.
func foreignSteps(n *yaml.Node) (steps []*yaml.Node) {
	for _, item := range foreignItems(n) {
		hint, u := "", table.Unknown{Section: "foreign item", Within: item}
		u.Value = item
		for _, key := range foreignNames {
			if kind := valueOf(item, key); kind != nil && hint == "" {
				u.Name = kind.Value
				hint = leadFor(u, leads())
			}
		}
		if u.Name = "item"; hint == "" {
			hint = leadFor(u, leads())
		}
		switch {
		case hint == "" || strings.Contains(hint, "…"):
			return nil
		case hint != "leave it out":
			steps = append(steps, flowOf(hint)...)
		}
	}
	return steps
}

// flowOf reads a list of values in one line.
func flowOf(text string) []*yaml.Node {
	var doc yaml.Node
	if yaml.Unmarshal([]byte("["+text+"]"), &doc) != nil {
		return nil
	}
	return doc.Content[0].Content
}

// foreignKeys are keys of events and parts that have no type.
var foreignKeys = strings.Fields("candidates message response token event_kind part_kind block_type messageStart contentBlockStart contentBlockDelta functionCall toolUse reasoningContent thought tool_call_chunks data")

// isForeign reports whether a value may be of another API: for most, a glance at it says no.
func isForeign(n *yaml.Node) bool {
	switch kind := valueOf(n, "type"); {
	case n.Kind == yaml.SequenceNode:
		return slices.ContainsFunc(n.Content, isForeign)
	case isText(n):
		return foreignLine().MatchString(n.Value) && !strings.Contains(n.Value, `"choices"`) && !strings.Contains(n.Value, `"sequence_number"`)
	case kind != nil:
		return !slices.Contains(nativeTypes, kind.Value) && !strings.HasSuffix(kind.Value, "_call")
	}
	return slices.ContainsFunc(node.Members(n), func(p node.Pair) bool { return slices.Contains(foreignKeys, p.Name) || slices.Contains(foreignWrappers, p.Name) && p.Value.Kind != yaml.ScalarNode && isForeign(p.Value) })
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

// finishWord is a finish in the words of chat completions.
func finishWord(value *yaml.Node) string {
	hint := leadFor(table.Unknown{Section: "message", Pair: node.Pair{Name: "finish", Value: value}}, doubtful())
	return cmp.Or(strings.TrimPrefix(hint, "write finish: "), value.Value)
}
