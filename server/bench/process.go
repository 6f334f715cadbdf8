package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server that runs on a core of its own.
type process struct {
	url  string
	pid  int // pid is 0 for a server that was started by somebody else.
	stop func()
}

// start starts a server pinned to a core. Its output has a line with its URL.
func start(core string, command ...string) (*process, error) {
	c := exec.Command("taskset", append([]string{"-c", core}, command...)...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &process{pid: c.Process.Pid, stop: func() { _ = c.Process.Kill(); _ = c.Wait() }}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, p.url, _ = strings.Cut(lines.Text(), "listening on "); p.url != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return p, nil
		}
	}
	p.stop()
	return nil, fmt.Errorf("%s does not say where it listens", strings.Join(command, " "))
}

// pinSelf lets this process run on one core.
func pinSelf(core string) error {
	out, err := exec.Command("taskset", "-a", "-p", "-c", core, strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, out)
	}
	return nil
}

// cpu is the time that the process has computed so far.
func (p *process) cpu() time.Duration {
	src, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if p.pid == 0 || err != nil {
		return 0
	}
	fields := strings.Fields(string(src[bytes.LastIndexByte(src, ')')+1:]))
	const ticks = 100 // a second; the kernel's interface fixes it on Linux
	var sum int64
	for _, f := range fields[11:13] { // user and system time
		n, _ := strconv.ParseInt(f, 10, 64)
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks
}

// resident is the memory of the process in bytes.
func (p *process) resident() int64 {
	src, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if p.pid == 0 || err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(src), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseInt(fields[0], 10, 64)
	return kb << 10
}

// ownCPU is the time that this process has computed so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// build makes the command that users run, as a release is built, in the repository's own
// module: this one does not need what the command does.
func build(file string) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/fakeopenai/fakeopenai").Output()
	if err != nil {
		return fmt.Errorf("go list: %w; run it in server/bench, as go -C server/bench run . does", err)
	}
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, "./cmd/fakeopenai")
	c.Dir, c.Env = strings.TrimSpace(string(root)), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	return nil
}
