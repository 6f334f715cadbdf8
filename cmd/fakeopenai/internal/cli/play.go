package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// defaultRequest is what play asks when it is given no request.
const defaultRequest = `{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hello"}]}`

// scenarioHeader asks for a scenario by name.
const scenarioHeader = "X-Fakeopenai-Scenario"

// playOptions are what play was asked to do.
type playOptions struct {
	sources  sources
	scenario string // "" is the first of the sources
	request  string // a file name
	seed     int64
	created  int64
	speed    float64
	fast     bool
	asStream bool
	include  bool
}

func (a *app) playCommand() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play NAME|FILE [NAME]",
		Short: "Print the bytes that a scenario sends",
		Long: `Print the bytes of the HTTP body that a scenario sends, in their real rhythm. The
scenario is a bundled one, or the first of a file, or one of a file by name. The
file - stands for standard input.

The request asks for a stream with usage; --request sends another one. The
scenario's own conditions need not hold, those of its replies must. Holds are
passed at once.`,
		Example: `  fakeopenai play tool-call
  fakeopenai play --fast scenarios.yaml weather
  fakeopenai play --as-stream plain-text > my-stream.yaml`,
		Args:              oneOrTwo,
		ValidArgsFunction: completeScenarios,
		RunE: guard(func(cmd *cobra.Command, args []string) error {
			if err := o.take(args, a.stdin); err != nil {
				return err
			}
			return a.play(cmd.Context(), o)
		}),
	}
	flags := cmd.Flags()
	defineSwitch(flags, &o.fast, "fast", "leave all pauses out")
	define(flags, &o.speed, "speed", "1", "play as many times as fast as this `factor`", parseSpeed)
	define(flags, &o.request, "request", "", "`file` with the JSON body of the request; - is standard input", parseText)
	defineSwitch(flags, &o.asStream, "as-stream", "print the scenario with its message written as a stream, to edit")
	define(flags, &o.seed, "seed", "1", "`number` that ids, fake text and jitter are drawn from", parseSeed)
	define(flags, &o.created, "created", "", "creation `time`: seconds since 1970 or RFC 3339 (default: now)", parseCreated)
	defineShortSwitch(flags, &o.include, "include", "i", "print the status and the headers on stderr")
	return cmd
}

// oneOrTwo asks for the arguments of play in its own words.
func oneOrTwo(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("play needs the name of a scenario or a file; fakeopenai list prints the bundled names")
	case 1, 2:
		return nil
	}
	return fmt.Errorf("play takes a file and a name at most, not %d arguments", len(args))
}

// take tells the arguments apart: a file and a name, or one of them.
func (o *playOptions) take(args []string, stdin io.Reader) error {
	switch {
	case looksLikePath(args[0]):
		o.sources = sources{paths: args[:1], stdin: stdin}
		args = args[1:]
	case len(args) == 2:
		return misuse("%q is no file; write: fakeopenai play FILE NAME, or only the name of a bundled scenario", args[0])
	}
	if len(args) == 1 {
		o.scenario = args[0]
	}
	if o.request == "-" && len(o.sources.paths) == 1 && o.sources.paths[0] == "-" {
		return misuse("the scenario and the request cannot both be read from standard input")
	}
	return nil
}

// play prints what a scenario sends.
func (a *app) play(ctx context.Context, o playOptions) error {
	lib := &library{sources: o.sources}
	set, _, err := lib.load()
	if err != nil {
		return err
	}
	name, err := pick(set, o.scenario)
	if err != nil {
		return err
	}
	body, err := a.requestBody(o.request)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(scenarioHeader, name)
	if o.asStream {
		return a.printAsStream(set, request.Header, body, o.seed)
	}
	if o.fast {
		o.speed = server.Instant
	}
	return a.perform(set, request, o)
}

// pick is the name of the scenario to play.
func pick(set *scenarios.Set, name string) (string, error) {
	if name == "" {
		return set.Scenarios()[0].Name, nil // a set that was loaded is never empty
	}
	if set.Lookup(name) == nil {
		return "", problem(unknownScenario(name, set))
	}
	return name, nil
}

// requestBody reads the request from a file.
func (a *app) requestBody(name string) ([]byte, error) {
	var body []byte
	var err error
	switch name {
	case "":
		return []byte(defaultRequest), nil
	case "-":
		body, err = io.ReadAll(a.stdin)
	default:
		body, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read --request: %w", err)
	}
	return body, nil
}

// perform has a server answer the request, without a network between.
func (a *app) perform(set *scenarios.Set, request *http.Request, o playOptions) error {
	var record journal.Entry
	fake, err := server.New(server.Config{
		Scenarios: set,
		Seed:      o.seed,
		Created:   o.created,
		Speed:     o.speed,
		Logger:    slog.New(slog.DiscardHandler),
		Observe:   func(r journal.Entry) { record = r },
	})
	if err != nil {
		return err
	}
	defer fake.Close()
	passHolds(fake, set.Lookup(request.Header.Get(scenarioHeader)))
	w := &bodyWriter{out: a.stdout, header: http.Header{}}
	if o.include {
		w.head = a.stderr
	}
	aborted := serveAborting(fake, w, request)
	switch {
	case w.err != nil:
		return w.err
	case record.Problem != "":
		return problem(errors.New(record.Problem))
	case aborted:
		fmt.Fprintln(a.stderr, "fakeopenai: here the scenario breaks the connection off")
	}
	return nil
}

// passHolds releases every hold of a scenario in advance: there is nobody to do it
// later.
func passHolds(fake *server.Server, s *scenarios.Scenario) {
	for _, hold := range s.Holds() {
		fake.Release(hold)
	}
}

// serveAborting calls the handler and reports whether it broke the connection
// off.
func serveAborting(h http.Handler, w http.ResponseWriter, r *http.Request) (aborted bool) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			aborted = true
		} else if p != nil {
			panic(p)
		}
	}()
	h.ServeHTTP(w, r)
	return false
}

// printAsStream prints the scenario's message as the stream that is equal to it.
func (a *app) printAsStream(set *scenarios.Set, header http.Header, body []byte, seed int64) error {
	text, err := server.AsStream(set, header, body, seed)
	if err != nil {
		return problem(err)
	}
	_, err = a.stdout.Write(text)
	return err
}

// bodyWriter is a [http.ResponseWriter] that writes the body as it comes.
type bodyWriter struct {
	out    io.Writer
	head   io.Writer // gets the status and headers; nil if nobody asks
	header http.Header
	begun  bool
	err    error // the first failure of out
}

// Header implements [http.ResponseWriter].
func (w *bodyWriter) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *bodyWriter) WriteHeader(status int) {
	if w.begun {
		return
	}
	w.begun = true
	if w.head == nil {
		return
	}
	fmt.Fprintf(w.head, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	// Like the body, the headers go where a person reads them.
	_ = w.header.Write(w.head)
	fmt.Fprint(w.head, "\r\n")
}

// Write implements [http.ResponseWriter].
func (w *bodyWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	n, err := w.out.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// Flush implements [http.Flusher]: everything is out already.
func (w *bodyWriter) Flush() { w.WriteHeader(http.StatusOK) }
