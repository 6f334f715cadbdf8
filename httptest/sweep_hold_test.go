package fakeopenai_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// gateway starts a proxy that passes an answer on as it comes, or only when it has the whole.
func gateway(t *testing.T, fake *fakeopenai.Server, whole bool) *httptest.Server {
	t.Helper()
	g := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		body := open(t, fake)
		if whole {
			text, _ := io.ReadAll(body)
			_, _ = w.Write(text)
			return
		}
		for buf := make([]byte, 4096); ; {
			n, err := body.Read(buf)
			_, _ = w.Write(buf[:n])
			_ = http.NewResponseController(w).Flush()
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(g.Close)
	return g
}

// With a hold in the middle of the answer, every variant distinguishes a gateway that streams
// from one that buffers the whole answer.
func TestAHoldInASweepTellsWhoStreams(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string]bool{"a gateway that streams": false, "one that holds back": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var early []string
			fakeopenai.Sweep(t, fakeopenai.YAML(`
				name: halves
				stream: [{ role: assistant }, { content: First }, { hold: middle }, { content: second }, { finish: stop }]
			`), func(t *testing.T, fake *fakeopenai.Server) {
				g := gateway(t, fake, whole)
				begun := make(chan string, 1)
				go func() {
					defer close(begun)
					resp, err := http.Get(g.URL)
					if err != nil {
						return
					}
					defer resp.Body.Close()
					lines := bufio.NewReader(resp.Body)
					line := ""
					for err == nil && !strings.Contains(line, "First") {
						line, err = lines.ReadString('\n')
					}
					begun <- line
					_, _ = io.Copy(io.Discard, lines)
				}()
				fake.Await("middle")
				if whole { // this gateway sends nothing until it has the whole answer
					select {
					case <-begun:
						early = append(early, t.Name())
					default:
					}
					fake.Release("middle")
					<-begun
					return
				}
				if text := <-begun; !strings.Contains(text, "First") || strings.Contains(text, "second") {
					t.Errorf("before the release the client has %q", text)
				}
				fake.Release("middle")
			}, fakeopenai.Without("gzip-at-end"))
			if len(early) > 0 {
				t.Errorf("shown before its end: %q", early)
			}
		})
	}
}
