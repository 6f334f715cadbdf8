//go:build unix

package serving

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

func TestExitCodeOfACommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line string
		want int
	}{
		{"exit 0", 0},
		{"exit 7", 7},
		{"kill -TERM $$", 128 + 15},
	} {
		for name, run := range map[string]func(Command, context.Context) (int, error){"Run": Command.Run, "RunAlone": Command.RunInGroup} {
			if got, err := run(Command{Args: Shell(tt.line), Environ: os.Environ()}, t.Context()); got != tt.want || err != nil {
				t.Errorf("%s of %q gives %d, %v; want %d", name, tt.line, got, err, tt.want)
			}
		}
	}
	for name, run := range map[string]func(Command, context.Context) (int, error){"Run": Command.Run, "RunAlone": Command.RunInGroup} {
		if _, err := run(Command{Args: []string{"no-such-command"}}, t.Context()); err == nil || !strings.Contains(err.Error(), "start the command") {
			t.Errorf("%s of a command that is not there: %v", name, err)
		}
	}
}

// The pipe is read to its end, which comes when the last process that could write to it
// has ended.
func TestRunAloneKillsWhatTheCommandStarted(t *testing.T) {
	t.Parallel()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	text := make(chan string, 1)
	go func() {
		line := make([]byte, len("child\n"))
		_, _ = io.ReadFull(out, line)
		cancel()
		text <- string(line)
	}()
	code, err := Command{Args: Shell("(echo child; sleep 60) & sleep 60"), Environ: os.Environ(), Stdout: in}.RunInGroup(ctx)
	in.Close()
	if line := testflag.Receive(t, text); code != 128+9 || err != nil || line != "child\n" {
		t.Errorf("the code is %d, %v, the output %q; want 137 and that of the child", code, err, line)
	}
	if err := out.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(out); err != nil {
		t.Errorf("what the command has started is still there: %v", err)
	}
}
