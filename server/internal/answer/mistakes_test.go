package answer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// scenarioFiles is the folder of the scenario files that tests of several packages read.
const scenarioFiles = "../../../scenarios/testdata"

// filesOf returns the texts of the files that match a pattern, by name.
func filesOf(t *testing.T, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	texts := map[string][]byte{}
	for _, file := range files {
		if texts[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// Each file in testdata/err has mistakes. The .out file beside it has all problems that are
// reported to its author.
func TestEveryMistakeIsExplained(t *testing.T) {
	t.Parallel()
	for file, src := range filesOf(t, scenarioFiles+"/err/*.yaml") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			set, diags := yamlfile.Check(Check, yamlfile.Source{Name: filepath.Base(file), Data: src})
			if set != nil || len(diags) == 0 {
				t.Fatal("the file is accepted")
			}
			got := diags.Render(func(string) []byte { return src })
			testflag.Golden(t, strings.TrimSuffix(file, ".yaml")+".out", got)
			for _, d := range diags {
				checkPosition(t, d, src)
			}
		})
	}
}

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
