package render

import (
	"strings"
	"text/template/parse"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Most templates only insert texts of the request. They are rendered here, without
// text/template, as long as nothing is missing and everything is a text; text/template
// handles the rest.

// A field is a text of the request, preceded by a literal text.
type field struct {
	before string
	path   []string // path leads to the text; nil for the literal at the end of a template.
}

// fieldsOf returns the fields of a template that has nothing else; nil for all others.
func fieldsOf(root *parse.ListNode) []field {
	var list []field
	before := ""
	for _, n := range root.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			before += string(n.Text)
		case *parse.ActionNode:
			if len(n.Pipe.Decl) > 0 || len(n.Pipe.Cmds) != 1 || len(n.Pipe.Cmds[0].Args) != 1 {
				return nil
			}
			f, ok := n.Pipe.Cmds[0].Args[0].(*parse.FieldNode)
			if !ok {
				return nil
			}
			list = append(list, field{before, f.Ident})
			before = ""
		default:
			return nil
		}
	}
	return append(list, field{before: before})
}

// texts joins the fields. Ok is false if one of them is not a text.
func (d *data) texts(fields []field) (text string, ok bool) {
	if len(fields) == 0 {
		return "", false
	}
	var b strings.Builder
	for _, f := range fields {
		v := ""
		if f.path != nil {
			if v, ok = d.text(f.path); !ok {
				return "", false
			}
		}
		if b.Len()+len(f.before)+len(v) > scenarios.MaxText {
			return "", false
		}
		b.WriteString(f.before)
		b.WriteString(v)
	}
	return b.String(), true
}

// text is the text at the end of a path. Ok is false if there is none, or something
// else.
func (d *data) text(path []string) (text string, ok bool) {
	req := d.sel.Request
	switch {
	case len(path) == 1 && path[0] == "last_user":
		return req.LastUser, true
	case len(path) == 1 && path[0] == "api_key":
		return req.APIKey, true
	case len(path) == 2 && path[0] == "match":
		text, ok = d.sel.Match[path[1]]
		return text, ok
	case len(path) == 2 && path[0] == "request":
		v := req.Body.Get(path[1])
		if v.IsAbsent() && path[1] == "model" {
			return req.Model, req.Model != ""
		}
		return v.Text(), v.Kind() == ojson.StringKind
	}
	return "", false
}
