package yamlfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// checkPosition fails if the position of a problem is not inside the file.
func checkPosition(t *testing.T, d diag.Problem, src []byte) {
	t.Helper()
	lines := diag.SplitLines(src)
	if d.Line < 1 || d.Line > max(len(lines), 1)+1 || d.Col < 0 {
		t.Errorf("%v: the file has %d lines", d, len(lines))
		return
	}
	if d.Line <= len(lines) && d.Col > len([]rune(lines[d.Line-1]))+1 {
		t.Errorf("%v: the line has %d characters", d, len([]rune(lines[d.Line-1])))
	}
}

func filesLike(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return files
}

func mustRead(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
