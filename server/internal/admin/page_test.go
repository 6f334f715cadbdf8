package admin

import (
	"net/http/httptest"
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

func TestTextsOfPagesAreNoHTML(t *testing.T) {
	t.Parallel()
	const odd = `<"&'`
	w := httptest.NewRecorder()
	writePage(w, page{Message: odd, Link: odd, Endpoints: []Endpoint{
		{Method: odd, Path: odd, Parameters: []string{odd, odd}, Does: odd},
		{Method: "GET", Path: odd},
	}})
	if body := w.Body.String(); strings.Contains(body, odd) || strings.Count(body, "&lt;&#34;&amp;&#39;") != 9 {
		t.Errorf("some texts are not escaped: %s", body)
	}
}
