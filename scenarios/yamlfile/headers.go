package yamlfile

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// headersCodec reads a mapping from header names to texts; a list of texts
// repeats the name, null takes the header away.
func headersCodec() table.Codec[*[]scenarios.Header] {
	isNull := func(list []scenarios.Text) bool { return list == nil }
	values := table.AnyOf(table.Null(func() []scenarios.Text { return nil }, isNull), table.NonEmpty(table.OneOrMore("a list of texts", looseTextCodec())))
	headers := table.MappingCodec("a mapping of header names to texts", values, func(d *table.Decoder, p node.Pair, texts []scenarios.Text) ([]scenarios.Header, bool) {
		if !isToken(p.Name) {
			d.Report(p.Key, "write letters, digits and hyphens, as in X-Request-Id", "%q is not the name of an HTTP header", node.Abbreviate(p.Name))
			return nil, false
		}
		if texts == nil {
			return []scenarios.Header{{Name: p.Name, Removed: true}}, removable(d, p)
		}
		var headers []scenarios.Header
		for _, t := range texts {
			if !t.IsTemplate() && strings.ContainsFunc(t.Source, isControl) {
				d.Report(p.Value, "write the value in one line, without control characters", "the header %s cannot have such a value", p.Name)
				return nil, false
			}
			headers = append(headers, scenarios.Header{Name: p.Name, Value: t})
		}
		return headers, true
	}, byName)
	return table.InLines(table.Validated(headers, func(d *table.Decoder, n *yaml.Node, _ *[]scenarios.Header) bool { return headersSpelledTwice(d, n) }))
}

// byName groups the values of header fields that have the same name.
func byName(list []scenarios.Header) []table.NamedValue[[]scenarios.Text] {
	var members []table.NamedValue[[]scenarios.Text]
	for _, h := range list {
		i := slices.IndexFunc(members, func(m table.NamedValue[[]scenarios.Text]) bool { return m.Name == h.Name })
		if i < 0 {
			i = len(members)
			members = append(members, table.NamedValue[[]scenarios.Text]{Name: h.Name})
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

// isToken reports whether s can be the name of an HTTP header.
func isToken(s string) bool {
	const others = "!#$%&'*+-.^_`|~"
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune(others, r)
	}) < 0
}
