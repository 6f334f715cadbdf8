package fakeopenai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const ours = "github.com/fakeopenai/fakeopenai"

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Module     *struct {
		Path string
		Main bool
	}
}

// list asks the go command about our packages and all they are made of.
func list(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,Deps,Module",
		ours+"/httptest", ours+"/server", ours+"/scenarios", ours+"/fixtures")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("skipped: the go command is not in the PATH; install Go to run this test")
	}
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, problems.String())
	}
	packages := map[string]listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

// TestModulesOfTheHelper holds the promise that a test which imports the helper
// takes three modules into its build and no more.
func TestModulesOfTheHelper(t *testing.T) {
	t.Parallel()
	allowed := []string{"github.com/brianvoe/gofakeit/v6", "github.com/gorilla/mux", "gopkg.in/yaml.v3"}
	packages := list(t)
	for _, dep := range append(packages[ours+"/httptest"].Deps, ours+"/httptest") {
		m := packages[dep].Module
		if m == nil || m.Main || slices.Contains(allowed, m.Path) {
			continue
		}
		t.Errorf("the helper takes %s into its users' builds, by way of %s; it may need only %s",
			m.Path, strings.Join(importers(packages, dep), ", "), strings.Join(allowed, ", "))
	}
}

// TestImports holds the direction in which the packages know each other.
func TestImports(t *testing.T) {
	t.Parallel()
	packages := list(t)
	for _, tt := range []struct{ from, forbidden, reason string }{
		{"/scenarios", "net/http", "the language knows nothing of HTTP"},
		{"/scenarios", ours + "/server", "the language does not know who plays it"},
		{"/scenarios", "testing", "it is used outside of tests"},
		{"/server", "testing", "it is used outside of tests"},
		{"/server", "flag", "only the command reads flags; a server has a Config"},
		{"/server", ours + "/fixtures", "what is played is its caller's choice"},
		{"/server", ours + "/httptest", "the helper stands on the server"},
		{"/server/internal/socket", "net/http", "a connection is watched below HTTP"},
		{"/server/internal/socket", ours + "/scenarios", "connections know nothing of what is played"},
		{"/server/internal/socket", ours + "/server/journal", "connections know nothing of what is remembered"},
		{"/server/internal/holds", ours + "/scenarios", "a hold is a name"},
		{"/server/internal/counters", ours + "/scenarios", "a reply is a name and a number"},
		{"/server/journal", ours + "/server/internal/socket", "an entry says how a client left, not how that was noticed"},
		{"/server/journal", ours + "/server/internal/player", "what was sent is told in numbers and bytes"},
		{"/httptest", "net/http/httptest", "it would register a flag in its users' test binaries"},
	} {
		if packages[ours+tt.from].ImportPath == "" {
			t.Errorf("there is no package %s", tt.from)
		}
		if slices.Contains(packages[ours+tt.from].Deps, tt.forbidden) {
			t.Errorf("%s imports %s, by way of %s: %s",
				ours+tt.from, tt.forbidden, strings.Join(importers(packages, tt.forbidden), ", "), tt.reason)
		}
	}
}

func TestFixturesHoldNoCode(t *testing.T) {
	t.Parallel()
	for _, path := range list(t)[ours+"/fixtures"].Imports {
		if path != "embed" && path != "io/fs" {
			t.Errorf("fixtures imports %s: it is there to embed files, and nothing else", path)
		}
	}
}

// importers are the packages that import path directly.
func importers(packages map[string]listed, path string) []string {
	var found []string
	for _, p := range packages {
		if slices.Contains(p.Imports, path) {
			found = append(found, p.ImportPath)
		}
	}
	slices.Sort(found)
	return found
}
