package serving

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	var all outputTail
	all.Write([]byte("all "))
	all.Write([]byte("of it"))
	if got := all.String(); got != "all of it" {
		t.Errorf("got %q", got)
	}
	var long outputTail
	for range tailSize {
		long.Write([]byte("0123456789"))
	}
	long.Write([]byte("end"))
	got := long.String()
	if !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "0123456789end") || len(got) != tailSize+len("…") {
		t.Errorf("got %d bytes: %.20s", len(got), got)
	}
}

func TestWatchdogBarks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		touches int // one in each second
		want    time.Duration
	}{
		"when nothing happens":               {0, 2 * time.Second},
		"when nothing happens any more":      {5, 7 * time.Second},
		"when it goes on for ten times that": {100, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start, barks := time.Now(), make(chan time.Duration, 10)
				dog := newWatchdog(2*time.Second, func() { barks <- time.Since(start) })
				defer dog.stop()
				for range tt.touches {
					time.Sleep(time.Second)
					dog.touch()
				}
				if got := <-barks; got != tt.want {
					t.Errorf("after %v, want %v", got, tt.want)
				}
			})
		})
	}
}
