package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server"
)

type playOptions struct {
	choice
	request  string // request is the name of the request file; - is standard input, "" the built-in request.
	surface  string // surface is the API of the request; "" is that of the scenario.
	seed     int64
	created  int64
	speed    float64
	fast     bool
	asStream bool
	include  bool
	timeline bool
	attempt  int
}

func (a *app) playCommand() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play NAME|FILE [NAME]",
		Short: "Print the bytes that a scenario sends",
		Long: `Print the bytes of the HTTP body that a scenario sends, with their real pauses. The
scenario is a bundled scenario, the first scenario of a file, or a scenario of a file by
name. The file - is standard input.

The request asks for a stream with usage, on the API that the scenario names in
when.surface, on responses if the scenario has items, or else on chat completions;
--request sends another request. The scenario's own conditions need not hold, but
stderr names the conditions that do not; the conditions of its replies must hold. Holds
are passed at once.

--attempt 3 shows the answer to the third request of the same kind.

A scenario that breaks rules of the protocol is played; stderr lists the rules, and the
exit code is 1. A scenario can extend a scenario in another file of its folder.
` + sourcesHelp,
		Example: `  fakeopenai play tool-call
  fakeopenai play --fast scenarios.yaml weather
  fakeopenai play --timeline --attempt 3 flaky.yaml
  fakeopenai play --as-stream plain-text > my-stream.yaml`,
		Args: cobra.MatchAll(
			arguments(1, math.MaxInt, "play needs the name of a scenario or a file; fakeopenai list prints the bundled names"),
			arguments(0, 2, "play takes a file and a name at most, not %d arguments")),
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			usual, err := a.sources(nil, nil)
			if err == nil {
				err = o.readArgs(args, a.stdin, usual)
			}
			if err == nil {
				err = o.contradiction(cmd.Flags())
			}
			if err != nil {
				return err
			}
			return a.play(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	console.Switch(flags, &o.fast, "fast", "leave all pauses out: short for --speed instant")
	console.DefineSpeed(flags, &o.speed)
	console.Define(flags, &o.request, "request", "", "send the JSON body in this `file`; - is standard input", console.Text)
	console.DefineWord(flags, &o.surface, "surface", "", "ask on this `API`: "+strings.Join(surfaceNames(), ", ")+" (default: the scenario's)", surfaceNames()...)
	console.Switch(flags, &o.asStream, "as-stream", "print the scenario with its message written as a stream, to edit")
	console.Define(flags, &o.seed, "seed", "1", "draw ids, fake text and jitter from this `number`", console.Seed)
	console.Define(flags, &o.created, "created", "", "send this creation `time`: seconds since 1970 or RFC 3339 (default: now)", console.Created)
	console.ShortSwitch(flags, &o.include, "include", "i", "print the status and the headers on stderr")
	console.Switch(flags, &o.timeline, "timeline", "print a line for each event, with its time and the pause before it, without waiting")
	console.Define(flags, &o.attempt, "attempt", "1", "play the answer to the attempt of this `number`", console.Positive)
	return cmd
}

func surfaceNames() []string { return slices.Concat(scenarios.Surfaces(), scenarios.WholeSurfaces()) }

// readArgs chooses the scenario that the arguments name, usual being where a name alone
// is looked up.
func (o *playOptions) readArgs(args []string, stdin io.Reader, usual sources) (err error) {
	if o.choice, err = choose(args, stdin, usual); err != nil {
		return err
	}
	if o.request == "-" && o.IsStdin() {
		return console.Misuse("the scenario and the request cannot both be read from standard input")
	}
	return nil
}

// contradiction returns an error if one flag on the command line makes another one there
// ineffective.
func (o *playOptions) contradiction(flags *pflag.FlagSet) error {
	switch {
	case o.asStream:
		return console.Useless(flags, "--as-stream prints a scenario, and not its answer", "timeline", "attempt", "include", "fast", "speed", "created")
	case o.fast && len(console.Given(flags, "fast", "speed")) == 2:
		return console.Misuse("--fast is short for --speed instant; give one of them")
	}
	return nil
}

func (a *app) play(ctx context.Context, o playOptions) error {
	lib := &library{sources: o.sources}
	set, findings, err := lib.LoadDraft()
	if err != nil {
		return err
	}
	name, err := pick(set, o.scenario)
	if err != nil {
		return err
	}
	if findings != nil {
		fmt.Fprintf(a.stderr, "fakeopenai: warning: %s\n\n", strings.TrimSpace(findings.Error()))
	}
	on := surfaceOf(o.surface, set.Lookup(name))
	if notes := server.Notes(set.Lookup(name)); len(notes) > 0 && o.surface == "" {
		fmt.Fprintf(a.stderr, "fakeopenai: note: %s\nfakeopenai: note: it is played on %s\n", notes, on.Name)
	}
	body, err := a.requestBody(o.request, on.Example)
	if err != nil {
		return err
	}
	request := playRequest{Method: on.Method, Path: on.Path, Scenario: name, Body: body, Attempt: o.attempt}
	if o.asStream {
		err = a.printAsStream(set, on.Name, request, o.seed)
	} else {
		err = a.printAnswer(ctx, set, on.Name, request, o)
	}
	if err == nil && findings != nil {
		err = console.ExitWith(console.ExitProblems)
	}
	return err
}

func (a *app) printAnswer(ctx context.Context, set *scenarios.Set, on string, request playRequest, o playOptions) error {
	if o.fast {
		o.speed = server.Instant
	}
	config := server.Config{Scenarios: set, Seed: o.seed, Created: o.created, Speed: o.speed}
	show := showing{Out: a.stdout, Timeline: o.timeline}
	if o.include {
		show.Head = a.stderr
	}
	empty := server.EmptyCaptures(set, on, request.Header(), request.Body)
	outcome, err := playRequested(ctx, config, request, show)
	if outcome.OpenLine && isTerminal(a.stdout) {
		fmt.Fprintln(a.stdout) // messages and the shell's prompt must begin a line
	}
	a.noteMisfit(request.Scenario, outcome.Misfit, empty)
	if outcome.Aborted {
		fmt.Fprintln(a.stderr, "fakeopenai: here the scenario breaks the connection off")
	}
	return err
}

// noteMisfit prints a note if the request does not meet the scenario's conditions, with
// the captures that are empty therefore.
func (a *app) noteMisfit(name, misfit string, empty diag.List) {
	var notes []string
	if misfit != "" {
		notes = append(notes, fmt.Sprintf("the request does not fit %q: %s", name, misfit))
	}
	for _, p := range empty {
		what, _, _ := strings.Cut(p.Message, ": ")
		notes = append(notes, diag.Problem{Pos: p.Pos, Message: what}.String())
	}
	if notes != nil {
		fmt.Fprintf(a.stderr, "fakeopenai: note: %s; --request sends another\n", strings.Join(notes, "; "))
	}
}

func isTerminal(w io.Writer) bool {
	out, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := out.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// requestBody reads the request body from the named file; - is standard input. An empty
// name means the example.
func (a *app) requestBody(name, example string) ([]byte, error) {
	var body []byte
	var err error
	switch name {
	case "":
		return []byte(example), nil
	case "-":
		body, err = io.ReadAll(a.stdin)
	default:
		body, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read --request: %w", err)
	}
	return body, nil
}

func (a *app) printAsStream(set *scenarios.Set, on string, request playRequest, seed int64) error {
	text, err := server.AsStream(set, on, request.Header(), request.Body, seed)
	if err != nil {
		return console.Problem(err)
	}
	_, err = a.stdout.Write(text)
	return err
}
