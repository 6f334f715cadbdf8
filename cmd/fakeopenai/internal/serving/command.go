package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Command is a command to run.
type Command struct {
	Args           []string // Args are the program and its arguments.
	Environ        []string // Environ is the environment in the form of os.Environ.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs the command until it ends and returns its exit code. It forwards the signals
// that this program receives; when ctx ends, it interrupts the command. An error means
// that the command could not run.
func (c Command) Run(ctx context.Context) (int, error) {
	process := c.process(ctx)
	process.Cancel = func() error { return process.Process.Signal(os.Interrupt) }
	process.WaitDelay = 10 * time.Second
	signals, stop := catchForwarded()
	if err := process.Start(); err != nil {
		stop()
		return 0, fmt.Errorf("start the command: %w", err)
	}
	var forwarding sync.WaitGroup
	forwarding.Go(func() {
		for signal := range signals {
			if !reachesChild(signal) {
				_ = process.Process.Signal(signal) // fails only if the command has ended
			}
		}
	})
	err := process.Wait()
	stop()
	forwarding.Wait()
	return outcome(process, err)
}

// RunInGroup runs the command in a process group of its own and returns its exit code.
// When ctx ends, it kills the whole group.
func (c Command) RunInGroup(ctx context.Context) (int, error) {
	process := c.process(ctx)
	inOwnGroup(process)
	process.Cancel = func() error { return killGroup(process.Process) }
	process.WaitDelay = time.Second
	if err := process.Start(); err != nil {
		return 0, fmt.Errorf("start the command: %w", err)
	}
	return outcome(process, process.Wait())
}

func (c Command) process(ctx context.Context) *exec.Cmd {
	process := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	process.Stdin, process.Stdout, process.Stderr = c.Stdin, c.Stdout, c.Stderr
	process.Env = c.Environ
	return process
}

// outcome returns the exit code of a command for which Wait returned err.
func outcome(process *exec.Cmd, err error) (int, error) {
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited && process.ProcessState == nil {
		return 0, fmt.Errorf("run the command: %w", err)
	}
	return exitCode(process.ProcessState), nil
}

// exitCode returns the command's exit code or, as shells do, 128 plus the number of the
// signal that ended it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
