package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/server"
)

type execOptions struct {
	console.ServerFlags
	failUnmatched bool
	failUnused    bool
	failRetries   bool
	watch         bool
	allowEmpty    bool
	env           string         // env names the preset of variables for the command; see serving.Presets.
	allowed       *regexp.Regexp // allowed matches the lines of unmatched requests that are no failure; nil matches none.
	report        string         // report is the name of the report file; "" for none.
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
  OPENAI_API_KEY                     the first --api-key, or ` + console.DefaultKey + `
  FAKEOPENAI_URL                     the URL of the server itself

--env azure sets the variables for clients of Azure OpenAI, AZURE_OPENAI_ENDPOINT,
AZURE_OPENAI_API_KEY and OPENAI_API_VERSION, and no base URL.

Signals are passed on to the command. At its end, stderr lists the requests that no
scenario answered and the requests whose scenario failed; the last line counts all
requests, and names the scenarios of the given paths that were never played. These flags
turn exit code 0 into 1:

  --fail-unmatched   if the list has a request whose line does not match
                     --allow-unmatched. A scenario without conditions matches
                     every request, unless --default none is given, too.
  --fail-unused      if a scenario was never played. It counts as played when
                     a scenario that extends it is played.
  --fail-retries     if a retry came before the pause that the answer asked
                     for, or after a whole answer, a status such as 400 or
                     X-Should-Retry: false; if no retry came after 429 or a
                     status from 500; or if a broken answer was taken for
                     whole: the conversation continues from it, or the command
                     ends with exit code 0 and does not ask again.
  --fail-history     if the messages of a request contradict each other, such
                     as a tool result without its call. The request is
                     answered nevertheless.

--report writes these findings and the journal to a file, whatever the command's exit
code. A file whose name ends in .xml is a JUnit report with a test for each request and,
with --fail-unused, for each scenario that was never played.

` + sourcesHelp,
		Example: `  fakeopenai exec scenarios/ -- npm test
  fakeopenai exec --fail-unmatched greet.yaml -- pytest -q`,
		Args: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash < 0 || dash == len(args) {
				return errors.New("exec needs a command after --, as in: fakeopenai exec scenarios/ -- npm test")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			var err error
			if o.sources, err = a.sources(args[:dash], nil); err != nil {
				return err
			}
			o.command = args[dash:]
			o.sources.allowEmpty = o.allowEmpty
			if err := errors.Join(o.Contradiction(), needsPaths(cmd, o.sources, "allow-empty", "watch")); err != nil {
				return err
			}
			return a.exec(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	console.Switch(flags, &o.failUnmatched, "fail-unmatched", "end with exit code 1 if a request matched no scenario, or if its scenario failed; see --default none")
	console.Define(flags, &o.allowed, "allow-unmatched", "", "do not count unmatched requests for --fail-unmatched whose line in the list on stderr matches this regular `expression`", regexp.Compile)
	console.Switch(flags, &o.failUnused, "fail-unused", "end with exit code 1 if a scenario of the given paths was never played")
	console.Switch(flags, &o.failRetries, "fail-retries", "end with exit code 1 if a retry came too early or where none is allowed, or did not come, or if a broken answer was taken for whole")
	console.Switch(flags, &o.Config.NoteHistory, "fail-history", "end with exit code 1 if the messages of a request cannot be the history of a conversation with tools")
	console.Define(flags, &o.report, "report", "", "write requests, calls and unmatched requests to this `file` at the end: as JSON, or as JUnit if its name ends in .xml", console.Text)
	console.Head(flags, "Verdicts and reports")
	defineEnv(flags, &o.env)
	console.Head(flags, "The command")
	console.Switch(flags, &o.watch, "watch", "read the scenarios again when their files change")
	defineAllowEmpty(flags, &o.allowEmpty)
	o.DefineFaults(flags)
	o.Define(flags, "error")
	o.DefineJournal(flags)
	return cmd
}

// defineEnv adds --env, which selects the environment variables of the child command.
func defineEnv(flags *pflag.FlagSet, target *string) {
	names := serving.Presets()
	console.DefineWord(flags, target, "env", names[0], "set the variables that these `clients` read: "+strings.Join(names, " or "), names...)
}

func (a *app) exec(ctx context.Context, o execOptions) error {
	if o.failUnused && o.sources.Bundled() {
		return console.Misuse("--fail-unused needs scenario files before --, as in: fakeopenai exec --fail-unused scenarios/ -- npm test")
	}
	if err := errors.Join(checkWritable("--report", o.report), checkWritable("--page", o.Page)); err != nil {
		return err
	}
	logger, flush := o.Logger(a.stderr)
	defer flush()
	config := o.Config
	config.Logger, config.Upgrade = logger, serving.Upgrade
	showOnPage(&config, o.Page)
	asked := tally{allowed: o.allowed, secrets: config.ShowSecrets, failUnused: o.failUnused, failHistory: o.Config.NoteHistory, failRetries: o.failRetries}
	config.Observe = asked.observe
	lib := &library{sources: o.sources}
	fake, err := lib.NewServer(config)
	if err != nil {
		return err
	}
	defer fake.Close()
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	httpd := serving.Start(listener, fake, nil, logger)
	defer httpd.Close()
	if o.watch {
		stopWatching := watch(lib, func() { serving.Reload(fake, logger) })
		defer stopWatching()
	}
	environ := serving.Environment(a.environ, o.env, serving.URL(listener.Addr().String(), false), o.ClientKey())
	code, err := serving.Command{Args: o.command, Environ: environ, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr}.Run(ctx)
	fake.Close() // waits until every journal entry is complete
	flush()      // the log comes before the summary
	return a.finishExec(o, fake, &asked, code, err)
}

// finishExec prints the summary of a run, writes the report file and returns the exit
// code. Ran is the error of a command that could not run; then there is no summary.
func (a *app) finishExec(o execOptions, fake *server.Server, asked *tally, code int, ran error) error {
	asked.end(fake.Figures().OpenRequests, ran == nil && code == console.ExitOK) // handlers that still compute are open
	var unused []string
	if !o.sources.Bundled() {
		unused = asked.unused(fake.Scenarios())
	}
	written := errors.Join(asked.writeReport(o.report, fake.Journal(), unused), writePage(o.Page, fake))
	if ran != nil {
		return errors.Join(ran, written)
	}
	missed, wrong := asked.report(a.stderr, unused)
	if fails := o.failUnmatched && missed > 0 || o.failUnused && len(unused) > 0 || wrong > 0; fails && code == console.ExitOK {
		code = console.ExitProblems
	}
	if written != nil {
		fmt.Fprintf(a.stderr, "fakeopenai: %v\n", written)
		if code == console.ExitOK {
			code = console.ExitFailed
		}
	}
	return console.ExitWith(code)
}
