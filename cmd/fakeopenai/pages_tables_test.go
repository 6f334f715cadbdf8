package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// The tables in the pages agree with the help of the commands and with the list of
// variants. Each table is on one page.
func TestPagesTablesAreThoseOfTheHelp(t *testing.T) {
	t.Parallel()
	testflag.Writes(t)
	pages := executed(t)
	for name, table := range map[string]string{"commands": commandTable(t), "flags": flagTable(t), "variants": variantTable()} {
		part := regexp.MustCompile(`(?s)(<!-- table: ` + name + ` -->\n).*?(<!-- end -->)`)
		at := slices.IndexFunc(pages, func(p page) bool { return part.MatchString(p.text) })
		if at < 0 {
			t.Fatalf("no page has a table of %s", name)
		}
		p := &pages[at]
		want := part.ReplaceAllStringFunc(p.text, func(old string) string {
			m := part.FindStringSubmatch(old)
			return m[1] + "\n" + table + "\n" + m[2]
		})
		switch {
		case p.text == want:
		case testflag.Update():
			p.text = want
			writeFile(t, filepath.Join(root, p.name), want)
		default:
			t.Errorf("%s: the table of %s is not that of the help: run go test ./cmd/fakeopenai -update", p.name, name)
		}
	}
}

// commandNames are the commands of the program, as its help lists them.
func commandNames(t *testing.T) []string {
	t.Helper()
	list, _, _ := strings.Cut(help(t), "Further help:\n")
	var names []string
	for _, line := range regexp.MustCompile(`(?m)^  ([a-z]+)  +\S`).FindAllStringSubmatch(list, -1) {
		names = append(names, line[1])
	}
	return names
}

func help(t *testing.T, command ...string) string {
	t.Helper()
	return printed(t, append(command, "--help")...)
}

// printed is what the program prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "fakeopenai", args...).Output()
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
		usage := regexp.MustCompile(`\nUsage:\n  fakeopenai (.*)\n`).FindStringSubmatch(help(t, name))
		about := regexp.MustCompile(`(?m)^  ` + name + ` +(.*)$`).FindStringSubmatch(overview)
		table += fmt.Sprintf("| `%s` | %s |\n", strings.ReplaceAll(usage[1], "|", `\|`), about[1])
	}
	return table
}

// A flag as the help of a command shows it.
type helpFlag struct{ spelling, about string }

var (
	helpLine  = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[\w-]+(?: [^ ]+)?)  +(\S.*)$`)
	helpBreak = regexp.MustCompile(`\n {12,}`)
)

func flagTable(t *testing.T) string {
	t.Helper()
	commands := map[helpFlag][]string{}
	var order []helpFlag
	for _, name := range commandNames(t) {
		for _, m := range helpLine.FindAllStringSubmatch(helpBreak.ReplaceAllString(help(t, name), " "), -1) {
			f := helpFlag{m[1], m[2]}
			if commands[f] == nil {
				order = append(order, f)
			}
			commands[f] = append(commands[f], name)
		}
	}
	slices.SortStableFunc(order, func(a, b helpFlag) int { return strings.Compare(a.spelling, b.spelling) })
	table := "| flag | of | meaning |\n| --- | --- | --- |\n"
	for _, f := range order {
		table += fmt.Sprintf("| `%s` | %s | %s |\n", f.spelling, strings.Join(commands[f], ", "), f.about)
	}
	return table
}

func variantTable() string {
	table := "| variant | what is different | in YAML |\n| --- | --- | --- |\n"
	for _, v := range sweep.Variants() {
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

// Each fault in the table of faults is valid YAML of the scenario language.
func TestPagesFaultsCanBeSaid(t *testing.T) {
	t.Parallel()
	page := pagesLike(t, "fixtures/README.md")[0]
	table := regexp.MustCompile(`(?s)\| how to say it \|.*?\n\n`).FindString(page.text)
	faults := regexp.MustCompile("`((?:- )?[a-z]+: [^`]+)`").FindAllStringSubmatch(table, -1)
	if len(faults) == 0 {
		t.Fatalf("%s has no table of faults", page.name)
	}
	for _, fault := range faults {
		var problems []string
		for _, text := range scenariosWith(fault[1]) {
			if _, found := yamlfile.Check(nil, yamlfile.Source{Name: "fault.yaml", Data: []byte(text)}); found != nil {
				problems = append(problems, found.Error())
			}
		}
		if len(problems) == len(scenariosWith(fault[1])) {
			t.Errorf("%s: %s\n%s", page.name, fault[1], strings.Join(problems, "\n"))
		}
	}
}

// scenariosWith returns scenarios that have the fault in different places, one of which
// must be valid. A step may come before the finish, after it or in its place.
func scenariosWith(fault string) []string {
	const head = "name: fault\n"
	switch {
	case strings.HasPrefix(fault, "error:"):
		return []string{head + fault + "\n"}
	case !strings.HasPrefix(fault, "- "):
		return []string{head + "message: Hello! How can I help you today?\n" + fault + "\n"}
	}
	const begin, finish = head + "stream:\n  - role: assistant\n  - content: Hello\n", "  - finish: stop\n"
	step := "  " + fault + "\n"
	return []string{begin + step + finish, begin + finish + step, begin + step}
}
