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
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

type conformOptions struct {
	serving.Conform
	command  string
	format   string
	known    string   // known is the file of known failures; "" for none.
	dialects []string // dialects are the groups of dialects to ask for, too.
}

func (a *app) conformCommand() *cobra.Command {
	var o conformOptions
	cmd := &cobra.Command{
		Use:   "conform [FILE...] [-- adapter [args...]]",
		Short: "Test a client with streams that broke real software",
		Long: `Play specimens to a client, and compare what it reads with what is expected. A
specimen is a scenario that says with expect what a healthy client comes to; without
expect, the result of a careful reader counts. Without files these are the 112 of
fixtures/zoo: streams of the API, forms that SSE and HTTP allow, and faults. --dialects
adds the 93 of fixtures/dialects, which OpenAI does not send, but compatible servers do.

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
skipped. --known names a file of known failures, in lines specimen: verdict. A known
failure does not fail the run; a listed failure that does not occur does.

With --through the adapter gets the base URL of a gateway to the server, which listens at
--addr. The report says beside each failure what the server saw: requests, and how far the
last answer came.`,
		Example: `  fakeopenai conform -- node adapter.mjs
  fakeopenai conform --format json -- python3 adapter.py
  fakeopenai conform --dialects tool-calls,usage -- ./adapter
  fakeopenai conform specimens/ --known known.yaml -- ./adapter
  fakeopenai conform --through http://127.0.0.1:8787/v1 -- ./adapter`,
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 0 {
				dash = len(args)
			}
			switch o.Args = args[dash:]; {
			case dash > 0 && len(o.dialects) > 0:
				return console.Misuse("--dialects adds to the specimens of the program; leave it out beside files of your own")
			case o.command != "" && len(o.Args) > 0:
				return console.Misuse("the adapter is given twice: by --command and after --")
			case o.command == "" && len(o.Args) == 0:
				return console.Misuse("conform needs an adapter: --command 'node adapter.mjs', or -- node adapter.mjs")
			case o.command != "":
				o.Args = serving.Shell(o.command)
			}
			return a.conform(cmd.Context(), args[:dash], o)
		},
	}
	flags := cmd.Flags()
	console.Define(flags, &o.command, "command", "", "run this `command` line in a shell as the adapter, in place of the arguments after --", console.Text)
	console.Define(flags, &o.Addr, "addr", "127.0.0.1:0", "let the server listen on this `host:port`", console.Address)
	console.Define(flags, &o.Through, "through", "", "give the adapter this base `URL`, of a gateway to the server (default: the server's own)", baseURL)
	console.Define(flags, &o.Timeout, "timeout", "10s", "wait this `duration` for an answer of the adapter", console.Timeout)
	console.Define(flags, &o.Jobs, "parallel", "4", "run this `number` of adapters at a time", console.Positive)
	console.List(flags, &o.Only, "only", "ask for the specimens of these `names` alone, with * for any text; separate with commas (default: all)", ",", console.Text)
	console.List(flags, &o.dialects, "dialects", "add groups of specimens that OpenAI does not send, by `name`, or all; separate with commas", ",", dialects)
	console.Offer(flags, "dialects", dialectGroups()...)
	console.Define(flags, &o.known, "known", "", "do not fail for the failures that this `file` lists, in lines specimen: verdict", console.Text)
	console.DefineFormat(flags, &o.format, "report", "text", "json", "junit")
	return cmd
}

func (a *app) conform(ctx context.Context, files []string, o conformOptions) error {
	known, err := readKnown(o.known)
	if err != nil {
		return err
	}
	if o.Set, err = specimens(files, o.dialects); err != nil {
		return err
	}
	for _, glob := range o.Only {
		if !slices.ContainsFunc(o.Set.Scenarios(), func(s *scenarios.Scenario) bool { return scenarios.MatchesModel(glob, s.Name) }) {
			return console.Misuse("--only: %w", unknownScenario(glob, o.Set))
		}
	}
	for specimen := range known {
		if o.Set.Lookup(specimen) == nil {
			return console.Problem(fmt.Errorf("%s: %w", o.known, unknownScenario(specimen, o.Set)))
		}
	}
	if len(o.Specimens()) == 0 {
		return console.Problem(errors.New("no scenario answers for a model, nor says what is expected"))
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	o.Environ = a.environ
	report := serving.NewReport(a.stdout, "conform", o.format)
	err = o.Run(ctx, func(r serving.Result) error { return report.Add(compared(r, known[r.Case])) })
	return finished(err, "run", report, specimensTable)
}

// specimens loads the scenarios of files, or else those of the zoo and of groups of dialects.
func specimens(files, groups []string) (*scenarios.Set, error) {
	if len(files) > 0 {
		set, _, err := (&library{sources: sources{paths: files}}).Load()
		return set, err
	}
	list, err := yamlfile.ReadSources(fixtures.Zoo, "zoo")
	if err == nil && len(groups) > 0 {
		var more []yamlfile.Source
		more, err = yamlfile.ReadSources(fixtures.Dialects, groups...)
		list = append(list, more...)
	}
	if err != nil {
		return nil, err
	}
	set, problems := server.CheckFiles(list...)
	return set, problems.Err()
}

// dialectGroups are the names that --dialects takes.
func dialectGroups() []string {
	groups := []string{"all"}
	files, _ := fixtures.Dialects.ReadDir("dialects") // It cannot fail: the directory is embedded.
	for _, file := range files {
		groups = append(groups, strings.TrimSuffix(file.Name(), ".yaml"))
	}
	return groups
}

// dialects returns the path of a group of dialects.
func dialects(group string) (string, error) {
	switch groups := dialectGroups(); {
	case group == "all":
		return "dialects", nil
	case slices.Contains(groups, group):
		return "dialects/" + group + ".yaml", nil
	default:
		return "", fmt.Errorf("there are no dialects %q; there are: %s", group, strings.Join(groups, ", "))
	}
}

// readKnown reads the verdicts of a file of known failures, by the specimens.
func readKnown(name string) (map[string]sweep.Verdict, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var known map[string]sweep.Verdict
	if err := yaml.Unmarshal(data, &known); err != nil {
		return nil, console.Problem(fmt.Errorf("%s: write a line for each failure that is known, such as bare-cr: wrong", name))
	}
	for specimen, verdict := range known {
		if !slices.Contains(serving.Failures(), verdict) {
			return nil, console.Problem(fmt.Errorf("%s: %s: there is no failure %q; there are %s", name, specimen, verdict, joined(serving.Failures())))
		}
	}
	return known, nil
}

// baseURL accepts the base URL of an endpoint.
func baseURL(text string) (string, error) {
	_, err := recording.ParseUpstream(text)
	return text, err
}

func joined[T ~string](list []T) string {
	var texts []string
	for _, v := range list {
		texts = append(texts, string(v))
	}
	return strings.Join(texts, ", ")
}
