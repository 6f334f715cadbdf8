// Package cli is the command line of fakeopenai: what its main function does,
// as a function of arguments, environment and streams. Each command has a file
// with its flags and its help; what several commands need is in the packages
// beside this one.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/exit"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/files"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/setting"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Main runs the program and returns its exit code. The arguments are without
// the program's name, env is in the form of os.Environ. A server that runs when
// ctx ends is shut down as by SIGTERM.
func Main(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{env: setting.Environment(env), environ: env, stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root(args)
	root.SetArgs(append([]string{}, args...)) // never nil: cobra would take os.Args
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.noHelp
	}
	a.report(cmd, err)
	return exit.CodeOf(err)
}

// app is one run of the program: where it reads and writes.
type app struct {
	env     map[string]string // env are the environment's variables by name.
	environ []string          // environ is the environment in the form of os.Environ.
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	noHelp  error // noHelp says that --help was asked for a command that there is not.
}

// root is the tree of commands. Where the first argument names one, that is the only
// one in it: to define the flags of all takes as long as to load some scenarios.
func (a *app) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:               "fakeopenai",
		Short:             "fakeopenai plays YAML scenarios as an OpenAI streaming server, for tests.",
		Version:           version(),
		Args:              cobra.ArbitraryArgs,
		RunE:              a.withoutCommand,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return setting.ApplyEnvironment(cmd.Flags(), a.env) },
	}
	root.SetVersionTemplate("{{ .Version }}\n")
	root.SetFlagErrorFunc(setting.FlagError)
	all := a.commands()
	if i := slices.IndexFunc(all, func(c command) bool { return len(args) > 0 && c.name == args[0] }); i >= 0 {
		root.AddCommand(nameVariables(all[i].build()))
		root.CompletionOptions.DisableDefaultCmd = true
		return root
	}
	for _, c := range all {
		root.AddCommand(nameVariables(c.build()))
	}
	root.InitDefaultCompletionCmd()
	refuseUnknownShells(root)
	a.refuseUnknownTopics(root)
	completeHelp(root)
	return root
}

// command is a command that can be made.
type command struct {
	name  string
	build func() *cobra.Command
}

// commands are all commands.
func (a *app) commands() []command {
	return []command{
		{"init", a.initCommand}, {"serve", a.serveCommand}, {"exec", a.execCommand}, {"play", a.playCommand},
		{"check", a.checkCommand}, {"fmt", a.fmtCommand}, {"explain", a.explainCommand}, {"list", a.listCommand},
		{"show", a.showCommand}, {"schema", a.schemaCommand}, {"record", a.recordCommand}, {"import", a.importCommand},
		{"diff", a.diffCommand}, {"sweep", a.sweepCommand}, {"healthcheck", a.healthcheckCommand}, {"version", a.versionCommand},
	}
}

// withoutCommand answers a call that names no command.
func (a *app) withoutCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		cmd.SetOut(a.stderr)
		if err := cmd.Help(); err != nil {
			return err
		}
		return exit.With(exit.Usage)
	}
	hint := ""
	if near := nearestCommand(cmd, args[0]); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	} else if files.LooksLikePath(args[0]) {
		hint = fmt.Sprintf("; to play a file, write: fakeopenai serve %s", args[0])
	}
	return exit.Misuse("unknown command %q%s", args[0], hint)
}

// noArguments refuses arguments in the program's own words.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, and not %q", cmd.Name(), args[0])
	}
	return nil
}

// nearestCommand is the command that was probably meant: the one whose name is
// near, or begins with the word.
func nearestCommand(root *cobra.Command, word string) string {
	var names []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}
	if near := diag.Nearest(word, names); near != "" {
		return near
	}
	begins := func(name string) bool { return word != "" && strings.HasPrefix(name, strings.ToLower(word)) }
	if i := slices.IndexFunc(names, begins); i >= 0 {
		return names[i]
	}
	return ""
}

// report says on stderr what went wrong.
func (a *app) report(cmd *cobra.Command, err error) {
	if err == nil {
		return
	}
	if marked, ok := errors.AsType[*exit.Error](err); ok && marked.Err == nil {
		return
	}
	fmt.Fprintf(a.stderr, "fakeopenai: %s\n", strings.TrimRight(err.Error(), "\n"))
	if cmd.Name() == "help" {
		cmd = cmd.Root() // which lists the commands
	}
	if exit.CodeOf(err) == exit.Usage {
		fmt.Fprintf(a.stderr, "run %q for help\n", cmd.CommandPath()+" --help")
	}
}

// runFunc is a function that does what a command asks for.
type runFunc func(cmd *cobra.Command, args []string) error

// markFailures marks a command's plain errors as "could not run", so that what is
// left without a mark is wrong usage, found by the command-line library.
func markFailures(do runFunc) runFunc {
	return func(cmd *cobra.Command, args []string) error {
		err := do(cmd, args)
		if err == nil {
			return nil
		}
		if _, ok := errors.AsType[*exit.Error](err); ok {
			return err
		}
		return &exit.Error{Code: exit.Failed, Err: err}
	}
}
