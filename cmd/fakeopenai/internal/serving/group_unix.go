//go:build unix

package serving

import (
	"os"
	"os/exec"
	"syscall"
)

// inOwnGroup starts a command, and thereby its children, in a new process group.
func inOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the process group of a command that was started by inOwnGroup.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// Shell returns the arguments that run a command line in the system's shell.
func Shell(line string) []string { return []string{"sh", "-c", line} }
