//go:build unix

package serving

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// CatchSignals delivers the signals that end or reload a server, until stop is called.
func CatchSignals() (signals <-chan os.Signal, stop func()) {
	return catch(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// catchForwarded delivers the signals to forward to a command, until stop is called.
func catchForwarded() (signals <-chan os.Signal, stop func()) {
	return catch(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
}

func catch(those ...os.Signal) (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 16)
	signal.Notify(c, those...)
	return c, func() { signal.Stop(c); close(c) }
}

func isReload(signal os.Signal) bool { return signal == syscall.SIGHUP }

// reachesChild reports whether the command receives a signal without being forwarded
// it: a terminal sends Ctrl-C to its whole foreground process group. A second copy of
// the signal makes many programs abort instead of shutting down.
func reachesChild(signal os.Signal) bool {
	if signal != os.Interrupt && signal != syscall.SIGQUIT {
		return false
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	foreground, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
}

// inOwnGroup starts a command, and thereby its children, in a new process group.
func inOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the process group of a command that was started by inOwnGroup.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// nap sleeps in the thread: the timers of Go take a millisecond where it is less.
func nap(d time.Duration) {
	length := unix.NsecToTimeval(d.Nanoseconds())
	_, _ = unix.Select(0, nil, nil, nil, &length)
}

// Shell returns the arguments that run a command line in the system's shell.
func Shell(line string) []string { return []string{"sh", "-c", line} }
