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
		Long: `Compare the answers of scenarios B with the answers of scenarios A: status and
headers, kinds of events and their order, members of their JSON, and how events are
written as lines. Values that differ with each answer do not count: ids, times,
fingerprints, counts of tokens, texts and where they are cut.

A and B are files, directories and globs, or names of bundled scenarios. A scenario
is compared with the scenario that has the same conditions, or else the same name; if A
and B have one scenario each, these two are compared. The replies of a scenario are
compared one by one, whatever their conditions, with a request that meets them. A message
is also compared in one piece if its streams do not differ. --request sends another
request to all. A difference of several scenarios is reported once.

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
	console.Switch(flags, &o.text, "text", "compare the texts of the answers, too")
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
