package render

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

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
