package yamlfile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// mainKey is the key that a text or a number stands for in place of a message or an error; "" for others.
func mainKey(section string, n *yaml.Node) string {
	switch shape := node.ShapeOf(n); {
	case section == "message" && shape == node.Text:
		return "content"
	case section == "error" && shape == node.Text:
		return "message"
	case section == "error" && shape == node.Number:
		return "status"
	}
	return ""
}

// instead returns what to write in place of a key that a section does not have, which follows from what stands
// beside it or from its value, or is one of [leads]; "" if nothing is known.
func instead(u table.Unknown) string {
	value, _ := table.InLine(u.Value, table.MostInLine)
	has := func(key string) bool { return node.Member(u.Within, key).Key != nil }
	switch {
	case u.Section == "scenario" && slices.Contains([]string{"scenario", "title", "id"}, u.Name) && !has("name"):
		return "write name: " + value
	case u.Section == "scenario" && isAnswer(u.Value):
		if hint, ok := table.Filled("write name: "+u.Key.Value+", $*", u.Value); ok && !has("name") {
			return hint
		}
	case u.Section == "scenario" && slices.Contains([]string{"scenarios", "fixtures"}, u.Name):
		return documents
	case slices.Contains([]string{"chance", "probability"}, u.Name) && u.Section == "scenario" && isText(valueOf(u.Within, "end")):
		return "write end: { " + valueOf(u.Within, "end").Value + ": { chance: " + value + " } }"
	case u.Section == "scenario" && wiremock[u.Value.Value] != "":
		return "write end: " + wiremock[u.Value.Value]
	case slices.Contains([]string{"json", "json_body", "parsed", "data"}, u.Name) && (u.Section == "scenario" || u.Section == "message"):
		return insteadOfJSON(u)
	case u.Section == "scenario" && u.Name == "response" && slices.Contains(responseStatuses, u.Value.Value):
		return "write envelope: { response: " + value + " }"
	case u.Section == "error" && u.Name == "text" && strings.HasPrefix(u.Value.Value, "<"):
		return "write body: " + value
	case u.Section == "message" && u.Name == "status" && u.Value.Value == scenarios.ResponseIncomplete:
		return "write finish: length"
	case u.Section == "when" && u.Name == "role" && u.Value.Value == "tool":
		return "write tool_result: true"
	case u.Section == "when" && surfaceOfPath[u.Value.Value] != "":
		return "write surface: " + surfaceOfPath[u.Value.Value]
	case u.Section == "end":
		if i := slices.IndexFunc(endKinds, has); i >= 0 && slices.Contains([]string{"chance", "after", "byte", "inside", "for"}, u.Name) {
			return "write " + endKinds[i] + ": { " + u.Name + ": " + value + " }"
		}
	case slices.Contains(u.Own, "arguments") && node.ShapeOf(u.Value) == node.Mapping && !has("name") && u.Name != "function" && u.Name != "custom":
		return "write name: " + u.Key.Value + ", arguments: " + value
	case u.Section == "moderation" && node.ShapeOf(u.Value)&(node.Bool|node.Number) != 0 && u.Name != "flagged":
		return "write categories: { " + u.Key.Value + ": " + value + " }"
	case u.Section == "text condition" || u.Section == "body condition":
		return insteadOfCondition(u, value)
	case u.Section == "step" && strings.HasSuffix(u.Name, "_call"):
		return "write item: { type: " + u.Key.Value + " }"
	}
	return lead(u)
}

// lead is the row of [leads] for a key: that for its kind of value, or else that for all.
func lead(u table.Unknown) string {
	rows := leads[u.Section]
	hint, _ := table.Filled(cmp.Or(rows[u.Name+" "+kindOf(u.Value)], rows[u.Name]), u.Value)
	return hint
}

func kindOf(n *yaml.Node) string {
	switch node.ShapeOf(n) {
	case node.Bool:
		return "bool"
	case node.Number:
		return "number"
	case node.Text:
		return "text"
	case node.Mapping:
		return "mapping"
	}
	return ""
}

func isText(n *yaml.Node) bool { return n != nil && node.ShapeOf(n) == node.Text }

// apiNames are the API's names of keys of messages and steps.
var apiNames = map[string]table.Shorthand{"finish_reason": {As: "finish"}, "reasoning_content": {As: "reasoning"}}

// mappingOf is a mapping of one member.
func mappingOf(key string, value *yaml.Node) *yaml.Node {
	n := node.NewMapping(yaml.FlowStyle)
	node.Add(n, key, value)
	return n
}

// documents is the hint for several scenarios in a list.
const documents = "write each scenario as a document of its own, without a dash, and --- between them"

// wiremock is the faults of WireMock, and the endings that are the same.
var wiremock = map[string]string{"CONNECTION_RESET_BY_PEER": "reset", "EMPTY_RESPONSE": "refuse", "MALFORMED_RESPONSE_CHUNK": "cut", "RANDOM_DATA_THEN_CLOSE": "cut"}

// surfaceOfPath is the name of the surface at a path of the API.
var surfaceOfPath = map[string]string{
	"/v1/chat/completions": "chat", "/v1/completions": "completions", "/v1/responses": "responses", "/v1/embeddings": "embeddings", "/v1/moderations": "moderations",
}

// isAnswer reports whether a value is a mapping that says an answer, as a scenario does.
func isAnswer(n *yaml.Node) bool {
	return slices.ContainsFunc([]string{"message", "stream", "error", "replies"}, func(key string) bool { return node.Member(n, key).Key != nil })
}

// insteadOfJSON is the hint for JSON that is the answer.
func insteadOfJSON(u table.Unknown) string {
	text := asJSONText(u.Value)
	value, ok := table.InLine(u.Value, table.MostInLine)
	switch {
	case text == "":
		return ""
	case u.Section == "message":
		return "write content: " + text
	case !ok:
		return "write message: " + text
	}
	return "write message: " + text + ", or wire: { body: " + value + " } where it is the whole answer to another path"
}

// asJSONText is a mapping or a list as JSON, in quotes; "" for others.
func asJSONText(n *yaml.Node) string {
	if node.ShapeOf(n)&(node.Mapping|node.List) == 0 {
		return ""
	}
	v, ok := (&node.Reader{}).JSON(n)
	if !ok {
		return ""
	}
	return table.InSingleQuotes(v.String())
}

// insteadOfCondition is the hint for options that conditions on texts have in other tools.
func insteadOfCondition(u table.Unknown, value string) string {
	holds := valueOf(u.Within, "contains")
	if u.Name == "icontains" {
		holds = u.Value
	}
	switch {
	case strings.HasPrefix(u.Name, "not") || strings.HasPrefix(u.Name, "does_not"):
		if _, verb, ok := strings.Cut(u.Name, "_"); ok && verb != "" {
			verb = strings.TrimPrefix(verb, "not_")
			value = "{ " + map[string]string{"contain": "contains", "match": "matches", "equal": "equals", "equals": "equals", "matches": "matches"}[verb] + ": " + value + " }"
			value = strings.Replace(value, "{ : ", "{ contains: ", 1)
		}
		return "write when: { not: { user: " + value + " } }"
	case slices.Contains([]string{"icontains", "ignore_case", "case_insensitive", "case_sensitive"}, u.Name) && isText(holds):
		return "write matches: " + table.InSingleQuotes("(?i)"+regexp.QuoteMeta(holds.Value)) + " in place of contains"
	}
	return lead(u)
}

// leads are hints for keys that a section does not have, by the section and the key in small letters with
// underscores, and with the kind of its value where the hint is for that alone. $ stands for the author's value, and
// $* for the members of that.
var leads = map[string]map[string]string{
	"scenario": {
		"chance":        "chance belongs to a reply, under replies",
		"mock_response": "write message: $", "text": "write message: $",
		"response mapping": "write message: $", "body text": "write message: $, or wire: { body: $ } or error: { body: $ } for bytes in place of an answer",
		"cut": "write end: { cut: $ }", "cut bool": "write end: cut", "reset": "write end: { reset: $ }", "reset bool": "write end: reset", "stall bool": "write end: stall",
		"truncate": "write end: cut", "truncate_after_chunks": "write end: { cut: $ }", "code text": "write error: { code: $ }", "code": "write error: { status: $ }",
		"initial_delay_in_ms": "write pace: { first: $ms }", "chunk_delay_in_ms": "write pace: { every: $ms }", "delay_connection": "write wire: { header_delay: $ms }",
		"embedding": "write embeddings: [{ vector: $ }]", "output": "write message for the text and the calls of the answer; items of other tools are steps item of a stream",
		"error_rate": "write replies: [{ chance: $, error: 500 }, …], with the answer as the last of them",
	},
	"message": {
		"chunking": "write by: $", "split": "write by: $", "chunk_size": "write by: $", "content_filter": "write finish: content_filter",
		"index": "leave it out: the choices are numbered in their order", "parallel_tool_calls": "write tool_calls: $", "calls": "write tool_calls: $", "custom_tool": "write custom_tool_calls: [$]",
		"top_logprobs": "leave it out: how many alternatives there are follows the request's top_logprobs", "citations": "write annotations: $",
		"status": "write envelope: { response: $ } in scenario",
	},
	"generated text": {
		"size": "write bytes: $", "length": "write bytes: $", "fake": "write fake: $ in message, in place of content", "words": "write fake: { words: $ } in message, in place of content",
	},
	"fake":      {"schema": "write json_schema: $", "lorem": "write words: $", "count": "write words: $"},
	"tool call": {"call_id": "write id: $", "tool_call_id": "write id: $", "input": "write arguments: $", "fake": "write arguments: fake"},
	"step": {
		"split": "write pieces: $ beside a call, or by: $ beside a text", "chunks": "write pieces: $ beside a call, or by: word beside a text", "throw": "write error: $", "raise": "write error: $",
		"data": "write event: { data: $ }",
	},
	"usage":    {"cached_input_tokens": "write cached_tokens: $", "cache_read_input_tokens": "write cached_tokens: $"},
	"logprobs": {"top_logprobs": "write logprobs: true in message: how many alternatives there are follows the request"},
	"pace":     {"rate": "write tokens_per_second: $", "bytes_per_second": "write wire: { drip: $ } in scenario", "heartbeat": keepAlives, "keepalive": keepAlives},
	"wire":     {"heartbeat": "write comments_between: $", "keepalive": "write comments_between: $", "events": "write event_name: $", "event": "write event_name: $", "content_encoding": "write $: flush", "chunk_size": "write split: $"},
	"reply":    {"retries": "write times: $"},
	"damage":   {"reorder": "write swap: $", "remove": "write drop: $", "skip": "write drop: $", "lose": "write drop: $"},
	"split":    {"delay": "write gap: $", "pause": "write gap: $", "after": "write at: $"},
	"cut":      {"torn": "write inside: $"},
	"when": {
		"user_message": "write user: { contains: $ }", "last_message": "write user: { contains: $ } or user: $", "tool_call_id": "write tool_result: $", "function_call_output": "write tool_result: $", "tool_output": "write tool_result: $",
		"role": lastRole, "last": lastRole, "last_role": lastRole,
		"step": "write turn: $", "turn_index": "turns count from 1: write turn one higher", "json": "write body: $",
		"request mapping": "write body: $",
	},
	"end":       {"after": "write cut: { after: $ }", "byte": "write cut: { byte: $ }", "inside": "write cut: { inside: $ }"},
	"embedding": {"embedding": "write vector: $"},
	"envelope":  {"usage": "write usage: $ in message, or as a step of stream"},
	"error":     {"text": "write message: $"},
}

const (
	lastRole   = `write body: { "messages[-1].role": $ }`
	keepAlives = "write wire: { comments_between: $ } in scenario for a comment before each event; in a pause, write wait and comment steps"
)
