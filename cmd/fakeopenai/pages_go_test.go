package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// Import paths for the Go tests in the pages, by package name.
var goImports = map[string]string{
	"context": "context", "synctest": "testing/synctest", "testing": "testing", "time": "time",
	"yourapp":    "pages/yourapp",
	"fakeopenai": "github.com/fakeopenai/fakeopenai/httptest",
	"step":       "github.com/fakeopenai/fakeopenai/scenarios/step",
	"journal":    "github.com/fakeopenai/fakeopenai/server/journal",
}

const module = "github.com/fakeopenai/fakeopenai"

// The Go blocks run in a module of its own, as a user has it: made with the line that the first page shows, of
// what a module proxy would serve of this tree.
func TestPagesGoTestsPass(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	need(t, "go")
	pages := executed(t)
	fences := fencesOf(pages)
	dir := writeFiles(t, fences)
	if err := os.CopyFS(dir, os.DirFS("testdata/pages")); err != nil {
		t.Fatal(err)
	}
	for i, f := range fences {
		if f.info == "go" {
			writeFile(t, filepath.Join(dir, fmt.Sprintf("block%d_test.go", i)), goFile(f.text))
		}
	}
	run := func(env []string, args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}
	consumer := consumerEnvironment(t)
	run(consumer, "mod", "init", "pages")
	run(consumer, "get", moduleLine(t, pages))
	tree, err := filepath.Abs(root) // where its packages are compiled already
	if err != nil {
		t.Fatal(err)
	}
	run(consumer, "mod", "edit", "-replace="+module+"="+tree)
	out := run([]string{"GOPROXY=off", "GOWORK=off"}, "test", "-v", ".")
	for _, f := range fences {
		for _, name := range regexp.MustCompile(`(?m)^func ((?:Test|Example)\w+)`).FindAllStringSubmatch(f.text, -1) {
			if !bytes.Contains(out, []byte("--- PASS: "+name[1]+" ")) {
				t.Errorf("%v: %s did not run:\n%s", f, name[1], out)
			}
		}
	}
}

// moduleLine returns what the pages say to go get, which is one thing.
func moduleLine(t *testing.T, pages []page) string {
	t.Helper()
	said := map[string]string{}
	for _, p := range pages {
		for _, line := range regexp.MustCompile("(?:^|[\n`])go get ([^`\\s]+)").FindAllStringSubmatch(p.text, -1) {
			said[line[1]] = p.name
		}
	}
	if len(said) != 1 {
		t.Fatalf("the pages do not agree on what to go get: %v", said)
	}
	for argument := range said {
		return argument
	}
	return ""
}

// consumerEnvironment returns the variables with which go knows this tree as the newest version of the module,
// and else what is in the module cache.
func consumerEnvironment(t *testing.T) []string {
	t.Helper()
	const version = "v0.1.0"
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	proxy := t.TempDir()
	versions := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(versions, "list"), version+"\n")
	writeFile(t, filepath.Join(versions, version+".info"), fmt.Sprintf(`{"Version": %q}`, version))
	writeFile(t, filepath.Join(versions, version+".mod"), string(mod))
	writeFile(t, filepath.Join(versions, version+".zip"), moduleZip(t, module+"@"+version))
	known := filepath.Join(strings.TrimSpace(string(cache)), "cache", "download")
	return []string{
		"GOPROXY=" + fileURL(proxy) + "," + fileURL(known), "GOSUMDB=off", "GOWORK=off",
		"GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw",
	}
}

func fileURL(dir string) string {
	return "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/")
}

// moduleZip returns the zip file of the module of this tree, without what is for tests of its own.
func moduleZip(t *testing.T, prefix string) string {
	t.Helper()
	var text strings.Builder
	archive := zip.NewWriter(&text)
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if entry.IsDir() {
			_, nested := os.Stat(filepath.Join(root, name, "go.mod"))
			if nested == nil || entry.Name()[0] == '.' || entry.Name() == "testdata" || entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		file, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		to, err := archive.Create(prefix + "/" + name)
		if err != nil {
			return err
		}
		_, err = to.Write(file)
		return err
	})
	if err := errors.Join(err, archive.Close()); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// goFile makes a complete file of a block: it adds the missing imports.
func goFile(text string) string {
	var b strings.Builder
	b.WriteString("package pages\n\n")
	for name, path := range goImports {
		used := regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(text)
		if used && !strings.Contains(text, strconv.Quote(path)) {
			fmt.Fprintf(&b, "import %s %q\n", name, path)
		}
	}
	return b.String() + "\n" + text
}
