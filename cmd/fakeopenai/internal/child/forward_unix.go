//go:build unix

package child

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// catchForwarded delivers the signals that exec passes on to its command, until
// stop is called.
func catchForwarded() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 16)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	return c, func() { signal.Stop(c); close(c) }
}

// reachesChild reports whether the command gets a signal without our help: a
// terminal sends Ctrl-C to all processes in its foreground, and a second copy
// would make many programs break off instead of ending in order.
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
