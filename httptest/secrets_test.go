package fakeopenai

import (
	"net/http"
	"strings"
	"testing"
)

// API keys in a request's query are masked in what a test prints, because others read it, too.
// The values that the test asks for are exact.
func TestKeysInPathsAreMaskedWhereTheyArePrinted(t *testing.T) {
	t.Parallel()
	r := record(t, func(tb testing.TB) {
		fake := NewServer(tb, YAML(greeting), AllowUnused())
		resp, err := fake.Client().Get(fake.BaseURL + "/nothing?api_key=sk-0123456789abcdefghij")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("status %d, want 404", resp.StatusCode)
		}
		last := fake.AwaitEnd(0)
		if !strings.HasSuffix(last.Path, "=sk-0123456789abcdefghij") {
			t.Errorf("the path is %q", last.Path)
		}
		if strings.Contains(last.String(), "0123456789") || !strings.Contains(last.String(), "sk-…ghij (sha256:") {
			t.Errorf("the request is printed as %q", last)
		}
	})
	r.wantErrors(t, "sk-…ghij (sha256:")
	if text := strings.Join(r.errors, "\n") + r.logs.String(); strings.Contains(text, "0123456789") {
		t.Errorf("the test printed the key:\n%s", text)
	}
}
