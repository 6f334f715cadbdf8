package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// call runs the program and gives its exit code and output.
func call(env []string, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(context.Background(), args, env, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		env   []string
		stdin string
		args  []string
		want  int
	}{
		{"help is fine", nil, "", []string{"--help"}, exitOK},
		{"version is fine", nil, "", []string{"version"}, exitOK},
		{"good scenarios are fine", nil, "name: x\nmessage: y\n", []string{"check", "-"}, exitOK},
		{"problems in scenarios", nil, "nam: x\n", []string{"check", "-"}, exitProblems},
		{"problems in scenarios to play", nil, "nam: x\n", []string{"play", "-"}, exitProblems},
		{"problems in scenarios to list", nil, "nam: x\n", []string{"list", "-"}, exitProblems},
		{"a name that is not there", nil, "", []string{"show", "no-such"}, exitProblems},
		{"nobody answers", nil, "", []string{"healthcheck", "--addr", "127.0.0.1:1"}, exitProblems},
		{"no command", nil, "", nil, exitUsage},
		{"an unknown command", nil, "", []string{"sreve"}, exitUsage},
		{"an unknown flag", nil, "", []string{"serve", "--sped", "2"}, exitUsage},
		{"a bad value", nil, "", []string{"serve", "--speed", "fast"}, exitUsage},
		{"a flag without its value", nil, "", []string{"serve", "--speed"}, exitUsage},
		{"a bad variable", []string{"FAKEOPENAI_SEED=x"}, "", []string{"serve"}, exitUsage},
		{"too few arguments", nil, "", []string{"show"}, exitUsage},
		{"too many arguments", nil, "", []string{"schema", "x"}, exitUsage},
		{"an unknown shell", nil, "", []string{"completion", "tcsh"}, exitUsage},
		{"no command to execute", nil, "", []string{"exec", "x.yaml"}, exitUsage},
		{"a file that is not there", nil, "", []string{"check", "no-such.yaml"}, exitFailed},
		{"a command that is not there", nil, "", []string{"exec", "--", "no-such-command"}, exitFailed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := call(c.env, c.stdin, c.args...)
			if code != c.want {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, c.want, stdout, stderr)
			}
			if c.want != exitOK && stdout+stderr == "" {
				t.Error("nothing says what is wrong")
			}
		})
	}
}

func TestFlagsWinOverVariables(t *testing.T) {
	t.Parallel()
	env := []string{"FAKEOPENAI_FORMAT=xml"}
	if code, _, stderr := call(env, "name: x\nmessage: y\n", "check", "--format", "json", "-"); code != exitOK {
		t.Errorf("the variable is looked at although there is a flag: %s", stderr)
	}
	if code, _, stderr := call(env, "name: x\nmessage: y\n", "check", "-"); code != exitUsage || !strings.Contains(stderr, "FAKEOPENAI_FORMAT") {
		t.Errorf("exit code %d for a bad variable, and this: %s", code, stderr)
	}
	if code, _, stderr := call([]string{"FAKEOPENAI_FORMAT="}, "name: x\nmessage: y\n", "check", "-"); code != exitOK {
		t.Errorf("an empty variable counts as set: %s", stderr)
	}
}

func TestEveryFlagIsDescribedWithItsVariable(t *testing.T) {
	t.Parallel()
	a := &app{env: map[string]string{}}
	help := a.root().UsageString()
	for _, cmd := range a.root().Commands() {
		if cmd.Short == "" {
			t.Errorf("%s has no description", cmd.Name())
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
			if !hasVariable(flag) {
				return
			}
			if !strings.Contains(flag.Usage, "[$"+variable(flag.Name)+"]") {
				t.Errorf("%s --%s does not name its variable: %s", cmd.Name(), flag.Name, flag.Usage)
			}
			if !strings.Contains(help, "  "+variable(flag.Name)+" ") {
				t.Errorf("the help does not list %s", variable(flag.Name))
			}
		})
	}
}

func TestEveryCommandHasAnExampleThatParses(t *testing.T) {
	t.Parallel()
	root := (&app{env: map[string]string{}}).root()
	for _, cmd := range root.Commands() {
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "fakeopenai" {
				continue
			}
			found, rest, err := root.Find(words[1:])
			if err != nil || found != cmd {
				t.Errorf("the example %q does not call %s", line, cmd.Name())
				continue
			}
			checkFlags(t, found, line, rest)
		}
	}
}

// checkFlags finds flags in an example that the command does not have.
func checkFlags(t *testing.T, cmd *cobra.Command, line string, words []string) {
	t.Helper()
	for _, word := range words {
		if word == "--" {
			return
		}
		if name, ok := strings.CutPrefix(word, "--"); ok && cmd.Flags().Lookup(name) == nil {
			t.Errorf("the example %q has a flag that %s does not know", line, cmd.Name())
		}
	}
}
