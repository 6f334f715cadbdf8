package server

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Config says what a server plays and how. The zero Config is valid: it plays
// nothing and answers every completion with a 404 that says so.
type Config struct {
	// Scenarios is the set that the server plays. Nil is the empty set.
	Scenarios *scenarios.Set
	// Default names the scenario that answers requests for which no condition holds.
	// Empty is the first scenario without conditions. With [NoDefault] there is none, and
	// scenarios without conditions answer only requests that name them.
	Default string
	// Fallback is the Default, if that is empty, for API keys without scenarios of their own. An
	// API key with some, from [Server.PutScenarios], then has [NoDefault]: a request that none of
	// them matches gets a 404.
	Fallback string
	// Faults are laid over the answers, beside those in Scenarios. Each file is as for
	// [Server.PutFaults].
	Faults []yamlfile.Source
	// Reload reads the scenarios again, for POST /_fake/reload and [Server.Reload].
	// Nil answers such a call with 501. The error is returned to the caller, and the server does
	// not log it.
	Reload func() (*scenarios.Set, error)

	// APIKeys are the keys that are accepted; others get OpenAI's 401. Empty accepts every
	// key, and requests without one.
	APIKeys []string
	// Strict checks every request as api.openai.com does and answers with its
	// errors: 400s, the 401 for a missing key, the 404 for a model that it does not
	// have and no condition names. A scenario's own strict wins.
	Strict bool
	// CheckHistory refuses requests whose messages contradict each other: a tool result
	// without its call or a call without its result, arguments that are not JSON, an id
	// that two calls have, a role with members of another one. A scenario's own check_history wins.
	CheckHistory bool
	// NoteHistory marks such requests in the journal, and answers them: see
	// [journal.Entry.BadHistory]. A scenario's own check_history wins.
	NoteHistory bool
	// AllowGet also answers a GET on the paths of completions, for browsers' EventSource.
	// The query has the members of the request: model is a text, messages are JSON. It
	// asks for a stream unless stream is false. Without AllowGet the answer is, as at the
	// real service, 405 or the list of the stored chat completions.
	AllowGet bool
	// Upgrade makes a WebSocket connection of a GET for /v1/responses that asks for one.
	// Clients then ask for responses by messages of at most maxMessage bytes. Upgrade
	// answers the handshake, also when it returns an error. Nil answers such requests with
	// 426. The caller chooses the library that speaks WebSocket.
	Upgrade func(w http.ResponseWriter, r *http.Request, maxMessage int64) (MessageConn, error)
	// MaxBody is the largest request body in bytes, beyond which the answer is
	// 413. Zero is 32 MiB.
	MaxBody int64
	// BodyTimeout is how long the body of a request, or a message over WebSocket, may
	// take to come, beyond which the answer is 408. Zero is 30 seconds.
	BodyTimeout time.Duration

	// BasePath is a path, such as /api/openai, that the URLs of requests may have before those
	// of the endpoints, for clients that reach the real service behind a path. The journal has
	// the rest of the URL.
	BasePath string

	// Limits bound how much each API key can use of the server and of models, whichever
	// scenarios answer. A scenario can have limits of its own beside them.
	Limits []Limit

	// Seed is the seed of scenarios that have none of their own. Zero is 1.
	Seed int64
	// Created is the creation time that answers bear, in seconds since 1970. Zero
	// is the time of the request.
	Created int64
	// Speed plays this many times as fast as written; [Instant] leaves all pauses
	// out. Zero is 1.
	Speed float64

	// Logger gets a line for each request that has ended. Nil logs nothing.
	Logger *slog.Logger
	// Observe is called after each request has ended, however it did, from the goroutine
	// that served it, and before the journal says that it has. Nil does nothing.
	Observe func(journal.Entry)
	// ObserveWrite is called after each write of an answer of a scenario, from the
	// goroutine that writes, so that a slow ObserveWrite delays the stream. Nil does nothing.
	ObserveWrite func(journal.Write)
	// Metrics answers GET /_fake/metrics, under the same access rules as the other
	// endpoints. Nil leaves the endpoint out. Observe, ObserveWrite and [Server.Figures]
	// have the numbers; the caller chooses the library that counts.
	Metrics http.Handler
	// JournalSize is how many requests the journal remembers; the oldest go first,
	// and earlier than that when they hold more than JournalBytes. Zero is 1000,
	// negative is none.
	JournalSize int
	// JournalBytes is how much memory the journal holds, in bytes: bodies, headers,
	// parsed requests and transcripts. The newest request is held whatever its size.
	// Zero is 64 MiB.
	JournalBytes int64
	// StoreSize is how many responses and conversations are stored, to be asked for again
	// by their ids; the oldest go first, and earlier than that when they hold more than
	// StoreBytes. Zero is 1000, negative is none.
	StoreSize int
	// StoreBytes is how much memory the stored responses and conversations hold, in bytes:
	// requests and the items of answers. The newest is held whatever its size. Zero is 64 MiB.
	StoreBytes int64
	// AnyID lets a request go on from a response or a conversation, and name an item, that the
	// server has not stored: its history is then unknown. Without AnyID it gets OpenAI's error.
	AnyID bool
	// KeepTranscripts keeps the bytes that were sent in the journal's entries, up
	// to TranscriptLimit bytes for each. Zero TranscriptLimit is 1 MiB.
	KeepTranscripts bool
	TranscriptLimit int

	// NoAdmin switches the /_fake/ endpoints off. AdminToken, when not empty, must be sent
	// to them as a bearer token, and is all that a request needs. Without a token the
	// endpoints are off if the server listens beyond loopback, so that other machines reach
	// it. They then also refuse requests of web pages of another origin, and requests for
	// a host other than localhost, the addresses of loopback and AdminHosts, which are
	// names and addresses without a port. healthz and readyz are open to all.
	NoAdmin    bool
	AdminToken string
	AdminHosts []string
	// AsScenario writes the answer of a journal entry as a scenario, for the endpoint
	// requests/{id}/scenario below /_fake/ and its page; nil leaves that out.
	AsScenario func(journal.Entry) ([]byte, error)

	// ShowSecrets shows API keys, cookies and ids of organisations in the log and at the
	// /_fake/ endpoints, which otherwise mask them. Observe and [Server.Journal] always
	// have the exact values.
	ShowSecrets bool

	// DrainTimeout is how long [Server.Shutdown] lets open streams go on. After it they
	// have a second for their shutdown events. Zero is 5 seconds.
	DrainTimeout time.Duration
}

// Limit bounds how much each API key can use of all models together whose names match a
// pattern, in which * stands for any text. Without a pattern it bounds the use of the
// server.
type Limit struct {
	Model string
	scenarios.Limits
}

// limited names what the limit is for: the server, or a model. See [limits.Rule].
func (l *Limit) limited() string {
	if l.Model == "" {
		return "the server"
	}
	return "model " + l.Model
}

// checkLimits reports limits that are invalid, limit nothing or are given twice.
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
			problems = append(problems, fmt.Errorf("limits of %s: %w", l.limited(), err))
		}
		seen[l.Model] = true
	}
	return errors.Join(problems...)
}

// Instant is the [Config.Speed] at which no pause is left.
const Instant = scenarios.Instant

// NoDefault is the [Config.Default] with which no scenario answers a request for which no
// condition holds.
const NoDefault = scenarios.NoDefault

// withDefaults returns the config with the documented default in place of each zero.
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
	c.BasePath = strings.TrimRight(c.BasePath, "/")
	if c.Scenarios == nil {
		c.Scenarios = new(scenarios.Set)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c Config) check() error {
	var problems []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	refuse(c.MaxBody < 0, "max body is %d bytes, it must not be negative", c.MaxBody)
	refuse(c.JournalBytes < 0, "journal bytes are %d, they must not be negative", c.JournalBytes)
	refuse(c.StoreBytes < 0, "store bytes are %d, they must not be negative", c.StoreBytes)
	refuse(c.BasePath != "" && (c.BasePath[0] != '/' || strings.ContainsAny(c.BasePath, "?#%")), "base path is %q, write a path alone, such as /api/openai", c.BasePath)
	refuse(c.BodyTimeout < 0, "body timeout is %s, it must not be negative", c.BodyTimeout)
	refuse(c.Speed != Instant && !(c.Speed > 0), "speed is %v, it must be positive, or %d for no pauses at all", c.Speed, Instant)
	refuse(c.TranscriptLimit < 0, "transcript limit is %d bytes, it must not be negative", c.TranscriptLimit)
	refuse(c.DrainTimeout < 0, "drain timeout is %s, it must not be negative", c.DrainTimeout)
	for _, host := range c.AdminHosts {
		err := admin.CheckHost(host)
		refuse(err != nil, "admin host %q: %w", host, err)
	}
	problems = append(problems, c.checkLimits(), c.checkDefault(c.Scenarios))
	return errors.Join(problems...)
}

func (c Config) checkDefault(set *scenarios.Set) error {
	name := c.defaultFor(false)
	if name == "" || name == scenarios.NoDefault || set.Lookup(name) != nil {
		return nil
	}
	return fmt.Errorf("the default scenario %q is not among the %d scenarios that are played", name, set.Len())
}

// defaultFor returns the Default for API keys with scenarios of their own, or without.
func (c *Config) defaultFor(withOwn bool) string {
	if c.Default != "" || c.Fallback == "" {
		return c.Default
	}
	if withOwn {
		return NoDefault
	}
	return c.Fallback
}
