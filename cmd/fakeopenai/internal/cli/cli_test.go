package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// call runs the program, which a server that it should have refused keeps running for a while,
// and gives its exit code and output.
func call(env []string, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	code = Main(ctx, args, env, strings.NewReader(stdin), &out, &errs)
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
		{"help is fine", nil, "", []string{"--help"}, console.ExitOK},
		{"version is fine", nil, "", []string{"version"}, console.ExitOK},
		{"good scenarios are fine", nil, "name: x\nmessage: y\n", []string{"check", "-"}, console.ExitOK},
		{"problems in scenarios", nil, "nam: x\n", []string{"check", "-"}, console.ExitProblems},
		{"problems in scenarios to play", nil, "nam: x\n", []string{"play", "-"}, console.ExitProblems},
		{"problems in scenarios to list", nil, "nam: x\n", []string{"list", "-"}, console.ExitProblems},
		{"a name that is not there", nil, "", []string{"show", "no-such"}, console.ExitUsage},
		{"a name that is not there to play", nil, "", []string{"play", "no-such"}, console.ExitUsage},
		{"nobody answers", nil, "", []string{"healthcheck", "--addr", "127.0.0.1:1"}, console.ExitProblems},
		{"no command", nil, "", nil, console.ExitUsage},
		{"an unknown command", nil, "", []string{"sreve"}, console.ExitUsage},
		{"an unknown flag", nil, "", []string{"serve", "--sped", "2"}, console.ExitUsage},
		{"a bad value", nil, "", []string{"serve", "--speed", "fast"}, console.ExitUsage},
		{"a flag without its value", nil, "", []string{"serve", "--speed"}, console.ExitUsage},
		{"a bad variable", []string{"FAKEOPENAI_SEED=x"}, "", []string{"serve"}, console.ExitUsage},
		{"too few arguments", nil, "", []string{"show"}, console.ExitUsage},
		{"too many arguments", nil, "", []string{"docs", "x", "y"}, console.ExitUsage},
		{"help for an unknown command", nil, "", []string{"help", "sreve"}, console.ExitUsage},
		{"help for a command of a command", nil, "", []string{"help", "serve", "more"}, console.ExitUsage},
		{"help of an unknown command", nil, "", []string{"sreve", "--help"}, console.ExitUsage},
		{"help for a command is fine", nil, "", []string{"help", "completion", "bash"}, console.ExitOK},
		{"too few recordings", nil, "", []string{"diff", "plain-text"}, console.ExitUsage},
		{"no time for a body", nil, "", []string{"serve", "--body-timeout", "0s"}, console.ExitUsage},
		{"no time for an answer", nil, "", []string{"healthcheck", "--timeout", "0s"}, console.ExitUsage},
		{"an unknown shell", nil, "", []string{"completion", "tcsh"}, console.ExitUsage},
		{"an unknown rule", nil, "", []string{"docs", "no-such"}, console.ExitUsage},
		{"no command to execute", nil, "", []string{"exec", "x.yaml"}, console.ExitUsage},
		{"a file that is not there", nil, "", []string{"check", "no-such.yaml"}, console.ExitFailed},
		{"a command that is not there", nil, "", []string{"exec", "--", "no-such-command"}, console.ExitNotFound},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := call(c.env, c.stdin, c.args...)
			if code != c.want {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, c.want, stdout, stderr)
			}
			if c.want != console.ExitOK && stdout+stderr == "" {
				t.Error("nothing says what is wrong")
			}
		})
	}
}

func TestFlagsWinOverVariables(t *testing.T) {
	t.Parallel()
	env := []string{"FAKEOPENAI_ENV=xml"}
	args := func(more ...string) []string {
		return append(append([]string{"exec"}, more...), "--", "no-such-command")
	}
	if code, _, stderr := call(env, "", args("--env", "azure")...); code != console.ExitNotFound {
		t.Errorf("the variable is looked at although there is a flag: %s", stderr)
	}
	if code, _, stderr := call(env, "", args()...); code != console.ExitUsage || !strings.Contains(stderr, "FAKEOPENAI_ENV") {
		t.Errorf("exit code %d for a bad variable, and this: %s", code, stderr)
	}
	if code, _, stderr := call([]string{"FAKEOPENAI_ENV="}, "", args()...); code != console.ExitNotFound {
		t.Errorf("an empty variable counts as set: %s", stderr)
	}
	if code, _, stderr := call([]string{"FAKEOPENAI_FORMAT=xml", "FAKEOPENAI_DEFAULT=x"}, "", "diff", "plain-text", "plain-text"); code != console.ExitOK {
		t.Errorf("a variable sets a flag of a command whose flags have none: %s", stderr)
	}
}

// Each help fits a terminal, and begins with what the command does.
func TestHelpIsReadable(t *testing.T) {
	t.Parallel()
	a := &app{stdout: io.Discard, stderr: io.Discard}
	args := [][]string{{"--help"}, {"help", "environment"}}
	for _, c := range a.commands() {
		args = append(args, []string{c.name, "--help"})
	}
	for _, args := range args {
		code, stdout, _ := call(nil, "", args...)
		if code != console.ExitOK {
			t.Errorf("%v: exit code %d", args, code)
		}
		for line := range strings.Lines(stdout) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
				t.Errorf("%v is wider than 80 columns: %s", args, line)
			}
		}
	}
}

// A flag that another one makes ineffective is refused. A variable is not: it may be
// meant for another call.
func TestFlagsThatContradictEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"serve --no-admin --admin-token x", "--admin-token has no effect: --no-admin switches off the endpoints that it is for"},
		{"exec --no-admin --admin-host x -- true", "--admin-host has no effect: --no-admin switches off the endpoints that it is for"},
		{"sweep --no-admin --admin-host x plain-text -- true", "--admin-host has no effect: --no-admin switches off the endpoints that it is for"},
		{"serve --journal 0 --transcripts", "--transcripts has no effect: --journal 0 keeps nothing"},
		{"exec --journal 0 --page run.html -- true", "--page has no effect: --journal 0 keeps nothing"},
		{"exec --journal 0 --journal-bytes 1MiB -- true", "--journal-bytes has no effect: --journal 0 keeps nothing"},
		{"sweep --store 0 --store-bytes 1MiB plain-text -- true", "--store-bytes has no effect: --store 0 keeps nothing"},
		{"record --upstream http://127.0.0.1:1 --out x --env azure", "--env has no effect: it is for a command, after --"},
		{"serve --allow-empty", "--allow-empty is for scenario files; name them, as in: fakeopenai serve --allow-empty scenarios/"},
		{"exec --watch -- true", "--watch is for scenario files; name them, as in: fakeopenai exec --watch scenarios/ -- npm test"},
		{"sweep --list plain-text", "--list prints the variants and runs nothing; leave out plain-text"},
		{"healthcheck --url http://127.0.0.1:1 --addr 127.0.0.1:2", "--url and --addr both say where the server is"},
		{"play --as-stream --include plain-text", "--include has no effect: --as-stream prints a scenario, and not its answer"},
		{"play --fast --speed 2 plain-text", "--fast is short for --speed instant"},
		{"serve --api-key ,", `invalid value "," for flag --api-key: it names nothing`},
		{"serve --limit rpm=1;rpm=2", "limits of the server: they are given twice"},
		{"serve --admin-host http://x/y", `admin host "http://x/y": write a name`},
		{"serve --tls --addr 127.0.0.1:0 --tls-name fake.test:443", `--tls-name "fake.test:443": write a name or an address alone`},
	} {
		if code, _, stderr := call(nil, "", strings.Fields(c.args)...); code != console.ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d, and %q in: %s", c.args, code, console.ExitUsage, c.want, stderr)
		}
	}
	for _, c := range []struct{ variable, args string }{
		{"FAKEOPENAI_SPEED=2", "play --fast plain-text"},
		{"FAKEOPENAI_INCLUDE=true", "play --as-stream plain-text"},
		{"FAKEOPENAI_ADMIN_TOKEN=x", "exec --no-admin -- fakeopenai-no-such-command"},
		{"FAKEOPENAI_WATCH=true", "exec -- fakeopenai-no-such-command"},
	} {
		if code, _, stderr := call([]string{c.variable}, "", strings.Fields(c.args)...); code == console.ExitUsage {
			t.Errorf("%s %s: exit code %d: %s", c.variable, c.args, code, stderr)
		}
	}
}

// The flag --addr wins over the URL that exec puts into the environment of its command.
func TestAnAddressWinsOverTheURLOfTheEnvironment(t *testing.T) {
	t.Parallel()
	_, _, stderr := call([]string{"FAKEOPENAI_URL=http://127.0.0.1:1"}, "", "healthcheck", "--addr", "127.0.0.1:2")
	if !strings.Contains(stderr, "http://127.0.0.1:2 is not ready") {
		t.Errorf("it asked another server: %s", stderr)
	}
}

func TestEveryVariableIsInItsHelp(t *testing.T) {
	t.Parallel()
	a := &app{env: map[string]string{}}
	_, help, _ := call(nil, "", "help", "environment")
	for _, cmd := range a.root().Commands() {
		if cmd.Short == "" {
			t.Errorf("%s has no description", cmd.Name())
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
			if console.HasVariable(cmd, flag) && !strings.Contains(help, "  "+console.Variable(flag.Name)+" ") {
				t.Errorf("the help does not list %s", console.Variable(flag.Name))
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
