//go:build !unix

package serving

import (
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// CatchSignals delivers the signals that end a server, until stop is called.
func CatchSignals() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 4)
	signal.Notify(c, os.Interrupt)
	return c, func() { signal.Stop(c); close(c) }
}

func catchForwarded() (signals <-chan os.Signal, stop func()) { return CatchSignals() }

// isReload reports whether a signal means to read the scenarios again. There is
// none for it on this system.
func isReload(os.Signal) bool { return false }

// reachesChild reports whether the command receives a signal without being forwarded
// it. On Windows the console sends Ctrl-C to all of its programs.
func reachesChild(os.Signal) bool { return true }

// inOwnGroup does nothing: this system has no process groups.
func inOwnGroup(*exec.Cmd) {}

// killGroup kills the command, but not its children.
func killGroup(p *os.Process) error { return p.Kill() }

func nap(d time.Duration) { time.Sleep(d) }

// Shell returns the arguments that run a command line in the system's shell.
func Shell(line string) []string { return []string{"cmd", "/C", line} }
