package fakeopenai

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
)

// Option says what a server plays, or how. Options may be given in any order
// and, unless they say otherwise, more than once.
type Option func(*settings)

// settings are what the options of one server add up to.
type settings struct {
	sources  []source
	scripts  []script
	config   server.Config
	inMemory bool
	http2    bool
	// adjust changes the set before it is played; nil plays it as it is.
	adjust          func(*scenarios.Set) *scenarios.Set
	allowUnmatched  bool
	allowUnused     bool
	allowBadHistory bool
	patience        time.Duration // patience is 0 if no option said it.
	problems        []error       // problems are about options that cannot be meant.
	hint            string        // hint says what to do about a request that nothing answers; "" is nothing.
	// handler is what serves, made of the server; nil is the server itself.
	handler func(*Server) http.Handler
}

// defaultKey is a server's APIKey unless WithAPIKey says otherwise. It does not
// look like a real one, so that no scanner for leaked keys takes offence.
const defaultKey = "fakeopenai-test-key"

// journalSize is how many requests a server remembers, journalBytes how much
// memory that takes at most, storeSize and storeBytes the same of the responses that
// it keeps, and transcriptLimit how many bytes of each answer. A
// test that goes beyond has other worries.
const (
	journalSize     = 100_000
	journalBytes    = 256 << 20
	storeSize       = 10_000
	storeBytes      = 256 << 20
	transcriptLimit = 64 << 20
)

func newSettings(opts []Option) *settings {
	o := &settings{config: server.Config{
		JournalSize:     journalSize,
		JournalBytes:    journalBytes,
		StoreSize:       storeSize,
		StoreBytes:      storeBytes,
		KeepTranscripts: true,
		TranscriptLimit: transcriptLimit,
	}}
	for _, opt := range opts {
		if opt == nil {
			o.problems = append(o.problems, errors.New("an option is nil; leave it out"))
			continue
		}
		opt(o)
	}
	return o
}

// apiKey is a key that the server accepts.
func (o *settings) apiKey() string {
	if len(o.config.APIKeys) > 0 {
		return o.config.APIKeys[0]
	}
	return defaultKey
}

// WithAPIKey makes the server refuse requests without this key, with OpenAI's
// 401. Given more than once it adds keys; the first becomes [Server.APIKey].
// Without this option the server accepts every key, and requests without one. An
// empty key fails the test.
func WithAPIKey(key string) Option {
	return func(o *settings) {
		o.config.APIKeys = append(o.config.APIKeys, key)
		if key == "" {
			o.problems = append(o.problems, errors.New("WithAPIKey: the key is empty; leave the option out to accept every key"))
		}
	}
}

// WithSpeed plays factor times as fast as written: 1 is as written, the
// default; 10 takes a tenth of the time. Holds are kept at every speed. A factor
// that is not positive fails the test: [Instant] leaves all pauses out.
func WithSpeed(factor float64) Option {
	return func(o *settings) {
		o.config.Speed = factor
		if !(factor > 0) {
			o.problems = append(o.problems, fmt.Errorf("WithSpeed(%v): a speed must be positive; use Instant() for no pauses at all", factor))
		}
	}
}

// Instant leaves all pauses out. Holds are kept.
func Instant() Option {
	return func(o *settings) { o.config.Speed = server.Instant }
}

// WithSeed sets the seed of ids, generated text, jitter and chance, for
// scenarios that have none of their own. The default is 1: a test sees the same
// bytes each time it runs.
func WithSeed(seed int64) Option {
	return func(o *settings) { o.config.Seed = seed }
}

// WithCreated sets the creation time that answers bear, in seconds since 1970,
// so that whole answers can be compared. The default is the time of the request.
func WithCreated(seconds int64) Option {
	return func(o *settings) { o.config.Created = seconds }
}

// WithStrict checks every request as api.openai.com does, and answers a wrong
// one with OpenAI's own error: a 400, a 401 without an API key, a 404 for a model
// that OpenAI does not have and no condition names. A scenario's strict member
// wins. A refusal does not fail the test: what the code makes of it is for the test
// to say, and [Request.Problem] has the reason.
func WithStrict() Option {
	return func(o *settings) { o.config.Strict = true }
}

// WithAnyID takes every id of a response or a conversation for one that is kept.
// Without it, a request that names one that the server did not make for the same API
// key gets OpenAI's error.
func WithAnyID() Option {
	return func(o *settings) { o.config.AnyID = true }
}

// WithCheckHistory refuses each request whose messages cannot be how a
// conversation with tools went, and fails the test with the reason: a result
// without its call or a call without its result, arguments that are not JSON, an
// id that two calls have. A scenario's check_history member wins; its refusals
// fail the test, too, unless [AllowBadHistory] permits them.
func WithCheckHistory() Option {
	return func(o *settings) { o.config.CheckHistory = true }
}

// defaultPatience is how long a request is waited for while nothing happens.
const defaultPatience = 10 * time.Second

// WithPatience sets how long [Server.AwaitEnd], [Server.Transcript] and
// [Server.Await] wait for a request that has not come while no other comes or is
// being answered. Then they fail the test. The default is 10 seconds or, inside a bubble of testing/synctest,
// until nothing in it can happen any more.
func WithPatience(d time.Duration) Option {
	return func(o *settings) {
		o.patience = d
		if d <= 0 {
			o.problems = append(o.problems, fmt.Errorf("WithPatience(%s): a patience must be positive", d))
		}
	}
}

// patienceFrom is the patience that the options ask for, or else the default.
func patienceFrom(o *settings) time.Duration {
	if inBubble() {
		return cmp.Or(o.patience, 2*bubbleLimit)
	}
	return cmp.Or(o.patience, defaultPatience)
}

// WithLimits refuses what an API key asks of the server beyond the limits, with
// OpenAI's 429: whichever scenario answers, and beside the limits that a scenario
// has. The window slides in the test's own time, so that in a bubble of
// testing/synctest a minute passes at once.
func WithLimits(l scenarios.Limits) Option {
	return func(o *settings) { o.config.Limits = append(o.config.Limits, server.Limit{Limits: l}) }
}

// WithModelLimits is [WithLimits] for the models whose names fit the pattern, in
// which * stands for any text: for all of them together.
func WithModelLimits(pattern string, l scenarios.Limits) Option {
	return func(o *settings) {
		if pattern == "" {
			o.problems = append(o.problems, errors.New("WithModelLimits: the pattern is empty; use WithLimits for all models"))
		}
		o.config.Limits = append(o.config.Limits, server.Limit{Model: pattern, Limits: l})
	}
}

// WithLogger sends the server's log, a line for each request, to l. The default
// is the test's own output, which go test shows when the test fails or with -v.
func WithLogger(l *slog.Logger) Option {
	return func(o *settings) { o.config.Logger = l }
}

// WithConfig changes what no other option has a word for, such as
// [server.Config.AllowGet], MaxBody or Default. The scenarios and Observe are the
// helper's own; to set them, or Reload, fails the test.
func WithConfig(change func(*server.Config)) Option {
	return func(o *settings) {
		change(&o.config)
		if o.config.Scenarios != nil || o.config.Observe != nil || o.config.Reload != nil {
			o.problems = append(o.problems, errors.New("WithConfig: Scenarios, Observe and Reload are set by NewServer; use Scenario, Requests and AwaitEnd"))
			o.config.Scenarios, o.config.Observe, o.config.Reload = nil, nil, nil
		}
	}
}

// InMemory serves without a socket: only [Server.Client] reaches the server. Other
// clients say that there is no such host: [Server.BaseURL] is
// http://use-fake-client.invalid/v1. A server in a bubble of testing/synctest needs
// this option. There the pauses of a stream take no real time, and the test still
// sees their exact lengths.
func InMemory() Option {
	return func(o *settings) { o.inMemory = true }
}

// WithHTTP2 makes [Server.Client] speak HTTP/2, without TLS and without asking
// first. Other clients may do so, too, or speak HTTP/1.1: the server knows both.
// An answer that breaks off then ends with RST_STREAM, and its connection stays
// open.
func WithHTTP2() Option {
	return func(o *settings) { o.http2 = true }
}

// AllowUnmatched lets a request that nothing answers get its error without failing
// the test: a 404 where no scenario matches, a 400 where the reply is one that the
// request's API has no words for.
func AllowUnmatched() Option {
	return func(o *settings) { o.allowUnmatched = true }
}

// AllowBadHistory lets requests whose history is refused get their 400 without
// failing the test: see [WithCheckHistory].
func AllowBadHistory() Option {
	return func(o *settings) { o.allowBadHistory = true }
}

// AllowUnused does not fail the test when something was never asked for. Without it
// these fail the test at its end:
//
//   - a [Script] that was not played, and a reply that was given less often than
//     its times, from whatever source;
//   - of the scenarios that are written in the test, with [YAML] or [Scenario],
//     also a reply with a when of its own that was never given, and a scenario of
//     which nothing was played. Those in files may be there for other tests.
//
// A reply without times and without a when may stay unused: it is what the others
// leave over. A scenario that another one extends is played with it. Where the
// server refused a request, such as one with a wrong key, or connections
// ([Server.Down]), no scenario has to be played.
func AllowUnused() Option {
	return func(o *settings) { o.allowUnused = true }
}
