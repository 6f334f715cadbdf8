package console

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

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
