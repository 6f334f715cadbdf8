package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// The tables of the README are those of the commands' help and of the
// variants.
func TestReadmeTablesAreThoseOfTheHelp(t *testing.T) {
	t.Parallel()
	page := readmeText(t)
	want := page
	for name, table := range map[string]string{"commands": commandTable(t), "flags": flagTable(t), "variants": variantTable()} {
		part := regexp.MustCompile(`(?s)(<!-- table: ` + name + ` -->\n).*?(<!-- end -->)`)
		if !part.MatchString(page) {
			t.Fatalf("README.md has no table of %s", name)
		}
		want = part.ReplaceAllStringFunc(want, func(old string) string {
			m := part.FindStringSubmatch(old)
			return m[1] + "\n" + table + "\n" + m[2]
		})
	}
	if page == want {
		return
	}
	if !*update {
		t.Fatal("the tables of the README are not those of the help: run go test ./cmd/fakeopenai -run Readme -update")
	}
	writeFile(t, readme, want)
}

// commandNames are the commands of the program, as its help lists them.
func commandNames(t *testing.T) []string {
	t.Helper()
	_, list, _ := strings.Cut(help(t), "Available Commands:\n")
	var names []string
	for line := range strings.Lines(list) {
		if strings.TrimSpace(line) == "" {
			break
		}
		if name := strings.Fields(line)[0]; name != "help" {
			names = append(names, name)
		}
	}
	return names
}

func help(t *testing.T, command ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "fakeopenai", append(command, "--help")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func commandTable(t *testing.T) string {
	t.Helper()
	overview := help(t)
	table := "| command | what it does |\n| --- | --- |\n"
	for _, name := range commandNames(t) {
		usage := regexp.MustCompile(`\n  fakeopenai (.*)\n`).FindStringSubmatch(help(t, name))
		about := regexp.MustCompile(`(?m)^  ` + name + ` +(.*)$`).FindStringSubmatch(overview)
		table += fmt.Sprintf("| `%s` | %s |\n", strings.ReplaceAll(strings.TrimSuffix(usage[1], " [flags]"), "|", `\|`), about[1])
	}
	return table
}

// A flag as the help of a command shows it.
type helpFlag struct{ spelling, variable, fallback, about string }

var helpLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[\w-]+(?: [^ ]+)?) +(.*?) \[\$(\w+)\](?: \(default (.*)\))?$`)

func flagTable(t *testing.T) string {
	t.Helper()
	commands := map[helpFlag][]string{}
	var order []helpFlag
	for _, name := range commandNames(t) {
		for _, m := range helpLine.FindAllStringSubmatch(help(t, name), -1) {
			f := helpFlag{m[1], m[3], m[4], m[2]}
			if commands[f] == nil {
				order = append(order, f)
			}
			commands[f] = append(commands[f], name)
		}
	}
	slices.SortStableFunc(order, func(a, b helpFlag) int { return strings.Compare(a.spelling, b.spelling) })
	table := "| flag | variable | default | of | meaning |\n| --- | --- | --- | --- | --- |\n"
	for _, f := range order {
		table += fmt.Sprintf("| `%s` | `%s` | %s | %s | %s |\n", f.spelling, f.variable, f.fallback, strings.Join(commands[f], ", "), f.about)
	}
	return table
}

func variantTable() string {
	table := "| variant | what is different | in YAML |\n| --- | --- | --- |\n"
	for _, v := range scenarios.Variants() {
		name, yaml := v.Name, ""
		if v.OnDemand {
			name += " +"
		}
		if v.YAML != "" {
			yaml = "`" + v.YAML + "`"
		}
		table += fmt.Sprintf("| %s | %s | %s |\n", name, v.About, yaml)
	}
	return table
}
