package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// Each recipe is one scenario without a problem, and is printed by its name.
func TestRecipesAreScenarios(t *testing.T) {
	t.Parallel()
	parts := regexp.MustCompile("(?s)\n## ([^\n]+)\n.*?```yaml\n(.*?)```").FindAllStringSubmatch(recipes, -1)
	if len(parts) < 8 || len(parts) != strings.Count(recipes, "\n## ") {
		t.Fatalf("%d recipes have a scenario, of %d", len(parts), strings.Count(recipes, "\n## "))
	}
	for _, part := range parts {
		list, problems := yamlfile.Parse(part[1], []byte(part[2]))
		if problems.Err() != nil || len(list) != 1 {
			t.Errorf("%s: %d scenarios\n%v", part[1], len(list), problems)
			continue
		}
		set, problems := scenarios.Build(nil, list...)
		if problems = append(problems, server.Check(set)...); problems.Err() != nil {
			t.Errorf("%s:\n%v", part[1], problems)
		}
		if got := recipe(strings.ToLower(part[1])); !strings.Contains(got, part[2]) {
			t.Errorf("the recipe %q is %q", part[1], got)
		}
	}
}
