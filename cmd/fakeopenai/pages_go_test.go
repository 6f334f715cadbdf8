package main

import (
	"bytes"
	"fmt"
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
	"yamlfile":   "github.com/fakeopenai/fakeopenai/scenarios/yamlfile",
	"server":     "github.com/fakeopenai/fakeopenai/server",
	"journal":    "github.com/fakeopenai/fakeopenai/server/journal",
}

func TestPagesGoTestsPass(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	need(t, "go")
	fences := fencesOf(executed(t))
	dir := writeFiles(t, fences)
	if err := os.CopyFS(dir, os.DirFS("testdata/pages")); err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.mod"), "module pages\n\ngo 1.26\n")
	writeFile(t, filepath.Join(dir, "go.work"), fmt.Sprintf("go 1.26\n\nuse (\n\t.\n\t%q\n)\n", module))
	for i, f := range fences {
		if f.info == "go" {
			writeFile(t, filepath.Join(dir, fmt.Sprintf("block%d_test.go", i)), goFile(f.text))
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go test: %v\n%s", err, out)
	}
	for _, f := range fences {
		for _, name := range regexp.MustCompile(`(?m)^func ((?:Test|Example)\w+)`).FindAllStringSubmatch(f.text, -1) {
			if !bytes.Contains(out, []byte("--- PASS: "+name[1]+" ")) {
				t.Errorf("%v: %s did not run:\n%s", f, name[1], out)
			}
		}
	}
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
