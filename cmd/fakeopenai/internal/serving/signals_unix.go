//go:build unix

package serving

import (
	"os"
	"os/signal"
	"syscall"
)

// CatchSignals delivers the signals that end or reload a server, until stop is called.
func CatchSignals() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 4)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return c, func() { signal.Stop(c); close(c) }
}

// isReload reports whether a signal means to read the scenarios again.
func isReload(signal os.Signal) bool { return signal == syscall.SIGHUP }
