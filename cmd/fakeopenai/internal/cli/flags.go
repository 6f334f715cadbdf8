package cli

import (
	"io"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/server"
)

// childKey is the API key that a command gets when no key is asked for. The
// official clients refuse to start without one.
const childKey = "sk-fakeopenai"

// serverFlags are the flags of every command that runs a server.
type serverFlags struct {
	seed       int64
	speed      float64
	created    int64
	strict     bool
	history    bool
	scenario   string
	keys       []string
	maxBody    int64
	journal    int
	noAdmin    bool
	adminToken string
	logFormat  string
	logLevel   slog.Level
}

// define adds the flags. Level is what is logged unless the user says otherwise.
func (f *serverFlags) define(flags *pflag.FlagSet, level string) {
	define(flags, &f.seed, "seed", "1", "`number` that ids, fake text and jitter are drawn from", parseSeed)
	define(flags, &f.speed, "speed", "1", "play as many times as fast as this `factor`, or \"instant\" for no pauses", parseSpeed)
	define(flags, &f.created, "created", "", "creation `time` of all answers: seconds since 1970 or RFC 3339 (default: now)", parseCreated)
	defineSwitch(flags, &f.strict, "strict", "check requests as api.openai.com does")
	defineSwitch(flags, &f.history, "check-history", "refuse requests whose messages cannot be how a conversation with tools went")
	define(flags, &f.scenario, "default", "", "`name` of the scenario that answers when no condition matches", parseText)
	defineList(flags, &f.keys, "api-key", "accept only this API `key`; repeat it or separate with commas (default: any)")
	define(flags, &f.maxBody, "max-body", "32MiB", "largest request body, as a `size`", parseSize)
	define(flags, &f.journal, "journal", "1000", "`number` of requests that the journal remembers", parseCount)
	defineSwitch(flags, &f.noAdmin, "no-admin", "switch the /_fake/ endpoints off")
	define(flags, &f.adminToken, "admin-token", "", "bearer `token` that the /_fake/ endpoints ask for", parseText)
	define(flags, &f.logFormat, "log-format", "text", "`form` of the log on stderr: text or json", parseChoice("text", "json"))
	define(flags, &f.logLevel, "log-level", level, "least `level` that is logged: debug, info, warn or error", parseLevel)
}

// config is the server's configuration, still without scenarios.
func (f *serverFlags) config(logger *slog.Logger) server.Config {
	journal := f.journal
	if journal == 0 {
		journal = -1
	}
	return server.Config{
		Default:      f.scenario,
		APIKeys:      f.keys,
		Strict:       f.strict,
		CheckHistory: f.history,
		MaxBody:      f.maxBody,
		Seed:         f.seed,
		Created:      f.created,
		Speed:        f.speed,
		Logger:       logger,
		JournalSize:  journal,
		NoAdmin:      f.noAdmin,
		AdminToken:   f.adminToken,
	}
}

// logger writes to w as the flags say.
func (f *serverFlags) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: f.logLevel}
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// clientKey is the API key that a command gets.
func (f *serverFlags) clientKey() string {
	if len(f.keys) > 0 {
		return f.keys[0]
	}
	return childKey
}
