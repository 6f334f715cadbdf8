package render

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

var templateNames = []string{
	"match", "request", "last_user", "tool_results", "tool_result", "header", "api_key", "turn", "attempt", "prompt_tokens", "usage", "message",
}

var usageNames = []string{"requests", "remaining_requests", "tokens", "remaining_tokens"}

// data has the values that the templates of an answer use, and no others.
type data struct {
	sel     *scenarios.Selection
	names   map[string]any // names maps the names below the dot to their values.
	request map[string]any // request is the value of .request; nil while no template uses it.
	// heard is the message for the step that is rendered; nil while there is none, also none that did not come.
	heard *ojson.Value
	whole bool // whole says that request has all members, not only those that templates use.
}

// setStep sets the step that is rendered next, because .message is the message that ended the last wait before it.
func (d *data) setStep(step int) {
	before := d.heard
	d.heard = nil
	for i := range d.sel.Heard {
		if h := &d.sel.Heard[i]; h.Step < step {
			d.heard = &h.Message
		}
	}
	if d.heard != before {
		delete(d.names, "message")
	}
}

// provide returns the data for a template that uses these names.
func (d *data) provide(used [][]string) map[string]any {
	if d.names == nil {
		d.names = make(map[string]any)
	}
	for _, path := range used {
		switch {
		case len(path) == 0:
			for _, name := range templateNames {
				d.add(name)
			}
			d.wholeRequest()
		case path[0] != "request":
			d.add(path[0])
		case len(path) == 1:
			d.wholeRequest()
		default:
			d.member(path[1])
		}
	}
	return d.names
}

// add computes the value of a name below the dot. An unknown name is not added, so that
// using it is an error.
func (d *data) add(name string) {
	if _, ok := d.names[name]; ok {
		return
	}
	req := d.sel.Request
	var v any
	switch name {
	case "match":
		match := d.sel.Match
		if match == nil {
			match = map[string]string{}
		}
		v = match
	case "last_user":
		v = req.LastUser
	case "tool_results":
		v, _ = toolResults(req)
	case "tool_result":
		_, v = toolResults(req)
	case "header":
		v = headerData(req.Header)
	case "api_key":
		v = req.APIKey
	case "turn":
		v = req.Turn
	case "attempt":
		v = req.Attempt
	case "prompt_tokens":
		v = req.PromptTokens
	case "message":
		if d.heard == nil {
			return
		}
		v = plain(*d.heard)
	case "usage":
		spent := d.sel.Spending
		v = map[string]any{
			"requests": spent.Requests, "remaining_requests": spent.RemainingRequests,
			"tokens": spent.Tokens, "remaining_tokens": spent.RemainingTokens,
		}
	default:
		return
	}
	d.names[name] = v
}

// beginRequest makes .request, with the model, which a request can also name elsewhere than in its body.
func (d *data) beginRequest() {
	if d.request != nil {
		return
	}
	d.request = map[string]any{}
	d.names["request"] = d.request
	if model := d.sel.Request.Model; model != "" {
		d.request["model"] = model
	}
}

// member adds a member of the request's body to .request, if the body has it.
func (d *data) member(name string) {
	d.beginRequest()
	if v := d.sel.Request.Body.Get(name); !v.IsAbsent() {
		d.request[name] = plain(v)
	}
}

func (d *data) wholeRequest() {
	d.beginRequest()
	if d.whole {
		return
	}
	if body := d.sel.Request.Body; body.Kind() == ojson.ArrayKind {
		d.names["request"] = plain(body)
	}
	d.whole = true
	for _, m := range d.sel.Request.Body.Members() {
		d.request[m.Name] = plain(m.Value)
	}
}

// toolResults returns the texts of the tool messages by tool_call_id, and the text of
// the last one, which is missing where there is none.
func toolResults(req *scenarios.Request) (byID map[string]string, last any) {
	byID, last = map[string]string{}, null(nil)
	for _, m := range req.Messages {
		switch m.Role {
		case "tool":
			byID[m.ToolCallID] = m.Text
			last = m.Text
		case "function":
			last = m.Text
		}
	}
	return byID, last
}

func headerData(header map[string][]string) map[string]string {
	data := make(map[string]string, len(header))
	for name, values := range header {
		if len(values) > 0 {
			data[name] = values[0]
		}
	}
	return data
}

// plain turns a JSON value into Go values for templates: whole numbers become int,
// others float64.
func plain(v ojson.Value) any {
	switch v.Kind() {
	case ojson.BoolKind:
		b, _ := v.Bool()
		return b
	case ojson.NumberKind:
		if n, ok := v.Int(); ok {
			return int(n)
		}
		f, err := strconv.ParseFloat(v.Text(), 64)
		if err != nil {
			return v.Text()
		}
		return f
	case ojson.StringKind, ojson.RawKind:
		return v.Text()
	case ojson.ArrayKind:
		items := make([]any, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = plain(item)
		}
		return items
	case ojson.ObjectKind:
		members := make(map[string]any, len(v.Members()))
		for _, m := range v.Members() {
			members[m.Name] = plain(m.Value)
		}
		return members
	}
	return null(nil)
}

// fromPlain turns a template's value into JSON. The members of a map are in
// alphabetical order.
func fromPlain(v any) (ojson.Value, bool) {
	if isMissing(v) {
		return ojson.Null(), true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Bool:
		return ojson.Bool(r.Bool()), true
	case reflect.Int:
		return ojson.Int(r.Int()), true
	case reflect.Float64:
		return ojson.Number(strconv.FormatFloat(r.Float(), 'g', -1, 64)), true
	case reflect.String:
		return ojson.String(r.String()), true
	case reflect.Slice:
		list := ojson.Array()
		for i := range r.Len() {
			item, ok := fromPlain(r.Index(i).Interface())
			if !ok {
				return item, false
			}
			list.Push(item)
		}
		return list, true
	case reflect.Map:
		var members []ojson.Member
		for name, value := range r.Seq2() {
			member, ok := fromPlain(value.Interface())
			if !ok {
				return member, false
			}
			members = append(members, ojson.M(name.String(), member))
		}
		slices.SortFunc(members, func(a, b ojson.Member) int { return strings.Compare(a.Name, b.Name) })
		return ojson.Object(members...), true
	}
	return ojson.Value{}, false
}

// A template may ask whether there is something: what the request lacks is then nothing, as is a null. To write
// it is an error, so that no answer has a hole which nobody sees.

// null is a null of JSON. Like what is missing, it has no members, and is false.
type null map[string]any

func (null) String() string { return "null" }

func isMissing(v any) bool {
	_, isNull := v.(null)
	return v == nil || isNull
}

// errMissing is the error for what is missing in the middle of a call.
var errMissing = errors.New(`a value is missing in this request: write it with a default, as in (.request.x | default "none")`)

func checkThere(values ...any) error {
	if slices.ContainsFunc(values, isMissing) {
		return errMissing
	}
	return nil
}

// writeFunction is the function that [Parse] adds to what a template writes and what may be missing.
const writeFunction = "write"

func checkWritten(root *parse.ListNode) {
	eachNode(root, true, func(n parse.Node, _ bool) {
		action, ok := n.(*parse.ActionNode)
		if !ok || len(action.Pipe.Decl) > 0 || !canBeMissing(action.Pipe.Cmds[len(action.Pipe.Cmds)-1].Args[0]) {
			return
		}
		source := action.Pipe.String()
		action.Pipe.Cmds = append(action.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Position(), Args: []parse.Node{
			parse.NewIdentifier(writeFunction).SetPos(n.Position()),
			&parse.StringNode{NodeType: parse.NodeString, Pos: n.Position(), Quoted: strconv.Quote(source), Text: source},
		}})
	})
}

// canBeMissing reports whether what begins the last command of a pipeline can give nothing.
func canBeMissing(n parse.Node) bool {
	if function, ok := n.(*parse.IdentifierNode); ok {
		return slices.Contains([]string{"index", "default", "and", "or"}, function.Ident)
	}
	return slices.Contains([]parse.NodeType{parse.NodeField, parse.NodeVariable, parse.NodeChain, parse.NodePipe}, n.Type())
}

// written is what a template writes, whose source is given.
func (m *machine) written(source string, v any) (any, error) {
	if isMissing(v) {
		return nil, m.missing(source)
	}
	return v, nil
}

var (
	// notThere matches the errors of text/template for a function that is given what is missing.
	notThere = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<([^>]+)>: (?:invalid value; expected|wrong type for value; expected .* got render\.null)`)
	})
	memberName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$?\.request\.(\w+(?:\.\w+)*)$`) })
)

// missingError is the error for something that a template needs and that the request does not have.
type missingError string

func (e missingError) Error() string { return string(e) }

func (m *machine) missing(source string) error {
	instead := fmt.Sprintf("write {{ %s | default \"none\" }}", source)
	member := memberName().FindStringSubmatch(source)
	if strings.TrimPrefix(source, "$") == ".tool_result" {
		instead += ", or let when ask for it, as in tool_result: true"
	}
	if member == nil {
		return missingError(fmt.Sprintf("%s has no value in this request: %s", source, instead))
	}
	if member[1] == "user" {
		instead = "write .last_user for what the user said, or " + strings.TrimPrefix(instead, "write ")
	}
	var has []string
	for _, of := range m.sel.Request.Body.Members() {
		has = append(has, of.Name)
	}
	return missingError(fmt.Sprintf("%s has no value in this request, which has %s: %s, or let when ask for it, as in body: { %s: { exists: true } }",
		source, cmp.Or(diag.Shorten(strings.Join(has, ", ")), "no members"), instead, member[1]))
}
