package chat_test

import (
	"bufio"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// The role has no chunk, but the pause before it is kept; the pace begins with the first text.
// A hold waits at its place in the stream.
func TestPausesAndHolds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, yaml string
		want       []string // want is the text of each chunk, and when it arrives
	}{
		{"the pace begins with the first text", "message: a b\npace: { first: 300ms, every: 20ms }", []string{"a 300ms", " b 320ms"}},
		{"a role does not take the first pause", "stream:\n- role: assistant\n- content: a\n- finish: stop\npace: { first: 300ms, every: 20ms }", []string{"a 300ms", " 320ms"}},
		{"a pause before the role", "stream:\n- role: assistant\n  after: 1s\n- content: a\n- finish: stop", []string{"a 1s", " 1s"}},
		{"a wait", "stream:\n- role: assistant\n- content: a\n- wait: 2s\n- content: b\n- finish: stop", []string{"a 0s", "b 2s", " 2s"}},
		{"a hold after the role", "stream:\n- role: assistant\n- hold: here\n- content: a\n- finish: stop", []string{"a 5s", " 5s"}},
		{"pieces of a template", "stream:\n- role: assistant\n- { text: 'x {{ .last_user }}', by: word, every: 10ms }\n- finish: stop", []string{"x 0s", " Say 10ms", " it 20ms", " 20ms"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.YAML("name: x\n"+tt.yaml))
				if strings.Contains(tt.yaml, "hold") {
					go func() {
						fake.Await("here")
						time.Sleep(5 * time.Second)
						fake.Release("here")
					}()
				}
				if got := arrivals(t, fake); !slices.Equal(got, tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// arrivals returns the texts of a stream, and when each arrived.
func arrivals(t *testing.T, fake *fakeopenai.Server) (list []string) {
	t.Helper()
	began := time.Now()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fake.BaseURL+"/completions", strings.NewReader(`{"model":"m","prompt":"Say it","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := fake.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: {")
		if !ok {
			continue
		}
		text := parse(t, "{"+data).Get("choices").Items()[0].Get("text").Text()
		list = append(list, text+" "+time.Since(began).String())
	}
	return list
}
