package fakeopenai

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// namesOfSurfaces are the places that may name an API in a string, and why.
var namesOfSurfaces = map[string]string{
	"server/internal/surface/":                    "each API is a folder here",
	"scenarios/layout.go":                         "the language names the APIs and their layouts",
	"scenarios/yamlfile/synonyms.go":              "people write these words for others",
	"cmd/fakeopenai/internal/importing/aimock.go": "the word is one of aimock's language",
	"scenarios/yamlfile/leads.go":                 "people write the paths of APIs for their names",
	"server/internal/secret/request.go":           "words of paths that are long and no secrets",
	"server/bench/":                               "it is a client",
	"server/compat/":                              "it is a client",
}

// TestOnlyAnAPIsOwnFolderNamesIt checks that no code elsewhere decides by the name of an API
// or writes its path: such a place must ask what is known of the API (surface.Info), or
// another API would be forgotten there.
func TestOnlyAnAPIsOwnFolderNamesIt(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || len(entry.Name()) > 2 && entry.Name()[0] == '.') {
			return filepath.SkipDir
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "../")
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || mayName(name) {
			return nil
		}
		return findNames(t, file)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func mayName(file string) bool {
	for place := range namesOfSurfaces {
		if strings.HasPrefix(file, place) {
			return true
		}
	}
	return false
}

// findNames reports the strings of a file that are the name of an API or have its path.
func findNames(t *testing.T, file string) error {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for n := range ast.Preorder(parsed) {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			return err
		}
		named := func(on server.Surface) bool {
			return text == on.Name || strings.HasPrefix(text, on.Path) || strings.HasPrefix(text, strings.TrimPrefix(on.Path, "/v1"))
		}
		if slices.ContainsFunc(server.Surfaces(), named) {
			t.Errorf("%s: %q names an API; ask its surface.Info, or server.SurfaceNamed, instead", files.Position(literal.Pos()), text)
		}
	}
	return nil
}
