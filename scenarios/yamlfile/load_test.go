package yamlfile_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

func testFiles() fstest.MapFS {
	file := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("name: " + name + "\nmessage: Hello.\n")}
	}
	return fstest.MapFS{
		"a.yaml":         file("a"),
		"b.yml":          file("b"),
		"sub/c.yaml":     file("c"),
		"sub/deep/d.yml": file("d"),
		"sub/notes.txt":  {Data: []byte("no scenario")},
		"empty/x.txt":    {Data: []byte("no scenario")},
		"bad/x.yaml":     {Data: []byte("name: x\nmesage: Hello.\n")},
		"bad/y.yaml":     {Data: []byte("name: x\nmessage: Hello.\n---\nname: y\nwait: 1\n")},
	}
}

func TestOnlyFilesAreRead(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"dir/fifo.yaml": {Data: []byte("name: x\nmessage: Hi\n"), Mode: fs.ModeNamedPipe}}
	for _, pattern := range []string{"dir", "dir/fifo.yaml", "dir/*"} {
		if _, err := yamlfile.ReadSources(fsys, pattern); err == nil || !strings.Contains(err.Error(), "dir/fifo.yaml is not a file") {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

func TestLoadFindsFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		patterns []string
		want     string
	}{
		{"a file", []string{"b.yml"}, "b"},
		{"a glob", []string{"*.y*ml"}, "a b"},
		{"a directory and what is below it", []string{"sub"}, "c d"},
		{"each file once", []string{"sub/c.yaml", "sub", "a.yaml"}, "c d a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			set, err := yamlfile.Load(testFiles(), c.patterns...)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, s := range set.Scenarios() {
				names = append(names, s.Name)
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLoadSaysWhatItCouldNotFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, pattern, want string }{
		{"a file", "missing.yaml", "load scenarios from missing.yaml: "},
		{"a glob", "x*.yaml", "load scenarios from x*.yaml: no .yaml or .yml file there"},
		{"a directory", "empty", "load scenarios from empty: no .yaml or .yml file there"},
		{"two stars", "x/**/*.yaml", "load scenarios from x/**/*.yaml: ** stands for one folder only; name the directory x, which is read with all that is below it"},
		{"two stars first", "**/*.yaml", "load scenarios from **/*.yaml: ** stands for one folder only; name the directory ., which is read with all that is below it"},
		{"a bad glob", "[", "load scenarios from [: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := yamlfile.Load(testFiles(), c.pattern)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if _, err := yamlfile.Load(testFiles(), "missing.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestLoadReportsTheProblemsOfAllFiles(t *testing.T) {
	t.Parallel()
	_, err := yamlfile.Load(testFiles(), "bad")
	var ds diag.List
	if !errors.As(err, &ds) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, d := range ds {
		got = append(got, d.File+": "+d.Message)
	}
	want := `bad/x.yaml: unknown key "mesage" in scenario
bad/y.yaml: there are two scenarios named "x"
bad/y.yaml: unknown key "wait" in scenario`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

func TestCheckReportsNoProblemsThatFollowFromUnreadableFiles(t *testing.T) {
	t.Parallel()
	_, diags := server.CheckFiles(
		yamlfile.Source{Name: "base.yaml", Data: []byte("name: base\nmessage: \"Hello.\n")},
		yamlfile.Source{Name: "other.yaml", Data: []byte("name: other\nextends: base\n")},
	)
	if len(diags) != 1 || diags[0].File != "base.yaml" {
		t.Errorf("got %v, want only the problem of base.yaml", diags)
	}
}

func TestLargeFilesAreRefused(t *testing.T) {
	t.Parallel()
	src := []byte("name: large\nmessage: " + strings.Repeat("x", 4<<20))
	list, diags := yamlfile.Parse("large.yaml", src)
	if len(list) != 0 || len(diags) != 1 || !strings.Contains(diags[0].Message, "larger than 4 MiB") {
		t.Errorf("got %d scenarios, %v", len(list), diags)
	}
}

// A file with a document that is not YAML is read a second time, which does not report
// again what the first time has reported.
func TestAProblemBeforeASyntaxErrorIsReportedOnce(t *testing.T) {
	t.Parallel()
	_, problems := yamlfile.Parse("a.yaml", []byte("name: !odd a\nmessage: b\n---\nname: [\n"))
	if len(problems) != 2 || problems[0].Message != "the tag !odd is not supported" || problems[1].Pos.Line < 4 {
		t.Errorf("problems:\n%v", problems)
	}
}
