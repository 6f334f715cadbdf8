package hint

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Flag returns the hint for true or false where a word is expected. Text is what to
// write instead of true.
func Flag(n *yaml.Node, text string) string {
	switch {
	case node.ShapeOf(n) != node.Bool:
		return ""
	case strings.EqualFold(n.Value, "true"):
		return "write " + text
	}
	return "leave it out"
}

var sizeWithUnit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{1,6}) ?([kKMG])(i?)B?$`) })

var countWithNoun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]{1,6}) ?(bytes?|characters?|chunks?|events?|frames?|pieces?|times|tokens?|words?)$`)
})

// Size returns the hint for a number with a unit, such as 64 KiB or 3 chunks.
func Size(n *yaml.Node) string {
	if node.ShapeOf(n) != node.Text {
		return ""
	}
	if m := countWithNoun().FindStringSubmatch(n.Value); m != nil {
		return "write " + m[1]
	}
	m := sizeWithUnit().FindStringSubmatch(n.Value)
	if m == nil {
		return ""
	}
	factor := int64(1000)
	if m[3] != "" {
		factor = 1024
	}
	size, _ := strconv.ParseInt(m[1], 10, 64) // six digits
	for range strings.Index("KMG", strings.ToUpper(m[2])) + 1 {
		size *= factor
	}
	return fmt.Sprintf("write %d", size)
}

// Steps returns the hint for a stream that is no list.
func Steps(n *yaml.Node) string {
	text, ok := InLine(n, MostInLine)
	switch node.ShapeOf(n) {
	case node.Bool:
		return "a condition on the request is when: { stream: " + text + " }"
	case node.Text:
		if ok {
			return "write stream: [{ text: " + text + " }]"
		}
	case node.Mapping:
		return "each step of the list begins with a dash"
	}
	return ""
}

// bareWords is texts that people write as a step, with the YAML that they mean.
var bareWords = map[string]string{
	"cut": "end: cut in scenario, beside stream", "disconnect": "end: cut in scenario, beside stream",
	"reset": "end: reset in scenario, beside stream", "abort": "end: reset in scenario, beside stream",
	"stall": "end: stall in scenario, beside stream", "hang": "end: stall in scenario, beside stream",
	"close": "end: close in scenario, beside stream", "linger": "end: linger in scenario, beside stream",
	"[DONE]": "done: true", "DONE": "done: true", "assistant": "role: assistant",
	"stop": "finish: stop", "length": "finish: length", "tool_calls": "finish: tool_calls", "content_filter": "finish: content_filter",
}

var (
	pauseStep = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:wait|sleep|pause|delay|after) )?([0-9.]+(?:ms|s|m))$`)
	})
	wordStep = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(role|content|finish|hold|comment|reasoning|refusal|error) (\S.*)$`)
	})
)

// Step returns the hint for a step that is no mapping. Keys is the keys of a step; a key
// alone gets no hint here.
func Step(n *yaml.Node, keys []string) string {
	text := n.Value
	if node.ShapeOf(n) == node.List && len(n.Content) == 1 && n.Content[0].Value == "DONE" {
		text = "[DONE]"
	} else if node.ShapeOf(n) != node.Text {
		return ""
	}
	if instead, ok := bareWords[text]; ok {
		return "write " + instead
	}
	if m := pauseStep().FindStringSubmatch(text); m != nil {
		return "write wait: " + m[1]
	}
	if m := wordStep().FindStringSubmatch(text); m != nil {
		return "write " + m[1] + ": " + m[2]
	}
	if written, ok := InLine(n, MostInLine); ok && !slices.Contains(keys, text) {
		return "write content: " + written
	}
	return ""
}

var groupNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>`) })

// RegexpLike returns a regular expression with the group names in expr, which does not
// compile.
func RegexpLike(expr string) *regexp.Regexp {
	var groups strings.Builder
	for _, m := range groupNames().FindAllStringSubmatch(expr, 100) {
		groups.WriteString("(?P<" + m[1] + ">)")
	}
	re, err := regexp.Compile(groups.String())
	if err != nil { // two groups of the same name
		return RegexpLike("")
	}
	return re
}

// RegexpError returns what is wrong with a regular expression, without repeating the
// expression.
func RegexpError(err error) string {
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Sprintf("%s: %s", bad.Code, bad.Expr)
	}
	return err.Error()
}

// Regexp returns the hint for a regular expression that does not compile, or "".
func Regexp(expr string) string {
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(expr, look) {
			return "the syntax is Go's, which has no look-around"
		}
	}
	return ""
}
