package yamlfile

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

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

// stepHint returns the hint for a step that is no mapping. Keys is the keys of a step; a key
// alone gets no hint here.
func stepHint(n *yaml.Node, keys []string) string {
	hint := textLead(n)
	if written, ok := table.InLine(n, table.MostInLine); hint == "" && ok && isText(n) && !slices.Contains(keys, n.Value) {
		return "write content: " + written
	}
	return hint
}

// textLead is what leads.txt says for a text as a step; "" if no row says it.
func textLead(n *yaml.Node) string {
	return leadFor(table.Unknown{Pair: node.Pair{Name: "step", Value: n}, Section: "text as a step"}, leads())
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

// beside computes what a hint writes from a value and from what stands beside it in the mapping. Its methods return "" if
// the two do not give what they are about.
type beside struct{ mapping *yaml.Node }

// events is the number of events that are sent until the time n, with the pause of pace.
func (b beside) events(n *yaml.Node) string {
	return strconv.Itoa(int(durationOf(n) / max(1, durationOf(memberAt(b.mapping, "pace.every")))))
}

// share is the jitter that is n percent of the pause beside it.
func (b beside) share(n *yaml.Node) string {
	percent, _ := strconv.Atoi(strings.TrimRight(n.Value, " %")) // rows with it are for percents
	return (durationOf(cmp.Or(valueOf(b.mapping, "every"), valueOf(b.mapping, "mean"))) * time.Duration(percent) / 100).String()
}

// paced is the pause between chunks with which the message takes about the time n.
func (b beside) paced(n *yaml.Node) string {
	chunks := tokenLike().FindAllString(b.text(), -1)
	return (durationOf(n) / time.Duration(len(chunks)+1)).Round(time.Millisecond).String()
}

var tokenLike, wordLike = node.Lazily(`\w+|[^\w\s]`), node.Lazily(`\s*\S+`)

// durationOf is the duration that a value says; 0 if it is none.
func durationOf(n *yaml.Node) time.Duration {
	d, _ := time.ParseDuration(table.InUnit(cmp.Or(n, &yaml.Node{})))
	return d
}

// text is the text of the message.
func (b beside) text() string {
	return cmp.Or(memberAt(b.mapping, "message.content"), valueOf(b.mapping, "message"), &yaml.Node{}).Value
}

// words are the first n words of the message as steps, with the first chunk.
func (b beside) words(n *yaml.Node) string { return b.wordSteps(1, n.Value) }

// groups are the words of the message as steps of n words each, with the first chunk.
func (b beside) groups(n *yaml.Node) string {
	each, _ := strconv.Atoi(n.Value)
	return b.wordSteps(each, "")
}

func (b beside) wordSteps(each int, most string) string {
	words, list := wordLike().FindAllString(b.text(), -1), &yaml.Node{Kind: yaml.SequenceNode}
	if count, err := strconv.Atoi(most); err == nil && count >= 0 {
		words = words[:min(count, len(words))]
	}
	for group := range slices.Chunk(words, max(1, each)) {
		list.Content = append(list.Content, node.Quoted(strings.Join(group, "")))
	}
	return strings.TrimSuffix(strings.TrimPrefix(asSteps(list), "["), ", { finish: stop }]")
}

// beats are the steps of the silence before the first chunk, with a comment after each interval.
func (b beside) beats(n *yaml.Node) (steps string) {
	silence, interval := durationOf(memberAt(b.mapping, "pace.first")), durationOf(n)
	if interval <= 0 || silence/interval > 20 || b.text() == "" {
		return ""
	}
	for ; silence > interval; silence -= interval {
		steps += "{ wait: " + interval.String() + " }, { comment: keep-alive }, "
	}
	return steps + "{ wait: " + silence.String() + " }"
}

// pieces are the pieces of a text, which may say at which time each is sent, as steps of a stream, with its first and
// its last chunk.
func (b beside) pieces(n *yaml.Node) string {
	steps, before := "[{ role: assistant }, ", time.Duration(0)
	for _, item := range n.Content {
		text, at := cmp.Or(valueOf(item, "text"), valueOf(item, "token"), valueOf(item, "content")), valueOf(item, "at")
		written, ok := table.InLine(cmp.Or(text, item), table.MostInLine)
		switch {
		case !ok || !isText(text) || at == nil && (len(item.Content) > 2 || hasAny(b.mapping, []string{"end", "envelope", "damage"})): // it may end without a finish
			return ""
		case at != nil:
			written, before = written+", after: "+(durationOf(at)-before).String(), durationOf(at)
		}
		steps += "{ content: " + written + " }, "
	}
	return steps + "{ finish: stop }]"
}

// decoded is the text that is written in base64; "" for other bytes.
func decoded(n *yaml.Node) string {
	bytes, err := base64.StdEncoding.DecodeString(n.Value)
	if err != nil || !printable().Match(bytes) {
		return ""
	}
	return table.InSingleQuotes(string(bytes))
}

var printable = node.Lazily(`^[ -~]+$`)
