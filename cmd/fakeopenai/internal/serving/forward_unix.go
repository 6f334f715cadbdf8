//go:build unix

package serving

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// catchForwarded delivers the signals to forward to the command, until stop is called.
func catchForwarded() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 16)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	return c, func() { signal.Stop(c); close(c) }
}

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
