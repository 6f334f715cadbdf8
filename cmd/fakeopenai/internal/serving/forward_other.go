//go:build !unix

package serving

import (
	"os"
	"os/signal"
)

// catchForwarded delivers the signals to forward to the command, until stop is called.
func catchForwarded() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 4)
	signal.Notify(c, os.Interrupt)
	return c, func() { signal.Stop(c); close(c) }
}

// reachesChild reports whether the command receives a signal without being forwarded
// it. On Windows the console sends Ctrl-C to all of its programs.
func reachesChild(os.Signal) bool { return true }
