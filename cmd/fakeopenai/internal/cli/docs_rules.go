package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// explain prints the meaning of a rule, what clients do with streams that break it, and an example that breaks it.
func explain(w io.Writer, rule *server.Rule) error {
	doc := rule.Doc
	if rule.Clients != "" {
		doc += "\n" + rule.Clients
	}
	_, err := fmt.Fprintf(w, `%s
    %s

This scenario breaks it. One that means to says so with quirks: [%s]

%s`, rule.Name, indent(doc), rule.Name, rule.Example)
	return err
}

func indent(doc string) string {
	return strings.ReplaceAll(strings.TrimSpace(doc), "\n", "\n    ")
}

// editorSchema returns the JSON Schema of scenario files, including the names of rules
// for quirks.
func editorSchema() []byte {
	var rules []yamlfile.Rule
	for _, r := range server.Rules() {
		rules = append(rules, yamlfile.Rule{Name: r.Name, Doc: r.Doc})
	}
	return yamlfile.Schema(rules...)
}
