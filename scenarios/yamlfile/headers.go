package yamlfile

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// headersCodec reads a mapping from header names to texts; a list of texts
// repeats the name, null takes the header away.
func headersCodec() table.Codec {
	isNull := func(list []scenarios.Text) bool { return list == nil }
	values := table.AnyOf(table.Null(func() []scenarios.Text { return nil }, isNull), table.NonEmpty(table.OneOrMore("a list of texts", table.LooseTextCodec())))
	byName := table.MappingCodec("a mapping of header names to texts", values, checkHeader, func(h namedTexts) table.NamedValue[[]scenarios.Text] { return h })
	headers := table.Mapped(byName, func(list []namedTexts, _ diag.Pos) (headers []scenarios.Header) {
		for _, h := range list {
			if h.Value == nil {
				headers = append(headers, scenarios.Header{Name: h.Name, Removed: true})
			}
			for _, text := range h.Value {
				headers = append(headers, scenarios.Header{Name: h.Name, Value: text})
			}
		}
		return headers
	}, func(list []scenarios.Header) ([]namedTexts, bool) { return groupByName(list), true })
	return table.InLines(table.Validated(headers, func(d *table.Decoder, n *yaml.Node, _ *[]scenarios.Header) bool { return headersSpelledTwice(d, n) }))
}

// namedTexts is the values of the header fields that have one name; nil takes them away.
type namedTexts = table.NamedValue[[]scenarios.Text]

// checkHeader reports header fields that cannot be sent.
func checkHeader(d *table.Decoder, p node.Pair, texts []scenarios.Text) (namedTexts, bool) {
	ok := isHeaderName(d, p) && (texts != nil || removable(d, p))
	for _, t := range texts {
		if ok && !t.IsTemplate() && strings.ContainsFunc(t.Source, isControl) {
			d.Report(p.Value, "write the value in one line, without control characters", "the header %s cannot have such a value", p.Name)
			ok = false
		}
	}
	return namedTexts{Name: p.Name, Value: texts}, ok
}

// isHeaderName reports a key that cannot be the name of a header field.
func isHeaderName(d *table.Decoder, p node.Pair) bool {
	ok := token().MatchString(p.Name)
	if !ok {
		d.Report(p.Key, "write letters, digits and hyphens, as in X-Request-Id", "%q is not the name of an HTTP header", node.Abbreviate(p.Name))
	}
	return ok
}

// groupByName groups the values of header fields that have the same name.
func groupByName(list []scenarios.Header) []namedTexts {
	var members []namedTexts
	for _, h := range list {
		i := slices.IndexFunc(members, func(m namedTexts) bool { return m.Name == h.Name })
		if i < 0 {
			i = len(members)
			members = append(members, namedTexts{Name: h.Name})
		}
		if !h.Removed {
			members[i].Value = append(members[i].Value, h.Value)
		}
	}
	return members
}

// removable reports the removal of header fields that HTTP needs.
func removable(d *table.Decoder, p node.Pair) bool {
	instead := map[string]string{
		"connection":        "write wire: { connection: close } to say what happens to the connection",
		"content-length":    "write wire: { length: close } for a body that ends with the connection",
		"transfer-encoding": "write wire: { length: close } for a body that ends with the connection",
	}[strings.ToLower(p.Name)]
	if instead != "" {
		d.Report(p.Key, instead, "the header %s is a part of HTTP itself and cannot be removed", p.Name)
	}
	return instead == ""
}

// isControl reports whether a character cannot stand in the value of an HTTP header.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// token matches what can be the name of an HTTP header.
var token = node.Lazily("^[0-9A-Za-z!#$%&'*+.^_`|~-]+$")

// headerSaidTwice reports a header field under headers that another key of the same mapping
// sets, too: retry_after sets Retry-After.
func headerSaidTwice(d *table.Decoder, m table.Members, key, field string) (ok bool) {
	if m.Key(key) == nil {
		return true
	}
	for _, p := range node.Members(valueOf(m.Node, "headers")) {
		if strings.EqualFold(p.Name, field) {
			d.Report(p.Key, "leave one of them out", "%s and the header %s exclude each other", key, p.Name)
			return false
		}
	}
	return true
}

// headersSpelledTwice reports header fields whose names differ only in case. They are the same
// field in HTTP.
func headersSpelledTwice(d *table.Decoder, n *yaml.Node) (ok bool) {
	pairs := node.Members(n)
	for i, p := range pairs {
		for _, earlier := range pairs[:i] {
			if strings.EqualFold(p.Name, earlier.Name) {
				d.Report(p.Key, "to send it several times, write a list of texts there", "the header %s is already set at line %d", p.Name, earlier.Key.Line)
				return false
			}
		}
	}
	return true
}
