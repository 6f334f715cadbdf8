package render

import (
	"strings"
	"text/template/parse"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Most templates only put texts of the request between others. They are rendered without
// text/template, as long as all goes well: what is missing or no text is left to it.

// A field is a text of the request, and the text in front of it.
type field struct {
	before string
	path   []string // path is the names that lead to it; nil for none, at the end of a template.
}

// fieldsOf are the fields that a template consists of; nil if it is more than that.
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

// texts puts fields together. It is not ok if one of them is no text.
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
		if b.Len()+len(f.before)+len(v) > MaxText {
			return "", false
		}
		b.WriteString(f.before)
		b.WriteString(v)
	}
	return b.String(), true
}

// text is the text at the end of a path. It is not ok if there is none, or something else.
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
			return req.Model, true
		}
		return v.Text(), v.Kind() == ojson.StringKind
	}
	return "", false
}
