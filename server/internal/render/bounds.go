package render

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
)

// Bounds of what one template may do. A template of a few words can ask for work
// without end, by loops in loops, or by texts that double.

// maxMade is how many bytes its functions make, all of them together: a few times
// the longest text that it can write.
const maxMade = 4 * MaxText

// maxIterations is how often the loops of a template go round, all of them
// together: more than there are words in most prompts, and a fraction of a second.
// It is a variable for fuzzing, where everything takes long.
var maxIterations = 250_000

// stepFunction is what the body of each loop calls first. It is no name that a
// template knows.
const stepFunction = "_step"

// stepNode is the action that calls it.
var stepNode = func() parse.Node {
	t, err := parseTree("{{" + stepFunction + "}}")
	if err != nil {
		panic(err)
	}
	return t.Root.Nodes[0]
}()

// countLoops makes each loop below a list of nodes count how often it goes round.
func countLoops(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.IfNode:
			countLoops(n.List)
			countLoops(n.ElseList)
		case *parse.WithNode:
			countLoops(n.List)
			countLoops(n.ElseList)
		case *parse.RangeNode:
			countLoops(n.List)
			countLoops(n.ElseList)
			n.List.Nodes = append([]parse.Node{stepNode.Copy()}, n.List.Nodes...)
		}
	}
}

// work is what the rendering of a template has cost so far.
type work struct {
	iterations int
	made       int
	ctx        context.Context // ctx ends when nobody waits for the text any more; nil is never.
}

// step counts one more round of a loop.
func (w *work) step() (string, error) {
	if w.iterations++; w.iterations > maxIterations {
		return "", fmt.Errorf("its loops go round more than %d times", maxIterations)
	}
	if w.ctx != nil && w.ctx.Err() != nil {
		return "", errors.New("nobody waits for the text any more")
	}
	return "", nil
}

// making is asked before a function makes up to so many bytes, of which no text can
// hold more than the limit.
func (w *work) making(most int) error {
	if most < 0 || most > MaxText {
		return fmt.Errorf("a text grows beyond the limit of %d bytes", MaxText)
	}
	if w.made += most; w.made > maxMade {
		return fmt.Errorf("its functions make more than %d bytes", maxMade)
	}
	return nil
}

// boundedFunctions are the functions that make texts of other texts. Those of
// text/template are replaced.
func (w *work) boundedFunctions() template.FuncMap {
	return template.FuncMap{
		stepFunction: w.step,
		"print":      w.of(1, fmt.Sprint),
		"println":    w.of(1, fmt.Sprintln),
		"html":       w.of(len("&#34;"), template.HTMLEscaper),
		"js":         w.of(len(`\u0000`), template.JSEscaper),
		"urlquery":   w.of(len("%00"), template.URLQueryEscaper),
		"upper":      w.text(strings.ToUpper),
		"lower":      w.text(strings.ToLower),
		"printf":     w.printf,
		"replace":    w.replace,
		"split":      w.split,
		"join":       w.join,
		"json":       w.json,
	}
}

// of bounds a function of values that makes up to times as much as they hold.
func (w *work) of(times int, f func(...any) string) func(...any) (string, error) {
	return func(args ...any) (string, error) {
		if err := w.making(times * sizeOf(args)); err != nil {
			return "", err
		}
		return f(args...), nil
	}
}

// text bounds a function of a text; some characters get longer in another case.
func (w *work) text(f func(string) string) func(string) (string, error) {
	return func(text string) (string, error) {
		if err := w.making(2 * len(text)); err != nil {
			return "", err
		}
		return f(text), nil
	}
}

// printf bounds fmt.Sprintf, whose verbs can use each argument any number of times,
// quote it, and fill it up to a width.
func (w *work) printf(format string, args ...any) (string, error) {
	const number = 400 // a float64 in full, or the words for a verb that does not fit
	longest, most := 0, len(format)
	for _, arg := range args {
		longest = max(longest, sizeOf(arg))
		most += sizeOf(arg) + number // what no verb uses is written at the end
	}
	_, rest, more := strings.Cut(format, "%")
	for more && most <= MaxText {
		var spec string
		spec, rest, more = strings.Cut(rest, "%")
		most += times(spec)*longest + width(spec) + number
	}
	if err := w.making(most); err != nil {
		return "", err
	}
	return fmt.Sprintf(format, args...), nil
}

// times is how much longer a verb can write what it is given: in hexadecimal digits a
// byte can be as long as 0x61 and a space.
func times(spec string) int {
	verb := strings.TrimLeft(spec, "+-# 0123456789.[]*")
	switch {
	case strings.HasPrefix(verb, "s"), strings.HasPrefix(verb, "d"):
		return 1
	case strings.HasPrefix(verb, "v") && !strings.Contains(spec[:len(spec)-len(verb)], "#"):
		return 1
	}
	return len("0x61 ")
}

// width is up to how many characters a verb fills up to: by its width and its
// precision, which package fmt takes up to a million.
func width(spec string) (sum int) {
	const most = 1_000_000
	n := 0
	for _, c := range spec {
		switch {
		case c >= '0' && c <= '9':
			n = min(10*n+int(c-'0'), most)
		case c == '*':
			sum += most
		case strings.ContainsRune("+-# .[]", c):
			sum, n = sum+n, 0
		default:
			return sum + n
		}
	}
	return sum + n
}

func (w *work) replace(old, with, text string) (string, error) {
	if err := w.making(len(text) + strings.Count(text, old)*max(0, len(with)-len(old))); err != nil {
		return "", err
	}
	return strings.ReplaceAll(text, old, with), nil
}

// textHeader is how many bytes a list needs for each text in it, beside the text.
const textHeader = 16

func (w *work) split(separator, text string) ([]string, error) {
	if err := w.making((strings.Count(text, separator) + 1) * textHeader); err != nil {
		return nil, err
	}
	return strings.Split(text, separator), nil
}

func (w *work) join(separator string, list any) (string, error) {
	n := 0
	switch list := list.(type) {
	case []string:
		n = len(list)
	case []any:
		n = len(list)
	}
	if err := w.making(sizeOf(list) + n*len(separator)); err != nil {
		return "", err
	}
	return joinList(separator, list)
}

func (w *work) json(v any) (string, error) {
	if err := w.making(size(v, jsonSize)); err != nil {
		return "", err
	}
	return jsonText(v)
}

// jsonSize is how many bytes a text has in JSON, at most.
func jsonSize(text string) int {
	n := len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c == 0x7f:
			n += len(`\u0000`) - 1
		case c == '"' || c == '\\':
			n++
		}
	}
	return n
}

// sizeOf is about how many bytes a value has when it is printed.
func sizeOf(v any) int { return size(v, func(text string) int { return len(text) }) }

// size is about how many bytes a value has if its texts have as many as of says.
func size(v any, of func(string) int) int {
	const other = 24 // a number, a bool, quotes and a separator
	n := other
	switch v := v.(type) {
	case string:
		n += of(v)
	case []string:
		for _, text := range v {
			n += size(text, of)
		}
	case []any:
		for _, item := range v {
			n += size(item, of)
		}
	case map[string]string:
		for name, text := range v {
			n += size(name, of) + size(text, of)
		}
	case map[string]any:
		for name, item := range v {
			n += size(name, of) + size(item, of)
		}
	}
	return n
}
