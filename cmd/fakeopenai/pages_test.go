package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// The pages are executed: their scenarios are written to the files that their
// first lines name and checked, their console blocks are run beside them and the
// output is compared, their Go tests are compiled and run. All pages share one
// directory, so that one can use the files of another. In what is shown, … stands
// for anything on a line or, alone on a line, for any lines.

// everyPage are the globs of all pages. Pages that are deeper are of packages of others.
var everyPage = []string{"*.md", "*/*.md", "*/*/*.md", "cmd/packaging/*/*.md", "cmd/fakeopenai/internal/cli/*.md"}

// site is where the pages of the repository are read.
const site = "https://github.com/fakeopenai/fakeopenai/blob/main/"

// root is the directory of the repository.
const root = "../.."

// A page is a file of documentation.
type page struct {
	name string // its path from the root, with slashes
	text string
}

// executed are the pages whose blocks are executed here: the README.md files of the root and of its folders, and the
// pages of single commands. Package scenarios tests the examples of its own pages.
func executed(t *testing.T) []page {
	t.Helper()
	list := pagesLike(t, "README.md", "*/README.md", "cmd/import.md", "cmd/coming-from.md", "cmd/hunt.md", "cmd/flags.md")
	return slices.DeleteFunc(list, func(p page) bool { return p.name == "scenarios/README.md" })
}

// pagesLike returns the files that match the patterns, globs relative to the root.
func pagesLike(t *testing.T, patterns ...string) []page {
	t.Helper()
	var list []page
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || files == nil {
			t.Fatalf("no page is named %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, page{filepath.ToSlash(name), string(text)})
		}
	}
	return list
}

// A fence is a fenced block of a page.
type fence struct {
	page string // its name
	info string // what follows the fence
	text string
	line int // of its first line
}

func (f fence) String() string { return fmt.Sprintf("%s:%d", f.page, f.line) }

func (p page) fences() []fence {
	var list []fence
	var open *fence
	for i, line := range strings.SplitAfter(p.text, "\n") {
		switch info, mark := strings.CutPrefix(line, "```"); {
		case mark && open == nil:
			open = &fence{page: p.name, info: strings.TrimSpace(info), line: i + 2}
		case mark:
			list = append(list, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	return list
}

// fencesOf returns the blocks of all pages.
func fencesOf(pages []page) []fence {
	var list []fence
	for _, p := range pages {
		list = append(list, p.fences()...)
	}
	return list
}

// Each block is of a kind that a test below executes.
func TestPagesHaveNoBlockThatNothingExecutes(t *testing.T) {
	t.Parallel()
	for _, f := range fencesOf(executed(t)) {
		_, named := f.file()
		if _, script := f.script(); script {
			continue // a console block runs it, or the tests of the packages
		}
		if _, input := f.input(); input {
			continue // a console block reads it
		}
		if known := []string{"console", "sh", "go"}; !named && !slices.Contains(known, f.info) {
			t.Errorf("%v: a block of %q is neither a named file nor one of %v", f, f.info, known)
		}
	}
}

func TestPagesScenariosAreClean(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	found := 0
	for _, f := range fencesOf(executed(t)) {
		name, ok := f.file()
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		found++
		if _, problems := yamlfile.Check(nil, yamlfile.Source{Name: name, Data: []byte(f.text)}); problems != nil {
			t.Errorf("%v:\n%v", f, problems)
		}
	}
	if found == 0 {
		t.Error("no page shows a scenario")
	}
}

// file returns the file name in the first line of a block; "" for none.
func (f fence) file() (string, bool) {
	line, _, _ := strings.Cut(f.text, "\n")
	name, ok := strings.CutPrefix(line, "# ")
	return name, ok && f.info == "yaml"
}

// script returns the file name in the first line of a block in another language.
func (f fence) script() (string, bool) {
	line, _, _ := strings.Cut(f.text, "\n")
	mark, name, ok := strings.Cut(line, " ")
	return name, ok && (f.info == "python" && mark == "#" || (f.info == "js" || f.info == "ts") && mark == "//")
}

// input returns the file name after the language of a fence, for formats without
// comments.
func (f fence) input() (string, bool) {
	_, name, ok := strings.Cut(f.info, " ")
	return name, ok
}

// writeFiles writes the scenarios, programs and inputs of the pages to a directory of
// their own.
func writeFiles(t *testing.T, fences []fence) string {
	t.Helper()
	dir := t.TempDir()
	shownIn := map[string]fence{}
	for _, f := range fences {
		name, ok := f.file()
		if !ok {
			name, ok = f.script()
		}
		if !ok {
			name, ok = f.input()
		}
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if other, twice := shownIn[name]; twice && other.text != f.text {
			t.Errorf("%v: %s is another file in %v", f, name, other)
		}
		shownIn[name] = f
		writeFile(t, filepath.Join(dir, name), f.text)
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

// Links lead to files that exist, and to headings that are there.
func TestPagesLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	for _, p := range pagesLike(t, append(everyPage, "llms.txt")...) {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(withoutBlocks(p), -1) {
			target, anchor, _ := strings.Cut(link[1], "#")
			file, here := strings.CutPrefix(target, site)
			switch {
			case here:
			case strings.HasPrefix(target, "https://"):
				continue
			case target == "":
				file = p.name
			default:
				file = path.Join(path.Dir(p.name), target)
			}
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s links to %s: %v", p.name, target, err)
			} else if anchor != "" && !slices.Contains(anchors(pagesLike(t, file)[0]), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", p.name, link[1])
			}
		}
	}
}

// withoutBlocks returns the text of a page without its blocks.
func withoutBlocks(p page) string {
	return regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(p.text, "")
}

// anchors returns the anchors that GitHub makes of a page's headings.
func anchors(p page) []string {
	var list []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(withoutBlocks(p), -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		list = append(list, strings.ReplaceAll(name, " ", "-"))
	}
	return list
}
