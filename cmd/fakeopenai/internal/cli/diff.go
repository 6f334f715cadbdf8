package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
)

type diffOptions struct {
	format      string
	text        bool   // text says that the content of the answers is compared, too.
	requestFile string // requestFile is the file of the request; - is standard input, "" for none.
	request     []byte // request is the request body for all scenarios; nil makes one that suits each.
}

func (a *app) diffCommand() *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two recordings, in the terms of the protocol",
		Long: `Compare the answers of scenarios B with those of scenarios A: in status and
headers, in the kinds of events and their order, in the members of their JSON, and in
how events are written as lines. What is another with each answer is no difference:
ids, times, fingerprints, counts of tokens, what a text says and where it is cut.

A and B are files, directories and globs, or names of bundled scenarios. One scenario
is compared with the one that has the same conditions, or else with the one of the same
name; where A and B have one each, these two are compared. The replies of a scenario
are compared one by one, whatever their conditions. The request has what these ask for:
the model, a stream or none, members of the body. A message is asked for in one piece,
too, if its streams do not differ. --request sends another request to all.
What several scenarios share is told once.

Exit code 1 says that there are differences.`,
		Example: `  fakeopenai diff recorded/ tonight/
  fakeopenai diff plain-text crlf`,
		Args: arguments(2, 2, "diff takes two arguments, not %d, as in: fakeopenai diff recorded/ tonight/"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.diff(cmd.Context(), args, o)
		},
	}
	flags := cmd.Flags()
	console.DefineFormat(flags, &o.format, "differences", "text", "json")
	console.Switch(flags, &o.text, "text", "compare what the answers say, too")
	console.Define(flags, &o.requestFile, "request", "", "send the JSON body in this `file`; - is standard input", console.Text)
	return cmd
}

func (a *app) diff(ctx context.Context, args []string, o diffOptions) (err error) {
	if o.requestFile != "" {
		if o.request, err = a.requestBody(o.requestFile, ""); err != nil {
			return err
		}
	}
	var sides [2][]*scenarios.Scenario
	for i, arg := range args {
		if sides[i], err = loadSide(arg); err != nil {
			return err
		}
	}
	found := compareScenarios(ctx, sides[0], sides[1], args, o)
	if o.format == "json" {
		err = console.JSON(a.stdout, found)
	} else {
		_, err = io.WriteString(a.stdout, found.Text())
	}
	if err == nil && found.Count() > 0 {
		err = console.ExitWith(console.ExitProblems)
	}
	return err
}

// loadSide loads the scenarios of an argument. Scenarios that only break rules of the
// protocol are loaded, too.
func loadSide(arg string) ([]*scenarios.Scenario, error) {
	choice, err := choose([]string{arg}, nil, sources{})
	if err != nil {
		return nil, err
	}
	set, _, err := (&library{sources: choice.sources}).LoadDraft()
	if err != nil {
		return nil, err
	}
	if choice.scenario == "" {
		return set.Scenarios(), nil
	}
	name, err := pick(set, choice.scenario)
	if err != nil {
		return nil, err
	}
	return []*scenarios.Scenario{set.Lookup(name)}, nil
}
