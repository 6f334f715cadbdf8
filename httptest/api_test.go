package fakeopenai

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// unstable is what the first sentence of a package says if its names may change in any version.
const unstable = "may change in any version"

// TestThePublicAPI compares what the packages of the module export with a list, so that nobody adds to it unseen. Of a package
// whose first sentence says that it may change, the list has the name alone; of one whose first sentence says so of other
// functions, only those that it names.
func TestThePublicAPI(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	var lines []string
	for name := range walls {
		if strings.Contains(name+"/", "/internal/") || strings.HasPrefix(name, "cmd/") {
			continue
		}
		lines = append(lines, exportsOf(t, name)...)
	}
	slices.Sort(lines)
	testflag.Golden(t, "testdata/api.txt", strings.Join(lines, "\n")+"\n")
}

// exportsOf lists the exported constants, variables, functions, types, fields and methods of a package.
func exportsOf(t *testing.T, name string) []string {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseDir(files, "../"+name, nil, parser.ParseComments) //nolint:staticcheck // build constraints do not matter here
	if err != nil {
		t.Fatal(err)
	}
	var p *doc.Package
	for _, pkg := range parsed {
		if !strings.HasSuffix(pkg.Name, "_test") {
			for file := range pkg.Files {
				if strings.HasSuffix(file, "_test.go") {
					delete(pkg.Files, file)
				}
			}
			p = doc.New(pkg, name, 0)
		}
	}
	l := &exportList{files: files, name: name, forUsers: func(string) bool { return true }}
	switch first := p.Synopsis(p.Doc); {
	case strings.Contains(first, "other functions and methods") && strings.Contains(first, unstable):
		l.forUsers = func(function string) bool { return strings.Contains(p.Doc, "["+function+"]") }
	case strings.Contains(first, unstable):
		return []string{name + ": " + unstable}
	}
	l.values(p.Consts)
	l.values(p.Vars)
	l.funcs("", p.Funcs)
	for _, typ := range p.Types {
		l.typed(typ)
	}
	return l.lines
}

// exportList collects the lines of one package.
type exportList struct {
	files *token.FileSet
	name  string
	lines []string
	// forUsers says of a function, or a method behind the name of its type, whether it is for users of the module.
	forUsers func(function string) bool
}

func (l *exportList) add(format string, args ...any) {
	l.lines = append(l.lines, l.name+": "+fmt.Sprintf(format, args...))
}

func (l *exportList) values(values []*doc.Value) {
	for _, v := range values {
		for _, name := range v.Names {
			if ast.IsExported(name) {
				l.add("%s %s", v.Decl.Tok, name)
			}
		}
	}
}

func (l *exportList) funcs(of string, funcs []*doc.Func) {
	for _, f := range funcs {
		if !l.forUsers(of + f.Name) {
			continue
		}
		l.add("func %s%s%s", of, f.Name, strings.TrimPrefix(l.text(f.Decl.Type), "func"))
	}
}

func (l *exportList) typed(typ *doc.Type) {
	l.add("type %s", typ.Name)
	l.values(typ.Consts)
	l.values(typ.Vars)
	l.funcs("", typ.Funcs)
	l.funcs(typ.Name+".", typ.Methods)
	for _, spec := range typ.Decl.Specs {
		s, ok := spec.(*ast.TypeSpec)
		if !ok || s.Name.Name != typ.Name {
			continue
		}
		switch def := s.Type.(type) {
		case *ast.StructType:
			l.members(typ.Name, def.Fields)
		case *ast.InterfaceType:
			l.members(typ.Name, def.Methods)
		}
	}
}

func (l *exportList) members(of string, fields *ast.FieldList) {
	for _, f := range fields.List {
		if len(f.Names) == 0 {
			l.add("%s embeds %s", of, l.text(f.Type))
		}
		for _, name := range f.Names {
			if name.IsExported() {
				l.add("%s.%s %s", of, name.Name, l.text(f.Type))
			}
		}
	}
}

// text prints a type on one line.
func (l *exportList) text(node ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, l.files, node); err != nil {
		panic(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
