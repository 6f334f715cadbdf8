package fakeopenai

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// ask sends a chat completions request and returns the response; the caller must read and
// close its body.
func ask(ctx context.Context, s *Server, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.APIKey)
	return s.Client().Do(req)
}

const (
	streamed = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi!"}]}`
	whole    = `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi!"}]}`
)

// mustAsk sends a request and reads the whole answer.
func mustAsk(t testing.TB, s *Server, body string) (status int, answer string) {
	t.Helper()
	resp, err := ask(context.Background(), s, body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("read the answer after %q: %v", data, err)
	}
	return resp.StatusCode, string(data)
}

// open sends a streaming request and reads its first event.
func open(t testing.TB, s *Server) (*http.Response, *bufio.Reader) {
	t.Helper()
	resp, err := ask(context.Background(), s, streamed)
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(resp.Body)
	if line, err := r.ReadString('\n'); err != nil || !strings.HasPrefix(line, "data: {") {
		t.Fatalf("the first line is %q, %v; want a chunk", line, err)
	}
	return resp, r
}
