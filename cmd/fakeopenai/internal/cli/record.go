package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/importing"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

type recordOptions struct {
	upstream *url.URL
	out      string
	mode     string
	addr     string
	match    string
	env      string
	timeout  time.Duration
	redact   []*regexp.Regexp // redact matches further secrets.
	command  []string         // command is the child command; nil for none.
}

func (a *app) recordCommand() *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record --upstream URL --out DIR [-- command [args...]]",
		Short: "Record the answers of a real endpoint as scenarios",
		Long: `Pass requests on to an OpenAI-compatible endpoint, and write each answer as a
scenario file: every chunk and every pause, in the words of the language. Played
by fakeopenai serve, the files answer the same requests with the same bytes.

With a command, record runs the command with the recorder as its server, as exec does,
and the command keeps its API key. Without a command, the recorder runs until SIGINT or
SIGTERM, and the first line on stdout is "listening on URL".

Keys, cookies, ids of organisations and projects, e-mail addresses, and all texts that
--redact matches are replaced before anything is written; any text fits in their places
when a request is answered. The last lines on stderr count the replacements.

A file is named after the text of the user, and replaces a file that answers the same
request. With --mode missing the files answer, and only requests that no file answers are
passed on and recorded. To replay without an endpoint, use fakeopenai serve or exec.`,
		Example: `  fakeopenai record --upstream https://api.openai.com --out rec/ -- npm test
  fakeopenai record --upstream http://127.0.0.1:11434 --out rec/ --addr :8080`,
		Args: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash < 0 && len(args) > 0 || dash > 0 {
				return fmt.Errorf("record takes no arguments but a command after --, and not %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.command = args
			if err := o.contradiction(cmd.Flags()); err != nil {
				return err
			}
			return a.record(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	console.Define(flags, &o.upstream, "upstream", "", "record the endpoint at this base `URL`, with or without /v1", recording.ParseUpstream)
	console.Define(flags, &o.out, "out", "", "write the scenario files to this `directory`", console.Text)
	modes := []string{string(recording.ModeRecord), string(recording.ModeMissing)}
	console.DefineWord(flags, &o.mode, "mode", modes[0], "record in this `mode`: every request (record), or requests that the files do not answer (missing)", modes...)
	console.Define(flags, &o.addr, "addr", "127.0.0.1:0", "listen on this `host:port`; port 0 takes a free one", console.Address)
	defineMatch(cmd, &o.match)
	defineRedact(flags, &o.redact)
	console.Define(flags, &o.timeout, "timeout", recording.DefaultTimeout.String(), "end an answer after this `duration` of silence, and record it as one that stalls; 0s is without limit", timeoutSetting)
	defineEnv(flags, &o.env)
	return cmd
}

// contradiction returns an error if the command line makes one of its flags ineffective.
func (o *recordOptions) contradiction(flags *pflag.FlagSet) error {
	if len(o.command) == 0 {
		return console.Useless(flags, "it is for a command, after --", "env")
	}
	return nil
}

func defineMatch(cmd *cobra.Command, to *string) {
	ways := []string{string(recording.MatchTurn), string(recording.MatchLast), string(recording.MatchExact)}
	console.DefineWord(cmd.Flags(), to, "match", ways[0], "match requests by this `part` of them: turn (model, turn and the user's text), last (the user's text alone) or exact (the whole request)", ways...)
}

func defineRedact(flags *pflag.FlagSet, to *[]*regexp.Regexp) {
	console.Define(flags, to, "redact", "", "also replace text that this regular `expression` matches, before anything is written; repeat it for several", func(text string) ([]*regexp.Regexp, error) {
		expr, err := regexp.Compile(text)
		return append(*to, expr), err
	})
}

// timeoutSetting reads --timeout. 0s means no limit and becomes -1, which is how a
// [recording.Session] spells that.
func timeoutSetting(text string) (time.Duration, error) {
	d, err := console.Duration(text)
	if err == nil && d == 0 {
		d = -1
	}
	return d, err
}

// record runs the recording proxy until the child command ends or, without one, until
// ctx ends or a signal arrives.
func (a *app) record(ctx context.Context, o recordOptions) error {
	serving.OutliveReaders()
	if o.upstream == nil || o.out == "" {
		return console.Misuse("record needs --upstream and --out, as in: fakeopenai record --upstream https://api.openai.com --out scenarios/ -- npm test")
	}
	session, stop, err := o.session(a.stderr)
	if err != nil {
		return err
	}
	defer stop()
	listener, err := serving.Listen(o.addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --addr, port 0 takes a free one", err)
	}
	written := startCapture(session, o.out, a.stderr)
	// WebSocket connections are not the http.Server's: they end with this context.
	open, endOpen := context.WithCancel(context.WithoutCancel(ctx))
	proxy := &http.Server{Handler: session, ReadHeaderTimeout: 30 * time.Second, BaseContext: func(net.Listener) context.Context { return open }}
	served := make(chan error, 1)
	go func() { served <- proxy.Serve(listener) }()
	code, err := a.whileRecording(ctx, o, serving.URL(listener.Addr().String(), false))
	finishing, stopSignals := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt, syscall.SIGTERM)
	defer stopSignals()
	finishing, stopTimer := context.WithTimeoutCause(finishing, time.Minute, errors.New("this took longer than a minute"))
	defer stopTimer()
	finishProxy(finishing, proxy)
	endOpen()
	if serveErr := <-served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	notRecorded, writeErr := written.Close(finishing)
	if err = errors.Join(err, writeErr); err != nil {
		return err
	}
	if code == console.ExitOK && notRecorded > 0 {
		code = console.ExitProblems
	}
	return console.ExitWith(code)
}

// session makes the recording session that the options describe. Stop closes the fake
// server that answers in the mode missing. On messages it prints a line for each recording that cannot be read.
func (o *recordOptions) session(messages io.Writer) (session *recording.Session, stop func(), err error) {
	session = &recording.Session{
		Mode: recording.Mode(o.mode), Upstream: o.upstream, Redactor: &recording.Redactor{Patterns: o.redact},
		List:    &recording.Collection{Matching: recording.Matching(o.match), Writing: recording.Writing{AnyModel: o.match == string(recording.MatchLast)}},
		Codings: importing.Codings, Timeout: o.timeout,
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil { //nolint:gosec // scenarios are for all to read
		return nil, nil, fmt.Errorf("create --out: %w", err)
	}
	if session.Mode == recording.ModeRecord {
		return session, func() {}, session.Replace(o.out)
	}
	lib := library{sources: sources{paths: []string{o.out}, allowEmpty: true}, leaveOut: func(_ string, why diag.Problem) {
		fmt.Fprintf(messages, "fakeopenai: %s; this recording cannot be read, and its request is recorded again\n", session.Redactor.Line(why.String()))
	}}
	set, there, err := lib.Load()
	if err != nil {
		return nil, nil, err
	}
	fake, err := server.New(server.Config{Scenarios: set})
	if err != nil {
		return nil, nil, err
	}
	session.Fake = fake
	session.Beside(set, there)
	return session, fake.Close, nil
}

// whileRecording runs the child command and returns its exit code. Without a command it
// waits until ctx ends or a signal arrives.
func (a *app) whileRecording(ctx context.Context, o recordOptions, url string) (code int, err error) {
	if len(o.command) > 0 {
		key := a.env["OPENAI_API_KEY"]
		if key == "" {
			key = console.DefaultKey
		}
		environ := serving.Environment(a.environ, o.env, url, key)
		return serving.Command{Args: o.command, Environ: environ, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr}.Run(ctx)
	}
	signals, stop := serving.CatchSignals()
	defer stop()
	if _, err := fmt.Fprintf(a.stdout, "listening on %s\n", url); err != nil {
		return 0, err
	}
	select {
	case <-ctx.Done():
	case <-signals:
	}
	return console.ExitOK, nil
}

// openStreams is the time that open answers have to finish at the end.
const openStreams = 5 * time.Second

// finishProxy waits up to openStreams for open answers, then closes their connections.
func finishProxy(ctx context.Context, proxy *http.Server) {
	ctx, cancel := context.WithTimeout(ctx, openStreams)
	defer cancel()
	if proxy.Shutdown(ctx) != nil {
		proxy.Close()
	}
}

// capture writes the recordings of a session to files until it is closed.
type capture struct {
	session *recording.Session
	dir     string
	log     *log.Logger // log prints messages, a line each.

	mu      sync.Mutex                // mu guards the fields below.
	written map[string]recording.File // written are the files as last written, by name.
	bodies  int                       // bodies is how many files of bodies were written.
	failed  error                     // failed is the error of the last write; nil if it succeeded.
}

// startCapture begins to write the recordings of a session into a directory. On messages it
// prints a line for each request. It sets Ended and Failed of the session.
func startCapture(session *recording.Session, dir string, messages io.Writer) *capture {
	c := &capture{session: session, dir: dir, log: log.New(messages, "fakeopenai: ", 0), written: map[string]recording.File{}}
	session.Ended, session.List.KeepBody = c.exchangeEnded, c.writeBody
	session.Failed = func(r *http.Request, err error) { c.say("%s %s: no answer: %v", r.Method, r.URL.Path, err) }
	return c
}

// say prints a line about a request, without secrets and control characters.
func (c *capture) say(format string, args ...any) {
	c.log.Print(c.session.Redactor.Line(fmt.Sprintf(format, args...)))
}

// exchangeEnded prints the line of an exchange. It writes the recordings unless further exchanges wait to be
// recorded: the last of these writes all of them.
func (c *capture) exchangeEnded(x *recording.Exchange, err error) {
	c.say("%s", x.Describe())
	if err != nil {
		c.say("  not recorded: %v", err)
	}
	if c.session.Counts().Waiting == 0 {
		c.write()
	}
}

// writeBody writes the file of a body.
func (c *capture) writeBody(name string, data []byte) error {
	_, err := writeAtomically("--out", filepath.Join(c.dir, name), data)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.bodies++
	}
	return err
}

// write writes the changed files, each atomically. It prints an error only if the
// previous write had none.
func (c *capture) write() {
	c.mu.Lock()
	defer c.mu.Unlock()
	var failed error
	for _, f := range c.session.List.Files() {
		if bytes.Equal(c.written[f.Name].Data, f.Data) {
			continue
		}
		if _, err := writeAtomically("--out", filepath.Join(c.dir, f.Name), f.Data); err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		c.written[f.Name] = f
	}
	if failed != nil && c.failed == nil {
		c.log.Printf("%v", failed)
	}
	c.failed = failed
}

// unwritten is how many answers are in no file, because that could not be written.
func (c *capture) unwritten() (n int) {
	for _, f := range c.session.List.Files() {
		n += f.Answers - c.written[f.Name].Answers
	}
	return n
}

// Close waits until all answers are recorded or ctx ends, writes the last recordings and
// prints a summary. The session must get no more requests. Close returns how many answers
// are not recorded, and the error of the last write.
func (c *capture) Close(ctx context.Context) (notRecorded int, err error) {
	notice := time.AfterFunc(time.Second, func() {
		c.log.Printf("recording %s; a signal ends this", console.Count(c.session.Counts().Waiting, "more answer"))
	})
	late := c.session.Wait(ctx)
	notice.Stop()
	c.write()
	counts := c.session.Counts()
	c.mu.Lock()
	defer c.mu.Unlock()
	if late != nil { // What goes on in the session may keep the notes and the Redactor busy.
		counts.NotRecorded += counts.Open + counts.Waiting
		c.log.Printf("%v: %s not recorded", late, console.Count(counts.Open+counts.Waiting, "answer"))
	} else {
		for _, n := range c.session.List.Check() {
			c.say("%s: %s", n.Scenario, n.Reason)
			counts.NotRecorded += n.Lost
		}
		tellRedacted(c.log, c.session.Redactor)
	}
	counts.NotRecorded += c.unwritten()
	c.log.Printf("recorded in %s: requests %d, bytes %d, files %d, not recorded %d", c.dir, counts.Requests, counts.Bytes, len(c.written)+c.bodies, counts.NotRecorded)
	return counts.NotRecorded, c.failed
}

// tellRedacted prints which secrets were replaced, and what was not searched for all of them.
func tellRedacted(to *log.Logger, r *recording.Redactor) {
	for _, s := range r.Summary() {
		to.Printf("replaced by placeholders: %s, %s", s.Kind, console.Count(s.Times, "time"))
	}
	if n := r.Files(); n > 0 {
		to.Printf("searched for the secrets of headers and names alone: %s of bytes that are no text", console.Count(n, "file"))
	}
}
