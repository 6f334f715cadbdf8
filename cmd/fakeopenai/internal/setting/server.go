package setting

import (
	"io"
	"log/slog"
	"time"

	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/exit"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/logqueue"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/websock"
	"github.com/fakeopenai/fakeopenai/server"
)

// DefaultKey is the API key that a child command gets if there is no --api-key. The
// official clients refuse to start without a key.
const DefaultKey = "sk-fakeopenai"

// Server holds the flags of every command that runs a server.
type Server struct {
	Default      string // Default is the scenario that answers when no condition matches; "" if the flag is not given.
	flags        *pflag.FlagSet
	seed         int64
	speed        float64
	created      int64
	strict       bool
	history      bool
	allowGet     bool
	keys         []string
	limits       []server.Limit
	maxBody      int64
	bodyTimeout  time.Duration
	journal      int
	journalBytes int64
	store        int
	storeBytes   int64
	anyID        bool
	transcript   bool
	noAdmin      bool
	adminToken   string
	adminHosts   []string
	showSecrets  bool
	logFormat    string
	logLevel     slog.Level
}

// DefineSpeed adds --speed.
func DefineSpeed(flags *pflag.FlagSet, target *float64) {
	Define(flags, target, "speed", "1", "play as many times as fast as this `factor`, or \"instant\" for no pauses", Speed)
	Offer(flags, "speed", "instant")
}

// Define adds the flags. Level is the default of --log-level.
func (f *Server) Define(flags *pflag.FlagSet, level string) {
	f.flags = flags
	Define(flags, &f.seed, "seed", "1", "`number` that ids, fake text and jitter are drawn from", Seed)
	DefineSpeed(flags, &f.speed)
	Define(flags, &f.created, "created", "", "creation `time` of all answers: seconds since 1970 or RFC 3339 (default: now)", Created)
	Switch(flags, &f.strict, "strict", "check requests as api.openai.com does")
	Switch(flags, &f.history, "check-history", "refuse requests whose messages cannot be the history of a conversation with tools")
	Switch(flags, &f.allowGet, "allow-get", "also answer GET, with the request body in the query, for EventSource")
	Define(flags, &f.Default, "default", "", "`name` of the scenario that answers when no condition matches, or none for none", defaultName)
	List(flags, &f.keys, "api-key", "accept only this API `key`; repeat it or separate with commas (default: any)")
	flags.Var(&limitList{target: &f.limits}, "limit", "refuse what an API key asks beyond this `limit`, such as rpm=3 or gpt-4o*:tpm=1000,window=2s; repeat it or separate with semicolons (default: none)")
	Define(flags, &f.maxBody, "max-body", "32MiB", "largest request body, as a `size`", Size)
	Define(flags, &f.bodyTimeout, "body-timeout", "30s", "`duration` within which the body of a request must come", Timeout)
	Define(flags, &f.journal, "journal", "1000", "`number` of requests that the journal remembers", Count)
	Define(flags, &f.journalBytes, "journal-bytes", "64MiB", "largest memory of the journal, for requests and transcripts, as a `size`", Size)
	Define(flags, &f.store, "store", "1000", "`number` of responses and conversations that are kept to be asked for by their ids", Count)
	Define(flags, &f.storeBytes, "store-bytes", "64MiB", "largest memory of the kept responses and conversations, as a `size`", Size)
	Switch(flags, &f.anyID, "any-id", "accept every id of a response or a conversation, not only those that are kept")
	Switch(flags, &f.transcript, "transcripts", "keep the first 1 MiB of each answer in the journal")
	Switch(flags, &f.noAdmin, "no-admin", "switch the /_fake/ endpoints off")
	Define(flags, &f.adminToken, "admin-token", "", "bearer `token` that the /_fake/ endpoints ask for; without one they are off beyond loopback", Text)
	List(flags, &f.adminHosts, "admin-host", "`name` of a host for which the /_fake/ endpoints answer without a token, beside localhost; repeat it or separate with commas")
	Switch(flags, &f.showSecrets, "show-secrets", "show API keys, cookies and ids of organisations in journal, log and reports; otherwise they are masked")
	DefineWord(flags, &f.logFormat, "log-format", "text", "`form` of the log on stderr: text or json", "text", "json")
	Define(flags, &f.logLevel, "log-level", level, "least `level` that is logged: debug, info, warn or error", Level)
	Offer(flags, "log-level", "debug", "info", "warn", "error")
}

// Contradiction returns an error if one flag on the command line makes another one there
// ineffective.
func (f *Server) Contradiction() error {
	if f.noAdmin && f.isGiven("no-admin") {
		for _, name := range []string{"admin-token", "admin-host"} {
			if f.isGiven(name) {
				return exit.Misuse("--no-admin switches off the endpoints that --%s is for; give one of them", name)
			}
		}
	}
	if f.journal == 0 && f.transcript && f.isGiven("journal") && f.isGiven("transcripts") {
		return exit.Misuse("--transcripts keeps answers in the journal, which --journal 0 leaves empty; give one of them")
	}
	return nil
}

func (f *Server) isGiven(name string) bool { return len(Given(f.flags, name)) > 0 }

// Config returns the server's configuration, without scenarios.
func (f *Server) Config(logger *slog.Logger) server.Config {
	journal, store := f.journal, f.store
	if journal == 0 {
		journal = -1
	}
	if store == 0 {
		store = -1
	}
	return server.Config{
		Default:      f.Default,
		APIKeys:      f.keys,
		Limits:       f.limits,
		Strict:       f.strict,
		CheckHistory: f.history,
		AllowGet:     f.allowGet,
		Upgrade:      websock.Upgrade,
		MaxBody:      f.maxBody,
		BodyTimeout:  f.bodyTimeout,
		Seed:         f.seed,
		Created:      f.created,
		Speed:        f.speed,
		Logger:       logger,
		JournalSize:  journal,
		JournalBytes: f.journalBytes,
		StoreSize:    store,
		StoreBytes:   f.storeBytes,
		AnyID:        f.anyID,
		NoAdmin:      f.noAdmin,
		AdminToken:   f.adminToken,
		AdminHosts:   f.adminHosts,
		ShowSecrets:  f.showSecrets,

		KeepTranscripts: f.transcript,
	}
}

// Logger returns a logger that writes to w, in the format and from the level of the
// flags. It never waits for a slow reader of w. Flush waits until everything is
// written, for a second at most, and ends the log.
func (f *Server) Logger(w io.Writer) (logger *slog.Logger, flush func()) {
	direct := f.logger(w)
	queue := logqueue.New(w, func(lines int64) {
		direct.Warn("lines of the log were lost, because nobody read them", "lines", lines)
	})
	return f.logger(queue), queue.Close
}

func (f *Server) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: f.logLevel}
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// ClientKey returns the API key for a child command.
func (f *Server) ClientKey() string {
	if len(f.keys) > 0 {
		return f.keys[0]
	}
	return DefaultKey
}
