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

// Option sets which scenarios a server plays, or how. Options may be given in any
// order and more than once: sources, keys and limits add up, of others the last counts.
type Option func(*settings)

// settings are the options of one server.
type settings struct {
	sources  []source
	scripts  []script
	config   server.Config
	inMemory bool
	http2    bool
	// adjust changes the set before it is played; nil plays it as it is.
	adjust          func(*scenarios.Set) (*scenarios.Set, error)
	allowUnmatched  bool
	allowUnused     bool
	allowBadHistory bool
	failRetries     bool
	patience        time.Duration // patience is 0 without the option WithPatience.
	problems        []error       // problems are the options that make no sense.
	hint            string        // hint is added to the error of an unmatched request; "" adds nothing.
	// handler makes the HTTP handler from the server; nil serves the server itself.
	handler func(*Server) http.Handler
}

// defaultKey is a server's APIKey without WithAPIKey. It does not look like a real
// key, so that scanners for leaked keys do not report it.
const defaultKey = "fakeopenai-test-key"

// The limits of what a server keeps: requests and their bytes, stored responses and
// their bytes, and the bytes of each answer's transcript. They are larger than any
// sensible test needs.
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

// apiKey is the first key of WithAPIKey or, without that option, defaultKey.
func (o *settings) apiKey() string {
	if len(o.config.APIKeys) > 0 {
		return o.config.APIKeys[0]
	}
	return defaultKey
}

// WithAPIKey makes the server refuse requests that have another API key or none, with
// OpenAI's 401. Given more than once it adds keys; the first becomes [Server.APIKey].
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

// WithSpeed divides all pauses by factor: the default 1 plays them as written, 10 in
// a tenth of the time. Holds wait at every speed. A factor that is not positive fails
// the test; [Instant] leaves all pauses out.
func WithSpeed(factor float64) Option {
	return func(o *settings) {
		o.config.Speed = factor
		if !(factor > 0) {
			o.problems = append(o.problems, fmt.Errorf("WithSpeed(%v): a speed must be positive; use Instant() for no pauses at all", factor))
		}
	}
}

// Instant leaves all pauses out. Holds still wait.
func Instant() Option {
	return func(o *settings) { o.config.Speed = server.Instant }
}

// WithSeed sets the seed of ids, generated text, jitter and chance, for scenarios
// without a seed of their own. The default is 1, so that a test gets the same bytes
// in each run. The seed 0 fails the test.
func WithSeed(seed int64) Option {
	return func(o *settings) {
		o.config.Seed = seed
		if seed == 0 {
			o.problems = append(o.problems, errors.New("WithSeed(0): write another number; the default is 1"))
		}
	}
}

// WithCreated sets the member created of all answers, in seconds since 1970, so that
// whole answers can be compared. The default, 0, is the time of the request.
func WithCreated(seconds int64) Option {
	return func(o *settings) { o.config.Created = seconds }
}

// WithStrict checks every request as api.openai.com does, and answers an invalid one
// with OpenAI's own error: a 400, a 401 without an API key, a 404 for a model that
// neither OpenAI has nor a condition names. A scenario's member strict takes
// precedence. A refused request does not fail the test; [Request.Problem] has the
// reason.
func WithStrict() Option {
	return func(o *settings) { o.config.Strict = true }
}

// WithAnyID lets a request go on from a response or a conversation that the server has not stored
// for the same API key: its history is then unknown. Without this option it gets OpenAI's error.
func WithAnyID() Option {
	return func(o *settings) { o.config.AnyID = true }
}

// WithBasePath takes requests also below a path, such as /api/openai, for clients that reach
// the real service there. [Server.BaseURL] has the path before /v1, and [Request.Path] shows
// whether a client sent it.
func WithBasePath(path string) Option {
	return func(o *settings) { o.config.BasePath = path }
}

// WithCheckHistory answers a request with a 400, and fails the test, if its messages
// cannot be the history of a conversation with tools: a tool result without its call,
// a call without its result, arguments that are not JSON, two calls with one id. A
// scenario's member check_history takes precedence; its refusals fail the test, too.
// [AllowBadHistory] permits them all.
func WithCheckHistory() Option {
	return func(o *settings) { o.config.CheckHistory = true }
}

const defaultPatience = 10 * time.Second

// WithPatience sets how long [Server.AwaitEnd], [Server.Transcript] and
// [Server.Await] wait while nothing moves, before they fail the test. Nothing moves while no
// request comes or ends, and all open streams stand at holds or are not read; a stream in a
// pause moves, however long the pause is. The default is 10 seconds or, in a bubble of
// testing/synctest, until all goroutines of the bubble are blocked for good.
func WithPatience(d time.Duration) Option {
	return func(o *settings) {
		o.patience = d
		if d <= 0 {
			o.problems = append(o.problems, fmt.Errorf("WithPatience(%s): a patience must be positive", d))
		}
	}
}

func patienceFrom(o *settings) time.Duration {
	if inBubble() {
		return cmp.Or(o.patience, 2*bubbleLimit)
	}
	return cmp.Or(o.patience, defaultPatience)
}

// WithLimits refuses requests of an API key beyond these limits, with OpenAI's 429.
// The limits count the requests to all scenarios, beside the limits of each scenario.
// The window slides with the clock of the test, which in a bubble of testing/synctest
// is the bubble's.
func WithLimits(l scenarios.Limits) Option {
	return func(o *settings) { o.config.Limits = append(o.config.Limits, server.Limit{Limits: l}) }
}

// WithModelLimits is [WithLimits] for the models whose names match the pattern, in
// which * stands for any text. The limits are for all these models together.
func WithModelLimits(pattern string, l scenarios.Limits) Option {
	return func(o *settings) {
		if pattern == "" {
			o.problems = append(o.problems, errors.New("WithModelLimits: the pattern is empty; use WithLimits for all models"))
		}
		o.config.Limits = append(o.config.Limits, server.Limit{Model: pattern, Limits: l})
	}
}

// WithLogger sends the server's log, a line for each request, to l. The default is
// the output of the test, which go test shows with -v or when the test fails.
func WithLogger(l *slog.Logger) Option {
	return func(o *settings) { o.config.Logger = l }
}

// WithConfig changes fields of the server's configuration that have no option of
// their own, such as [server.Config.AllowGet], MaxBody and Default. To set Scenarios,
// Observe or Reload, which belong to this package, fails the test.
func WithConfig(change func(*server.Config)) Option {
	return func(o *settings) {
		if change == nil {
			o.problems = append(o.problems, errors.New("WithConfig: the function is nil; leave the option out"))
			return
		}
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

// WithHTTP2 makes [Server.Client] speak HTTP/2 without TLS, with prior knowledge.
// Other clients may do the same or speak HTTP/1.1; the server accepts both. Over
// HTTP/2 an answer that breaks off ends with RST_STREAM, and its connection stays open.
func WithHTTP2() Option {
	return func(o *settings) { o.http2 = true }
}

// AllowUnmatched keeps a request that no scenario answers from failing the test. The
// client still gets the error: a 404 if no scenario matches, a 400 if the API of the
// request cannot express the reply.
func AllowUnmatched() Option {
	return func(o *settings) { o.allowUnmatched = true }
}

// AllowBadHistory keeps requests that [WithCheckHistory], or check_history in a
// scenario, answers with a 400 from failing the test.
func AllowBadHistory() Option {
	return func(o *settings) { o.allowBadHistory = true }
}

// FailHistory fails the test at requests that [WithCheckHistory] would refuse, and answers
// them all the same. A scenario's member check_history takes precedence.
func FailHistory() Option {
	return func(o *settings) { o.config.NoteHistory = true }
}

// FailRetries fails the test at its end for each wrong retry (one that came too early, one
// where none is allowed, and one that did not come) and for each broken answer that was taken
// for a whole one. [journal.Judge] has the rules.
func FailRetries() Option {
	return func(o *settings) { o.failRetries = true }
}

// AllowUnused keeps unused scripts, replies and scenarios from failing the test.
// Without this option the test fails at its end for
//
//   - a [Script] that was not played, and a reply of any source that was given less
//     often than its times;
//   - in scenarios of [YAML] and [Scenario], a reply with a when of its own that was
//     never given, and a scenario of which nothing was played. Scenarios in files may
//     be there for other tests.
//
// A reply without times and without a when may stay unused, and so may one with a
// chance. A scenario counts as played if one that extends it was played. If the server
// refused a request, for example for a wrong key, or connections ([Server.Down]),
// scenarios may stay unplayed.
func AllowUnused() Option {
	return func(o *settings) { o.allowUnused = true }
}
