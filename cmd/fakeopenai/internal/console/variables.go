package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
