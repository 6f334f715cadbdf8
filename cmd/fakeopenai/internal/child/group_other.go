//go:build !unix

package child

import (
	"os"
	"os/exec"
)

// inOwnGroup does nothing: there are no process groups on this system.
func inOwnGroup(*exec.Cmd) {}

// killGroup ends a command, but not what it has started.
func killGroup(p *os.Process) error { return p.Kill() }

// Shell is how the system's shell runs a command line.
func Shell(line string) []string { return []string{"cmd", "/C", line} }
