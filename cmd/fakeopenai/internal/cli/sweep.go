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
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// clientOptions are the flags and arguments of a command that plays scenarios to another command.
type clientOptions struct {
	serving.Sweep
	choice   choice
	scenario string // scenario is the name of the one to play of the files; "" plays all.
	command  string // command is a command line for the shell, in place of arguments after --.
	format   string
	list     bool
}

// define defines the flags. Listed is what --list prints.
func (o *clientOptions) define(flags *pflag.FlagSet, listed string) {
	console.Define(flags, &o.scenario, "scenario", "", "play the scenario of this `name` alone, of those in the paths", console.Text)
	console.Define(flags, &o.command, "command", "", "run this `command` line in a shell, in place of the arguments after --", console.Text)
	console.Define(flags, &o.Timeout, "timeout", "10s", "count the command as hanging after this `duration` without a byte to or from it", console.Timeout)
	console.DefineFormat(flags, &o.format, "report", "text", "json", "junit")
	defineEnv(flags, &o.Preset)
	console.Switch(flags, &o.list, "list", "print the "+listed+", and run nothing")
	server := pflag.NewFlagSet("server", pflag.ContinueOnError)
	server.SortFlags = false
	o.Define(server, "error")
	console.ExplainedBy(flags, server, "exec")
}

type sweepOptions struct {
	clientOptions
	also    []string
	without []string
}

func (a *app) sweepCommand() *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "sweep NAME|paths... [-- command [args...]]",
		Short: "Run a command with each form of an answer that must not matter",
		Long: `Run a command once for each variant of the wire that must not matter to a client:
the same answer in CR LF, in writes of a byte, compressed, and so on. Each run has
a server of its own and the environment of exec. A table shows how each run ended. A run
that failed is shown with a scenario of one line that plays its variant.

With --truncated the answer also ends too early after each event, once in order and once
by a connection that breaks. There the command must fail: with exit code 0 it has taken a
part of an answer for the whole.

A command that neither sends nor gets a byte for --timeout, or runs ten times as
long, hangs: the command and all that it has started are killed.

` + sourcesHelp,
		Example: `  fakeopenai sweep tool-call --command 'node app.mjs'
  fakeopenai sweep --truncated --scenario weather weather.yaml -- python app.py
  fakeopenai sweep --list`,
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.list:
				return a.printList(cmd, args, "variants", variantWords(func(sweep.Variant) bool { return true }))
			case slices.Contains(o.without, sweep.AsWritten().Name):
				return console.Misuse("%s always runs: the other runs are compared with it; leave it out of --without", sweep.AsWritten().Name)
			}
			if err := o.readArgs(a, cmd, args); err != nil {
				return err
			}
			return a.sweep(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	o.define(flags, "variants")
	console.Switch(flags, &o.Truncated, "truncated", "also end the answer after and inside each event; the command must fail")
	console.List(flags, &o.also, "also", "add variants that known clients fail on, by `name`; separate with commas", ",", console.Text)
	console.List(flags, &o.without, "without", "leave variants out, by `name`; separate with commas", ",", console.Text)
	console.Offer(flags, "also", variantWords(func(v sweep.Variant) bool { return v.OnDemand })...)
	console.Offer(flags, "without", variantWords(func(v sweep.Variant) bool { return !v.OnDemand && v.YAML != "" })...)
	console.Define(flags, &o.Jobs, "parallel", "1", "run this `number` of commands at a time", console.Positive)
	return cmd
}

// readArgs reads the scenario and the command, and looks for flags that contradict each other.
func (o *clientOptions) readArgs(a *app, cmd *cobra.Command, args []string) error {
	if err := o.Contradiction(); err != nil {
		return err
	}
	usual, err := a.sources(nil, nil)
	if err != nil {
		return err
	}
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		dash = len(args)
	}
	o.Args = args[dash:]
	switch args = args[:dash]; {
	case len(args) == 0:
		return console.Misuse("%[1]s needs the name of a bundled scenario, or a file, as in: fakeopenai %[1]s tool-call --command 'node app.mjs'", cmd.Name())
	case o.command != "" && len(o.Args) > 0:
		return console.Misuse("the command is given twice: by --command and after --")
	case o.command == "" && len(o.Args) == 0:
		return console.Misuse("%s needs a command: --command 'node app.mjs', or -- node app.mjs", cmd.Name())
	}
	if o.command != "" {
		o.Args = serving.Shell(o.command)
	}
	if err := o.choose(args[:dash], usual); err != nil {
		return err
	}
	o.Environ = a.environ
	o.Set, err = o.scenarios()
	return err
}

// choose chooses the scenarios of the paths or, with a name alone, the usual one of that name.
func (o *clientOptions) choose(args []string, usual sources) error {
	name := slices.IndexFunc(args, func(arg string) bool { return !looksLikePath(arg) })
	switch {
	case name < 0:
		o.choice = choice{sources: sources{paths: args}, scenario: o.scenario}
	case len(args) == 1 && o.scenario == "":
		o.choice = choice{sources: usual, scenario: args[0]}
	default:
		return console.Misuse("%q is no file; to play the scenario of this name in the files, write --scenario %[1]q", args[name])
	}
	return nil
}

func (a *app) sweep(ctx context.Context, o sweepOptions) error {
	cases, err := sweep.Cases(o.also, o.without)
	if err != nil {
		return console.Misuse("%w", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	logger, flush := o.Logger(a.stderr)
	defer flush()
	o.Log = logger
	report := serving.NewReport(a.stdout, "sweep", o.format).InRows()
	return finishReport(o.Sweep.Run(ctx, cases, report), "sweep", report, (*serving.Report).Summary)
}

// finishReport ends the report of a run with a text, unless the run itself has failed.
func finishReport(err error, run string, report *serving.Report, text func(*serving.Report) string) error {
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("the %s was interrupted", run)
	case err == nil:
		err = report.Finish(text(report))
	}
	if err == nil && report.Failed > 0 {
		err = console.ExitWith(console.ExitProblems)
	}
	return err
}

// scenarios loads the scenarios to play: the named one, or all of the files.
func (o *clientOptions) scenarios() (*scenarios.Set, error) {
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

// variantWords are the names of variants, each with its description, for lists and shells.
func variantWords(fits func(sweep.Variant) bool) (words []string) {
	for _, v := range sweep.Variants() {
		about := v.About
		if v.OnDemand {
			about += " (with --also)"
		}
		if fits(v) {
			words = append(words, v.Name+"\t"+about+"  "+v.YAML)
		}
	}
	return words
}

// printList prints a table of words for --list, which takes no arguments and flags for a run.
func (a *app) printList(cmd *cobra.Command, args []string, listed string, words []string) error {
	var surplus []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "list" {
			surplus = append(surplus, console.Given(cmd.Flags(), flag.Name)...)
		}
	})
	if surplus = append(surplus, args...); len(surplus) > 0 {
		return console.Misuse("--list prints the %s and runs nothing; leave out %s", listed, strings.Join(surplus, " "))
	}
	table := console.Table(a.stdout)
	for _, word := range words {
		fmt.Fprintln(table, word)
	}
	return table.Flush()
}
