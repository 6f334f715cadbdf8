package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
)

type sweepOptions struct {
	serving.Sweep
	choice  choice
	command string // command is a command line for the shell, in place of arguments after --.
	format  string
	also    []string
	without []string
	list    bool
}

func (a *app) sweepCommand() *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "sweep NAME|FILE [NAME] [-- command [args...]]",
		Short: "Run a command under every variant of the wire that must not matter",
		Long: `Run a command once for each variant of the wire that must not matter to a client:
the same answer in CR LF, in writes of a byte, compressed, and so on. Each run has
a server of its own and the environment that exec sets up. A table tells how each
run ended; one that should have succeeded and did not is shown with the scenario
of one line that plays its variant by itself.

With --truncated the answer also ends too early after each event, with what looks
like a proper end and by a connection that breaks. There the command must fail:
with exit code 0 it has taken a part of an answer for the whole.

With --held the answer also stands still in the middle, once in each variant. By
then the command must have printed something of it on its standard output; one
that prints nothing for --timeout holds the answer back until it is whole.

A command that neither sends nor gets a byte for --timeout, or runs ten times as
long, hangs: it and all it has started are killed.

` + sourcesHelp,
		Example: `  fakeopenai sweep tool-call --command 'node app.mjs'
  fakeopenai sweep --truncated scenarios.yaml weather -- python app.py
  fakeopenai sweep --list`,
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.list:
				return a.listVariants(cmd, args)
			case slices.Contains(o.without, sweep.AsWritten().Name):
				return console.Misuse("%s always runs: the other runs are compared with it; leave it out of --without", sweep.AsWritten().Name)
			}
			if err := o.Contradiction(); err != nil {
				return err
			}
			usual, err := a.sources(nil, nil)
			if err == nil {
				err = o.readArgs(cmd, args, usual)
			}
			if err != nil {
				return err
			}
			return a.sweep(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	console.Define(flags, &o.command, "command", "", "the `command`, for the shell, in place of the arguments after --", console.Text)
	console.Define(flags, &o.Timeout, "timeout", "10s", "`duration` without a byte to or from the command after which it counts as hanging", console.Timeout)
	console.DefineFormat(flags, &o.format, "report", "text", "json", "junit")
	console.Switch(flags, &o.Truncated, "truncated", "also end the answer after and inside each event; the command must fail")
	console.Define(flags, &o.Stride, "truncated-bytes", "", "also end the answer after each `number` of bytes; the command must fail", console.Positive)
	console.Switch(flags, &o.Held, "held", "also let the answer stand still in the middle; the command must have printed something of it")
	console.List(flags, &o.also, "also", "variants to add that known clients fail on, by `name`; separate with commas", ",", console.Text)
	console.List(flags, &o.without, "without", "variants to leave out, by `name`; separate with commas", ",", console.Text)
	console.Offer(flags, "also", variantWords(true)...)
	console.Offer(flags, "without", variantWords(false)...)
	defineEnv(flags, &o.Preset)
	console.Define(flags, &o.Jobs, "jobs", "1", "`number` of commands that run at a time", console.Positive)
	console.Switch(flags, &o.list, "list", "print the variants, and run nothing")
	o.Define(flags, "error")
	return cmd
}

func (o *sweepOptions) readArgs(cmd *cobra.Command, args []string, usual sources) error {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		dash = len(args)
	}
	o.Args = args[dash:]
	switch args = args[:dash]; {
	case len(args) < 1 || len(args) > 2:
		return console.Misuse("sweep needs the name of a bundled scenario, or a file, as in: fakeopenai sweep tool-call --command 'node app.mjs'")
	case o.command != "" && len(o.Args) > 0:
		return console.Misuse("the command is given twice: by --command and after --")
	case o.command == "" && len(o.Args) == 0:
		return console.Misuse("sweep needs a command: --command 'node app.mjs', or -- node app.mjs")
	}
	if o.command != "" {
		o.Args = serving.Shell(o.command)
	}
	var err error
	o.choice, err = choose(args, nil, usual)
	return err
}

func (a *app) sweep(ctx context.Context, o sweepOptions) error {
	cases, err := sweep.Cases(o.also, o.without)
	if err != nil {
		return console.Misuse("%w", err)
	}
	if o.Set, err = o.scenarios(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	logger, flush := o.Logger(a.stderr)
	defer flush()
	o.Environ, o.Log = a.environ, logger
	report := serving.NewSweepReport(a.stdout, o.format)
	err = o.Sweep.Run(ctx, cases, report)
	if errors.Is(err, context.Canceled) {
		err = errors.New("the sweep was interrupted")
	}
	if err == nil {
		err = report.Finish()
	}
	if err == nil && report.Failed() > 0 {
		err = console.ExitWith(console.ExitProblems)
	}
	return err
}

// scenarios loads the scenarios to play: the named one, or all of the file.
func (o *sweepOptions) scenarios() (*scenarios.Set, error) {
	lib := &library{sources: o.choice.sources, fallback: o.Config.Default}
	set, _, err := lib.Load()
	if err != nil || o.choice.scenario == "" {
		return set, err
	}
	name, err := pick(set, o.choice.scenario)
	if err != nil {
		return nil, err
	}
	o.Config.Default = name
	return set.Only(name), nil
}

// variantWords are the names of the variants on demand, or of those to leave out, with their
// descriptions, for shells.
func variantWords(onDemand bool) []string {
	var words []string
	for _, v := range sweep.Variants() {
		if v.OnDemand == onDemand && v.Name != sweep.AsWritten().Name {
			words = append(words, v.Name+"\t"+v.About)
		}
	}
	return words
}

// listVariants prints a table of the variants. It refuses arguments and flags for a run.
func (a *app) listVariants(cmd *cobra.Command, args []string) error {
	var surplus []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "list" {
			surplus = append(surplus, console.Given(cmd.Flags(), flag.Name)...)
		}
	})
	if surplus = append(surplus, args...); len(surplus) > 0 {
		return console.Misuse("--list prints the variants and runs nothing; leave out %s", strings.Join(surplus, " "))
	}
	table := console.Table(a.stdout)
	for _, v := range sweep.Variants() {
		about := v.About
		if v.OnDemand {
			about += " (with --also)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", v.Name, about, v.YAML)
	}
	return table.Flush()
}
