package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

type huntOptions struct {
	clientOptions
	hunt sweep.Hunt
	out  string
}

func (a *app) huntCommand() *cobra.Command {
	var o huntOptions
	cmd := &cobra.Command{
		Use:   "hunt NAME|paths... [-- command [args...]]",
		Short: "Search for a stream that a client reads wrongly",
		Long: `Run a command again and again, each time with other changes of the answer that
must not matter to a client: other pieces, other writes, comments, pauses, other
members, other layouts. The changes are drawn from --seed. The command must succeed.

When the command fails, hunt looks for the fewest changes and the shortest answer with
which it still fails, and prints a short scenario that shows the failure. A failure that
does not come again is reported as unstable.

With --faults every second answer has a fault that no client can read around, such
as a connection that breaks or an error in mid-stream. There the command must fail.
--dialects adds changes that OpenAI does not make, but compatible servers do.

Each run has a server of its own, and the environment of exec. sweep runs a command over
a fixed list of variants.

` + sourcesHelp,
		Example: `  fakeopenai hunt tool-call --command 'node app.mjs'
  fakeopenai hunt --faults --for 1m weather.yaml -- python app.py
  fakeopenai hunt --list`,
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.list {
				return a.printList(cmd, args, "changes", changeWords(func(sweep.Description) bool { return true }))
			}
			if err := o.readArgs(a, cmd, args); err != nil {
				return err
			}
			if err := sweep.CheckNames(o.hunt.Dialects, o.hunt.Without); err != nil {
				return console.Misuse("%w", err)
			}
			return a.hunt(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	o.define(flags, "changes")
	console.Define(flags, &o.hunt.Runs, "runs", "500", "draw this `number` of cases at most", console.Positive)
	console.Define(flags, &o.hunt.For, "for", "", "draw cases for this `duration` at most", console.Timeout)
	console.Define(flags, &o.Jobs, "parallel", "4", "run this `number` of commands at a time", console.Positive)
	console.Switch(flags, &o.hunt.Faults, "faults", "also play faults that no client can read around; the command must fail")
	console.List(flags, &o.hunt.Dialects, "dialects", "add changes that OpenAI does not make, by `name`, or all; separate with commas", ",", console.Text)
	console.Offer(flags, "dialects", append([]string{"all\tall of them"}, changeWords(func(c sweep.Description) bool { return c.Dialect })...)...)
	console.List(flags, &o.hunt.Without, "without", "leave out changes by `name`, such as one that a known bug fails on; separate with commas", ",", console.Text)
	console.Offer(flags, "without", changeWords(func(sweep.Description) bool { return true })...)
	console.Define(flags, &o.out, "out", "", "write the scenario that shows the failure to this `file`", console.Text)
	return cmd
}

// changeWords are the names of changes, each with its description and the flag that draws it, for lists and shells.
func changeWords(fits func(sweep.Description) bool) (words []string) {
	for _, c := range sweep.Changes() {
		flag := map[bool]string{c.Dialect: " (with --dialects)", c.Fault: " (with --faults)"}[true]
		if fits(c) {
			words = append(words, c.Name+"\t"+c.About+flag)
		}
	}
	return words
}

func (a *app) hunt(ctx context.Context, o huntOptions) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := checkWritable("--out", o.out); err != nil { // now, and not after hours
		return err
	}
	logger, flush := o.Logger(a.stderr)
	defer flush()
	o.Log = logger
	begin := time.Now()
	o.hunt.Progress = func(runs int) {
		if runs%100 == 0 {
			fmt.Fprintf(a.stderr, "fakeopenai: %d runs\n", runs)
		}
	}
	found, runs, err := o.Sweep.Hunt(ctx, &o.hunt)
	if errors.Is(err, context.Canceled) {
		err = errors.New("the hunt was interrupted")
	}
	if err != nil && found == nil {
		return err
	}
	report := serving.NewReport(a.stdout, "hunt", o.format)
	result, text := serving.Drew(found, runs, o.hunt.Seed, time.Since(begin))
	err = errors.Join(err, report.Add(result), report.Finish(text))
	if o.out != "" && result.Scenario != "" {
		_, writeErr := writeAtomically("--out", o.out, []byte(result.Scenario))
		err = errors.Join(err, writeErr)
	}
	if err == nil && found != nil {
		err = console.ExitWith(console.ExitProblems)
	}
	return err
}
