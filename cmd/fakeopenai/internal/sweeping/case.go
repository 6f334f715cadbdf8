package sweeping

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/child"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/front"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/playing"
	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
	"github.com/fakeopenai/fakeopenai/server"
)

// oneCase is one run of the command.
type oneCase struct {
	variant   sweep.Variant
	truncates bool
	// Of a truncation: the one reply that ends early, and what it sends whole.
	scenario string
	reply    int
	whole    []byte
}

// concerns reports whether a request was answered in the case's variant.
func (c *oneCase) concerns(r server.Record) bool {
	return c.scenario == "" || c.scenario == r.Scenario && c.reply == r.Reply
}

// The verdicts on a run.
const (
	verdictOK        = "ok"
	verdictFailed    = "failed"           // the command should have succeeded
	verdictSilent    = "passed silently"  // the command should have failed
	verdictHang      = "hang"             // it was killed
	verdictNoRequest = "no request"       // it asked for nothing
	verdictUnmatched = "unmatched"        // it asked for something that no scenario answers
	verdictWhole     = "nothing was lost" // what was sent had the finish reason in it, and the command succeeded
)

// result is how a run ended.
type result struct {
	variant  sweep.Variant
	exit     int // -1 when it was killed
	duration time.Duration
	verdict  string
	detail   string // why, in words
	scenario string // that plays the variant by itself, on one line
	output   string // the end of what the command printed
}

func (r result) failed() bool { return r.verdict != verdictOK && r.verdict != verdictWhole }

// errHang is why a command that hangs is killed.
var errHang = errors.New("the command hangs")

// play runs the command under a variant. The records are of its requests. The
// error says that nothing could be run.
func (s *Sweep) play(ctx context.Context, c oneCase) (result, []server.Record, error) {
	r := result{variant: c.variant}
	fake, err := s.serverFor(&c)
	if err != nil {
		return r, nil, err
	}
	defer fake.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return r, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dog := newWatchdog(s.Timeout, func() { cancel(errHang) })
	defer dog.stop()
	httpd := front.Start(&watchedListener{listener.(*net.TCPListener), dog}, fake, nil, s.Log)
	defer httpd.Close()

	start := time.Now()
	r.exit, r.output, err = s.command(ctx, front.URL(listener.Addr().String()))
	r.duration = time.Since(start)
	hung := errors.Is(context.Cause(ctx), errHang)
	if err == nil && !hung {
		err = ctx.Err()
	}
	if err != nil {
		return r, nil, err
	}
	httpd.Close()
	fake.Close() // now every record is complete
	records := fake.Journal()
	s.judge(&r, &c, hung, records)
	return r, records, nil
}

// serverFor is a server that plays the scenarios in the variant.
func (s *Sweep) serverFor(c *oneCase) (*server.Server, error) {
	manner, err := c.variant.Manner()
	if err != nil {
		return nil, err
	}
	config := s.Config(s.Log)
	config.Scenarios = s.Set.Spoken(manner, func(scenario string, reply int) bool {
		return c.concerns(server.Record{Scenario: scenario, Reply: reply})
	})
	config.KeepTranscripts, config.TranscriptLimit = true, 32<<20
	fake, err := server.New(config)
	if err != nil {
		return nil, err
	}
	for _, sc := range s.Set.Scenarios() {
		playing.PassHolds(fake, sc)
	}
	return fake, nil
}

// command runs the command, and gives its exit code and the end of its output.
func (s *Sweep) command(ctx context.Context, url string) (int, string, error) {
	var output tail
	environ := child.Environment(s.Environ, url, s.ClientKey())
	code, err := child.Command{Args: s.Args, Environ: environ, Stdout: &output, Stderr: &output}.RunAlone(ctx)
	return code, output.String(), err
}

// judge says what to think of a run.
func (s *Sweep) judge(r *result, c *oneCase, hung bool, records []server.Record) {
	r.scenario = s.reproduction(c, records)
	missed := slices.IndexFunc(records, func(rec server.Record) bool { return rec.Unmatched })
	asked := slices.ContainsFunc(records, func(rec server.Record) bool { return rec.Scenario != "" && c.concerns(rec) })
	switch {
	case hung:
		r.exit, r.verdict = -1, verdictHang
		r.detail = fmt.Sprintf("it was killed after %s", r.duration.Round(time.Millisecond))
	case missed >= 0:
		r.verdict, r.detail = verdictUnmatched, records[missed].Problem
	case !asked:
		r.verdict, r.detail = verdictNoRequest, "it asked for no completion; clients find the server in OPENAI_BASE_URL"
	case !c.truncates && r.exit != 0:
		r.verdict, r.detail = verdictFailed, fmt.Sprintf("exit code %d", r.exit)
	case c.truncates && r.exit == 0:
		s.judgeSilence(r, c, records)
	default:
		r.verdict = verdictOK
	}
}

// judgeSilence says what to think of a run that succeeded with an answer that
// ended early.
func (s *Sweep) judgeSilence(r *result, c *oneCase, records []server.Record) {
	r.verdict, r.detail = verdictSilent, "exit code 0, although the answer was not whole"
	for _, rec := range records {
		if c.concerns(rec) && !sweep.Truncated(rec.Transcript, c.whole) {
			r.verdict, r.detail = verdictWhole, "the finish reason was in what was sent"
		}
	}
}

// reproduction is a scenario of one line for each that has answered.
func (s *Sweep) reproduction(c *oneCase, records []server.Record) string {
	var lines []string
	for _, sc := range s.Set.Scenarios() {
		if !slices.ContainsFunc(records, func(r server.Record) bool { return r.Scenario == sc.Name && c.concerns(r) }) {
			continue
		}
		line := c.variant.Scenario(sc.Name)
		if c.scenario != "" && len(sc.Replies) > 1 {
			line += fmt.Sprintf(" # only in reply %d", c.reply+1)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
