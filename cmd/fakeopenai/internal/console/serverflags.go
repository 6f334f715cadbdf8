package console

import (
	"io"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/server"
)

// DefaultKey is the API key that a child command gets if there is no --api-key. The
// official clients refuse to start without a key.
const DefaultKey = "sk-fakeopenai"

// ServerFlags holds the flags of every command that runs a server.
type ServerFlags struct {
	Config    server.Config // Config is the configuration that the flags say, without scenarios and logger.
	Page      string        // Page is the name of the file for the page; "" for none.
	flags     *pflag.FlagSet
	logFormat string
	logLevel  slog.Level
}

// DefineSpeed adds --speed.
func DefineSpeed(flags *pflag.FlagSet, target *float64) {
	Define(flags, target, "speed", "1", "divide all pauses by this `factor`, or \"instant\" for no pauses", Speed)
	Offer(flags, "speed", "instant")
}

// Define adds the flags. Level is the default of --log-level.
func (f *ServerFlags) Define(flags *pflag.FlagSet, level string) {
	f.flags = flags
	c := &f.Config
	Define(flags, &c.Seed, "seed", "1", "draw ids, fake text and jitter from this `number`", Seed)
	DefineSpeed(flags, &c.Speed)
	Define(flags, &c.Created, "created", "", "send this creation `time`: seconds since 1970 or RFC 3339 (default: now)", Created)
	Define(flags, &c.Default, "default", "", "answer with the scenario of this `name` when no condition matches, or with 404 for none", defaultName)
	Define(flags, &c.BasePath, "base-path", "", "accept this `path`, such as /api/openai, before /v1 in the URLs of requests", Text)
	Switch(flags, &c.AllowGet, "allow-get", "answer GET, too, with the request body in the query, for EventSource")
	Head(flags, "What the server plays")
	Switch(flags, &c.Strict, "strict", "check requests as api.openai.com does")
	Switch(flags, &c.CheckHistory, "check-history", "refuse requests whose messages cannot be the history of a conversation with tools")
	List(flags, &c.APIKeys, "api-key", "accept only this API `key`; repeat it or separate with commas (default: any)", ",", Text)
	List(flags, &c.Limits, "limit", "refuse requests of an API key beyond this `limit`, such as rpm=3 or gpt-4o*:tpm=1000,window=2s; repeat it or separate with semicolons (default: none)", ";", Limit)
	Define(flags, &c.MaxBody, "max-body", "32MiB", "refuse request bodies above this `size`", Size)
	Define(flags, &c.BodyTimeout, "body-timeout", "30s", "refuse a request whose body takes longer than this `duration`", Timeout)
	Head(flags, "Requests")
	Define(flags, &c.StoreSize, "store", "1000", "keep this `number` of responses and conversations, to be asked for by their ids", orNone)
	Define(flags, &c.StoreBytes, "store-bytes", "64MiB", "keep responses and conversations in this `size` of memory at most", Size)
	Switch(flags, &c.AnyID, "any-id", "let requests go on from responses and conversations that are not kept")
	Head(flags, "What the server keeps")
	Switch(flags, &c.NoAdmin, "no-admin", "switch the /_fake/ endpoints off")
	Define(flags, &c.AdminToken, "admin-token", "", "ask for this bearer `token` at the /_fake/ endpoints; without one they are off beyond loopback", Text)
	List(flags, &c.AdminHosts, "admin-host", "answer at the /_fake/ endpoints for this host `name`, too, without a token; repeat it or separate with commas", ",", Text)
	Switch(flags, &c.ShowSecrets, "show-secrets", "show API keys, cookies and ids of organisations in journal, log and reports; otherwise they are masked")
	Head(flags, "Endpoints below /_fake/")
	DefineWord(flags, &f.logFormat, "log-format", "text", "write the log on stderr in this `form`: text or json", "text", "json")
	Define(flags, &f.logLevel, "log-level", level, "log messages of this `level` or higher: debug, info, warn or error", Level)
	Offer(flags, "log-level", "debug", "info", "warn", "error")
	Head(flags, "Log")
}

// DefineJournal adds the flags of the journal, for commands that do not read it themselves.
func (f *ServerFlags) DefineJournal(flags *pflag.FlagSet) {
	c := &f.Config
	Define(flags, &c.JournalSize, "journal", "1000", "remember this `number` of requests in the journal", orNone)
	Define(flags, &c.JournalBytes, "journal-bytes", "64MiB", "give the journal this `size` of memory at most, for requests and transcripts", Size)
	Switch(flags, &c.KeepTranscripts, "transcripts", "keep the first 1 MiB of each answer in the journal")
	Define(flags, &f.Page, "page", "", "write the page of /_fake/ with the requests in the journal to this `file` at the end; keeps transcripts", Text)
	Head(flags, "Journal")
}

// DefineFaults adds the flag for faults, for commands whose server plays scenarios as they are.
func (f *ServerFlags) DefineFaults(flags *pflag.FlagSet) {
	List(flags, &f.Config.Faults, "fault", "lay a `fault` over the answers: a status or an ending and its chance, such as \"429 5%\", or a preset of fakeopenai list --faults; repeat it or separate with semicolons (default: none)", ";", fault)
}

// Contradiction returns an error if one flag on the command line makes another one there
// ineffective.
func (f *ServerFlags) Contradiction() error {
	isGiven := func(name string) bool { return len(Given(f.flags, name)) > 0 }
	switch {
	case f.Config.NoAdmin && isGiven("no-admin"):
		return Useless(f.flags, "--no-admin switches off the endpoints that it is for", "admin-token", "admin-host")
	case f.Config.JournalSize < 0 && isGiven("journal"):
		return Useless(f.flags, "--journal 0 keeps nothing", "transcripts", "journal-bytes", "page")
	case f.Config.StoreSize < 0 && isGiven("store"):
		return Useless(f.flags, "--store 0 keeps nothing", "store-bytes")
	}
	return nil
}

// Logger returns a logger that writes to w, in the format and from the level of the
// flags. It never waits for a slow reader of w. Flush waits until everything is
// written, for a second at most, and ends the log.
func (f *ServerFlags) Logger(w io.Writer) (logger *slog.Logger, flush func()) {
	direct := f.logger(w)
	queue := newLogQueue(w, func(lines int64) {
		direct.Warn("lines of the log were lost, because nobody read them", "lines", lines)
	})
	return f.logger(queue), queue.Close
}

func (f *ServerFlags) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: f.logLevel}
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// ClientKey returns the API key for a child command.
func (f *ServerFlags) ClientKey() string {
	if len(f.Config.APIKeys) > 0 {
		return f.Config.APIKeys[0]
	}
	return DefaultKey
}
