package fakeopenai

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Hunt fails the test with a scenario that shows what it has found, or logs how many runs there were.
func TestHuntFailsTheTestOfABuggyClient(t *testing.T) {
	t.Parallel()
	hunting := func(read func(body []byte) any) *recorder {
		return record(t, func(tb testing.TB) {
			Hunt(tb, YAML("name: hunted\nmessage: One two three\n"), func(ctx context.Context, fake *Server) (any, error) {
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, fake.BaseURL+"/chat/completions", strings.NewReader(streamed))
				if err != nil {
					return nil, err
				}
				req.Header.Set("Content-Type", "application/json")
				resp, err := fake.Client().Do(req)
				if err != nil {
					return nil, err
				}
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				return read(body), err
			}, HuntRuns(60))
		})
	}
	hunting(func(body []byte) any { return bytes.Count(body, []byte("data:")) }).wantErrors(t, "name: hunted")
	r := hunting(func([]byte) any { return "the same" })
	r.wantErrors(t)
	if logs := r.logs.String(); !strings.Contains(logs, "62 runs") {
		t.Errorf("the log is %q, want 62 runs: two as written, and 60", logs)
	}
}
