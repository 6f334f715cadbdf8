// Package testkit holds what the tests of several packages need: requests to
// answer, files to read, and lines to compare. Only tests import it.
package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// Request is a chat request with this body. Header lists names and values in
// turn.
func Request(t testing.TB, body string, header ...string) *scenarios.Request {
	t.Helper()
	h := map[string][]string{}
	for i := 0; i < len(header); i += 2 {
		h[header[i]] = append(h[header[i]], header[i+1])
	}
	req, err := chat.Surface{}.Read(h, []byte(body))
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return req
}

// RichRequest is a chat request with all that conditions and templates can refer to: a user,
// a tool result, two tools, a JSON Schema and a header field. Some texts look like templates.
func RichRequest(t testing.TB) *scenarios.Request {
	t.Helper()
	return Request(t, `{"model":"gpt-4o","user":"ada","temperature":0.5,"messages":[{"role":"user","content":"weather in {{ Oslo"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"call_1","content":"18 {{ C"}],
		"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}},
			{"type":"function","function":{"name":"search"}}],
		"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object","properties":{"a":{"type":"integer"}}}}}}`,
		"X-Trace", "t1")
}

// Files returns the files that match a pattern. The test fails if there are none.
func Files(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return files
}

// Read returns the bytes of a file.
func Read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
