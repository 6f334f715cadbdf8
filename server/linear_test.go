package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// The work to check a file is in proportion to its length, and so is the work for a request, and to
// record an answer, whatever it is long of. Each of these once took hours for a file or a request of 32 MB, or a minute for an answer of 100 kB. Eight
// times as much may execute nine times as many statements, and allocate twelve times as many bytes,
// because lists double: what is quadratic does 64 times as much. Statements of the packages for
// searching count, too.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	const times, mostStatements, mostBytes = 8, 9, 12
	const counted = "github.com/fakeopenai/fakeopenai/scenarios/...,github.com/fakeopenai/fakeopenai/server/...,bytes,slices,strings,unicode/utf8"
	run := exec.Command("go", "run", "-cover", "-covermode=atomic", "-coverpkg="+counted, "./testdata/work")
	run.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir(), "GOGC=400") // as in package testflag
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		name, figures, _ := strings.Cut(line, "\t")
		var statements, moreStatements, bytes, moreBytes int
		if _, err := fmt.Sscan(figures, &statements, &moreStatements, &bytes, &moreBytes); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if moreStatements > mostStatements*statements {
			t.Errorf("%s: %d times as much executes %d statements instead of %d", name, times, moreStatements, statements)
		}
		if moreBytes > mostBytes*bytes {
			t.Errorf("%s: %d times as much allocates %d bytes instead of %d", name, times, moreBytes, bytes)
		}
	}
	if len(lines) < 38 {
		t.Errorf("the work of %d inputs was counted, want 38", len(lines))
	}
}

const megabyte = 1 << 20

// The bytes of a large answer are made once, and sent in blocks to each request. Not parallel: the
// allocations of other tests would count.
func TestALargeAnswerIsWrittenInBlocks(t *testing.T) {
	testflag.NoRace(t)
	const size = 8_000_000
	for reply, ask := range map[string]string{
		"stream:\n  - event: { data: { repeat: a, bytes: 8000000 } }\n":                                                                              brief,
		"message: { content: { repeat: a, bytes: 8000000 }, by: all }\n":                                                                             whole,
		"stream: [{ role: assistant }, { content: { repeat: ab, bytes: 4000000 } }, { content: { repeat: a, bytes: 4000000 } }, { finish: stop }]\n": whole,
	} {
		r := start(t, "name: large\n"+reply, server.Config{})
		play := func() {
			resp := r.chat(ask)
			wantStatus(t, resp, http.StatusOK)
			if n, err := io.Copy(io.Discard, resp.Body); n < size || err != nil {
				t.Errorf("%d bytes were sent, want at least %d: %v", n, size, err)
			}
		}
		play() // the first request compiles the program
		if allocated := allocatedBy(play); allocated > 2*megabyte {
			t.Errorf("%s: to play it again took %d bytes of memory", reply, allocated)
		}
	}
}

// allocatedBy returns how many bytes f allocated, including those that were freed again.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// hostileTool returns a request of two kilobytes that offers a tool f, for whose parameters
// no values can be invented with bounded work.
func hostileTool(levels int) string {
	var defs strings.Builder
	for i := range levels {
		fmt.Fprintf(&defs, `"%d":{"allOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]},`, i, i+1, i+1)
	}
	return fmt.Sprintf(`{"model":"gpt-4o","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f",`+
		`"parameters":{"$ref":"#/$defs/0","$defs":{%s"%d":{}}}}}]}`, defs.String(), levels)
}

// A schema that takes too much work is the request's mistake: a 400.
func TestASchemaThatTakesTooMuchWorkIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, "name: x\nmessage: { tool_calls: [{ name: f, arguments: fake }] }\n", server.Config{})
	const many = `{"model":"gpt-4o","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f",` +
		`"parameters":{"type":"array","minItems":90000,"items":{"type":"array","minItems":3,"items":{"type":"boolean"}}}}}]}` // ends after some more steps
	for _, body := range []string{hostileTool(30), many} {
		wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", body, http.StatusBadRequest), "it takes more than 250000 steps to satisfy it", `"invalid_request_error"`)
	}
}

// The server stops inventing an answer when its client has left.
func TestInventingStopsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	s := local(t, "name: x\nmessage: { choices: ["+strings.Repeat("{ tool_calls: [{ name: f, arguments: fake }] }, ", 128)+"] }\n", server.Config{})
	body := strings.Replace(hostileTool(12), `{"model"`, `{"n":128,"model"`, 1)
	if !json.Valid([]byte(body)) {
		t.Fatal(body)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(gone, http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	if got := w.Body.String(); !strings.Contains(got, "nobody waits for it any more") {
		t.Errorf("the answer is %.300s", got)
	}
}
