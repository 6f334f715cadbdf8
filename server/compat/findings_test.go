package compat

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// finding is a section of FINDINGS.md: its heading with what a user sees, what this test writes, and why it is a bug.
var finding = regexp.MustCompile(`(?s)(### (\S+)\n\n.+?\n\n)(.*?)(\n\* Should come: .+?\n\* Cause: .+?\n\* Reported: .+?\n\* Sure: .+?\n)(?:\n|$)`)

// cameTo matches a command of FINDINGS.md, and what came of it.
var cameTo = regexp.MustCompile(`(?s)conform --only (\S+) [^\n]*\n\nIt comes to: (.*?)\.\n\n`)

// longest is how many lines the stream of a finding may have.
const longest = 12

// Each finding of FINDINGS.md shows with its stream in the client that it names, in the version that is pinned. A client
// that comes to what is expected was mended: then the finding goes, or it says so.
func TestFindingsShowInTheClientsThatThePageNames(t *testing.T) {
	t.Parallel()
	requireNode(t)
	buildAdapters(t)
	page, err := os.ReadFile("FINDINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	known := map[string]string{}
	for _, m := range cameTo.FindAllSubmatch(page, -1) {
		known[string(m[1])] = string(m[2])
	}
	for _, c := range clients {
		maps.Copy(shown, c.findings(t, known))
	}
	sections := finding.FindAllStringSubmatch(string(page), -1)
	if n := strings.Count(string(page), "\n### "); n != len(sections) {
		t.Errorf("FINDINGS.md has %d headings, and %d whole sections", n, len(sections))
	}
	text := finding.ReplaceAllStringFunc(string(page), func(section string) string {
		parts := finding.FindStringSubmatch(section)
		block := shown[parts[2]]
		delete(shown, parts[2])
		switch {
		case block == "":
			t.Errorf("FINDINGS.md: %s is not in fixtures/findings, or its client comes to what is expected", parts[2])
		case block != parts[3] && !*update:
			t.Errorf("FINDINGS.md says of %s\n%s\nnot (with -update the test writes it anew)\n%s", parts[2], parts[3], block)
		}
		return strings.Replace(section, parts[1]+parts[3], parts[1]+block, 1)
	})
	for id := range shown {
		t.Errorf("FINDINGS.md has no section %s", id)
	}
	if *update && !t.Failed() {
		writeFile(t, "FINDINGS.md", []byte(text))
	}
}

// findings asks the client for the streams of its file in fixtures/findings. It returns what the page says of each that
// the client does not come through as expected; known is what the page says now.
func (c client) findings(t *testing.T, known map[string]string) map[string]string {
	t.Helper()
	name := strings.NewReplacer("()", "", " ", "-").Replace(c.name) + ".yaml"
	src, err := os.ReadFile(filepath.Join("../../fixtures/findings", name))
	if err != nil {
		return nil // no finding is known
	}
	blocks := map[string]string{}
	for id, came := range c.cameTo(t, "../../fixtures/findings/"+name, src, known) {
		document := documentOf(string(src), id)
		if lines := strings.Count(document, "\n"); lines > longest {
			t.Errorf("%s has %d lines, more than %d", id, lines, longest)
		}
		if came != "" {
			blocks[id] = fmt.Sprintf("%s, %s:\n\n```yaml\n%s```\n\n    fakeopenai conform --only %s findings/%s -- %s\n\nIt comes to: %s.\n",
				c.name, c.version(readManifests(t)), document, id, name, c.shown(), strings.ReplaceAll(came, "`", "'"))
		}
	}
	return blocks
}

// cameTo asks the client for all streams of a file, and once more, alone, for those that it came through otherwise than is
// known: where the machine is busy, a client can be too slow. What is too slow then, too, is taken for what is known.
func (c client) cameTo(t *testing.T, file string, src []byte, known map[string]string) map[string]string {
	t.Helper()
	var names, again []string
	for _, name := range nameLine.FindAllSubmatch(src, -1) {
		names = append(names, string(name[1]))
	}
	came := conform(t, c, []string{file}, names, "2")
	for id := range came {
		if !agrees(came[id], known[id]) {
			again = append(again, id)
		}
	}
	for id, second := range conform(t, c, []string{file}, again, "1") {
		came[id] = second
	}
	for id := range came {
		if timeOut.MatchString(came[id]) && known[id] != "" || agrees(came[id], known[id]) {
			came[id] = known[id]
		}
	}
	return came
}

// documentOf is the document of a scenario in a file of YAML.
func documentOf(src, name string) string {
	for document := range strings.SplitSeq(src, "---\n") {
		if strings.HasPrefix(document, "name: "+name+"\n") {
			return document
		}
	}
	return ""
}
