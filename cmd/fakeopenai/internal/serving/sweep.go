package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// Sweep runs a command under the variants of a sweep.
type Sweep struct {
	console.ServerFlags
	Set  *scenarios.Set
	Args []string // Args are the command and its arguments.
	// Environ is the command's environment, before those variables are added that
	// direct clients to the server.
	Environ   []string
	Preset    string        // Preset names the variables to add; see Environment.
	Timeout   time.Duration // Timeout is the time without traffic after which the command hangs.
	Truncated bool          // Truncated also ends answers after and inside each event.
	Jobs      int           // Jobs is the number of commands that run at a time.
	Gap       time.Duration // Gap is the pause between the pieces of a split answer that names none; 0 is that of the server.
	Rest      time.Duration // Rest is how long connections rest after each write.
	Log       *slog.Logger
}

// Run runs all cases and adds the results to the report. The first case is the scenario as
// written; if the command fails with that, Run stops, because the variants would prove
// nothing. An error means that a command could not be run.
func (s *Sweep) Run(ctx context.Context, cases []sweep.Case, report *Report) error {
	first, answers, err := s.play(ctx, cases[0])
	if err != nil {
		return err
	}
	if err := report.Add(first); err != nil || first.Failed {
		return err
	}
	rest := cases[1:]
	if s.Truncated {
		rest = append(rest, sweep.Truncate(s.Set, answers)...)
	}
	return sweep.Each(ctx, s.Jobs, slices.Values(rest), func(ctx context.Context, c sweep.Case) (Result, error) {
		r, _, err := s.play(ctx, c)
		return r, err
	}, report.Add)
}

// Verdicts beside those of package sweep.
const (
	hang      sweep.Verdict = "hang"      // hang says that the command was killed by the watchdog.
	unmatched sweep.Verdict = "unmatched" // unmatched says that no scenario answered one of its requests.
)

// errHang is the cause of the context of a run that the watchdog ended.
var errHang = errors.New("the command hangs")

// play runs the command once with a server of its own, and returns the result and the
// answers of the server. An error means that the command could not be run.
func (s *Sweep) play(ctx context.Context, c sweep.Case) (Result, []sweep.Answer, error) {
	r := Result{Case: c.Variant.Name, About: c.Variant.About}
	fake, err := s.serverFor(c)
	if err != nil {
		return r, nil, err
	}
	defer fake.Close()
	listener, err := Listen("127.0.0.1:0")
	if err != nil {
		return r, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dog := newWatchdog(s.Timeout, func() { cancel(errHang) })
	defer dog.stop()
	httpd := Start(&watchedListener{listener.(*net.TCPListener), dog, s.Rest}, fake, nil, s.Log)
	defer httpd.Close()
	start := time.Now()
	exit, output, err := s.command(ctx, URL(listener.Addr().String(), false))
	r.Seconds = time.Since(start).Seconds()
	hung := errors.Is(context.Cause(ctx), errHang)
	if err == nil && !hung {
		err = ctx.Err()
	}
	if err != nil {
		return r, nil, err
	}
	httpd.Close()
	fake.Close() // waits until every journal entry is complete
	entries := fake.Journal()
	answers := sweep.Answers(entries)
	if !hung {
		r.Exit = &exit
	}
	r.judgeRun(s.Set, c, entries, answers)
	if r.Failed = r.Verdict.Bad(); r.Failed {
		r.Scenario, r.Output = c.Reproduction(server.Check, s.Set, answers), output
	}
	return r, answers, nil
}

// serverFor makes the server that plays the scenarios in the variant of c.
func (s *Sweep) serverFor(c sweep.Case) (*server.Server, error) {
	set, err := c.Set(s.Set, s.Gap)
	if err != nil {
		return nil, err
	}
	config := s.Config
	config.Logger, config.Upgrade = s.Log, Upgrade
	config.Scenarios = set
	config.KeepTranscripts, config.TranscriptLimit = true, 32<<20
	fake, err := server.New(config)
	if err != nil {
		return nil, err
	}
	for _, sc := range s.Set.Scenarios() {
		PassHolds(fake, sc)
	}
	return fake, nil
}

// command runs the command, and returns its exit code and the end of its output.
func (s *Sweep) command(ctx context.Context, url string) (int, string, error) {
	var output outputTail
	environ := Environment(s.Environ, s.Preset, url, s.ClientKey())
	code, err := Command{Args: s.Args, Environ: environ, Stdout: &output, Stderr: &output}.RunInGroup(ctx)
	return code, output.String(), err
}

// judgeRun sets the verdict on a run and its detail.
func (r *Result) judgeRun(set *scenarios.Set, c sweep.Case, entries []journal.Entry, answers []sweep.Answer) {
	missed := slices.IndexFunc(entries, func(e journal.Entry) bool { return e.Unmatched || e.Fault })
	switch {
	case r.Exit == nil:
		r.Verdict = hang
		r.Detail = fmt.Sprintf("it was killed after %s", took(r.Seconds).Round(time.Millisecond))
		return
	case missed >= 0:
		r.Verdict, r.Detail = unmatched, entries[missed].Problem
		return
	}
	r.Verdict = c.Judge(set, *r.Exit != 0, answers)
	r.Detail = r.Verdict.Reason()
	switch r.Verdict {
	case sweep.Failed:
		r.Detail = fmt.Sprintf("exit code %d", *r.Exit)
	case sweep.PassedSilently:
		r.Detail = "exit code 0, " + r.Detail
	case sweep.NoRequest:
		r.Detail += "; clients find the server in OPENAI_BASE_URL"
	}
}
