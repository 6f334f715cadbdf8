//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// inOwnGroup puts a command and all that it starts into a process group of its
// own.
func inOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a command that was started in its own group, and all that it
// has started.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// Shell is how the system's shell runs a command line.
func Shell(line string) []string { return []string{"sh", "-c", line} }
