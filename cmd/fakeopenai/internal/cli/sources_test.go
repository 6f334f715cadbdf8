package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tree writes files and gives the directory they are in.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("name: x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// relative are the names below dir.
func relative(t *testing.T, dir string, names []string) []string {
	t.Helper()
	var rest []string
	for _, name := range names {
		r, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		rest = append(rest, filepath.ToSlash(r))
	}
	return rest
}

func TestSourcesNames(t *testing.T) {
	t.Parallel()
	dir := tree(t, "b.yaml", "a.yml", "notes.txt", "sub/c.yaml", ".git/d.yaml", "sub/.e.yaml", "odd[1].yaml")
	cases := []struct {
		name  string
		paths []string
		want  []string
	}{
		{"a directory gives its files and those below, but no hidden ones", []string{"."}, []string{"a.yml", "b.yaml", "odd[1].yaml", "sub/c.yaml"}},
		{"a file is taken whatever its name", []string{"notes.txt"}, []string{"notes.txt"}},
		{"a glob gives what it matches", []string{"*.y*ml"}, []string{"a.yml", "b.yaml", "odd[1].yaml"}},
		{"a glob may match directories", []string{"s*"}, []string{"sub/c.yaml"}},
		{"each file is read once", []string{"b.yaml", ".", "./b.yaml"}, []string{"b.yaml", "a.yml", "odd[1].yaml", "sub/c.yaml"}},
		{"a file whose name looks like a glob is a file", []string{"odd[1].yaml"}, []string{"odd[1].yaml"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var paths []string
			for _, p := range c.paths {
				paths = append(paths, dir+string(filepath.Separator)+filepath.FromSlash(p))
			}
			names, err := sources{paths: paths}.names()
			if err != nil {
				t.Fatal(err)
			}
			if got := relative(t, dir, names); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSourcesRefuseTwoStars(t *testing.T) {
	t.Parallel()
	dir := tree(t, "a.yaml", "sub/b.yaml", "sub/below/c.yaml")
	for _, tt := range []struct{ path, above string }{
		{filepath.Join(dir, "**", "*.yaml"), dir},
		{filepath.Join(dir, "s*", "**", "**", "*.yaml"), filepath.Join(dir, "s*")},
		{filepath.Join(dir, "sub", "**"), filepath.Join(dir, "sub")},
		{filepath.Join("**", "*.yaml"), "."},
		{string(filepath.Separator) + filepath.Join("**", "*.yaml"), string(filepath.Separator)},
	} {
		want := "read scenarios: " + tt.path + ": ** stands for one folder only; name the directory " + tt.above + ", which is read with all that is below it"
		// Even where an empty directory is accepted, the pattern is a mistake.
		if names, err := (sources{paths: []string{tt.path}, allowEmpty: true}).names(); err == nil || err.Error() != want {
			t.Errorf("%s gives the files %q and the error %v, want %s", tt.path, names, err, want)
		}
	}
	// The directory that the error names has all the files.
	names, err := sources{paths: []string{filepath.Join(dir, "s*")}}.names()
	if got, want := relative(t, dir, names), []string{"sub/b.yaml", "sub/below/c.yaml"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestSourcesFollowLinksToFilesOnly(t *testing.T) {
	t.Parallel()
	dir := tree(t, "real/a.yaml")
	if err := os.Symlink("real/a.yaml", filepath.Join(dir, "link.yaml")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.Symlink("..", filepath.Join(dir, "real", "loop")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{"": {"link.yaml", "real/a.yaml"}, "real/loop": {"real/loop/link.yaml", "real/loop/real/a.yaml"}} {
		names, err := sources{paths: []string{filepath.Join(dir, path)}}.names()
		if err != nil {
			t.Fatal(err)
		}
		if got := relative(t, dir, names); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

// What a scenario of a file sends lies in the directory of the file, also behind a link.
func TestSourcesHaveNothingOutsideTheirFolder(t *testing.T) {
	t.Parallel()
	dir := tree(t, "outside.yaml", "in/a.yaml", "in/inside.yaml")
	if err := os.Symlink("../outside.yaml", filepath.Join(dir, "in", "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	files, err := sources{paths: []string{filepath.Join(dir, "in", "a.yaml")}}.Read()
	if err != nil {
		t.Fatal(err)
	}
	for name, isRead := range map[string]bool{"inside.yaml": true, "link": false} {
		if _, err := fs.ReadFile(files[0].Beside, name); (err == nil) != isRead {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Bundled endpoints are read by the path of a file that is not on the disk.
func TestBundledEndpointsAreSources(t *testing.T) {
	t.Parallel()
	for paths, want := range map[string]int{"endpoints": 7, "endpoints/files.yaml": 1, "endpoints/f*.yaml": 1} {
		files, err := sources{paths: []string{paths}}.Read()
		if err != nil || len(files) != want || len(files[0].Data) == 0 {
			t.Errorf("%s: %d files, want %d: %v", paths, len(files), want, err)
		}
	}
	for _, path := range []string{"endpoints/none.yaml", "*/files.yaml"} {
		if _, err := (sources{paths: []string{path}}).Read(); err == nil {
			t.Errorf("%s is read, which is not bundled", path)
		}
	}
	if !looksLikePath("endpoints") || looksLikePath("endpoint") {
		t.Error("play takes endpoints for the name of a scenario, or a name for a path")
	}
}
