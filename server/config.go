package server

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Config says what a server plays and how. The zero Config is valid: it plays
// nothing and answers every completion with a 404 that says so.
type Config struct {
	// Scenarios are what is played. Nil is the empty set.
	Scenarios *scenarios.Set
	// Default names the scenario that answers requests no condition speaks for.
	// Empty is the first scenario without a condition, and [NoDefault] none:
	// those without are then for requests that name them.
	Default string
	// Reload reads the scenarios again, for POST /_fake/reload and [Server.Reload].
	// Nil answers such a call with 501. It logs what it likes; the caller is told
	// the error.
	Reload func() (*scenarios.Set, error)

	// APIKeys are the keys that are accepted; others get OpenAI's 401. Empty
	// accepts every key and none.
	APIKeys []string
	// Strict checks every request as api.openai.com does and answers with its
	// errors: 400s, the 401 for a missing key, the 404 for a model that it does not
	// have and no condition names. A scenario's own strict wins.
	Strict bool
	// CheckHistory refuses requests whose messages cannot be how a conversation
	// with tools went: a result without its call or a call without its result,
	// arguments that are not JSON, an id that two calls have. A scenario's own
	// check_history wins.
	CheckHistory bool
	// AllowGet answers a GET on the paths of completions, too, with the members of
	// the request in its query, for browsers' EventSource: model is a text, messages
	// are JSON. It asks for a stream unless stream is false. The real service has no
	// such thing; without AllowGet it is a 405.
	AllowGet bool
	// Upgrade makes a WebSocket connection of a GET for /v1/responses that asks for
	// one, over which clients then ask for responses by messages of maxMessage bytes at
	// most. It answers the handshake, also where it returns an error. Nil answers such
	// requests with 426. The library that speaks WebSocket is the caller's choice.
	Upgrade func(w http.ResponseWriter, r *http.Request, maxMessage int64) (MessageConn, error)
	// MaxBody is the largest request body in bytes, beyond which the answer is
	// 413. Zero is 32 MiB.
	MaxBody int64
	// BodyTimeout is how long the body of a request may take to come, beyond which
	// the answer is 408. Zero is 30 seconds.
	BodyTimeout time.Duration

	// Limits are how much each API key can have of the server, and of models,
	// whichever scenarios answer: a scenario has limits of its own. As with Strict,
	// what holds for all scenarios is said to the server and in none of them.
	Limits []Limit

	// Seed is the seed of scenarios that have none of their own. Zero is 1.
	Seed int64
	// Created is the creation time that answers bear, in seconds since 1970. Zero
	// is the time of the request.
	Created int64
	// Speed plays this many times as fast as written; [Instant] leaves all pauses
	// out. Zero is 1.
	Speed float64

	// Logger gets a line for each request. Nil logs nothing.
	Logger *slog.Logger
	// Observe is called after each request that was answered or broken off, from
	// the goroutine that served it. Nil does nothing.
	Observe func(journal.Entry)
	// ObserveWrite is called after each write of an answer that a scenario gives, from
	// the goroutine that writes: what it takes delays the stream. Nil does nothing.
	ObserveWrite func(journal.Write)
	// Metrics answers GET /_fake/metrics, to those whom the other endpoints answer. Nil
	// is that there is no such endpoint. The library that counts is the caller's choice:
	// see Observe, ObserveWrite and [Server.Figures].
	Metrics http.Handler
	// JournalSize is how many requests the journal remembers; the oldest go first,
	// and earlier than that when they hold more than JournalBytes. Zero is 1000,
	// negative is none.
	JournalSize int
	// JournalBytes is how much memory the journal holds, in bytes: bodies, headers,
	// what was read from them and transcripts. The newest request is held whatever
	// its size. Zero is 64 MiB.
	JournalBytes int64
	// StoreSize is how many responses and conversations can be asked for again by
	// their ids; the oldest go first, and earlier than that when they hold more than
	// StoreBytes. Zero is 1000, negative is none.
	StoreSize int
	// StoreBytes is how much memory they hold, in bytes: what was asked, and the items
	// that were answered. The newest is held whatever its size. Zero is 64 MiB.
	StoreBytes int64
	// AnyID takes every id of a response or a conversation for one that is kept, for
	// clients that ask for what was never made. It also takes what goes with such
	// requests in tests that are generated from the API's description: the id of a
	// response together with that of a conversation, and pages of no items. Otherwise
	// they get OpenAI's errors.
	AnyID bool
	// KeepTranscripts keeps the bytes that were sent in the journal's entries, up
	// to TranscriptLimit for each. Zero TranscriptLimit is 1 MiB.
	KeepTranscripts bool
	TranscriptLimit int

	// NoAdmin switches the /_fake/ endpoints off. AdminToken, when not empty, must
	// be sent to them as a bearer token; whoever has it needs no more. Without it
	// they are off where other machines reach the server, beyond loopback, and refuse
	// what web pages of another origin ask and requests for a host other than
	// localhost, the addresses of loopback and AdminHosts, which are names and
	// addresses without a port. healthz and readyz are open to all.
	NoAdmin    bool
	AdminToken string
	AdminHosts []string

	// ShowSecrets shows API keys, cookies and ids of organisations as they are in the
	// log and to those who ask the /_fake/ endpoints; otherwise each is masked there.
	// To Observe and [Server.Journal] they are exact anyway.
	ShowSecrets bool

	// DrainTimeout is how long [Server.Shutdown] lets open streams go on, before they
	// have a second for their ends. Zero is 5 seconds.
	DrainTimeout time.Duration
}

// Limit is how much each API key can have of the models whose names fit a pattern,
// in which * stands for any text; together, not of each. Without a pattern it is
// how much it can have of the server.
type Limit struct {
	Model string
	scenarios.Limits
}

// of is what is limited, in words.
func (l *Limit) of() string {
	if l.Model == "" {
		return "the server"
	}
	return "model " + l.Model
}

// checkLimits reports limits that cannot be meant.
func (c Config) checkLimits() error {
	var problems []error
	seen := map[string]bool{}
	for _, l := range c.Limits {
		err := l.Check()
		switch {
		case err == nil && l.IsZero():
			err = errors.New("they limit nothing; set RPM, TPM or Concurrent")
		case err == nil && seen[l.Model]:
			err = errors.New("they are given twice")
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("limits of %s: %w", l.of(), err))
		}
		seen[l.Model] = true
	}
	return errors.Join(problems...)
}

// Instant is the [Config.Speed] at which no pause is left.
const Instant = scenarios.Instant

// NoDefault is the [Config.Default] with which none answers what no condition speaks
// for.
const NoDefault = scenarios.NoDefault

// withDefaults puts the documented default in the place of each zero.
func (c Config) withDefaults() Config {
	c.MaxBody = cmp.Or(c.MaxBody, 32<<20)
	c.BodyTimeout = cmp.Or(c.BodyTimeout, 30*time.Second)
	c.Seed = cmp.Or(c.Seed, 1)
	c.Speed = cmp.Or(c.Speed, 1)
	c.JournalSize = cmp.Or(c.JournalSize, 1000)
	c.StoreSize = cmp.Or(c.StoreSize, 1000)
	c.StoreBytes = cmp.Or(c.StoreBytes, 64<<20)
	c.TranscriptLimit = cmp.Or(c.TranscriptLimit, 1<<20)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 5*time.Second)
	if c.Scenarios == nil {
		c.Scenarios = new(scenarios.Set)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// check reports what cannot be meant.
func (c Config) check() error {
	var problems []error
	if c.MaxBody < 0 {
		problems = append(problems, fmt.Errorf("max body is %d bytes, it must not be negative", c.MaxBody))
	}
	if c.JournalBytes < 0 {
		problems = append(problems, fmt.Errorf("journal bytes are %d, they must not be negative", c.JournalBytes))
	}
	if c.StoreBytes < 0 {
		problems = append(problems, fmt.Errorf("store bytes are %d, they must not be negative", c.StoreBytes))
	}
	if c.BodyTimeout < 0 {
		problems = append(problems, fmt.Errorf("body timeout is %s, it must not be negative", c.BodyTimeout))
	}
	if c.Speed != Instant && !(c.Speed > 0) {
		problems = append(problems, fmt.Errorf("speed is %v, it must be positive, or %d for no pauses at all", c.Speed, Instant))
	}
	if c.TranscriptLimit < 0 {
		problems = append(problems, fmt.Errorf("transcript limit is %d bytes, it must not be negative", c.TranscriptLimit))
	}
	if c.DrainTimeout < 0 {
		problems = append(problems, fmt.Errorf("drain timeout is %s, it must not be negative", c.DrainTimeout))
	}
	for _, host := range c.AdminHosts {
		if err := admin.CheckHost(host); err != nil {
			problems = append(problems, fmt.Errorf("admin host %q: %w", host, err))
		}
	}
	problems = append(problems, c.checkLimits(), c.checkDefault(c.Scenarios))
	return errors.Join(problems...)
}

// checkDefault reports a default that is not in the set.
func (c Config) checkDefault(set *scenarios.Set) error {
	if c.Default == "" || c.Default == scenarios.NoDefault || set.Lookup(c.Default) != nil {
		return nil
	}
	return fmt.Errorf("the default scenario %q is not among the %d scenarios that are played", c.Default, set.Len())
}
