// Package cli is the command line of fakeopenai. Main is the whole program as a
// function of arguments, environment and standard streams. Each command has a file
// with its flags and its help; further files that begin with its name hold what it does.
// What several commands share is in files of its own: the scenario files ([sources],
// [library]), flags and the texts of the help.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Main runs the program and returns its exit code. Args has no program name, env has
// the form of os.Environ. When ctx ends, a running server shuts down as on SIGTERM.
func Main(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{env: console.Environment(env), environ: env, stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root(args...)
	root.SetArgs(append([]string{}, args...)) // never nil: cobra would take os.Args
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.noHelp
	}
	a.report(cmd, err)
	return console.ExitCode(err)
}

// app is one run of the program, with its environment and standard streams.
type app struct {
	env     map[string]string // env are the environment's variables by name.
	environ []string          // environ is the environment in the form of os.Environ.
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	noHelp  error // noHelp is the error of --help after an unknown command; the library's help function returns none.
}

// about is how the help and the first page describe the program.
const about = `A fake OpenAI API for tests. You write a stream in YAML, with every chunk, every
pause and every fault, and the server sends exactly that.`

// root builds the tree of commands. If the first argument names a command, the tree has that command
// alone, because the flags of all commands take more memory than the first answer of a server.
func (a *app) root(args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:               "fakeopenai COMMAND [arguments]",
		Short:             about,
		Version:           version(),
		Args:              cobra.ArbitraryArgs,
		RunE:              a.withoutCommand,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return console.ApplyEnvironment(cmd, a.env) },
	}
	root.SetVersionTemplate("{{ .Version }}\n")
	root.SetFlagErrorFunc(console.FlagError)
	root.SetUsageFunc(printUsage)
	all := a.commands()
	if i := slices.IndexFunc(all, func(c command) bool { return len(args) > 0 && c.name == args[0] }); i >= 0 {
		root.AddCommand(finish(all[i].build()))
		root.CompletionOptions.DisableDefaultCmd = true
		return root
	}
	for _, c := range all {
		cmd := finish(c.build())
		cmd.GroupID = c.group
		if !root.ContainsGroup(c.group) {
			root.AddGroup(&cobra.Group{ID: c.group, Title: c.group})
		}
		root.AddCommand(cmd)
	}
	root.InitDefaultCompletionCmd()
	refuseUnknownShells(root)
	a.refuseUnknownTopics(root)
	root.AddCommand(environmentTopic(root))
	return root
}

type command struct {
	group string // group is the heading under which the help has the command.
	name  string
	build func() *cobra.Command
}

func (a *app) commands() []command {
	return []command{
		{"Start", "init", a.initCommand}, {"Start", "serve", a.serveCommand}, {"Start", "exec", a.execCommand},
		{"Look", "check", a.checkCommand}, {"Look", "play", a.playCommand}, {"Look", "list", a.listCommand}, {"Look", "show", a.showCommand},
		{"Look", "docs", a.docsCommand}, {"Look", "fmt", a.fmtCommand},
		{"Record", "record", a.recordCommand}, {"Record", "import", a.importCommand}, {"Record", "diff", a.diffCommand},
		{"Find bugs of clients", "sweep", a.sweepCommand}, {"Find bugs of clients", "hunt", a.huntCommand}, {"Find bugs of clients", "conform", a.conformCommand},
		{"More", "healthcheck", a.healthcheckCommand}, {"More", "version", a.versionCommand},
	}
}

// firstLines is what the program prints without arguments.
const firstLines = `fakeopenai is a fake OpenAI API for tests: it plays streams that you write in YAML.
  fakeopenai init                         write a first scenario
  fakeopenai serve scenarios/             play scenarios at http://127.0.0.1:8080/v1
  fakeopenai exec scenarios/ -- npm test  run tests against them
  fakeopenai --help                       list all commands
`

// withoutCommand runs when the first argument names no command. Without arguments it
// prints how to begin; an unknown word is an error with a hint.
func (a *app) withoutCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(a.stderr, firstLines)
		return console.ExitWith(console.ExitUsage)
	}
	hint := ""
	if args[0] == "schema" || args[0] == "explain" { // they were commands
		hint = "; write: fakeopenai docs " + cmp.Or(strings.Join(args[1:], " "), map[string]string{"explain": "rules"}[args[0]], args[0])
	} else if near := nearestCommand(cmd, args[0]); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	} else if looksLikePath(args[0]) {
		hint = fmt.Sprintf("; to play a file, write: fakeopenai serve %s", args[0])
	}
	return console.Misuse("unknown command %q%s", args[0], hint)
}

// noArguments is cobra.NoArgs with an error text of our own.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, and not %q", cmd.Name(), args[0])
	}
	return nil
}

// arguments accepts a number of arguments between two. The error for another number has the
// text, in which %d stands for that number.
func arguments(least, most int, wrong string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if n := len(args); n < least || n > most {
			return errors.New(strings.ReplaceAll(wrong, "%d", strconv.Itoa(n)))
		}
		return nil
	}
}

// otherTools are commands of other tools, and what they are called here.
var otherTools = map[string]string{
	"run": "serve", "start": "serve", "server": "serve", "up": "serve", "mock": "serve", "test": "exec", "wrap": "exec",
	"lint": "check", "validate": "check", "verify": "check", "format": "fmt", "ls": "list", "cat": "show", "get": "show", "preview": "play", "print": "play",
	"new": "init", "create": "init", "proxy": "record", "capture": "record", "convert": "import", "compare": "diff", "fuzz": "hunt", "health": "healthcheck", "ping": "healthcheck",
}

// nearestCommand returns the command that an unknown word probably means: that of another tool, one with a
// similar name, or else one whose name begins with the word. It returns "" for none.
func nearestCommand(root *cobra.Command, word string) string {
	if name := otherTools[strings.ToLower(word)]; name != "" {
		return name
	}
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

// report prints the error of a command on stderr. Wrong usage also names the help.
func (a *app) report(cmd *cobra.Command, err error) {
	if err == nil {
		return
	}
	if marked, ok := errors.AsType[*console.ExitError](err); ok && marked.Err == nil {
		return
	}
	fmt.Fprintf(a.stderr, "fakeopenai: %s\n", diag.Printable(strings.TrimRight(err.Error(), "\n")))
	if cmd.Name() == "help" {
		cmd = cmd.Root() // its help lists the commands
	}
	if console.ExitCode(err) == console.ExitUsage {
		fmt.Fprintf(a.stderr, "run %q for help\n", cmd.CommandPath()+" --help")
	}
}

type runFunc func(cmd *cobra.Command, args []string) error

// markFailures gives the exit code [console.ExitFailed] to errors of do that carry no code.
// Errors that still have none are those of the command-line library: wrong usage.
func markFailures(do runFunc) runFunc {
	return func(cmd *cobra.Command, args []string) error {
		err := do(cmd, args)
		if err == nil {
			return nil
		}
		if _, ok := errors.AsType[*console.ExitError](err); ok {
			return err
		}
		return &console.ExitError{Code: console.ExitFailed, Err: err}
	}
}

// sourcesHelp is the line about the variable in the help of the commands that get their sources from [app.sources].
const sourcesHelp = `Without paths the command uses those in ` + console.ScenariosVariable + `, separated as in PATH.`

// sources returns the scenario files that the paths name or, without paths, those of the
// environment variable, or else the bundled fixtures. The path - means stdin; if stdin
// is nil, it is refused.
func (a *app) sources(paths []string, stdin io.Reader) (sources, error) {
	variable := a.env[console.ScenariosVariable]
	if len(paths) > 0 || variable == "" {
		return sources{paths: paths, stdin: stdin}, nil
	}
	list := slices.DeleteFunc(filepath.SplitList(variable), func(path string) bool { return path == "" })
	if len(list) == 0 {
		return sources{}, console.Misuse("invalid value %q for environment variable %s: write files, directories or globs, separated by %q",
			variable, console.ScenariosVariable, string(filepath.ListSeparator))
	}
	return sources{paths: list, origin: console.ScenariosVariable, stdin: stdin}, nil
}

// needsPaths refuses the named flags on the command line if there are no paths: they
// have no effect on the bundled fixtures, which never change.
func needsPaths(cmd *cobra.Command, from sources, names ...string) error {
	if given := console.Given(cmd.Flags(), names...); given != nil && from.Bundled() {
		example := fmt.Sprintf("fakeopenai %s %s scenarios/", cmd.Name(), given[0])
		if cmd.Name() == "exec" {
			example += " -- npm test"
		}
		return console.Misuse("%s is for scenario files; name them, as in: %s", given[0], example)
	}
	return nil
}

// defineAllowEmpty adds --allow-empty, for commands that can load scenarios later.
func defineAllowEmpty(flags *pflag.FlagSet, target *bool) {
	console.Switch(flags, target, "allow-empty", "start even if directories and globs have no scenario file yet")
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, version())
			return err
		},
	}
}

// version describes the build: the version of the module, the commit with its date if Go
// wrote them into the program, Go's own version and the platform.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{Main: debug.Module{Version: "(unknown)"}}
	}
	return describeBuild(info)
}

func describeBuild(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	var parts []string
	if commit := settings["vcs.revision"]; commit != "" {
		if settings["vcs.modified"] == "true" {
			commit += " with changes"
		}
		parts = append(parts, "commit "+commit, settings["vcs.time"])
	}
	parts = append(parts, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH)
	return fmt.Sprintf("fakeopenai %s (%s)", info.Main.Version, strings.Join(parts, ", "))
}
