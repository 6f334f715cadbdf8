package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

// A reset below TLS sends only the RST: after TLS's alert close_notify a client would see an
// orderly end.
func TestAResetBelowTLSIsARST(t *testing.T) {
	t.Parallel()
	for _, watched := range []bool{true, false} {
		s := local(t, "name: x\nstream: [{ role: assistant }]\nend: reset\n", server.Config{})
		front := httptest.NewUnstartedServer(s)
		if watched {
			front.Listener, front.Config.ConnContext = s.Watch(front.Listener), s.ConnContext
		}
		front.StartTLS()
		t.Cleanup(front.Close)
		resp, err := front.Client().Post(front.URL+"/v1/chat/completions", "application/json", strings.NewReader(ask))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK || len(body) == 0 || !socket.IsReset(err) {
			t.Errorf("watched %t: %d with %q ends with %v, want a reset", watched, resp.StatusCode, body, err)
		}
	}
}
