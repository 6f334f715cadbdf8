package compat

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The openai package for Node and two frameworks send their requests to the real binary, which is built
// with the race detector and ends at the first race: retries, streams that are left, loops of agents, Azure.
// They do so with one server, and with replicas behind one of the balancers, or with -all behind each.
func TestNode(t *testing.T) {
	t.Parallel()
	requireNode(t)
	binary := build(t)
	for file, args := range map[string][]string{
		"calls.test.mjs":     {"calls.yaml"},
		"loops.test.mjs":     {"responses.yaml"},
		"azure.test.mjs":     {"responses.yaml"},
		"whole.test.mjs":     {"whole.yaml"},
		"endpoints.test.mjs": {"endpoints", "../../fixtures/plain-text.yaml"},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			runNode(t, file, serve(t, binary, args...))
		})
		for i, b := range balancers {
			if !*all && day()%uint32(len(balancers)) != uint32(i) {
				continue
			}
			t.Run(file+" behind "+b.program, func(t *testing.T) {
				t.Parallel()
				var urls []string
				for range replicas {
					urls = append(urls, serve(t, binary, args...))
				}
				runNode(t, file, b.run(t, urls))
			})
		}
	}
}

// Realtime sessions need TLS, because the openai package insists on it.
func TestRealtimeClientsInNode(t *testing.T) {
	t.Parallel()
	requireNode(t)
	runNode(t, "realtime.test.mjs", serve(t, build(t), "--tls", "realtime.yaml", "../../fixtures/zoo/realtime.yaml"), "NODE_TLS_REJECT_UNAUTHORIZED=0")
}

// runNode runs a test file of the folder node with the URL of a server.
func runNode(t *testing.T, file, url string, more ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "--test", file)
	cmd.Dir = "node"
	cmd.Env = append(append(os.Environ(), "FAKEOPENAI_URL="+url, "OPENAI_API_KEY=sk-node"), more...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("node --test %s: %v\n%s", file, err, out)
	}
}

// requireNode skips a test where Node or its packages are missing.
func requireNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		skip(t, "there is no node; install Node 22 or later")
	}
	if _, err := os.Stat("node/node_modules/@xsai/stream-text"); err != nil {
		skip(t, "the packages are missing; run npm ci in server/compat/node")
	}
}

// inCI is whether a test fails that would otherwise be skipped because a tool is missing.
var inCI = os.Getenv("CI") != ""

func skip(t *testing.T, reason string) {
	t.Helper()
	if inCI {
		t.Fatal("cannot be run in CI: " + reason)
	}
	t.Skip("skipped: " + reason)
}

// build returns the path of the binary, which is built once for all tests, with the race
// detector. That needs a C compiler; outside CI a machine without one gets a plain binary.
func build(t *testing.T) string {
	t.Helper()
	if err := buildOnce(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(built, "fakeopenai")
}

// built is the folder that holds the binary.
var built string

func TestMain(m *testing.M) {
	code := 1
	defer func() { os.Exit(code) }()
	dir, err := os.MkdirTemp("", "fakeopenai")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer os.RemoveAll(dir)
	built = dir
	code = m.Run()
}

var buildOnce = sync.OnceValue(func() error {
	binary := filepath.Join(built, "fakeopenai")
	err := goBuild("-race", "-o", binary)
	if err != nil && !inCI {
		fmt.Fprintf(os.Stderr, "the server is built without the race detector: %v\n", err)
		err = goBuild("-o", binary)
	}
	return err
})

func goBuild(flags ...string) error {
	args := append(append([]string{"build"}, flags...), "./cmd/fakeopenai")
	cmd := exec.CommandContext(context.Background(), "go", args...) // not a test's context: the binary is for all tests
	cmd.Dir = "../.."
	if slices.Contains(flags, "-race") {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1") // the race detector needs it
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// serve starts the binary and returns the URL of the server. At the end of the test it
// stops the server, and the test fails if the server found a race.
func serve(t *testing.T, binary string, args ...string) string {
	t.Helper()
	return startServer(t, binary, args...).url
}

// process is a server that runs by itself.
type process struct {
	url string
	cmd *exec.Cmd
	log strings.Builder
}

// startServer is serve for tests that end the server themselves.
func startServer(t *testing.T, binary string, args ...string) *process {
	t.Helper()
	args = append([]string{"serve", "--addr", "127.0.0.1:0", "--drain-timeout", "1s"}, args...)
	p := &process{cmd: exec.Command(binary, args...)} //nolint:noctx // stop interrupts it, so that it can report races
	p.cmd.Env = append(os.Environ(), "GORACE=halt_on_error=1 atexit_sleep_ms=0")
	p.cmd.Stderr = &p.log
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.stop(t) })
	p.url = firstURL(t, bufio.NewScanner(stdout))
	return p
}

func firstURL(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	if !lines.Scan() {
		t.Fatalf("the server printed no line: %v", lines.Err())
	}
	at := strings.Index(lines.Text(), "http") // http:// or, with TLS, https://
	if at < 0 {
		t.Fatalf("no URL in the first line %q", lines.Text())
	}
	return lines.Text()[at:]
}

// stop ends the server, unless the test has waited for its end.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if p.cmd.ProcessState != nil {
		return
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Errorf("the server had ended before the test: %v", err)
	}
	p.wait(t)
}

// wait waits until the server has ended, as it should, and without a race.
func (p *process) wait(t *testing.T) {
	t.Helper()
	if err := p.cmd.Wait(); err != nil || strings.Contains(p.log.String(), "DATA RACE") {
		t.Errorf("the server ended with %v\n%s", err, &p.log)
	}
}
