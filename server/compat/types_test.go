package compat

import (
	"os"
	"os/exec"
	"testing"
)

// ../testdata/openai.json has the names that the types of the pinned package have: TestTypesOfOpenAI of the server compares its
// tables with them, without Node.
func TestTypes(t *testing.T) {
	t.Parallel()
	requireNode(t)
	if _, err := os.ReadFile("node/node_modules/openai/package.json"); err != nil { // a new version runs the test again
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "types.mjs")
	cmd.Dir = "node"
	names, err := cmd.Output()
	if err != nil {
		t.Fatalf("node types.mjs: %v", err)
	}
	const file = "../testdata/openai.json"
	if *update {
		if err := os.WriteFile(file, names, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(file); err != nil || string(written) != string(names) {
		t.Errorf("%s has other names than the types of the pinned package (%v); with -update the test writes it again", file, err)
	}
}
