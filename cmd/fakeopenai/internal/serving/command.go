package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// Command is a command to run.
type Command struct {
	Args           []string // Args are the program and its arguments.
	Environ        []string // Environ is the environment in the form of os.Environ.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs the command until it ends and returns its exit code. It forwards the signals
// that this program receives; when ctx ends, it interrupts the command. An error means
// that the command could not run.
func (c Command) Run(ctx context.Context) (int, error) {
	process := c.process(ctx)
	process.Cancel = func() error { return process.Process.Signal(os.Interrupt) }
	process.WaitDelay = 10 * time.Second
	signals, stop := catchForwarded()
	if err := process.Start(); err != nil {
		stop()
		return 0, notStarted(err)
	}
	var forwarding sync.WaitGroup
	forwarding.Go(func() {
		for signal := range signals {
			if !reachesChild(signal) {
				_ = process.Process.Signal(signal) // fails only if the command has ended
			}
		}
	})
	err := process.Wait()
	stop()
	forwarding.Wait()
	return outcome(process, err)
}

// notStarted is the error for a command that does not start, with the exit code that a shell has for it.
func notStarted(err error) error {
	code := console.ExitFailed
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		code = console.ExitNotFound
	case errors.Is(err, fs.ErrPermission):
		code = console.ExitNotExecutable
	}
	return &console.ExitError{Code: code, Err: fmt.Errorf("start the command: %w", err)}
}

// RunInGroup runs the command in a process group of its own and returns its exit code.
// When ctx ends, it kills the whole group.
func (c Command) RunInGroup(ctx context.Context) (int, error) {
	process := c.process(ctx)
	inOwnGroup(process)
	process.Cancel = func() error { return killGroup(process.Process) }
	process.WaitDelay = time.Second
	if err := process.Start(); err != nil {
		return 0, fmt.Errorf("start the command: %w", err)
	}
	return outcome(process, process.Wait())
}

func (c Command) process(ctx context.Context) *exec.Cmd {
	process := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	process.Stdin, process.Stdout, process.Stderr = c.Stdin, c.Stdout, c.Stderr
	process.Env = c.Environ
	return process
}

// outcome returns the exit code of a command for which Wait returned err.
func outcome(process *exec.Cmd, err error) (int, error) {
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited && process.ProcessState == nil {
		return 0, fmt.Errorf("run the command: %w", err)
	}
	return exitCode(process.ProcessState), nil
}

// exitCode returns the command's exit code or, as shells do, 128 plus the number of the
// signal that ended it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// azureVersion is the api-version that clients of Azure OpenAI send.
const azureVersion = "2024-10-21"

// presets set the environment variables in which some clients look for their server. The
// first is the default.
var presets = []struct {
	name string
	sets func(url, key string) []string
	// unsets are variables to remove: with these clients they contradict those that
	// are set, or win over them.
	unsets []string
}{
	{
		name: "openai",
		sets: func(url, key string) []string {
			return []string{
				"OPENAI_BASE_URL=" + url + "/v1",
				"OPENAI_API_BASE=" + url + "/v1", // some clients read it first
				"OPENAI_API_KEY=" + key,
			}
		},
	},
	{
		name: "azure",
		sets: func(url, key string) []string {
			return []string{
				"AZURE_OPENAI_ENDPOINT=" + url,
				"AZURE_OPENAI_API_KEY=" + key,
				"AZURE_OPENAI_KEY=" + key, // openai-java
				"OPENAI_API_VERSION=" + azureVersion,
				"AZURE_API_BASE=" + url, // litellm
				"AZURE_API_KEY=" + key,
				"AZURE_API_VERSION=" + azureVersion,
				"OPENAI_API_KEY=" + key, // replaces a real key in the environment
			}
		},
		unsets: []string{"OPENAI_BASE_URL", "OPENAI_API_BASE", "AZURE_OPENAI_AD_TOKEN", "AZURE_AD_TOKEN"},
	},
}

// Presets returns the names of the presets of [Environment]. The first is the default.
func Presets() (names []string) {
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// Environment returns environ with the variables of the named preset, which direct
// clients to the server at url.
func Environment(environ []string, name, url, key string) []string {
	chosen := presets[slices.Index(Presets(), name)]
	env := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		variable, _, _ := strings.Cut(entry, "=")
		return slices.Contains(chosen.unsets, variable)
	})
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env = append(env, name+"="+withoutProxy(environ, name))
	}
	env = append(env, chosen.sets(url, key)...)
	return append(env, console.Variable("url")+"="+url)
}

// withoutProxy returns the value of NO_PROXY with the server's host added: not every
// client exempts loopback by itself.
func withoutProxy(environ []string, name string) string {
	list := "127.0.0.1"
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok && value != "" {
			list = value + ",127.0.0.1"
		}
	}
	return list
}
