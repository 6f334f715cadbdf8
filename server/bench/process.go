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

// process is a server that runs on a core of its own, in one process or several.
type process struct {
	url  string
	pids []int // pids are empty for a server of another machine.
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
	p := &process{pids: []int{c.Process.Pid}, stop: func() { _ = c.Process.Kill(); _ = c.Wait() }}
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
	const ticks = 100 // a second; the kernel's interface fixes it on Linux
	var sum int64
	for _, pid := range p.pids {
		src, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(src[bytes.LastIndexByte(src, ')')+1:]))
		for _, f := range fields[11:13] { // user and system time
			n, _ := strconv.ParseInt(f, 10, 64)
			sum += n
		}
	}
	return time.Duration(sum) * time.Second / ticks
}

// resident is the memory of the process in bytes.
func (p *process) resident() (sum int64) {
	for _, pid := range p.pids {
		src, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // one that has ended has no memory
		_, rest, _ := strings.Cut(string(src), "VmRSS:")
		if fields := strings.Fields(rest); len(fields) > 0 {
			kb, _ := strconv.ParseInt(fields[0], 10, 64)
			sum += kb << 10
		}
	}
	return sum
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
// module: this one does not need what the command does. It is copied, as installed
// programs are: Linux reads what a linker has written page by page, and starts it a tenth
// slower.
func build(file string) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/fakeopenai/fakeopenai").Output()
	if err != nil {
		return fmt.Errorf("go list: %w; run it in server/bench, as go -C server/bench run . does", err)
	}
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file+".linked", "./cmd/fakeopenai")
	c.Dir, c.Env = strings.TrimSpace(string(root)), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	out, err := exec.Command("cp", file+".linked", file).CombinedOutput() // no child of this process may have it open
	if err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	return os.Remove(file + ".linked")
}
