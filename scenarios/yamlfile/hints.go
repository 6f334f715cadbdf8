package yamlfile

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// stepsHint returns the hint for a stream that is a text.
func stepsHint(_ *table.Decoder, n *yaml.Node) string {
	if text, ok := table.InLine(n, table.MostInLine); ok && isText(n) {
		return "write stream: [{ text: " + text + " }]"
	}
	return ""
}

// bareWords is texts that people write as a step, with the YAML that they mean.
var bareWords = map[string]string{
	"cut": "end: cut in scenario, beside stream", "disconnect": "end: { cut: { inside: false } } in scenario, beside stream",
	"reset": "end: reset in scenario, beside stream", "abort": "end: reset in scenario, beside stream",
	"stall": "end: stall in scenario, beside stream", "hang": "end: stall in scenario, beside stream",
	"close": "end: close in scenario, beside stream", "linger": "end: linger in scenario, beside stream",
	"[DONE]": "done: true", "DONE": "done: true", "assistant": "role: assistant",
	"stop": "finish: stop", "length": "finish: length", "tool_calls": "finish: tool_calls", "content_filter": "finish: content_filter",
}

var (
	pauseStep = node.Lazily(`^(?:(?:wait|sleep|pause|delay|after) )?([0-9.]+(?:ms|s|m))$`)
	wordStep  = node.Lazily(`^(role|content|finish|hold|comment|reasoning|refusal|error) (\S.*)$`)
)

// stepHint returns the hint for a step that is no mapping. Keys is the keys of a step; a key
// alone gets no hint here.
func stepHint(n *yaml.Node, keys []string) string {
	text := n.Value
	if node.ShapeOf(n) == node.List && len(n.Content) == 1 && n.Content[0].Value == "DONE" {
		text = "[DONE]"
	} else if node.ShapeOf(n) != node.Text {
		return ""
	}
	if instead, ok := bareWords[text]; ok {
		return "write " + instead
	}
	if strings.HasPrefix(text, eventNamePrefix) {
		return "the events of responses follow from steps such as content: Hello; a literal one is event: { event: " + text + ", data: { type: " + text + " } }"
	}
	if m := pauseStep().FindStringSubmatch(text); m != nil {
		return "write wait: " + m[1]
	}
	if m := wordStep().FindStringSubmatch(text); m != nil {
		return "write " + m[1] + ": " + m[2]
	}
	if written, ok := table.InLine(n, table.MostInLine); ok && !slices.Contains(keys, text) {
		return "write content: " + written
	}
	return ""
}

var groupNames = node.Lazily(`\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>`)

// regexpLike returns a regular expression with the group names in expr, which does not
// compile.
func regexpLike(expr string) *regexp.Regexp {
	var groups strings.Builder
	for _, m := range groupNames().FindAllStringSubmatch(expr, 100) {
		groups.WriteString("(?P<" + m[1] + ">)")
	}
	re, err := regexp.Compile(groups.String())
	if err != nil { // two groups of the same name
		return regexpLike("")
	}
	return re
}

// regexpError returns what is wrong with a regular expression, without repeating the
// expression.
func regexpError(err error) string {
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Sprintf("%s: %s", bad.Code, bad.Expr)
	}
	return err.Error()
}

// codeLike matches words that look like a code or a type of an error.
var codeLike = node.Lazily(`^[a-z]+(_[a-z]+)+$`)

// errorInstead returns the YAML that was probably meant by an error that is only a text: a
// code, a type, a status or its name, or a way in which a connection fails. For any other
// text it returns "". Silence is the YAML for a time-out, and ending, with the name
// of an ending in place of $, that for a connection that fails.
func errorInstead(text, silence, ending string) string {
	words := strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(text))
	switch words {
	case "timeout", "time out", "timed out":
		return silence + " for silence, or error: { status: 504 }"
	case "reset", "connection reset":
		return strings.Replace(ending, "$", "reset", 1)
	case "disconnect", "disconnected", "connection closed":
		return strings.Replace(ending, "$", "{ cut: { inside: false } }", 1)
	case "refused", "connection refused":
		return strings.Replace(ending, "$", "refuse", 1)
	}
	status := leadFor(table.Unknown{Section: "error", Pair: node.Pair{Name: "status", Value: node.Plain(words)}}, leads())
	switch {
	case status != "":
		return "error: { " + strings.TrimPrefix(status, "write ") + " }"
	case !codeLike().MatchString(text):
		return ""
	case strings.HasSuffix(text, "_error"):
		return fmt.Sprintf("error: { type: %s }", text)
	}
	return fmt.Sprintf("error: { code: %s }", text)
}
