package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

func TestPagesCommandsPrintWhatIsShown(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	need(t, "sh", "curl", "python3", "node")
	fences := fencesOf(executed(t))
	dir := writeFiles(t, fences)
	for _, f := range fences {
		switch f.info {
		case "console":
			t.Run(f.String(), func(t *testing.T) {
				c := console{t: t, dir: dir, block: f}
				c.run(f.text)
			})
		case "sh":
			cmd := exec.Command("sh", "-n")
			cmd.Stdin = strings.NewReader(f.text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", f, err, out)
			}
		}
	}
}

// need skips a test if the machine lacks a program, and names the program. In CI it fails
// the test instead. On Windows it skips tests that need sh, because shells there start
// and end programs in another way.
func need(t *testing.T, tools ...string) {
	t.Helper()
	if runtime.GOOS == "windows" && slices.Contains(tools, "sh") {
		t.Skip("the commands of the pages were not run: they are those of a Unix shell")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("the commands of the pages cannot be run in CI: install %s", tool)
			}
			t.Skipf("the commands of the pages were not run: install %s", tool)
		}
	}
}

// console runs the commands of one console block. "go run ./cmd/fakeopenai" is replaced
// by the program under test, and port 8080 by a free port.
type console struct {
	t     *testing.T
	dir   string
	block fence
	port  string // in place of 8080
}

func (c *console) run(text string) {
	for part := range strings.SplitSeq("\n"+strings.TrimSuffix(text, "\n"), "\n$ ") {
		if part == "" {
			continue
		}
		command, output, _ := strings.Cut(part+"\n", "\n")
		got := c.output(command)
		if got != "" {
			got = strings.TrimSuffix(got, "\n") + "\n"
		}
		if !shown(output).MatchString(got) {
			c.t.Errorf("%v: %s\nprints\n%s\nbut what is shown is\n%s", c.block, command, got, output)
		}
	}
}

func (c *console) output(command string) string {
	c.t.Helper()
	script := strings.ReplaceAll(command, "go run ./cmd/fakeopenai", "fakeopenai")
	if c.port != "" {
		script = strings.ReplaceAll(script, ":8080", c.port)
	}
	script, background := strings.CutSuffix(script, " &")
	if background {
		return c.start(script)
	}
	cmd := c.command(script)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		c.t.Fatalf("%v: %s: %v", c.block, command, err)
	}
	c.t.Logf("%s: %s", command, stderr.String())
	return string(out)
}

func (c *console) command(script string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), "sh", "-c", script)
	cmd.WaitDelay = time.Second
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "FAKEOPENAI_ADDR=127.0.0.1:0")
	return cmd
}

// start starts a server and returns its first line.
func (c *console) start(script string) string {
	c.t.Helper()
	cmd := c.command("exec " + script)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.t.Fatalf("%v: %s: %v", c.block, script, err)
	}
	c.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.t.Fatalf("%v: %s: no first line: %v", c.block, script, err)
	}
	c.port = regexp.MustCompile(`:\d+$`).FindString(strings.TrimSpace(line))
	return strings.ReplaceAll(line, c.port, ":8080")
}

// shown returns a regular expression for the output that a page shows.
func shown(text string) *regexp.Regexp {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line == "…\n" {
			b.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `[^\n]*?`))
	}
	return regexp.MustCompile(`^` + b.String() + `$`)
}
