package fakeopenai

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"testing"
)

func TestAwaitSaysWhereEveryOpenStreamStands(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, with ...Option) {
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, append(with, YAML(`
				name: two-holds
				when: { model: gpt-4o }
				stream:
				  - role: assistant
				  - hold: here
				  - hold: there
				  - finish: stop
			`))...)
			if _, err := ask(t.Context(), fake, streamed); err != nil {
				t.Fatal(err)
			}
			fake.Await("here")
			go func() { // a request that no scenario answers ends the wait below
				if resp, err := ask(t.Context(), fake, `{"model":"o3","messages":[]}`); err == nil {
					resp.Body.Close()
				}
			}()
			fake.Await("there")
			t.Error("Await returned although no stream had reached the hold")
		}).wantErrors(t, "o3", `request 1 (scenario "two-holds", reply 1) waits at hold "here" after `)
	})
}

// TestHoldVariable runs this test binary again with the variable that keeps a test's server
// open, and requests a stream from that server.
func TestHoldVariable(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServerURLInMemory$")
	cmd.Env = append(os.Environ(), debugVariable+"=127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatalf("the held test said %q, %v", line, err)
	}
	m := regexp.MustCompile(`TestServerURLInMemory is held open at (http://127\.0\.0\.1:\d+)/v1 `).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("the held test said %q", line)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(m[1] + "/_fake/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("healthz of the held server: %s", resp.Status)
	}
}
