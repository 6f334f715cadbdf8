package cli

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// walls says for each package of the program which of the others it may know.
var walls = map[string]struct {
	knows []string
	why   string
}{
	"exit":     {nil, "everything ends with an exit code"},
	"report":   {nil, "it is given what to print"},
	"setting":  {[]string{"exit"}, "a bad value is wrong usage"},
	"files":    {[]string{"exit", "report"}, "scenarios that cannot be played are an error that shows the problems"},
	"front":    {[]string{"exit", "files", "setting"}, "it has flags for TLS, and writes the certificate for clients"},
	"child":    {[]string{"setting"}, "a command finds the server in a variable"},
	"playing":  {[]string{"exit"}, "a request that nothing answers is a problem"},
	"sweeping": {[]string{"child", "front", "playing", "report", "setting"}, "a run is a command with a server of its own"},
	"cli":      {[]string{"child", "exit", "files", "front", "playing", "report", "setting", "sweeping"}, "commands put the others together"},
}

// TestWalls holds which packages of the program know each other.
func TestWalls(t *testing.T) {
	t.Parallel()
	const internal = "github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/"
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: the go command is not in the PATH; install Go to run this test")
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{ .ImportPath }} {{ join .Imports " " }}`, internal+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name := strings.TrimPrefix(words[0], internal)
		wall, ok := walls[name]
		if !ok {
			t.Errorf("package %s is in no list: say what it may know, and why", name)
		}
		var known []string
		for _, path := range words[1:] {
			if other, ours := strings.CutPrefix(path, internal); ours {
				known = append(known, other)
			}
		}
		slices.Sort(known)
		if !slices.Equal(known, wall.knows) {
			t.Errorf("package %s knows %v, but %v is what it may know: %s", name, known, wall.knows, wall.why)
		}
	}
}
