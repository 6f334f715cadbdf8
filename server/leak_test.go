package server_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// Not parallel: it counts goroutines and descriptors of the process.
func TestNoEndingLeavesAnythingBehind(t *testing.T) {
	testflag.Heavy(t)
	running, files := goleak.IgnoreCurrent(), openFiles()
	endings := 0
	for _, tt := range wireCases {
		if !strings.HasPrefix(tt.name, "end ") {
			continue
		}
		endings++
		for _, body := range []string{brief, whole} {
			t.Run(fmt.Sprintf("%s, stream %t", tt.name, body == brief), func(t *testing.T) {
				r := start(t, tt.yaml, server.Config{})
				for range 5 {
					r.askOnce(body)
				}
			})
		}
	}
	if endings < 10 {
		t.Errorf("only %d endings were tried", endings)
	}
	if err := goleak.Find(running); err != nil {
		t.Error(err)
	}
	if now := openFiles(); now > files {
		t.Errorf("%d files are open, %d were before", now, files)
	}
}

// askOnce sends a request and reads as much of the answer as there is.
func (r *running) askOnce(body string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if resp, err := r.client.Do(req); err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// openFiles returns how many descriptors the process has open, on systems that tell.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
