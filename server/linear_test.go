package server_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// The work to check a file is in proportion to its length, and so is the work for a request, and to
// record an answer, whatever it is long of. Each of these once took hours for a file or a request of 32 MB, or a minute for an answer of 100 kB. Eight
// times as much may execute nine times as many statements, and allocate twelve times as many bytes,
// because lists double: what is quadratic does 64 times as much. Statements of the packages for
// searching count, too.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	const times, mostStatements, mostBytes = 8, 9, 12
	const counted = "github.com/fakeopenai/fakeopenai/scenarios/...,github.com/fakeopenai/fakeopenai/server/...,bytes,slices,strings,unicode/utf8"
	run := exec.Command("go", "run", "-cover", "-covermode=atomic", "-coverpkg="+counted, "./testdata/work")
	run.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir(), "GOGC=400") // as in package testflag
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		name, figures, _ := strings.Cut(line, "\t")
		var statements, moreStatements, bytes, moreBytes int
		if _, err := fmt.Sscan(figures, &statements, &moreStatements, &bytes, &moreBytes); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if moreStatements > mostStatements*statements {
			t.Errorf("%s: %d times as much executes %d statements instead of %d", name, times, moreStatements, statements)
		}
		if moreBytes > mostBytes*bytes {
			t.Errorf("%s: %d times as much allocates %d bytes instead of %d", name, times, moreBytes, bytes)
		}
	}
	if len(lines) < 38 {
		t.Errorf("the work of %d inputs was counted, want 38", len(lines))
	}
}
