package importing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/importing"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// inputs are the examples of each format, with good and bad entries.
func inputs(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.in")
	if err != nil || names == nil {
		t.Fatal("no example", err)
	}
	list := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list[strings.TrimSuffix(filepath.Base(name), ".in")] = data
	}
	return list
}

// imported returns the remarks about a file and the scenario files made of it.
func imported(t testing.TB, name string, data []byte) string {
	t.Helper()
	var im importing.Importer
	found := im.Add(name, data)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: imported %d\n", found.Format, found.Imported)
	for _, r := range found.Notes {
		fmt.Fprintf(&b, "# note: %s\n", r)
	}
	for _, r := range found.Skipped {
		fmt.Fprintf(&b, "# skipped: %s\n", r)
	}
	for _, r := range found.Unread {
		fmt.Fprintf(&b, "# not read: %s\n", r)
	}
	list, notes := im.Files()
	for _, n := range notes {
		fmt.Fprintf(&b, "# %s: %s\n", n.Scenario, n.Reason)
	}
	var sources []yamlfile.Source
	for _, f := range list {
		sources = append(sources, yamlfile.Source{Name: f.Name, Data: f.Data})
		fmt.Fprintf(&b, "\n# %s\n%s", f.Name, f.Data)
	}
	if len(sources) > 0 {
		if _, problems := server.CheckFiles(sources...); len(problems) > 0 {
			t.Errorf("%s: what was written is refused: %v", name, problems)
		}
	}
	return b.String()
}

func TestFormatsBecomeScenarios(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	for name, data := range inputs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testflag.Golden(t, filepath.Join("testdata", name+".golden"), imported(t, name+".in", data))
		})
	}
}

// Line ends after an answer in one piece do not keep it from being a message; where it is none, they stay.
func TestLineEndsAfterAnAnswer(t *testing.T) {
	t.Parallel()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nmessage: Hi\n")})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	fake, err := server.New(server.Config{Scenarios: set})
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	answer := httptest.NewRecorder()
	fake.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`)))
	const noted = "# note: line 1: line ends"
	for _, tt := range []struct {
		data  string
		notes int
		want  string
	}{
		{answer.Body.String(), 0, "message:"},
		{answer.Body.String() + "\r\n\n", 1, "message:"},
		{strings.TrimSpace(answer.Body.String()), 1, "message:"},
		{`{"choices":[]}` + "\n\n", 0, `}\n\n"`},
	} {
		if got := imported(t, "x.json", []byte(tt.data)); strings.Count(got, noted) != tt.notes || !strings.Contains(got, tt.want) {
			t.Errorf("%q is\n%s", tt.data, got)
		}
	}
}
