package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the tests of the README import, by the name that they use it under.
var goImports = map[string]string{
	"context": "context", "testing": "testing", "yourapp": "readme/yourapp",
	"fakeopenai": "github.com/fakeopenai/fakeopenai/httptest",
	"scenarios":  "github.com/fakeopenai/fakeopenai/scenarios",
	"server":     "github.com/fakeopenai/fakeopenai/server",
}

func TestReadmeGoTestsPass(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the Go tests of the README were not run: leave out -short")
	}
	need(t, "go")
	fences := readmeFences(t)
	dir := writeFiles(t, fences)
	if err := os.CopyFS(dir, os.DirFS("testdata/readme")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.mod"), "module readme\n\ngo 1.26\n")
	writeFile(t, filepath.Join(dir, "go.work"), fmt.Sprintf("go 1.26\n\nuse (\n\t.\n\t%q\n)\n", root))
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
	for _, name := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(readmeText(t), -1) {
		if !bytes.Contains(out, []byte("--- PASS: "+name[1]+" ")) {
			t.Errorf("%s did not run:\n%s", name[1], out)
		}
	}
}

// goFile makes a whole file of a block.
func goFile(text string) string {
	var b strings.Builder
	b.WriteString("package readme\n\n")
	for name, path := range goImports {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(text) {
			fmt.Fprintf(&b, "import %s %q\n", name, path)
		}
	}
	return b.String() + "\n" + text
}
