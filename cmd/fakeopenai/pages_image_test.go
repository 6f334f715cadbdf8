package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// The variables that pages name are those of flags, or of scenario files.
func TestPagesNameNoVariableThatDoesNotExist(t *testing.T) {
	t.Parallel()
	known := printed(t, "help", "environment")
	for _, p := range pagesLike(t, "README.md", "cmd/*.md", "server/README.md", "cmd/packaging/image/README.md") {
		for _, name := range regexp.MustCompile(`FAKEOPENAI_[A-Z_]+`).FindAllString(p.text, -1) {
			if !regexp.MustCompile(name + `\b`).MatchString(known) {
				t.Errorf("%s names %s, which no command knows", p.name, name)
			}
		}
	}
}

// The recipes for containers are YAML, and their requests work with a server that has the same
// variables. Containers themselves are not started.
func TestRecipesOfTheImage(t *testing.T) {
	t.Parallel()
	need(t, "sh", "curl")
	p := pagesLike(t, "cmd/packaging/image/README.md")[0]
	var recipes struct {
		Jobs map[string]struct {
			Services map[string]struct{ Env map[string]string }
			Steps    []struct{ Run string }
		}
	}
	for _, f := range p.fences() {
		if f.info != "yaml" {
			continue
		}
		if err := yaml.Unmarshal([]byte(f.text), &recipes); err != nil {
			t.Errorf("%v: %v", f, err)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "scenarios"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "scenarios", "weather.yaml"), "name: weather\nmessage: It is raining.\n")
	job := recipes.Jobs["test"]
	c := console{t: t, dir: dir}
	var variables strings.Builder
	for name, value := range job.Services["fakeopenai"].Env {
		variables.WriteString(name + "=" + value + " ")
	}
	c.start("env " + variables.String() + "fakeopenai serve")
	sent := 0
	for _, step := range job.Steps {
		if strings.HasPrefix(step.Run, "curl ") {
			sent++
			if got := c.output(strings.ReplaceAll(step.Run, "localhost", "127.0.0.1")); !strings.Contains(got, "weather") {
				t.Errorf("%s prints\n%s\nwant the scenario's name", step.Run, got)
			}
		}
	}
	if sent != 1 {
		t.Errorf("the job sends scenarios %d times, want once", sent)
	}
}
