package fakeopenai

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// TestTheArchitectureNamesWhatExists checks that the files and folders to which ARCHITECTURE.md
// links exist, and that its picture has every package.
func TestTheArchitectureNamesWhatExists(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	page, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\(([^)#]+)`).FindAllStringSubmatch(string(page), -1)
	if len(links) < 40 {
		t.Errorf("%d links, want those of the walks and of the table", len(links))
	}
	for _, link := range links {
		if _, err := os.Stat("../" + link[1]); err != nil {
			t.Errorf("ARCHITECTURE.md names %s: %v", link[1], err)
		}
	}
	picture, _, _ := strings.Cut(string(page), "## A request")
	words := strings.FieldsFunc(picture, func(r rune) bool { return strings.ContainsRune(" \n{},/", r) })
	for name := range walls {
		if !slices.Contains(words, path.Base(name)) {
			t.Errorf("the picture of ARCHITECTURE.md lacks the package %s", name)
		}
	}
}

// Every promise of SECURITY.md names tests that exist.
func TestPromisesOfSecurityHaveTests(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	page, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	tests, promises := testNames(t), 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 2 || cells[0] == "promise" || cells[0] == "---" {
			continue
		}
		promises++
		names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1)
		if len(names) == 0 {
			t.Errorf("no test is named for: %s", cells[0])
		}
		for _, name := range names {
			if !tests[name[1]] {
				t.Errorf("there is no test %s for: %s", name[1], cells[0])
			}
		}
	}
	if promises < 20 {
		t.Errorf("%d promises are found, want all of the table", promises)
	}
}

// testNames returns the names of the tests and fuzz targets of the module.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
