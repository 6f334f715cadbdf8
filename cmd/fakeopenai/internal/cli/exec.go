package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// childKey is the API key that a command gets when no key is asked for. The
// official clients refuse to start without one.
const childKey = "sk-fakeopenai"

// clientKey is the API key that a command gets.
func (f *serverFlags) clientKey() string {
	if len(f.keys) > 0 {
		return f.keys[0]
	}
	return childKey
}

// execOptions are what exec was asked to do.
type execOptions struct {
	serverFlags
	failUnmatched bool
	sources       sources
	command       []string
}

func (a *app) execCommand() *cobra.Command {
	var o execOptions
	cmd := &cobra.Command{
		Use:   "exec [paths...] -- command [args...]",
		Short: "Run a command with a server of its own",
		Long: `Run a command with a server of its own, on a free port, and end with the
command's exit code, or 128 plus the number of the signal that ended it. The
command's environment leads OpenAI clients to the server:

  OPENAI_BASE_URL, OPENAI_API_BASE   the base URL, with /v1
  OPENAI_API_KEY                     the first --api-key, or ` + childKey + `
  FAKEOPENAI_URL                     the URL of the server itself

Signals are passed on to the command. When it has ended, the requests that no
scenario answered are listed on stderr; with --fail-unmatched they make exit
code 1 of a success.`,
		Example: `  fakeopenai exec scenarios/ -- npm test
  fakeopenai exec --fail-unmatched greet.yaml -- pytest -q`,
		Args: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash < 0 || dash == len(args) {
				return errors.New("exec needs a command after --, as in: fakeopenai exec scenarios/ -- npm test")
			}
			return nil
		},
		RunE: guard(func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			o.sources, o.command = sources{paths: args[:dash]}, args[dash:]
			return a.exec(cmd.Context(), o)
		}),
	}
	defineSwitch(cmd.Flags(), &o.failUnmatched, "fail-unmatched", "end with exit code 1 if a request matched no scenario")
	o.define(cmd.Flags(), "error")
	return cmd
}

// exec runs a server and a command, and ends with the command's exit code.
func (a *app) exec(ctx context.Context, o execOptions) error {
	var missed missedRequests
	logger := o.logger(a.stderr)
	config := o.config(logger)
	config.Observe = missed.observe
	lib := &library{sources: o.sources}
	fake, err := lib.newServer(config)
	if err != nil {
		return err
	}
	defer fake.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	front := startHTTP(listener, fake, nil, logger)
	defer front.Close()
	code, err := a.runChild(ctx, o, urlOf(listener.Addr().String()))
	if err != nil {
		return err
	}
	fake.Close() // now every record is complete
	if n := missed.report(a); n > 0 && o.failUnmatched && code == exitOK {
		code = exitProblems
	}
	return exitWith(code)
}

// runChild runs the command and gives its exit code.
func (a *app) runChild(ctx context.Context, o execOptions, url string) (int, error) {
	child := exec.CommandContext(ctx, o.command[0], o.command[1:]...)
	child.Stdin, child.Stdout, child.Stderr = a.stdin, a.stdout, a.stderr
	child.Env = childEnvironment(a.environ, url, o.clientKey())
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.WaitDelay = 10 * time.Second
	signals, stop := catchForwarded()
	if err := child.Start(); err != nil {
		stop()
		return 0, fmt.Errorf("start the command: %w", err)
	}
	var forwarding sync.WaitGroup
	forwarding.Go(func() {
		for signal := range signals {
			if !reachesChild(signal) {
				_ = child.Process.Signal(signal) // fails only if the command has ended
			}
		}
	})
	err := child.Wait()
	stop()
	forwarding.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited && child.ProcessState == nil {
		return 0, fmt.Errorf("run the command: %w", err)
	}
	return childCode(child.ProcessState), nil
}

// childCode is a command's exit code, or 128 plus the number of the signal that
// ended it, as shells count.
func childCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// childEnvironment is the environment with the variables that lead clients to
// the server.
func childEnvironment(environ []string, url, key string) []string {
	env := slices.Clone(environ)
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env = append(env, name+"="+withoutProxy(environ, name))
	}
	return append(env,
		"OPENAI_BASE_URL="+url+"/v1",
		"OPENAI_API_BASE="+url+"/v1", // some clients read it first
		"OPENAI_API_KEY="+key,
		variable("url")+"="+url,
	)
}

// withoutProxy is the list of hosts to reach without a proxy, with our own
// added: not every client leaves the proxy out for the loopback address.
func withoutProxy(environ []string, name string) string {
	list := "127.0.0.1"
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok && value != "" {
			list = value + ",127.0.0.1"
		}
	}
	return list
}

// missedRequests are the requests that no scenario answered. It is safe for
// concurrent use.
type missedRequests struct {
	mu   sync.Mutex
	list []journal.Entry // guarded by mu
}

// observe is a [server.Config.Observe].
func (m *missedRequests) observe(r journal.Entry) {
	if !r.Unmatched {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, r)
}

// report lists the requests on stderr and gives their number.
func (m *missedRequests) report(a *app) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) == 0 {
		return 0
	}
	fmt.Fprintf(a.stderr, "fakeopenai: %s without a scenario:\n", count(len(m.list), "request"))
	for _, r := range m.list {
		fmt.Fprintf(a.stderr, "  #%d %s %s: %s\n", r.ID, r.Method, r.Path, r.Problem)
	}
	return len(m.list)
}
