package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Flags that the text of the README names exist.
func TestReadmeNamesNoFlagThatDoesNotExist(t *testing.T) {
	t.Parallel()
	known := help(t)
	for _, name := range commandNames(t) {
		known += help(t, name)
	}
	for _, flag := range regexp.MustCompile(`[\s`+"`"+`](--[a-z][a-z-]*)`).FindAllStringSubmatch(readmeText(t), -1) {
		if !regexp.MustCompile(flag[1] + `\b`).MatchString(known) {
			t.Errorf("README.md names %s, which no command knows", flag[1])
		}
	}
}

// The endpoints in the README's table exist.
func TestReadmeEndpointsAnswer(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "weather.yaml"), "name: weather\nstream:\n  - role: assistant\n  - hold: NAME\n  - finish: stop\n")
	c := console{t: t, dir: dir}
	c.start("fakeopenai serve weather.yaml")
	endpoints := regexp.MustCompile("`(GET|POST|DELETE) (/[^`]*)`").FindAllStringSubmatch(readmeText(t), -1)
	if len(endpoints) == 0 {
		t.Fatal("README.md names no endpoint")
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
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed {
			t.Errorf("%s %s: %s\n%s", e[1], path, resp.Status, body)
		}
	}
}

// The versions in the README are those that the client tests use.
func TestReadmeNamesTheVersionsOfTheClients(t *testing.T) {
	t.Parallel()
	page := readmeText(t)
	for file, client := range map[string]string{
		"../../server/compat/go.mod":            `github.com/(?:openai/(openai-go)/v3|sashabaranov/(go-openai)) (v[\d.]+)`,
		"../../server/compat/node/package.json": `"(openai)": ()"([\d.]+)"`,
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
