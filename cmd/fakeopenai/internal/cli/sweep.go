package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// sweepOptions are what sweep was asked to do.
type sweepOptions struct {
	serverFlags
	playing   playOptions // the scenario
	args      []string    // the command
	command   string      // or: for the shell
	timeout   time.Duration
	format    string
	truncated bool
	stride    int
	also      []string
	without   []string
	jobs      int
	list      bool
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

A command that neither sends nor gets a byte for --timeout, or runs ten times as
long, hangs: it and all it has started are killed.`,
		Example: `  fakeopenai sweep tool-call --command 'node app.mjs'
  fakeopenai sweep --truncated scenarios.yaml weather -- python app.py
  fakeopenai sweep --list`,
		ValidArgsFunction: completeScenarios,
		RunE: guard(func(cmd *cobra.Command, args []string) error {
			if o.list {
				return a.listVariants()
			}
			if err := o.take(cmd, args); err != nil {
				return err
			}
			return a.sweep(cmd.Context(), o)
		}),
	}
	flags := cmd.Flags()
	define(flags, &o.command, "command", "", "the `command`, for the shell, in place of the arguments after --", parseText)
	define(flags, &o.timeout, "timeout", "10s", "`duration` without a byte to or from the command after which it hangs", parseTimeout)
	define(flags, &o.format, "format", "text", "`form` of the report: text, json, junit", parseChoice("text", "json", "junit"))
	defineSwitch(flags, &o.truncated, "truncated", "also end the answer after and inside each event; the command must fail")
	define(flags, &o.stride, "truncated-bytes", "", "also end the answer after each `number` of bytes; the command must fail", parsePositive)
	flags.Var(&list{&o.also}, "also", "variants to add that known clients fail on, by `name`; separate with commas")
	flags.Var(&list{&o.without}, "without", "variants to leave out, by `name`; separate with commas")
	define(flags, &o.jobs, "jobs", "1", "`number` of commands that run at a time", parsePositive)
	defineSwitch(flags, &o.list, "list", "print the variants, and run nothing")
	o.defineAllBut(flags, "journal") // the verdicts are in there
	completeWords(cmd, "format", "text", "json", "junit")
	return cmd
}

// defineAllBut adds the flags of every command that runs a server, but for one.
func (o *sweepOptions) defineAllBut(flags *pflag.FlagSet, left string) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.define(all, "error")
	all.SortFlags = false
	all.VisitAll(func(flag *pflag.Flag) {
		if flag.Name != left {
			flags.AddFlag(flag)
		}
	})
}

// take tells the scenario from the command.
func (o *sweepOptions) take(cmd *cobra.Command, args []string) error {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		dash = len(args)
	}
	o.args = args[dash:]
	switch args = args[:dash]; {
	case len(args) < 1 || len(args) > 2:
		return misuse("sweep needs the name of a bundled scenario, or a file, as in: fakeopenai sweep tool-call --command 'node app.mjs'")
	case o.command != "" && len(o.args) > 0:
		return misuse("the command is given twice: by --command and after --")
	case o.command == "" && len(o.args) == 0:
		return misuse("sweep needs a command: --command 'node app.mjs', or -- node app.mjs")
	}
	if o.command != "" {
		o.args = shell(o.command)
	}
	return o.playing.take(args, nil)
}

// sweep runs the command under all variants.
func (a *app) sweep(ctx context.Context, o sweepOptions) error {
	variants, err := sweep.SelectVariants(o.also, o.without)
	if err != nil {
		return misuse("%w", err)
	}
	set, err := o.scenarios()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &sweeper{app: a, options: &o, set: set, log: o.logger(a.stderr)}
	report := newSweepReport(a.stdout, o.format)
	err = s.run(ctx, variants, report)
	if errors.Is(err, context.Canceled) {
		err = errors.New("the sweep was interrupted")
	}
	if err == nil {
		err = report.finish()
	}
	if err == nil && report.failed() > 0 {
		err = exitWith(exitProblems)
	}
	return err
}

// scenarios are those to play: the one that is named, or all of the file.
func (o *sweepOptions) scenarios() (*scenarios.Set, error) {
	lib := &library{sources: o.playing.sources, fallback: o.scenario}
	set, _, err := lib.load()
	if err != nil || o.playing.scenario == "" {
		return set, err
	}
	name, err := pick(set, o.playing.scenario)
	if err != nil {
		return nil, err
	}
	o.scenario = name
	return set.Only(name), nil
}

// sweeper runs the command under one variant after the other.
type sweeper struct {
	app     *app
	options *sweepOptions
	set     *scenarios.Set
	log     *slog.Logger
}

// run runs all cases. The scenario as it is written comes first: while the
// command fails with it, all others say nothing.
func (s *sweeper) run(ctx context.Context, variants []sweep.Variant, report *sweepReport) error {
	first, records, err := s.play(ctx, sweepCase{variant: sweep.Variants()[0]})
	if err != nil {
		return err
	}
	if err := report.add(first); err != nil || first.failed() {
		return err
	}
	var cases []sweepCase
	for _, v := range variants {
		if v.YAML != "" {
			cases = append(cases, sweepCase{variant: v})
		}
	}
	cases = append(cases, s.truncations(records)...)
	return s.all(ctx, cases, report.add)
}

// truncations are the cases in which answers end too early, one reply at a time.
func (s *sweeper) truncations(records []journal.Entry) []sweepCase {
	var cases []sweepCase
	var known []sweepCase
	for _, r := range records {
		c := sweepCase{truncates: true, scenario: r.Scenario, reply: r.Reply, whole: r.Transcript}
		if r.Scenario == "" || r.Status >= 400 || slices.ContainsFunc(known, func(k sweepCase) bool { return k.concerns(r) }) {
			continue
		}
		known = append(known, c)
		var points []sweep.Variant
		if s.options.truncated {
			points = sweep.Truncations(r.Transcript)
		}
		if s.options.stride > 0 {
			points = append(points, sweep.TruncationsInBytes(r.Transcript, s.options.stride)...)
		}
		for _, c.variant = range points {
			cases = append(cases, c)
		}
	}
	return cases
}

// all plays the cases, some at a time, and hands on the results in their order.
func (s *sweeper) all(ctx context.Context, cases []sweepCase, take func(sweepResult) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		result sweepResult
		err    error
	}
	slots := make(chan struct{}, s.options.jobs)
	outcomes := make([]chan outcome, len(cases))
	for i := range cases {
		outcomes[i] = make(chan outcome, 1)
	}
	go func() {
		for i, c := range cases {
			slots <- struct{}{}
			go func() {
				result, _, err := s.play(ctx, c)
				outcomes[i] <- outcome{result, err}
				<-slots
			}()
		}
	}()
	var failure error
	for _, next := range outcomes { // all of them, so that nothing runs on behind
		done := <-next
		if failure == nil {
			failure = done.err
		}
		if failure == nil {
			failure = take(done.result)
		}
		if failure != nil {
			cancel()
		}
	}
	return failure
}

// listVariants prints a table of the variants.
func (a *app) listVariants() error {
	table := newTable(a.stdout)
	for _, v := range sweep.Variants() {
		about := v.About
		if v.OnDemand {
			about += " (with --also)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", v.Name, about, v.YAML)
	}
	return table.Flush()
}
