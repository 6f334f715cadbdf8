package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// adapters are the programs that conform asks, by the names of their clients. %s is the folder of
// programs that are built for the test.
var adapters = []struct {
	client, source string
	args           []string
}{
	{"openai-go", "adapters/openai-go/main.go", []string{"%s/openai-go"}},
	{"openai (npm)", "node/adapter.mjs", []string{"node", "node/adapter.mjs"}},
	{"a reader in Python", "adapters/sse.py", []string{"python3", "adapters/sse.py"}},
}

// conformity is a line of conform --format json.
type conformity struct{ Specimen, Verdict, Detail string }

const clientsIntro = `# What clients make of streams that broke real software

Each line is a specimen of [fixtures/zoo](../../fixtures/zoo), each column a client, asked by ` + "`fakeopenai conform`" + ` through its
adapter: [openai-go](adapters/openai-go/main.go) with its accumulator, [openai for Node](node/adapter.mjs) with stream(), and
[a reader in 40 lines of Python](adapters/sse.py). A test that runs them writes this page. One cell again:

    fakeopenai conform --only bare-cr -- node adapter.mjs

The words are those of [conform](../../cmd/conform.md#verdicts). Specimens that all clients read as they should are left out.

`

// The page CLIENTS.md says what clients make of the specimens, and each cell is asked for again.
func TestClientsMakeOfTheZooWhatThePageSays(t *testing.T) {
	t.Parallel()
	requireNode(t)
	binary, dir := build(t), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", dir, "./adapters/openai-go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	results := make([][]conformity, len(adapters))
	var asking sync.WaitGroup
	for i, a := range adapters {
		asking.Go(func() { results[i] = conform(t, binary, dir, a.args) })
	}
	asking.Wait()
	if t.Failed() {
		return
	}
	page := []byte(clientsPage(results))
	if *update {
		writeFile(t, "CLIENTS.md", page)
	}
	want, err := os.ReadFile("CLIENTS.md")
	if err != nil || !bytes.Equal(page, want) {
		t.Errorf("CLIENTS.md is not what the clients make of the zoo (with -update the test writes it again): %v\n%s", err, page)
	}
}

// conform asks a client for all specimens.
func conform(t *testing.T, binary, dir string, args []string) (results []conformity) {
	asked := []string{"conform", "--format", "json", "--"}
	for _, arg := range args {
		asked = append(asked, strings.ReplaceAll(arg, "%s", filepath.ToSlash(dir)))
	}
	cmd := exec.CommandContext(t.Context(), binary, asked...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Errorf("%v\n%s", err, &stderr)
		return nil
	}
	var report struct{ Results []conformity }
	if err := json.Unmarshal(out, &report); err != nil {
		t.Error(err)
	}
	return report.Results
}

func clientsPage(results [][]conformity) string {
	var b strings.Builder
	b.WriteString(clientsIntro + "| specimen |")
	for _, a := range adapters {
		b.WriteString(" " + a.client + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(adapters)+1) + "\n")
	same := 0
	for i, first := range results[0] {
		row, odd := "| "+first.Specimen+" |", false
		for _, of := range results {
			row += " " + of[i].Verdict + " |"
			odd = odd || of[i].Verdict != "ok" && of[i].Verdict != "skipped"
		}
		if !odd {
			same++
			continue
		}
		b.WriteString(row + "\n")
	}
	fmt.Fprintf(&b, "\n%d of %d specimens are read by all as they should be, or are skipped.\n", same, len(results[0]))
	return b.String()
}

// The page of conform shows the adapters as they are.
func TestThePageOfConformShowsTheAdapters(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../cmd/conform.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range adapters {
		source, err := os.ReadFile(a.source)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(page, source) {
			t.Errorf("cmd/conform.md does not show %s", a.source)
		}
	}
}
