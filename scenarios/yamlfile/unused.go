package yamlfile

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

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
