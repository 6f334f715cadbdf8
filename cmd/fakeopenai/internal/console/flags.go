// Package console is what the user types and sees: flags, each with an environment
// variable, the flags of all commands that run a server, exit codes, the forms of all
// output, and the log.
package console

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// value is the [pflag.Value] of a flag: its text, and where to put the parsed value.
type value[T any] struct {
	target *T
	parse  func(string) (T, error)
	kind   string
	text   string
}

func (s *value[T]) Set(text string) error {
	v, err := s.parse(text)
	if err != nil {
		return err
	}
	*s.target, s.text = v, text
	return nil
}

func (s *value[T]) String() string { return s.text }

func (s *value[T]) Type() string { return s.kind }

// Define adds a flag. The word in backquotes in the usage is the placeholder of the
// value in the help. The preset is the default and must parse; if it is empty, the
// target keeps its value.
func Define[T any](flags *pflag.FlagSet, target *T, name, preset, usage string, parse func(string) (T, error)) {
	s := &value[T]{target: target, parse: parse, kind: "value"}
	if preset != "" {
		if err := s.Set(preset); err != nil {
			panic(fmt.Sprintf("preset of --%s: %v", name, err)) // a mistake of the programmer
		}
	}
	flags.Var(s, name, usage)
}

// DefineWord is [Define] for a flag whose value is one of some words.
func DefineWord(flags *pflag.FlagSet, target *string, name, preset, usage string, words ...string) {
	Define(flags, target, name, preset, usage, Choice(words...))
	Offer(flags, name, words...)
}

// DefineFormat adds --format, with the first of the words as its default.
func DefineFormat(flags *pflag.FlagSet, target *string, of string, words ...string) {
	DefineWord(flags, target, "format", words[0], "print the "+of+" in this `form`: "+strings.Join(words, ", "), words...)
}

// Switch adds a boolean flag, which is off by default.
func Switch(flags *pflag.FlagSet, target *bool, name, usage string) {
	ShortSwitch(flags, target, name, "", usage)
}

// ShortSwitch is [Switch] for a flag that also has a one-letter name; "" is none.
func ShortSwitch(flags *pflag.FlagSet, target *bool, name, letter, usage string) {
	s := &value[bool]{target: target, parse: parseSwitch, kind: "bool"}
	flags.VarP(s, name, letter, usage)
	flags.Lookup(name).NoOptDefVal = "true"
}

// List adds a flag for several values. It may be repeated, and the separator separates
// values, too.
func List[T any](flags *pflag.FlagSet, target *[]T, name, usage, separator string, parse func(string) (T, error)) {
	flags.Var(&value[[]T]{target: target, kind: listKind, parse: func(text string) ([]T, error) {
		all := *target
		for item := range strings.SplitSeq(text, separator) {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			v, err := parse(item)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		if len(all) == len(*target) {
			return nil, errors.New("it names nothing; leave it out, or write one or several, separated by " + strconv.Quote(separator))
		}
		return all, nil
	}}, name, usage)
}

const listKind = "list"

// offered is the annotation of flags with the words that shells complete.
const offered = "fakeopenai_words"

// Offer makes shells complete a flag's value from the words. A tab separates a word from
// its description.
func Offer(flags *pflag.FlagSet, flag string, words ...string) {
	_ = flags.SetAnnotation(flag, offered, words) // fails only for a flag that is not there
}

// Complete registers the words of [Offer] for all flags of a command.
func Complete(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		words := flag.Annotations[offered]
		if words == nil {
			return
		}
		complete := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			if flag.Value.Type() != listKind {
				return words, cobra.ShellCompDirectiveNoFileComp
			}
			return afterComma(typed, words), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete) // fails only for a flag that is not there, or has one
	})
}

// afterComma returns the words, each after the items of a list that are typed already.
func afterComma(typed string, words []string) []string {
	items := typed[:strings.LastIndex(typed, ",")+1]
	completed := make([]string, len(words))
	for i, word := range words {
		completed[i] = items + word
	}
	return completed
}

// FlagError turns an error of the command-line library about a flag into a usage error
// in our words, with the flag that was probably meant.
func FlagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return Misuse("invalid value %q for flag --%s: %w", invalid.GetValue(), invalid.GetFlag().Name, reason(err))
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return Misuse("%w", err)
	}
	if hint := flagHint(cmd, unknown.GetSpecifiedName()); hint != "" {
		return Misuse("%w; %s", err, hint)
	}
	return Misuse("%w", err)
}

// otherTools are flags of other tools, and what stands here for them, the likeliest first.
var otherTools = map[string][]string{
	"port": {"addr"}, "p": {"addr"}, "host": {"addr"}, "listen": {"addr"}, "bind": {"addr"},
	"proxy": {"upstream"}, "target": {"upstream"}, "base-url": {"upstream", "url", "through"}, "prefix": {"base-path"},
	"output": {"out", "report"}, "o": {"out", "report"}, "junit": {"report", "format junit"}, "json": {"format json"},
	"verbose": {"log-level debug"}, "v": {"log-level debug"}, "debug": {"log-level debug"}, "quiet": {"log-level error"}, "silent": {"log-level error"},
	"key": {"api-key"}, "token": {"api-key"}, "rate-limit": {"limit"}, "chaos": {"fault"}, "error-rate": {"fault"},
	"https": {"tls"}, "ssl": {"tls"}, "cert": {"tls-cert"}, "reload": {"watch"}, "no-delay": {"fast", "speed instant"}, "instant": {"fast", "speed instant"},
	"body": {"request"}, "headers": {"include"}, "api": {"surface"}, "endpoint": {"surface"}, "fallback": {"default"}, "dry-run": {"check", "list"},
	"jobs": {"parallel"}, "j": {"parallel"}, "workers": {"parallel"}, "n": {"runs"}, "iterations": {"runs"}, "skip": {"without"}, "exclude": {"without"},
}

// paths are the flags of other tools for what stands here among the arguments.
var paths = []string{"config", "c", "file", "f", "scenario", "scenarios", "fixtures", "dir", "directory", "path"}

// flagHint returns what to write in place of an unknown flag; "" if that is not known.
func flagHint(cmd *cobra.Command, name string) string {
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, flag.Name) })
	for _, meant := range otherTools[name] {
		if flag, _, _ := strings.Cut(meant, " "); slices.Contains(known, flag) {
			return "did you mean --" + meant + "?"
		}
	}
	if near := diag.Nearest(name, known); near != "" {
		return "did you mean --" + near + "?"
	}
	if slices.Contains(paths, name) && cmd.HasParent() {
		return "write the path without a flag, as in: " + cmd.CommandPath() + " scenarios/"
	}
	return ""
}

const variablePrefix = "FAKEOPENAI_"

// ScenariosVariable is the environment variable with the paths of scenario files, for
// command lines without paths.
const ScenariosVariable = variablePrefix + "SCENARIOS"

// Environment returns the variables by name, from the form of os.Environ.
func Environment(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	return env
}

// Variable returns the name of a flag's environment variable: FAKEOPENAI_URL_FILE for
// url-file.
func Variable(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// HasVariable reports whether a flag of a command has an environment variable: those of the commands that run
// in containers and in scripts of others have one.
func HasVariable(cmd *cobra.Command, flag *pflag.Flag) bool {
	return flag.Name != "help" && slices.Contains([]string{"serve", "exec", "record", "healthcheck"}, cmd.Name())
}

// ApplyEnvironment sets the flags of a command that are not on the command line from their variables. An
// empty variable counts as not set. The error names all variables with bad values.
func ApplyEnvironment(cmd *cobra.Command, env map[string]string) error {
	var errs []error
	flags := cmd.Flags()
	flags.VisitAll(func(flag *pflag.Flag) {
		name := Variable(flag.Name)
		value := env[name]
		if flag.Changed || value == "" || !HasVariable(cmd, flag) {
			return
		}
		_ = flags.SetAnnotation(flag.Name, fromVariable, nil) // fails only for a flag that is not there
		if err := flags.Set(flag.Name, value); err != nil {
			errs = append(errs, fmt.Errorf("invalid value %q for environment variable %s: %w", value, name, reason(err)))
		}
	})
	if len(errs) > 0 {
		return &ExitError{Code: ExitUsage, Err: errors.Join(errs...)}
	}
	return nil
}

// fromVariable is the annotation of flags that got their values from variables.
const fromVariable = "fakeopenai_from_variable"

// Given returns those of the named flags that are on the command line, as --name. Flags
// set by variables are not among them: a variable may be meant for another command, or
// for another call of this one.
func Given(flags *pflag.FlagSet, names ...string) []string {
	var given []string
	for _, name := range names {
		flag := flags.Lookup(name)
		if _, set := flag.Annotations[fromVariable]; flag.Changed && !set {
			given = append(given, "--"+name)
		}
	}
	return given
}

// Useless refuses those of the named flags that are on the command line. Why says what makes
// them ineffective there.
func Useless(flags *pflag.FlagSet, why string, names ...string) error {
	if given := Given(flags, names...); given != nil {
		return Misuse("%s has no effect: %s", given[0], why)
	}
	return nil
}

// reason returns the error of the value's parser, without the library's wrapping.
func reason(err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return invalid.Unwrap()
	}
	return err
}
