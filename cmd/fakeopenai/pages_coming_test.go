package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// Each YAML that the tables of the page name as what to write is a scenario, or a part of one.
func TestWhatToWriteForAnotherToolIsRight(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile(`(?m)^\| .* \| (.*) \|$`)
	code := regexp.MustCompile("`((?:when|message|replies|error|wire|pace|end|- wait|- hold): [^`]+|- (?:raw|delta): [^`]+)`")
	whole := regexp.MustCompile(`(?:yaml=|YAML\()"([^"]+)"`) // in a line of a test
	checked := 0
	check := func(text, yaml string) {
		source := yamlfile.Source{Name: "row.yaml", Data: []byte(yaml + "\n")}
		if _, problems := server.CheckFiles(source); problems != nil {
			t.Errorf("`%s` is no scenario:\n%v", text, problems)
		}
		checked++
	}
	for _, cells := range row.FindAllStringSubmatch(pagesLike(t, "cmd/coming-from.md")[0].text, -1) {
		for _, m := range code.FindAllStringSubmatch(strings.ReplaceAll(cells[1], `\|`, "|"), -1) {
			yaml := strings.NewReplacer("{ … }", "{ id: x }", "…", "It").Replace(m[1])
			if strings.HasPrefix(yaml, "- ") {
				yaml = "stream:\n- role: assistant\n" + yaml + "\n- finish: stop"
			}
			if !regexp.MustCompile(`(?m)^(message|stream|error|replies):`).MatchString(yaml) {
				yaml += "\nmessage: It is raining."
			}
			check(m[1], "name: row\nquirks: []\n"+yaml)
		}
		for _, m := range whole.FindAllStringSubmatch(cells[1], -1) {
			check(m[1], m[1])
		}
	}
	if checked < 20 {
		t.Errorf("%d YAML texts were found in the tables, want more: the test does not read the page", checked)
	}
}
