package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// Flags that the pages name exist.
func TestPagesNameNoFlagThatDoesNotExist(t *testing.T) {
	t.Parallel()
	known := help(t)
	for _, name := range commandNames(t) {
		known += help(t, name)
	}
	for _, p := range pagesLike(t, "README.md", "*/README.md", "cmd/*.md", "scenarios/docs/*.md") {
		for _, flag := range regexp.MustCompile(`[\s`+"`"+`](--[a-z][a-z-]*)`).FindAllStringSubmatch(p.text, -1) {
			if !regexp.MustCompile(flag[1] + `\b`).MatchString(known) {
				t.Errorf("%s names %s, which no command knows", p.name, flag[1])
			}
		}
	}
}

// llms.txt names each command, each surface that plays streams, and each recipe.
func TestTheFileForModelsNamesWhatThereIs(t *testing.T) {
	t.Parallel()
	page := pagesLike(t, "llms.txt")[0].text
	for _, name := range commandNames(t) {
		if !regexp.MustCompile(`cmd/README.md.*\b` + name + `\b`).MatchString(page) {
			t.Errorf("llms.txt does not name the command %s", name)
		}
	}
	for _, s := range server.Surfaces() {
		if !regexp.MustCompile(`(?i)>.*\b` + s.Name + `\b`).MatchString(page) {
			t.Errorf("llms.txt does not name the surface %s", s.Name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(pagesLike(t, "cmd/fakeopenai/internal/cli/recipes.md")[0].text, -1) {
		if !strings.Contains(strings.ToLower(page), strings.ToLower(m[1])) {
			t.Errorf("llms.txt does not name the recipe %s", m[1])
		}
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	for _, m := range blocks {
		if _, problems := server.CheckFiles(yamlfile.Source{Name: "llms.txt", Data: []byte(m[1])}); len(problems) > 0 {
			t.Errorf("a scenario of llms.txt is wrong: %v", problems)
		}
	}
	if len(blocks) < 2 {
		t.Errorf("llms.txt has %d blocks with scenarios", len(blocks))
	}
	if len(page) > 24<<10 {
		t.Errorf("llms.txt has %d bytes, at most 24 kB are wanted", len(page))
	}
}

// The help and the first page describe the program in the same words.
func TestHelpBeginsAsTheFirstPage(t *testing.T) {
	t.Parallel()
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	described, _, _ := strings.Cut(help(t), "\n\nUsage:")
	want := "# fakeopenai " + strings.TrimSuffix(words(described), ".")
	if page := words(pagesLike(t, "README.md")[0].text); !strings.HasPrefix(page, want) {
		t.Errorf("README.md does not begin with the words of the help: %s", want)
	}
}

// The endpoints that the page of the server names exist.
func TestPagesEndpointsAnswer(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "weather.yaml"), "name: weather\nstream:\n  - role: assistant\n  - hold: NAME\n  - finish: stop\n")
	c := console{t: t, dir: dir}
	c.start("fakeopenai serve --transcripts --any-id weather.yaml")
	page := pagesLike(t, "server/README.md")[0]
	endpoints := regexp.MustCompile("`(GET|POST|DELETE) (/[^`]*)`").FindAllStringSubmatch(page.text, -1)
	if len(endpoints) == 0 {
		t.Fatalf("%s names no endpoint", page.name)
	}
	for _, e := range endpoints {
		path := strings.Replace(e[2], "/wait", "/wait?timeout=1ms", 1)
		req, err := http.NewRequestWithContext(t.Context(), e[1], "http://127.0.0.1"+c.port+path, strings.NewReader("no JSON"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed { // Some of the others do not end.
			body, _ := io.ReadAll(resp.Body)
			t.Errorf("%s %s: %s\n%s", e[1], path, resp.Status, body)
		}
		resp.Body.Close()
	}
}

// The versions in README.md are those that the client tests use.
func TestPagesNameTheVersionsOfTheClients(t *testing.T) {
	t.Parallel()
	page := pagesLike(t, "README.md")[0].text
	for file, client := range map[string]string{
		"../../server/compat/go.mod":            `(?m)/(openai-go|go-openai|azopenai|langchaingo|genkit|any-llm-go)(?:/v3|/go)?()\s(v[\d.]+)$`,
		"../../server/compat/node/package.json": `"(openai|@openai/agents|ai|@ai-sdk/openai(?:-compatible)?|@langchain/openai|@huggingface/inference|@xsai/stream-text)": ()"([\d.]+)"`,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(client).FindAllStringSubmatch(string(text), -1)
		if found == nil {
			t.Errorf("%s names no client", file)
		}
		for _, m := range found {
			name := regexp.MustCompile(regexp.QuoteMeta(m[1]+m[2]) + `\s+` + regexp.QuoteMeta(m[3]))
			if !name.MatchString(page) {
				t.Errorf("README.md does not say that %s %s is tested", m[1]+m[2], m[3])
			}
		}
	}
}

// The pages ask for the version of Go that go.mod asks for.
func TestPagesNameTheVersionOfGo(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?m)^go (1\.\d+)`).FindStringSubmatch(string(module))[1]
	found := 0
	for _, p := range pagesLike(t, everyPage...) {
		for _, m := range regexp.MustCompile(`Go\s+(1\.\d+)`).FindAllStringSubmatch(p.text, -1) {
			found++
			if m[1] != want {
				t.Errorf("%s asks for Go %s, go.mod for %s", p.name, m[1], want)
			}
		}
	}
	if found == 0 {
		t.Error("no page says which version of Go is needed")
	}
}
