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
	checked := 0
	for _, cells := range row.FindAllStringSubmatch(pagesLike(t, "cmd/coming-from.md")[0].text, -1) {
		for _, m := range code.FindAllStringSubmatch(strings.ReplaceAll(cells[1], `\|`, "|"), -1) {
			yaml := strings.NewReplacer("{ … }", "{ id: x }", "…", "It").Replace(m[1])
			if strings.HasPrefix(yaml, "- ") {
				yaml = "stream:\n- role: assistant\n" + yaml + "\n- finish: stop"
			}
			if !regexp.MustCompile(`(?m)^(message|stream|error|replies):`).MatchString(yaml) {
				yaml += "\nmessage: It is raining."
			}
			source := yamlfile.Source{Name: "row.yaml", Data: []byte("name: row\nquirks: []\n" + yaml + "\n")}
			if _, problems := server.CheckFiles(source); problems != nil {
				t.Errorf("`%s` is no scenario:\n%v", m[1], problems)
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("%d YAML texts were found in the tables, want more: the test does not read the page", checked)
	}
}
