package render

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
)

// Limits of the work of one template. A short template can ask for work without end,
// with nested loops or texts that double.

// maxMade is how many bytes the functions of a template make in total: a few times the
// longest text that it can write.
const maxMade = 4 * MaxText

// maxIterations is how many rounds the loops of a template make in total: more than
// most prompts have words, and done in a fraction of a second. It is a variable because
// fuzzing, which is slow, lowers it.
var maxIterations = 250_000

// stepFunction is called first in the body of each loop. Templates cannot use this name
// themselves.
const stepFunction = "_step"

// stepNode is the action that calls stepFunction.
var stepNode = func() parse.Node {
	t, err := parseTree("{{" + stepFunction + "}}")
	if err != nil {
		panic(err)
	}
	return t.Root.Nodes[0]
}()

// countLoops adds stepNode to each loop in a list of nodes.
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

// work is the cost of rendering a template so far.
type work struct {
	iterations int
	made       int
	ctx        context.Context // ctx ends when the client leaves; nil never ends.
}

// step counts a round of a loop.
func (w *work) step() (string, error) {
	if w.iterations++; w.iterations > maxIterations {
		return "", fmt.Errorf("its loops go round more than %d times", maxIterations)
	}
	if w.ctx != nil && w.ctx.Err() != nil {
		return "", errors.New("nobody waits for the text any more")
	}
	return "", nil
}

// making is called before a function makes up to most bytes. Its error says that this
// is too much.
func (w *work) making(most int) error {
	if most < 0 || most > MaxText {
		return fmt.Errorf("a text grows beyond the limit of %d bytes", MaxText)
	}
	if w.made += most; w.made > maxMade {
		return fmt.Errorf("its functions make more than %d bytes", maxMade)
	}
	return nil
}

// boundedFunctions are the functions that make texts from texts, limited. They replace
// those of text/template.
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

// of limits a function whose result is up to times as long as its arguments.
func (w *work) of(times int, f func(...any) string) func(...any) (string, error) {
	return func(args ...any) (string, error) {
		if err := w.making(times * sizeOf(args)); err != nil {
			return "", err
		}
		return f(args...), nil
	}
}

// text limits a function of a text. Some characters are longer in another case.
func (w *work) text(f func(string) string) func(string) (string, error) {
	return func(text string) (string, error) {
		if err := w.making(2 * len(text)); err != nil {
			return "", err
		}
		return f(text), nil
	}
}

// printf limits fmt.Sprintf, whose verbs can use each argument many times, quote it,
// and pad it.
func (w *work) printf(format string, args ...any) (string, error) {
	const number = 400 // a float64 in full, or the text for a wrong verb
	longest, most := 0, len(format)
	for _, arg := range args {
		longest = max(longest, sizeOf(arg))
		most += sizeOf(arg) + number // Sprintf appends arguments that no verb uses
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

// times is the factor by which a verb can lengthen its argument: in hexadecimal, a byte
// can become 0x61 and a space.
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

// width is the length up to which a verb pads, from its width and precision. Package
// fmt accepts up to a million.
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

// textHeader is the size of a string header in a slice.
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

// jsonSize is the largest length of a text in JSON.
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

// sizeOf estimates the length of a value when it is printed.
func sizeOf(v any) int { return size(v, func(text string) int { return len(text) }) }

// size estimates the length of a value whose texts have the length that of returns.
func size(v any, of func(string) int) int {
	const other = 24 // a number, a boolean, quotes or a separator
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
