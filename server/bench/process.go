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

// process is a running server, which may consist of several processes of the system.
type process struct {
	url  string
	urls []string // urls are those of all replicas; nil for one server, and for replicas behind a balancer.
	pids []int    // pids is empty for a server on another machine.
	stop func()
}

// start starts a server pinned to a CPU core, with GOMAXPROCS=1. It waits for the line
// "listening on URL" on the server's standard output.
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
	return nil, fmt.Errorf("%s does not print where it listens; run it by itself to see why", strings.Join(command, " "))
}

// pinSelf pins this process to one CPU core.
func pinSelf(core string) error {
	out, err := exec.Command("taskset", "-a", "-p", "-c", core, strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, out)
	}
	return nil
}

// cpu is the CPU time that the server has used so far.
func (p *process) cpu() time.Duration {
	const ticks = 100 // per second: Linux fixes USER_HZ, the unit in /proc
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

// resident is the resident memory of the server in bytes.
func (p *process) resident() (sum int64) {
	for _, pid := range p.pids {
		src, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // a process that has ended counts as 0
		_, rest, _ := strings.Cut(string(src), "VmRSS:")
		if fields := strings.Fields(rest); len(fields) > 0 {
			kb, _ := strconv.ParseInt(fields[0], 10, 64)
			sum += kb << 10
		}
	}
	return sum
}

// ownCPU is the CPU time that this process has used so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// build builds the fakeopenai command to a file, with the flags of a release and in the
// main module of the repository, because this module lacks the command's dependencies. The
// file is a copy of what the linker wrote, as an installed program is: Linux loads the
// linker's own output page by page, and starts it a tenth slower.
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
	// A child runs cp: a file that this process writes may still be open in another child,
	// and Linux does not execute a file that is open for writing.
	out, err := exec.Command("cp", file+".linked", file).CombinedOutput()
	if err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	return os.Remove(file + ".linked")
}
