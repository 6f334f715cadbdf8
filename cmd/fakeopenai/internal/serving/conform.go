package serving

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// Conform asks a client, through an adapter, for each specimen: for each scenario that says what is
// expected, or that answers for a model. An adapter is a program that reads lines with a [Question] each, and answers each with a
// line of JSON: a [scenarios.Outcome], or a member skip with the reason why the client cannot be asked.
type Conform struct {
	Set     *scenarios.Set
	Args    []string // Args are the adapter and its arguments.
	Environ []string
	Only    []string      // Only are globs for the names of specimens; none are all.
	Without []string      // Without are globs for the names of specimens that are left out.
	Addr    string        // Addr is where the server listens.
	Through string        // Through is the base URL that the adapter gets, of a gateway to the server; "" is the server's own.
	Timeout time.Duration // Timeout is how long an answer may take; a client that takes longer hangs.
	Jobs    int           // Jobs is the number of adapters that run at a time.
}

// Question is a line for an adapter, which sends the request to an API and answers with the outcome.
type Question struct {
	Specimen string      `json:"specimen"`
	Surface  string      `json:"surface"` // Surface is the API: chat, completions or responses.
	BaseURL  string      `json:"base_url"`
	APIKey   string      `json:"api_key"`
	Request  ojson.Value `json:"request"`
}

// The verdicts on a client beside those of package sweep.
const (
	raised  sweep.Verdict = "error"   // raised says that the client reports an error for an answer that is whole.
	wrong   sweep.Verdict = "wrong"   // wrong says that it comes to something else.
	badCall sweep.Verdict = "call"    // badCall says that it comes to a call that it should not run.
	crash   sweep.Verdict = "crash"   // crash says that the adapter ended, or printed something else than an outcome.
	skipped sweep.Verdict = "skipped" // skipped says that the client cannot be asked.
)

// Run asks the client for each specimen, and passes the results to take, in the order of the scenarios.
func (c *Conform) Run(ctx context.Context, take func(Result) error) error {
	listener, err := Listen(c.Addr)
	if err != nil {
		return err
	}
	fake, err := server.New(server.Config{Scenarios: c.Set, Default: scenarios.NoDefault, Speed: 1, Seed: 1, Logger: slog.New(slog.DiscardHandler), Upgrade: Upgrade})
	if err != nil {
		_ = listener.Close()
		return err
	}
	defer fake.Close()
	httpd := Start(listener, fake, nil, slog.New(slog.DiscardHandler))
	defer httpd.Close()
	if c.Through == "" {
		c.Through = URL(listener.Addr().String(), false) + "/v1"
	}
	adapters := make(chan *adapter, max(1, c.Jobs)) // nil is one that is not started
	for range cap(adapters) {
		adapters <- nil
	}
	defer func() {
		for range cap(adapters) {
			if a := <-adapters; a != nil {
				a.end()
			}
		}
	}()
	// Each question waits for a free adapter, in any order, so that a hanging one holds up none of the others.
	specimens := c.Specimens()
	return sweep.Each(ctx, len(specimens), slices.Values(specimens), func(ctx context.Context, s *scenarios.Scenario) (Result, error) {
		a := <-adapters
		result, a, err := c.ask(ctx, a, s)
		adapters <- a
		asked := settled(fake, s.Name)
		result.Delivery = delivered(asked)
		if result.printed != nil {
			result.judge(c.expected(s, sweep.Answers(asked), &result.printed.Outcome))
		}
		result.Failed = result.Verdict != sweep.OK && result.Verdict != skipped
		return result, err
	}, take)
}

// Specimens are the scenarios that say what is expected, or that answer for a model.
func (c *Conform) Specimens() []*scenarios.Scenario {
	return slices.DeleteFunc(slices.Clone(c.Set.Scenarios()), func(s *scenarios.Scenario) bool {
		fits := func(glob string) bool { return scenarios.MatchesModel(glob, s.Name) }
		isOf := func(on server.Surface) bool { return on.Name == server.SurfaceOf(s).Name }
		return len(s.Expect) == 0 && !slices.ContainsFunc(server.Surfaces(), isOf) ||
			len(c.Only) > 0 && !slices.ContainsFunc(c.Only, fits) || slices.ContainsFunc(c.Without, fits)
	})
}

// ask asks an adapter for a specimen, and starts one if it is nil. It returns the adapter for the next
// question, nil if it has ended. An error means that the adapter could not be started.
func (c *Conform) ask(ctx context.Context, a *adapter, s *scenarios.Scenario) (result Result, _ *adapter, err error) {
	result.Case = s.Name
	if err := ctx.Err(); err != nil {
		return result, a, err
	}
	if a == nil {
		if a, err = c.start(); err != nil {
			return result, nil, err
		}
	}
	q, err := c.question(s)
	if err != nil {
		return result, a, err
	}
	start := time.Now()
	line, problem := a.ask(ctx, q, c.Timeout)
	result.Seconds = time.Since(start).Seconds()
	printed, wrongLine := readReply(line)
	if problem = cmp.Or(problem, wrongLine); problem == nil {
		result.printed = printed
		return result, a, nil
	}
	a.end()
	if err := cmp.Or(ctx.Err(), a.err); err != nil {
		return result, nil, err
	}
	result.Verdict, result.Detail, result.Output = crash, problem.Error(), a.stderr.String()
	if errors.Is(problem, errSilent) {
		result.Verdict, result.Output = hang, ""
		result.Detail = fmt.Sprintf("no outcome after %s", c.Timeout)
	}
	return result, nil, nil
}

// question is the question about a specimen: the example of a request to its API, for the specimen by
// its name, with an API key of its own.
func (c *Conform) question(s *scenarios.Scenario) (Question, error) {
	on := server.SurfaceOf(s)
	request, err := ojson.Parse([]byte(on.Example))
	request.Set("model", ojson.String("fake:"+s.Name))
	if names := c.expectedCallNames(); on.Tool != nil && len(names) > 0 {
		var tools []ojson.Value // Some clients report a call of a function that they did not offer as an error.
		for _, name := range names {
			tools = append(tools, on.Tool(name))
		}
		request.Set("tools", ojson.Array(tools...))
	}
	return Question{Specimen: s.Name, Surface: on.Name, BaseURL: c.Through, APIKey: apiKey(s.Name), Request: request}, err
}

// expectedCallNames returns the names in the calls that the specimens expect, each once.
func (c *Conform) expectedCallNames() (names []string) {
	for _, s := range c.Set.Scenarios() {
		for _, e := range s.Expect {
			if e.Calls == nil {
				continue
			}
			for _, call := range *e.Calls {
				names = append(names, call.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reply is the line with which an adapter answers a question.
type reply struct {
	scenarios.Outcome
	Skip string `json:"skip"`
}

// readReply reads the line that an adapter printed: one JSON object.
func readReply(line []byte) (*reply, error) {
	var printed *reply
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&printed)
	mistyped := (*json.UnmarshalTypeError)(nil)
	switch isMistyped := errors.As(err, &mistyped); {
	case isMistyped && mistyped.Field != "":
		err = fmt.Errorf("%s must be no %s", strings.TrimPrefix(mistyped.Field, "Outcome."), mistyped.Value)
	case isMistyped, errors.Is(err, io.EOF), err == nil && (printed == nil || decoder.More()):
		err = errors.New("it must be one JSON object")
	}
	if err != nil {
		return nil, fmt.Errorf("the adapter printed %.80q, which is no outcome: %w; what is not for conform belongs on stderr", line, err)
	}
	return printed, nil
}

// expected is what a scenario expects or, if it does not say it, what careful readers of its last answer come to.
func (c *Conform) expected(s *scenarios.Scenario, answers []sweep.Answer, printed *scenarios.Outcome) (list []scenarios.Expectation) {
	if len(s.Expect) > 0 {
		return s.Expect
	}
	q, _ := c.question(s)
	outcomes, err := server.Outcomes(c.Set, q.Surface, http.Header{}, q.Request.Append(nil), 1) // if nothing was asked
	if n := len(answers); n > 0 {
		outcomes.Careful, err = sweep.Outcomes(c.Set, answers[n-1])
	}
	if err != nil { // no scenario answered
		return []scenarios.Expectation{{Error: scenarios.AnError}}
	}
	for _, o := range outcomes.Careful {
		list = append(list, expectationOf(&o, printed))
	}
	return list
}

// expectationOf is an outcome as it is compared with what an adapter printed. Ids and counts of tokens that it did not
// print are not compared.
func expectationOf(o, printed *scenarios.Outcome) scenarios.Expectation {
	if o.Error != "" {
		return scenarios.Expectation{Error: scenarios.AnError}
	}
	calls := []scenarios.ExpectedCall{}
	for i, call := range o.Calls {
		want := scenarios.ExpectedCall{Name: call.Name, Arguments: ojson.String(call.Arguments)}
		if v, err := ojson.Parse([]byte(call.Arguments)); err == nil && v.Kind() == ojson.ObjectKind {
			want.Arguments = v
		}
		if i < len(printed.Calls) && printed.Calls[i].ID != "" {
			want.ID = call.ID
		}
		calls = append(calls, want)
	}
	untold := func(m ojson.Member) bool {
		return m.Value.Kind() != ojson.NumberKind || printed.Usage.Get(m.Name).IsAbsent()
	}
	return scenarios.Expectation{
		Text: &scenarios.Text{Source: o.Text}, Refusal: &scenarios.Text{Source: o.Refusal}, Calls: &calls, Finish: o.Finish,
		Usage: &scenarios.Usage{Object: ojson.Object(slices.DeleteFunc(slices.Clone(o.Usage.Members()), untold)...)},
	}
}

// judge sets the verdict on what an adapter printed.
func (r *Result) judge(expected []scenarios.Expectation) {
	if r.printed.Skip != "" {
		r.Verdict, r.Detail = skipped, r.printed.Skip
		return
	}
	r.Outcome, r.Verdict = &r.printed.Outcome, sweep.OK
	for i := range expected {
		e := &expected[i]
		misfit := e.Misfit(r.Outcome)
		if misfit == "" {
			r.Verdict, r.Detail = sweep.OK, ""
			return
		}
		if i > 0 {
			continue // the first alternative is the one to be told
		}
		r.Detail = misfit
		switch {
		case r.Outcome.Error != "":
			r.Verdict = raised
		case slices.ContainsFunc(r.Outcome.Calls, isUnexpected(e)):
			r.Verdict = badCall
		case e.Error == scenarios.AnError:
			r.Verdict = sweep.PassedSilently
		default:
			r.Verdict = wrong
		}
	}
}

// isUnexpected reports whether a call is not one that is expected.
func isUnexpected(e *scenarios.Expectation) func(scenarios.OutcomeCall) bool {
	return func(call scenarios.OutcomeCall) bool {
		if e.Calls == nil {
			return e.Error == scenarios.AnError || !json.Valid([]byte(call.Arguments))
		}
		return !slices.ContainsFunc(*e.Calls, func(want scenarios.ExpectedCall) bool {
			only := scenarios.Expectation{Calls: &[]scenarios.ExpectedCall{want}}
			return only.Misfit(&scenarios.Outcome{Calls: []scenarios.OutcomeCall{call}}) == ""
		})
	}
}

// settled returns the requests for a specimen after their answers have ended, or after a
// second: a gateway whose client has left may read on.
func settled(fake *server.Server, specimen string) []journal.Entry {
	open := func(e journal.Entry) bool { return e.Delivery.Ended == journal.EndedOpen }
	for end := time.Now().Add(time.Second); ; time.Sleep(10 * time.Millisecond) {
		asked := slices.DeleteFunc(fake.Journal(), func(e journal.Entry) bool {
			return e.Scenario != specimen && (e.Scenario != "" || e.APIKey != apiKey(specimen))
		})
		if !slices.ContainsFunc(asked, open) || time.Now().After(end) {
			return asked
		}
	}
}

// delivered says how many requests there were, and how far the answer to the last one came.
func delivered(asked []journal.Entry) string {
	if len(asked) == 0 {
		return "no request"
	}
	last := asked[len(asked)-1]
	d := last.Delivery
	text := fmt.Sprintf("%d of %d frames, %s", d.Frames, d.Planned, d.Ended)
	switch {
	case last.Scenario == "":
		text = fmt.Sprintf("status %d: %s", last.Status, last.Problem)
	case d.Left != "":
		text += fmt.Sprintf(" (%s after %s)", d.Left, d.LeftAfter.Round(time.Millisecond))
	}
	if len(asked) > 1 {
		text = fmt.Sprintf("%d requests, the last: %s", len(asked), text)
	}
	return text
}

// apiKey is the key with which a specimen is asked for.
func apiKey(specimen string) string { return "sk-" + specimen }

// errSilent says that an adapter printed no line in time.
var errSilent = errors.New("the adapter is silent")

// adapter is a running adapter.
type adapter struct {
	stdin  *os.File
	stdout *os.File
	lines  chan []byte // lines are the lines of the adapter's standard output; the channel is closed at the end of the output.
	// tooLong says that one is longer than [longestLine]; read it after the end of lines.
	tooLong bool
	stderr  outputTail
	stop    context.CancelFunc
	ended   chan struct{} // ended is closed when the process has ended.
	// code is the exit code, and err says why the process could not be run; read them after ended.
	code int
	err  error
}

func (c *Conform) start() (*adapter, error) {
	stdin, toChild, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromChild, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), toChild.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	a := &adapter{stdin: toChild, stdout: fromChild, lines: make(chan []byte), stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(a.ended)
		command := Command{Args: c.Args, Environ: c.Environ, Stdin: stdin, Stdout: stdout, Stderr: &a.stderr}
		a.code, a.err = command.RunInGroup(ctx)
		_, _ = stdin.Close(), stdout.Close()
	}()
	go func() {
		defer close(a.lines)
		lines := bufio.NewScanner(fromChild)
		lines.Buffer(nil, longestLine)
		for lines.Scan() {
			select {
			case a.lines <- bytes.Clone(lines.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		a.tooLong = errors.Is(lines.Err(), bufio.ErrTooLong)
	}()
	return a, nil
}

// ask sends a question and returns the line that the adapter prints.
func (a *adapter) ask(ctx context.Context, q Question, timeout time.Duration) ([]byte, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	select {
	case line, ok := <-a.lines:
		if ok { // taken for the reply to this question it would shift all that follow
			return nil, fmt.Errorf("the adapter printed %.80q before it was asked; print one line for each question", line)
		}
	default:
	}
	if _, err := a.stdin.Write(append(text, '\n')); err != nil && !errors.Is(err, os.ErrClosed) {
		return nil, a.failure()
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case line, ok := <-a.lines:
		if !ok {
			return nil, a.failure()
		}
		return line, nil
	case <-timer.C:
		return nil, errSilent
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// longestLine is the number of bytes that a line of an adapter may have.
const longestLine = 64 << 20

// failure describes how an adapter ended that has closed its standard output, or its input.
func (a *adapter) failure() error {
	select {
	case <-a.ended:
	case <-time.After(time.Second):
	}
	a.end()
	if a.tooLong {
		return fmt.Errorf("the adapter printed a line of more than %d MB", longestLine>>20)
	}
	return fmt.Errorf("the adapter ended with exit code %d", a.code)
}

// end ends the adapter and all that it has started.
func (a *adapter) end() {
	_ = a.stdin.Close()
	a.stop()
	<-a.ended
	_ = a.stdout.Close() // a process that the adapter started may have left it open
	for range a.lines {  // what it still printed is lost
	}
}
