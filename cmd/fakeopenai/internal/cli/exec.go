package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/child"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/exit"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/files"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/front"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/report"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/setting"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// execOptions are what exec was asked to do.
type execOptions struct {
	setting.Server
	failUnmatched bool
	sources       files.Sources
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
  OPENAI_API_KEY                     the first --api-key, or ` + setting.DefaultKey + `
  FAKEOPENAI_URL                     the URL of the server itself

Signals are passed on to the command. When it has ended, the requests that no
scenario answered, and those at which a scenario failed, are listed on stderr;
with --fail-unmatched they make exit code 1 of a success.`,
		Example: `  fakeopenai exec scenarios/ -- npm test
  fakeopenai exec --fail-unmatched greet.yaml -- pytest -q`,
		Args: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash < 0 || dash == len(args) {
				return errors.New("exec needs a command after --, as in: fakeopenai exec scenarios/ -- npm test")
			}
			return nil
		},
		RunE: markFailures(func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			o.sources, o.command = files.Sources{Paths: args[:dash]}, args[dash:]
			return a.exec(cmd.Context(), o)
		}),
	}
	setting.Switch(cmd.Flags(), &o.failUnmatched, "fail-unmatched", "end with exit code 1 if a request matched no scenario, or one that failed at it")
	o.Define(cmd.Flags(), "error")
	return cmd
}

// exec runs a server and a command, and ends with the command's exit code.
func (a *app) exec(ctx context.Context, o execOptions) error {
	var missed missedRequests
	logger := o.Logger(a.stderr)
	config := o.Config(logger)
	config.Observe = missed.observe
	lib := &files.Library{Sources: o.sources}
	fake, err := lib.NewServer(config)
	if err != nil {
		return err
	}
	defer fake.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	httpd := front.Start(listener, fake, nil, logger)
	defer httpd.Close()
	environ := child.Environment(a.environ, front.URL(listener.Addr().String()), o.ClientKey())
	code, err := child.Command{Args: o.command, Environ: environ, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr}.Run(ctx)
	if err != nil {
		return err
	}
	fake.Close() // now every entry is complete
	if n := missed.report(a.stderr); n > 0 && o.failUnmatched && code == exit.OK {
		code = exit.Problems
	}
	return exit.With(code)
}

// missedRequests are the requests that did not get the answer of a scenario. It
// is safe for concurrent use.
type missedRequests struct {
	mu        sync.Mutex
	unmatched []journal.Entry // unmatched are those that no scenario answers; guarded by mu.
	failed    []journal.Entry // failed are those at which a scenario failed; guarded by mu.
}

// observe is a [server.Config.Observe].
func (m *missedRequests) observe(r journal.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case r.Fault:
		m.failed = append(m.failed, r)
	case r.Unmatched:
		m.unmatched = append(m.unmatched, r)
	}
}

// report lists the requests and gives their number.
func (m *missedRequests) report(w io.Writer) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	list(w, m.unmatched, "without a scenario")
	list(w, m.failed, "at which the scenario failed")
	return len(m.unmatched) + len(m.failed)
}

// list lists requests; which says what they have in common.
func list(w io.Writer, requests []journal.Entry, which string) {
	if len(requests) == 0 {
		return
	}
	fmt.Fprintf(w, "fakeopenai: %s %s:\n", report.Count(len(requests), "request"), which)
	for _, r := range requests {
		fmt.Fprintf(w, "  #%d %s %s: %s\n", r.ID, r.Method, r.Path, r.Problem)
	}
}
