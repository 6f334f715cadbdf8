package fakeopenai

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// TestTheCoreImportsNoTool checks that no package of the core imports a package of the tools. The rings are those of
// .ci/size. The command and the helper put the rings together.
func TestTheCoreImportsNoTool(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	ring := readRings(t)
	for name, wall := range walls {
		if ring(name+"/") == "tools" || name == "httptest" || strings.HasPrefix(name, "cmd/") {
			continue
		}
		for _, other := range wall.names() {
			if ring(other+"/") == "tools" {
				t.Errorf("package %s of the core may import %s, which is a tool", name, other)
			}
		}
	}
	if ring("server/tools/recording/") != "tools" || ring("server/") != "core" {
		t.Error(".ci/size has not the rings that this test is about")
	}
}

// readRings returns a function that says to which ring a path belongs: that of the longest beginning in .ci/size.
func readRings(t *testing.T) func(path string) string {
	t.Helper()
	text, err := os.ReadFile("../.ci/size")
	if err != nil {
		t.Fatal(err)
	}
	rings := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if ring, start, ok := strings.Cut(strings.TrimSpace(line), " "); ok && (ring == "core" || ring == "tools") {
			rings[strings.TrimPrefix(strings.TrimSpace(start), ".")] = ring
		}
	}
	return func(path string) string {
		best := ""
		for start := range rings {
			if strings.HasPrefix(path, start) && len(start) > len(best) {
				best = start
			}
		}
		return rings[best]
	}
}

// most is how many files of Go, without tests, a folder may have, so that one sees it whole.
const most = 20

// halls are the folders that have more files, and why they are not divided.
var halls = map[string]string{
	"cmd/fakeopenai/internal/cli": "a command is a file; they share the options, the output and the exit codes of one program",
	"scenarios":                   "the data of the language is one package, because scenarios, replies and steps hold each other",
	"server":                      "an exchange is one request and its response, which reads, selects, writes and keeps by turns",
	"server/tools/recording":      "one file for each part of a recording: conditions, steps of each surface, edits, what is masked",
}

// TestFoldersAreSmall checks that a folder with more files than most has a reason, and that a reason is needed.
func TestFoldersAreSmall(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	for name := range walls {
		files, err := filepath.Glob("../" + name + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				n++
			}
		}
		switch reason, isHall := halls[name]; {
		case n > most && !isHall:
			t.Errorf("%s has %d files of Go, more than %d: divide it, or say why not", name, n, most)
		case n <= most && isHall:
			t.Errorf("%s has %d files of Go: it needs no reason (%s)", name, n, reason)
		}
	}
}
