package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// The README is executed: its scenarios are written to the files that their
// first lines name and checked, its console blocks are run beside them and their
// output compared, its Go tests are compiled and run. In what is shown, … stands
// for anything on a line or, alone on a line, for any lines.

const readme = "../../README.md"

// A fence is a fenced block of the README.
type fence struct {
	info string // what follows the fence
	text string
	line int // of its first line
}

func readmeFences(t *testing.T) []fence {
	t.Helper()
	var list []fence
	var open *fence
	for i, line := range strings.SplitAfter(readmeText(t), "\n") {
		switch info, mark := strings.CutPrefix(line, "```"); {
		case mark && open == nil:
			open = &fence{info: strings.TrimSpace(info), line: i + 2}
		case mark:
			list = append(list, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	return list
}

func readmeText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadmeScenariosAreClean(t *testing.T) {
	t.Parallel()
	found := 0
	for _, f := range readmeFences(t) {
		name, ok := f.file()
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		found++
		if _, problems := scenarios.Check(scenarios.Source{Name: name, Data: []byte(f.text)}); problems != nil {
			t.Errorf("README.md:%d:\n%v", f.line, problems)
		}
	}
	if found == 0 {
		t.Error("README.md shows no scenario")
	}
}

// file is the name of the file that a block shows, from its first line.
func (f fence) file() (string, bool) {
	line, _, _ := strings.Cut(f.text, "\n")
	name, ok := strings.CutPrefix(line, "# ")
	return name, ok && f.info == "yaml"
}

// writeFiles writes the scenarios of the README to a directory of their own.
func writeFiles(t *testing.T, fences []fence) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range fences {
		if name, ok := f.file(); ok && !strings.HasPrefix(name, ".") {
			writeFile(t, filepath.Join(dir, name), f.text)
		}
	}
	return dir
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadmeLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	page := readmeText(t)
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(page, -1) {
		target, anchor, _ := strings.Cut(link[1], "#")
		switch {
		case strings.HasPrefix(target, "https://"):
		case target == "":
			heading := regexp.MustCompile(`(?mi)^#+ ` + strings.ReplaceAll(regexp.QuoteMeta(anchor), "-", "[ -]") + `$`)
			if !heading.MatchString(page) {
				t.Errorf("README.md links to #%s, and has no such heading", anchor)
			}
		default:
			if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
				t.Errorf("README.md links to %s: %v", target, err)
			}
		}
	}
}
