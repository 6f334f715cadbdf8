package fakeopenai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

const ours = "github.com/fakeopenai/fakeopenai"

// listed is what go list prints about a package.
type listed struct {
	ImportPath string
	Imports    []string
	// TestImports and XTestImports are the imports of the test files, by those of the package
	// and by those beside it.
	TestImports, XTestImports []string
	Deps                      []string
	Module                    *struct {
		Path string
		Main bool
	}
}

// list returns all packages of this module and all their dependencies.
func list(t *testing.T) map[string]listed {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: the go command is not in the PATH; install Go to run this test")
	}
	packages, err := listOnce()
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

var listOnce = sync.OnceValues(func() (map[string]listed, error) {
	out, err := exec.CommandContext(context.Background(), "go", "list", "-deps", "-json=ImportPath,Imports,TestImports,XTestImports,Deps,Module", ours+"/...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	packages := map[string]listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages[p.ImportPath] = p
	}
})

// TestModulesOfTheHelper checks that the packages of a test that imports the helper come from
// three other modules only.
func TestModulesOfTheHelper(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	allowed := []string{"github.com/brianvoe/gofakeit/v6", "github.com/gorilla/mux", "gopkg.in/yaml.v3"}
	packages := list(t)
	for _, dep := range append(packages[ours+"/httptest"].Deps, ours+"/httptest") {
		m := packages[dep].Module
		if m == nil || m.Main || slices.Contains(allowed, m.Path) {
			continue
		}
		t.Errorf("the helper takes %s into its users' builds, by way of %s; it may need only %s",
			m.Path, strings.Join(importers(packages, ours+"/httptest", dep), ", "), strings.Join(allowed, ", "))
	}
}

// TestImports checks that packages of this module import only what walls allows them.
func TestImports(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	found := map[string][]string{} // found has, for each of our packages, its imports of our other packages
	for path, p := range list(t) {
		name, isOurs := strings.CutPrefix(path, ours+"/")
		if !isOurs {
			continue
		}
		found[name] = nil
		for _, imported := range p.Imports {
			if other, isOurs := strings.CutPrefix(imported, ours+"/"); isOurs {
				found[name] = append(found[name], other)
			}
		}
	}
	for name, imports := range found {
		if _, ok := walls[name]; !ok {
			t.Errorf("package %s is not in the list: say what it may import, and why; it imports %v", name, imports)
			continue
		}
		for _, other := range imports {
			if !slices.Contains(walls[name].names(), other) {
				t.Errorf("package %s imports %s, which it may not: %s", name, other, walls[name].reason)
			}
		}
	}
	for name, wall := range walls {
		imports, ok := found[name]
		if !ok {
			t.Errorf("there is no package %s: take it from the list", name)
			continue
		}
		if wall.reason == "" {
			t.Errorf("the list does not say why package %s may import %v and no more", name, wall.names())
		}
		for _, other := range wall.names() {
			if !slices.Contains(imports, other) {
				t.Errorf("package %s may import %s but does not: take that from the list", name, other)
			}
		}
	}
}

// TestEveryPackageKnowsUpdate checks that go test ./... -update writes what can be written again:
// go test hands the flag to the tests of every package, and those that lack it fail.
func TestEveryPackageKnowsUpdate(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	for path, p := range list(t) {
		imports := slices.Concat(p.TestImports, p.XTestImports)
		if strings.HasPrefix(path, ours) && len(imports) > 0 && !slices.Contains(imports, ours+"/fixtures/testflag") {
			t.Errorf("the tests of %s do not import fixtures/testflag, and so fail with -update", path)
		}
	}
}

// TestNoPackageIsCompiledAgainForATest checks that tests inside a package stand in no folder with tests beside it that
// import what imports the package: go test would compile all of that again, which took two thirds of the time of go test ./...
func TestNoPackageIsCompiledAgainForATest(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	packages := list(t)
	for path, p := range packages {
		if !strings.HasPrefix(path, ours) || len(p.TestImports) == 0 {
			continue
		}
		for _, other := range p.XTestImports {
			if slices.Contains(packages[other].Deps, path) {
				t.Errorf("%s has tests inside the package, and tests beside it that import %s, which imports the package", path, other)
			}
		}
	}
}

// TestForbiddenImports checks that some of our packages do not depend on certain packages of
// the standard library, not even indirectly.
func TestForbiddenImports(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	for _, tt := range []struct{ from, forbidden, reason string }{
		{"scenarios", "net/http", "the language knows nothing of HTTP"},
		{"scenarios", "testing", "it is used outside of tests"},
		{"server", "testing", "it is used outside of tests"},
		{"server", "flag", "only the command reads flags; a server has a Config"},
		{"server/internal/socket", "net/http", "a connection is watched below HTTP"},
		{"httptest", "net/http/httptest", "it would register a flag in its users' test binaries"},
	} {
		for path, p := range list(t) {
			if strings.HasPrefix(path+"/", ours+"/"+tt.from+"/") && slices.Contains(p.Deps, tt.forbidden) {
				t.Errorf("%s imports %s, by way of %s: %s", path, tt.forbidden, strings.Join(importers(list(t), path, tt.forbidden), ", "), tt.reason)
			}
		}
	}
}

func TestFixturesHoldNoCode(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	for _, path := range list(t)[ours+"/fixtures"].Imports {
		if path != "embed" && path != "io/fs" {
			t.Errorf("fixtures imports %s: it is there to embed files, and nothing else", path)
		}
	}
}

// importers returns those of a package and what it depends on that import path directly.
func importers(packages map[string]listed, from, path string) []string {
	var found []string
	for _, name := range append(packages[from].Deps, from) {
		if p := packages[name]; slices.Contains(p.Imports, path) {
			found = append(found, p.ImportPath)
		}
	}
	slices.Sort(found)
	return found
}

// TestTheEngineHoldsNoOpenAIWord checks that the packages that time, damage, frame and play
// units know nothing of OpenAI's API, so that other APIs can use them.
func TestTheEngineHoldsNoOpenAIWord(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	words := regexp.MustCompile(`(?i)openai|chatcmpl|\bchat\b|completion|\[DONE\]|choices|delta|finish|obfuscation|tool_call|logprob|prompt_tokens|assistant`)
	for _, room := range []string{"compile", "player", "sse"} {
		files, err := filepath.Glob("../server/internal/" + room + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", room, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(src), "\n") {
				line = strings.ReplaceAll(line, "github.com/fakeopenai/fakeopenai", "")
				if word := words.FindString(line); word != "" {
					t.Errorf("%s:%d: %q: %s", name, i+1, word, line)
				}
			}
		}
	}
}
