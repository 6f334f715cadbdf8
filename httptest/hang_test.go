package fakeopenai

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// alsoInBubbles are functions that tests call inside of bubbles, too, where half a minute is no time.
var alsoInBubbles = map[string]bool{"httptest/recorder_test.go record": true}

// A test that waits for a channel does so with testflag.Receive, in a select, or in a bubble of
// synctest, where a wait for nothing is an error: a defect shall fail it with a reason, and not
// hang it until go test gives up after ten minutes.
func TestNoTestWaitsForAChannelWithoutEnd(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && (entry.Name() == "node_modules" || entry.Name() == "compat") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		for _, of := range file.Decls {
			f, ok := of.(*ast.FuncDecl)
			if ok && takesATest(f.Type) && !alsoInBubbles[strings.TrimPrefix(filepath.ToSlash(path), "../")+" "+f.Name.Name] {
				for _, at := range endlessWaits(f) {
					t.Errorf("%s waits for a channel: write testflag.Receive", files.Position(at))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// takesATest reports whether a function has a parameter such as t *testing.T, and so is called by
// the goroutine of a test.
func takesATest(f *ast.FuncType) bool {
	for _, p := range f.Params.List {
		of := p.Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		if s, ok := of.(*ast.SelectorExpr); ok && isNamed(s.X, "testing") {
			return true
		}
	}
	return false
}

// endlessWaits are the places where a function waits for a channel and nothing bounds that. What
// it hands to other goroutines and into bubbles does not count.
func endlessWaits(f *ast.FuncDecl) (places []token.Pos) {
	bounded := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt, *ast.GoStmt:
			return false
		case *ast.FuncLit:
			return takesATest(n.Type)
		case *ast.SelectorExpr:
			bounded = bounded || isNamed(n.X, "synctest")
		case *ast.Ident:
			bounded = bounded || n.Name == "bubbled"
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				places = append(places, n.Pos())
			}
		}
		return true
	})
	if bounded {
		return nil
	}
	return places
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
