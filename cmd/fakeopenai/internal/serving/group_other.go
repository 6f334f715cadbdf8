//go:build !unix

package serving

import (
	"os"
	"os/exec"
)

// inOwnGroup does nothing: this system has no process groups.
func inOwnGroup(*exec.Cmd) {}

// killGroup kills the command, but not its children.
func killGroup(p *os.Process) error { return p.Kill() }

// Shell returns the arguments that run a command line in the system's shell.
func Shell(line string) []string { return []string{"cmd", "/C", line} }
