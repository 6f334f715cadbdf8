package compat

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
)

// reproductions are the findings that a program of at most 25 lines shows without fakeopenai, in the client's own language
// and made of the template of the client, with what the program prints. Programs in Go are compiled, not run.
var reproductions = []struct{ id, template, prints string }{
	{"langchain-cut-arguments", "langchain.mjs", `["",[{"name":"delete_folder","args":{"path":"/home"},"id":"call_a","type":"tool_call"}],[],null,null]`},
	{"langchain-response-failed", "langchain.mjs", `["Do not ",[],[],null,null]`},
	{"langchain-refusal", "langchain.mjs", `["",[],[],null,null]`},
	{"agents-length", "agents.mjs", `["final output","Do not press the"]`},
	{"agents-cut", "agents.mjs", `["final output","Do not"]`},
	{"openai-unknown-event", "openai-stream.mjs", "Error: Unhandled response stream event: unknown"},
	{"ai-open-after-done", "ai.mjs", "abort"},
	{"langchaingo-interleaved-calls", "langchaingo.go.txt", ""},
	{"langchaingo-error-in-stream", "langchaingo.go.txt", ""},
	{"openai-go-error-null", "openai-go.go.txt", ""},
}

// Each reproduction is what its template and the bytes of the finding make, is short, and shows the finding. With -update
// the test writes it.
func TestReproductionsShowTheFindings(t *testing.T) {
	t.Parallel()
	requireNode(t)
	buildAdapters(t)
	page, err := os.ReadFile("FINDINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reproductions {
		t.Run(r.id, func(t *testing.T) {
			t.Parallel()
			file := "node/reproductions/" + r.id + ".mjs" // beside its packages
			if strings.HasSuffix(r.template, ".go.txt") {
				file = "reproductions/" + r.id + "/main.go"
			}
			user := regexp.MustCompile(`(?s)### ` + r.id + `\n\n(.+?)\n\n`).FindSubmatch(page)
			if user == nil {
				t.Fatalf("FINDINGS.md has no section %s", r.id)
			}
			want := reproduction(t, r.id, r.template, strings.Join(strings.Fields(string(user[1])), " "))
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				writeFile(t, file, want)
			}
			if got, _ := os.ReadFile(file); !bytes.Equal(got, want) {
				t.Errorf("%s is not what its template and its stream make (with -update the test writes it anew):\n%s", file, want)
			}
			if lines := len(regexp.MustCompile(`(?m)^.*\S`).FindAll(want, -1)); lines > 25 {
				t.Errorf("%s has %d lines", file, lines)
			}
			if r.prints == "" {
				if out, err := exec.CommandContext(t.Context(), "go", "vet", "./"+filepath.Dir(file)).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", file, err, out)
				}
				return
			}
			out, err := exec.CommandContext(t.Context(), "node", file).Output()
			if got := strings.TrimSpace(string(out)); got != r.prints {
				t.Errorf("%s prints %q, %v; want %q", file, got, err, r.prints)
			}
		})
	}
}

// reproduction is a template with the events of a finding.
func reproduction(t *testing.T, id, name, user string) []byte {
	t.Helper()
	body, err := exec.CommandContext(t.Context(), built+"/plain/fakeopenai", "play", "findings", id).Output()
	if err != nil {
		t.Fatal(err)
	}
	data := struct {
		ID, User  string
		Responses bool
		Events    []string
	}{ID: id, User: user}
	for line := range strings.Lines(string(body)) {
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			event := plainEvent(t, strings.TrimSpace(text))
			if strings.HasSuffix(name, ".mjs") {
				event = strings.ReplaceAll(event, `\`, `\\`) // in a string of JavaScript
			}
			data.Events = append(data.Events, event)
			data.Responses = data.Responses || strings.Contains(text, `"type":"response.`)
		}
	}
	var out bytes.Buffer
	if err := template.Must(template.ParseFiles("reproductions/templates/"+name)).Execute(&out, data); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// whole are the members of the response in an event that a reader needs.
var whole = []string{"id", "object", "status", "error", "incomplete_details", "model", "output"}

// plainEvent is an event without what differs from run to run and what shows nothing.
func plainEvent(t *testing.T, text string) string {
	if text == "[DONE]" {
		return text
	}
	var event map[string]any
	fromJSON(t, []byte(text), &event)
	for _, name := range []string{"created", "service_tier", "system_fingerprint", "obfuscation"} {
		delete(event, name)
	}
	if event["usage"] == nil {
		delete(event, "usage")
	}
	if response, ok := event["response"].(map[string]any); ok {
		for name := range response {
			if !slices.Contains(whole, name) {
				delete(response, name)
			}
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(event); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`"(chatcmpl|resp|msg)[-_]\w+"`).ReplaceAllString(strings.TrimSpace(out.String()), `"${1}_1"`)
}
