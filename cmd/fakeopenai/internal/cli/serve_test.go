package cli

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
)

// The help of serve quotes the first line that it writes.
func TestServeWritesTheLineThatItsHelpShows(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var out bytes.Buffer
	a := &app{stdout: &out}
	if _, err := a.announce(serveOptions{}, listener, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(a.serveCommand().Long, `The first line on stdout is "`)
	shown, _, found := strings.Cut(rest, `"`)
	want := strings.ReplaceAll(shown, "URL", "http://"+listener.Addr().String()) + "\n"
	if !found || out.String() != want {
		t.Errorf("the first line is %q, help says %q", out.String(), want)
	}
}

// An address that stands for all interfaces is not hidden behind the URL.
func TestServeSaysThatItIsBoundToAllInterfaces(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var out bytes.Buffer
	if _, err := (&app{stdout: &out}).announce(serveOptions{}, listener, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	want := "listening on http://127.0.0.1:" + port + "\nand on all other interfaces, at " + listener.Addr().String() + "\n"
	if out.String() != want {
		t.Errorf("serve writes %q, want %q", out.String(), want)
	}
}

// 0 in the server's configuration means its default, so that 0s has to become another
// duration.
func TestNoDrainTimeoutIsNotTheDefault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"0s": 1, "50ms": 50 * time.Millisecond} {
		if got, err := drainTimeout(text); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	if got, err := drainTimeout("-1s"); err == nil {
		t.Errorf("-1s is %v", got)
	}
}
