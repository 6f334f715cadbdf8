package render

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
)

// maxDrawn is the largest number of characters that hex and base62 draw.
const maxDrawn = 1 << 20

// templateFunctions are the functions of templates beside those of text/template.
var templateFunctions = []string{
	"fake", "hex", "base62", "json", "upper", "lower", "trim", "replace", "split", "join",
	"default", "int", "add", "header", "now", "http_date", "unix", "unix_ms", "sha256",
}

var builtinFunctions = []string{
	"and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or",
	"print", "printf", "println", "slice", "urlquery",
}

// functions returns the functions of templates. Random ones draw from the machine's
// source.
func (m *machine) functions() template.FuncMap {
	functions := template.FuncMap{
		"fake":      func(name string) (string, error) { return invent.New(m.rand()).Value(name) },
		"hex":       func(n int) (string, error) { return m.draw(invent.Hex, n) },
		"base62":    func(n int) (string, error) { return m.draw(invent.Base62, n) },
		"default":   orDefault,
		"add":       func(a, b int) int { return a + b },
		"header":    m.header,
		"now":       m.timeAs(time.RFC3339),
		"http_date": m.timeAs(http.TimeFormat),
		"unix":      func() int { return int(m.sel.Request.Time.Unix()) },
		"unix_ms":   func() int { return int(m.sel.Request.Time.UnixMilli()) },
	}
	functions[writeFunction], functions[reachFunction], functions[seekFunction] = m.written, reach, m.work.seek
	maps.Copy(functions, m.work.boundedFunctions())
	return functions
}

func (m *machine) draw(alphabet string, n int) (string, error) {
	if n < 0 || n > maxDrawn {
		return "", fmt.Errorf("cannot draw %d characters; the limit is %d", n, maxDrawn)
	}
	if err := m.work.spend(n); err != nil {
		return "", err
	}
	return invent.Text(m.rand(), alphabet, n), nil
}

// header is the first value of a request header field, whatever the case of its name;
// "" if there is none.
func (m *machine) header(name string) string {
	for field, values := range m.sel.Request.Header {
		if strings.EqualFold(field, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// timeAs gives the time of the request in this layout, or a time so much later.
func (m *machine) timeAs(layout string) func(later ...string) (string, error) {
	return func(later ...string) (string, error) {
		t := m.sel.Request.Time.UTC()
		for _, text := range later {
			d, err := time.ParseDuration(text)
			if err != nil {
				return "", fmt.Errorf("%q is no duration such as 30s or -1h", text)
			}
			t = t.Add(d)
		}
		return t.Format(layout), nil
	}
}

func sha256Text(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// orDefault returns value, or fallback if value is missing, "", 0 or false.
func orDefault(fallback, value any) any {
	switch value {
	case "", 0, 0.0, false:
		return fallback
	}
	if isMissing(value) {
		return fallback
	}
	return value
}

// Limits of the work of one template. A short template can ask for work without end,
// with nested loops, texts that double, or long texts that are read again and again.

// maxSteps is how many steps a template takes at most, which is done in a fraction of a
// second. A round of a loop is a step, and so is each kilobyte of text that functions
// read or make. It is a variable because fuzzing, which is slow, lowers it.
var maxSteps = 250_000

const bytesPerStep = 1 << 10

var (
	errTooManySteps = fmt.Errorf("it takes more than %d steps: rounds of its loops, and kilobytes of text that its functions read or make", maxSteps)
	errLeft         = errors.New("nobody waits for the text any more")
)

// work is the cost of rendering a template so far.
type work struct {
	bytes int             // bytes is the cost in bytes; a round of a loop counts as many as a step has.
	ctx   context.Context // ctx ends when the client leaves; nil never ends.
}

// spend adds to the cost. Its error says that rendering must stop.
func (w *work) spend(bytes int) error {
	if w.bytes += bytes; w.bytes > maxSteps*bytesPerStep {
		return errTooManySteps
	}
	if w.ctx != nil && w.ctx.Err() != nil {
		return errLeft
	}
	return nil
}

// round spends a step. It is called first in the body of each loop.
func (w *work) round() (string, error) { return "", w.spend(bytesPerStep) }

// spendOnLoop counts the cost of beginning a loop over v: the members of a map are sorted. Each range calls it, after
// all other functions of the range.
func (w *work) spendOnLoop(v any) (any, error) {
	if m := reflect.ValueOf(v); m.Kind() == reflect.Map {
		return v, w.spend(m.Len() * bytesPerStep)
	}
	return v, nil
}

// spendOnText counts the cost of a text that a function has made. The error says that the text is too long.
func (w *work) spendOnText(text string) (string, error) {
	if err := checkLength(len(text)); err != nil {
		return "", err
	}
	return text, w.spend(len(text))
}

func checkLength(bytes int) error {
	if bytes < 0 || bytes > scenarios.MaxText {
		return fmt.Errorf("a text grows beyond the limit of %d bytes", scenarios.MaxText)
	}
	return nil
}

// boundedFunctions are the functions that read and make texts, limited. They replace
// those of text/template.
func (w *work) boundedFunctions() template.FuncMap {
	return template.FuncMap{
		roundFunction: w.round,
		overFunction:  w.spendOnLoop,
		readFunction:  w.spendOnRead,
		"index":       w.index,
		"print":       w.ofValues(fmt.Sprint),
		"println":     w.ofValues(fmt.Sprintln),
		"html":        w.ofValues(template.HTMLEscaper),
		"js":          w.ofValues(template.JSEscaper),
		"urlquery":    w.ofValues(template.URLQueryEscaper),
		"upper":       w.ofText(strings.ToUpper),
		"lower":       w.ofText(strings.ToLower),
		"trim":        w.ofText(strings.TrimSpace),
		"sha256":      w.ofText(sha256Text),
		"printf":      w.printf,
		"replace":     w.replace,
		"split":       w.split,
		"join":        w.join,
		"json":        w.json,
		"int":         w.int,
	}
}

// ofValues limits a function that writes values. What it makes is a few times as long as
// they are.
func (w *work) ofValues(f func(...any) string) func(...any) (string, error) {
	return func(args ...any) (string, error) {
		if err := cmp.Or(checkThere(args...), w.spend(sizeOf(args))); err != nil {
			return "", err
		}
		return w.spendOnText(f(args...))
	}
}

// ofText limits a function of a text. What it makes is at most a few times as long.
func (w *work) ofText(f func(string) string) func(string) (string, error) {
	return func(text string) (string, error) {
		if err := w.spend(len(text)); err != nil {
			return "", err
		}
		return w.spendOnText(f(text))
	}
}

func (w *work) json(v any) (string, error) {
	if err := w.spend(sizeOf(v)); err != nil {
		return "", err
	}
	value, ok := fromPlain(v)
	if v == nil {
		return "", errMissing
	}
	if !ok {
		return "", fmt.Errorf("no JSON for %T", v)
	}
	return w.spendOnText(value.String())
}

func (w *work) int(v any) (int, error) {
	switch v := v.(type) {
	case int:
		return v, nil
	case float64:
		return int(v), nil
	case string:
		if err := w.spend(len(v)); err != nil {
			return 0, err
		}
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil {
			return 0, fmt.Errorf("%q is not a whole number", v)
		}
		return n, nil
	}
	return 0, fmt.Errorf("int wants a number or a text, not %T", v)
}

// printf limits fmt.Sprintf, whose verbs can use each argument many times, quote it,
// and pad it. The limit is on the most that a format could make.
func (w *work) printf(format string, args ...any) (string, error) {
	if err := checkThere(args...); err != nil {
		return "", err
	}
	const number, quoted = 400, len("0x61 ") // a float64 in full; a byte in hexadecimal
	longest := 0
	for _, arg := range args {
		longest = max(longest, sizeOf(arg))
	}
	if strings.ContainsAny(format, "qxX#+U") {
		longest *= quoted
	}
	uses := strings.Count(format, "%") + len(args) // Sprintf appends arguments that no verb uses
	if err := checkLength(len(format) + padding(format) + uses*(longest+number)); err != nil {
		return "", err
	}
	return w.spendOnText(fmt.Sprintf(format, args...))
}

// padding is how long the widths and precisions in a format can make its result. It stops to
// count beyond scenarios.MaxText.
func padding(format string) (sum int) {
	const most = 1_000_000 // of one width in package fmt
	width := 0
	for i := 0; i < len(format) && sum <= scenarios.MaxText; i++ {
		switch c := format[i]; {
		case c == '*':
			sum += most
		case '0' <= c && c <= '9':
			width = min(10*width+int(c-'0'), most)
		default:
			sum, width = sum+width, 0
		}
	}
	return sum + width
}

func (w *work) replace(old, with, text string) (string, error) {
	if err := w.spend(len(text)); err != nil {
		return "", err
	}
	if err := checkLength(len(text) + strings.Count(text, old)*max(0, len(with)-len(old))); err != nil {
		return "", err
	}
	return w.spendOnText(strings.ReplaceAll(text, old, with))
}

func (w *work) split(separator, text string) ([]string, error) {
	const header = 16 // of a string in a slice
	list := (strings.Count(text, separator) + 1) * header
	if err := checkLength(list); err != nil {
		return nil, err
	}
	return strings.Split(text, separator), w.spend(len(text) + list)
}

func (w *work) join(separator string, list any) (string, error) {
	size := sizeOf(list)
	if err := w.spend(size); err != nil {
		return "", err
	}
	var texts []string
	switch list := list.(type) {
	case []string:
		texts = list
	case []any:
		for _, item := range list {
			texts = append(texts, fmt.Sprint(item))
		}
	default:
		return "", fmt.Errorf("join wants a list, not %T", list)
	}
	if err := checkLength(size + len(texts)*len(separator)); err != nil {
		return "", err
	}
	return w.spendOnText(strings.Join(texts, separator))
}

// sizeOf estimates the length of a value when it is printed.
func sizeOf(v any) int {
	n := 24 // a number, a boolean, quotes or a separator
	switch v := v.(type) {
	case string:
		n += len(v)
	case []string:
		for _, text := range v {
			n += sizeOf(text)
		}
	case []any:
		for _, item := range v {
			n += sizeOf(item)
		}
	case map[string]string:
		for name, text := range v {
			n += len(name) + sizeOf(text)
		}
	case map[string]any:
		for name, item := range v {
			n += len(name) + sizeOf(item)
		}
	}
	return n
}

// roundFunction and overFunction are the functions that [countRounds] adds to a template.
// Templates cannot use these names themselves.
const (
	roundFunction = "_round"
	overFunction  = "_over"
)

func calling(function string) *parse.ActionNode {
	t, err := parseTree("{{" + function + "}}")
	if err != nil {
		panic(err)
	}
	return t.Root.Nodes[0].(*parse.ActionNode)
}

// countRounds adds the calls of roundFunction and overFunction to all loops.
func countRounds(root *parse.ListNode) {
	eachNode(root, true, func(n parse.Node, _ bool) {
		if loop, ok := n.(*parse.RangeNode); ok {
			loop.List.Nodes = slices.Insert(loop.List.Nodes, 0, parse.Node(calling(roundFunction)))
			loop.Pipe.Cmds = append(loop.Pipe.Cmds, calling(overFunction).Pipe.Cmds...)
		}
	})
}

// readFunction is the function that [countReads] adds to what is compared.
const readFunction = "_read"

// spendOnRead counts the cost of comparing a value, because text/template does not tell what its comparisons cost.
func (w *work) spendOnRead(v any) (any, error) {
	if isMissing(v) {
		v = nil
	}
	text, _ := v.(string)
	return v, w.spend(len(text))
}

func countReads(root *parse.ListNode) {
	compares := func(c *parse.CommandNode) bool {
		function, ok := c.Args[0].(*parse.IdentifierNode)
		return ok && slices.Contains([]string{"eq", "ne", "lt", "le", "gt", "ge"}, function.Ident)
	}
	eachNode(root, true, func(n parse.Node, _ bool) {
		switch n := n.(type) {
		case *parse.PipeNode:
			for i := len(n.Cmds) - 1; i > 0; i-- {
				if compares(n.Cmds[i]) {
					n.Cmds = slices.Insert(n.Cmds, i, calling(readFunction).Pipe.Cmds...)
				}
			}
		case *parse.CommandNode:
			for i := 1; i < len(n.Args) && compares(n); i++ {
				if canBeMissing(n.Args[i]) {
					read := calling(readFunction).Pipe
					read.Cmds[0].Args = append(read.Cmds[0].Args, n.Args[i])
					n.Args[i] = read
				}
			}
		}
	})
}

// index is the value in a list, map or text at an index, in which the next index is looked up.
func (w *work) index(item any, indexes ...any) (any, error) {
	for _, index := range indexes {
		var err error
		if item, err = w.at(reflect.ValueOf(item), index); err != nil {
			return nil, err
		}
	}
	return item, nil
}

func (w *work) at(v reflect.Value, index any) (any, error) {
	name, isName := index.(string)
	number := reflect.ValueOf(index)
	switch kind := v.Kind(); {
	case kind == reflect.Map && isName:
		found := v.MapIndex(reflect.ValueOf(name))
		if !found.IsValid() {
			found = reflect.Zero(v.Type().Elem())
		}
		return found.Interface(), w.spend(len(name))
	case kind != reflect.Slice && kind != reflect.String || !number.CanInt():
		return nil, fmt.Errorf("cannot look up %v in this type of value", index)
	case number.Int() < 0 || number.Int() >= int64(v.Len()):
		return nil, fmt.Errorf("index out of range: %d", number.Int())
	}
	return v.Index(int(number.Int())).Interface(), nil
}
