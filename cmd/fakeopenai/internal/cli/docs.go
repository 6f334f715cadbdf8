package cli

import (
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// recipes is a page with a scenario for what people ask for most, each below a heading.
//
//go:embed recipes.md
var recipes string

// recipe returns the recipe with a name, with its heading; "" for none.
func recipe(name string) string {
	for part := range strings.SplitSeq(recipes, "\n## ") {
		if heading, _, _ := strings.Cut(part, "\n"); strings.EqualFold(heading, strings.ReplaceAll(name, "_", " ")) {
			return "## " + strings.TrimRight(part, "\n") + "\n"
		}
	}
	return ""
}

func (a *app) docsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "docs [WORD]",
		Short: "Print the reference of the language, a rule, or the JSON Schema",
		Long: `Print the scenario language on one sheet: all words with their values, their meanings
and examples, as Markdown. With a word, print what the sheet says about it: the section of
that name and the lines of that word, or else all lines in which it stands.

With the name of a recipe, such as "tool loop", print a scenario for it; recipes prints all of
them.

With the name of a rule, explain that rule of the protocol, which streams are checked against,
and print a scenario that breaks it; rules lists all of them.

schema prints the JSON Schema (draft-07) of scenario files, for editors. Save it beside your
scenarios and name it at the beginning of each document, that is in the first line of a file
and again after each ---:

  # yaml-language-server: $schema=./scenario.schema.json`,
		Example: "  fakeopenai docs\n  fakeopenai docs tool_calls\n  fakeopenai docs \"tool loop\"\n  fakeopenai docs missing-finish\n" +
			"  fakeopenai docs schema > scenario.schema.json",
		Args:              arguments(0, 1, "docs takes one word, not %d arguments"),
		ValidArgsFunction: completeWords,
		RunE: func(_ *cobra.Command, args []string) error {
			switch word := strings.Join(args, ""); {
			case len(args) == 0:
				_, err := io.WriteString(a.stdout, yamlfile.Sheet())
				return err
			case word == "schema":
				_, err := a.stdout.Write(editorSchema())
				return err
			case word == "recipes":
				_, err := io.WriteString(a.stdout, recipes)
				return err
			case word == "rules":
				return printRules(a.stdout, "text")
			default:
				return printDocs(a.stdout, word)
			}
		},
	}
}

// printDocs prints the parts of the sheet about a word, or what a rule means.
func printDocs(w io.Writer, word string) error {
	rules := server.Rules()
	if i := slices.IndexFunc(rules, func(r server.Rule) bool { return r.Name == word }); i >= 0 {
		return explain(w, &rules[i])
	}
	if strings.TrimSpace(word) == "" {
		return console.Misuse("docs takes a word of the language, such as fakeopenai docs tool_calls, and not an empty one; fakeopenai docs prints the whole sheet")
	}
	var found []string
	if r := recipe(word); r != "" {
		found = append(found, r)
	}
	_, rest, _ := strings.Cut(yamlfile.Sheet(), "\n## ")
	sections := strings.Split(rest, "\n## ")
	quoted := regexp.QuoteMeta(word)
	named := regexp.MustCompile("(?i)^(- |\\| )[^:|]*`" + quoted + "`")
	anywhere := regexp.MustCompile("(?i)^(- |\\| `).*" + quoted)
	for _, lines := range []*regexp.Regexp{named, anywhere} {
		for _, section := range sections {
			if part := aboutWord(section, word, lines); part != "" {
				found = append(found, "## "+part)
			}
		}
		if len(found) > 0 {
			_, err := io.WriteString(w, strings.Join(found, "\n"))
			return err
		}
	}
	if hint := diag.DidYouMean(word, languageWords()); hint != "" {
		return console.Misuse("the sheet says nothing about %q; %s", word, hint)
	}
	return console.Misuse("the sheet says nothing about %q; fakeopenai docs prints all of it", word)
}

// aboutWord returns what a section of the sheet says about a word: the whole section if the
// word is its name, or else the lines that match and the first example with the word.
func aboutWord(section, word string, lines *regexp.Regexp) string {
	name, text, _ := strings.Cut(section, "\n")
	if strings.EqualFold(name, strings.ReplaceAll(word, "_", " ")) {
		return strings.TrimRight(section, "\n") + "\n"
	}
	text, examples, _ := strings.Cut(text, "\n```yaml\n")
	part := ""
	for line := range strings.Lines(text) {
		if lines.MatchString(line) {
			part += strings.TrimRight(line, "\n") + "\n"
		}
	}
	if part == "" {
		return ""
	}
	key := regexp.MustCompile(`(^|[\s{\[])` + regexp.QuoteMeta(word) + `:`)
	for example := range strings.SplitSeq(examples, "\n```yaml\n") {
		if key.MatchString(example) {
			part += "\n```yaml\n" + strings.TrimRight(example, "\n") + "\n"
			break
		}
	}
	return name + "\n\n" + part
}

func languageWords() []string {
	var names []string
	for _, w := range yamlfile.Words() {
		names = append(names, w.Name, w.Section)
	}
	for _, r := range server.Rules() {
		names = append(names, r.Name)
	}
	for _, heading := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(recipes, -1) {
		names = append(names, strings.ToLower(heading[1]))
	}
	return append(names, "recipes", "rules", "schema")
}

func completeWords(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return languageWords(), cobra.ShellCompDirectiveNoFileComp
}

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
