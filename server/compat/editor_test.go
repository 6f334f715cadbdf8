package compat

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// yaml-language-server, which VS Code and others use, completes and checks
// scenarios with the schema that the repository has.
func TestEditor(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		skip(t, "there is no node; install Node 20 or later")
	}
	if _, err := os.Stat("node/node_modules/yaml-language-server"); err != nil {
		skip(t, "yaml-language-server is missing; run npm ci in server/compat/node")
	}
	schema, err := filepath.Abs("../../scenarios/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "--test", "editor.test.mjs")
	cmd.Dir = "node"
	cmd.Env = append(os.Environ(), "FAKEOPENAI_SCHEMA="+schema)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("node --test editor.test.mjs: %v\n%s", err, out)
	}
}
