package server

import (
	"log/slog"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Config says what a server plays and how. The zero Config is valid: it plays
// nothing and answers every completion with a 404 that says so.
type Config struct {
	// Scenarios are what is played. Nil is the empty set.
	Scenarios *scenarios.Set
	// Default names the scenario that answers requests no condition speaks for.
	// Empty is the first scenario without a condition.
	Default string
	// Reload reads the scenarios again, for POST /_fake/reload and [Server.Reload].
	// Nil answers such a call with 501.
	Reload func() (*scenarios.Set, error)

	// APIKeys are the keys that are accepted; others get OpenAI's 401. Empty
	// accepts every key and none.
	APIKeys []string
	// Strict checks every request as api.openai.com does and answers with its
	// 400s. A scenario's own strict wins.
	Strict bool
	// MaxBody is the largest request body in bytes, beyond which the answer is
	// 413. Zero is 32 MiB.
	MaxBody int64

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
	Observe func(Record)
	// JournalSize is how many requests the journal remembers; the oldest go first.
	// Zero is 1000, negative is none.
	JournalSize int
	// KeepTranscripts keeps the bytes that were sent in the journal's records, up
	// to TranscriptLimit for each. Zero TranscriptLimit is 1 MiB.
	KeepTranscripts bool
	TranscriptLimit int

	// NoAdmin switches the /_fake/ endpoints off. AdminToken, when not empty, must
	// be sent to them as a bearer token; healthz and readyz stay open.
	NoAdmin    bool
	AdminToken string

	// DrainTimeout is how long [Server.Shutdown] lets open streams go on. Zero is
	// 10 seconds.
	DrainTimeout time.Duration
}

// Instant is the [Config.Speed] at which no pause is left.
const Instant = -1
