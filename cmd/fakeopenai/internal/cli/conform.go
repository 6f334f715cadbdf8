package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

type conformOptions struct {
	serving.Conform
	format string
}

func (a *app) conformCommand() *cobra.Command {
	var o conformOptions
	cmd := &cobra.Command{
		Use:   "conform [FILE...] [-- adapter [args...]]",
		Short: "Test a client with streams that broke real software",
		Long: `Play specimens to a client, and compare what it reads with what is expected. A
specimen is a scenario that says with expect what a healthy client comes to; without
expect, the result of a careful reader counts. Without files these are the 120 of
fixtures/zoo: streams of the API, forms that SSE and HTTP allow, and faults. The 93 of
fixtures/dialects, which OpenAI does not send, but compatible servers do, are bundled as
the folder dialects.

The adapter is a program around the client. It reads questions from its standard input,
a line of JSON each:

  {"specimen": "crlf", "surface": "chat", "api_key": "sk-crlf",
   "base_url": "http://127.0.0.1:4000/v1",
   "request": {"model": "fake:crlf", "stream": true, ...}}

and answers each with a line of JSON on its standard output, what the client came to:

  {"text": "Hello world", "finish": "stop", "refusal": "", "error": "",
   "calls": [{"id": "call_a", "name": "f", "arguments": "{}"}], "usage": {}}

A member that is left out is empty; error is the error that the client reports.
{"skip": "why"} leaves a specimen out. An adapter that prints nothing for --timeout hangs,
and is killed and started again.

The verdicts: ok; error (an error for a whole answer); wrong (another result); passed
silently (no error for a broken answer); call (a call that must not run); hang; crash;
skipped. --without leaves specimens out, such as those that a known bug fails on.

With --through the adapter gets the base URL of a gateway to the server, which listens at
--addr. The report says beside each failure what the server saw: requests, and how far the
last answer came.`,
		Example: `  fakeopenai conform -- node adapter.mjs
  fakeopenai conform --format json -- python3 adapter.py
  fakeopenai conform zoo dialects/usage.yaml -- ./adapter
  fakeopenai conform specimens/ --without bom,bare-cr -- ./adapter
  fakeopenai conform --through http://127.0.0.1:8787/v1 -- ./adapter`,
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 0 {
				dash = len(args)
			}
			if o.Args = args[dash:]; len(o.Args) == 0 {
				return console.Misuse("conform needs an adapter, as in: fakeopenai conform -- node adapter.mjs")
			}
			return a.conform(cmd.Context(), args[:dash], o)
		},
	}
	flags := cmd.Flags()
	console.Define(flags, &o.Addr, "addr", "127.0.0.1:0", "let the server listen on this `host:port`", console.Address)
	console.Define(flags, &o.Through, "through", "", "give the adapter this base `URL`, of a gateway to the server (default: the server's own)", baseURL)
	console.Define(flags, &o.Timeout, "timeout", "10s", "wait this `duration` for an answer of the adapter", console.Timeout)
	console.Define(flags, &o.Jobs, "parallel", "4", "run this `number` of adapters at a time", console.Positive)
	console.List(flags, &o.Only, "only", "ask for the specimens of these `names` alone, with * for any text; separate with commas (default: all)", ",", console.Text)
	console.List(flags, &o.Without, "without", "leave out specimens by `name`, with * for any text, such as those that a known bug fails on; separate with commas", ",", console.Text)
	console.DefineFormat(flags, &o.format, "report", "text", "json", "junit")
	return cmd
}

func (a *app) conform(ctx context.Context, files []string, o conformOptions) (err error) {
	if len(files) == 0 {
		files = []string{"zoo"}
	}
	if o.Set, _, err = (&library{sources: sources{paths: files}}).Load(); err != nil {
		return err
	}
	for flag, globs := range map[string][]string{"--only": o.Only, "--without": o.Without} {
		for _, glob := range globs {
			if !slices.ContainsFunc(o.Set.Scenarios(), func(s *scenarios.Scenario) bool { return scenarios.MatchesModel(glob, s.Name) }) {
				return console.Misuse("%s: %w", flag, unknownScenario(glob, o.Set))
			}
		}
	}
	if len(o.Specimens()) == 0 {
		return console.Problem(errors.New("no scenario answers for a model, nor says what is expected"))
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	o.Environ = a.environ
	report := serving.NewReport(a.stdout, "conform", o.format)
	return finishReport(o.Run(ctx, report.Add), "run", report, specimensTable)
}

// baseURL accepts the base URL of an endpoint.
func baseURL(text string) (string, error) {
	_, err := recording.ParseUpstream(text)
	return text, err
}

// specimensTable is a table of the specimens that a client did not read well, and the counts.
func specimensTable(report *serving.Report) string {
	var out strings.Builder
	table := console.Table(&out)
	counts := map[sweep.Verdict]int{}
	for _, r := range report.Results {
		if counts[r.Verdict]++; r.Verdict != sweep.OK {
			fmt.Fprintf(table, "%s\t%s\t%s [%s]\n", r.Case, r.Verdict, r.Detail, r.Delivery)
		}
	}
	table.Flush()
	if i := slices.IndexFunc(report.Results, func(r serving.Result) bool { return r.Failed && r.Output != "" }); i >= 0 {
		fmt.Fprintf(&out, "\nThe adapter's stderr when it crashed at %s:\n%s\n\n", report.Results[i].Case, strings.TrimSpace(report.Results[i].Output))
	}
	var parts []string
	for _, verdict := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[verdict], verdict))
	}
	fmt.Fprintf(&out, "%s: %s\n", console.Count(len(report.Results), "specimen"), strings.Join(parts, ", "))
	return out.String()
}
