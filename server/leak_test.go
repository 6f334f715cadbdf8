package server_test

import (
	"fmt"
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
					if resp, err := r.client.Post(r.url+"/v1/chat/completions", "application/json", strings.NewReader(body)); err == nil {
						bodyOf(resp)
						resp.Body.Close()
					}
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

// openFiles returns how many descriptors the process has open, on systems that tell.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
