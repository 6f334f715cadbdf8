package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/lru"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Server plays scenarios over HTTP. It is an [http.Handler]; all its methods may
// be called at the same time.
type Server struct {
	config    Config
	own       func() *admin.Handler // own returns what serves the endpoints below /_fake/, which the first call makes.
	ownFaults []*scenarios.Faults   // ownFaults are the faults of the config.
	catalogs  atomic.Pointer[catalogs]
	changing  sync.Mutex // changing lets only one change of the catalogs happen at a time.
	warned    warned
	counters  *limits.Counters
	limiter   *limits.Limiter
	journal   *journal.Journal
	holds     *holds.Holds
	store     *stored.Store
	active    openCount
	sessions  openCount    // sessions counts the WebSocket connections that are open.
	upgrades  atomic.Int64 // upgrades counts all WebSocket connections.
	secrets   secrets
	begun     atomic.Int64 // begun counts the realtime sessions.
	running   openCount    // running counts the responses that are being made in the background.
	listeners socket.Listeners
	draining  atomic.Bool
	closeOnce sync.Once
	closeBy   time.Time // closeBy is the time until which Close waits; the first call of Close sets it.
	// reloads counts the calls of Reload that succeeded, failedReloads the others.
	reloads, failedReloads atomic.Int64

	serving    context.Context         // serving ends when the server closes.
	endServing context.CancelCauseFunc // endServing ends serving.
	reloading  sync.Mutex              // reloading lets only one reload at a time read files.
}

var _ http.Handler = (*Server)(nil)

// errClosed is the cause with which a server that closes ends its open answers.
var errClosed = errors.New("the server was closed")

// New makes a server. It needs no start: until the first request it holds only memory.
// The error names every invalid field of the config.
func New(config Config) (*Server, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, fmt.Errorf("server config: %w", err)
	}
	warn := func(text string) { config.Logger.Warn(text) }
	s := &Server{
		config:   config,
		counters: limits.NewCounters(warn),
		limiter:  limits.New(time.Now, warn),
		journal:  journal.New(config.JournalSize, int(config.JournalBytes)),
		holds:    holds.New(),
		secrets:  secrets{list: lru.New[string, secretKey](mostSecrets)},
	}
	var err error
	if s.ownFaults, err = readFaults(config.Faults, nil); err != nil {
		return nil, err
	}
	for _, doc := range s.ownFaults {
		doc.Name = "config: " + doc.Name // no document of the files has this name
	}
	s.journal.Streams = s.holds.Standing
	s.store = stored.New(stored.Limits{Count: max(0, s.config.StoreSize), Bytes: s.config.StoreBytes, AnyID: s.config.AnyID})
	s.serving, s.endServing = context.WithCancelCause(context.Background())
	if err := s.SetScenarios(config.Scenarios); err != nil {
		return nil, err
	}
	s.own = sync.OnceValue(s.newAdmin)
	return s, nil
}

// ServeHTTP answers a request. It panics with [http.ErrAbortHandler] when the body must
// not end properly: see the package documentation.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.config.BasePath != "" {
		r = below(s.config.BasePath, r)
	}
	conn := socket.ConnOf(r.Context())
	number := conn.BeginRequest()
	defer conn.EndRequest()
	if r.ContentLength != 0 {
		s.limitReading(w)
	}
	if admin.Owns(r) {
		s.own().ServeHTTP(w, r)
		return
	}
	h := w.Header() // pages of any origin may read the answer
	h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = anyOrigin, exposedFields
	if !s.answersBrowser(w, r) {
		s.serve(w, r, conn, number)
	}
}

// limitReading sets the deadline for the body of a request. Without deadlines a connection has no
// limit. At the end of the body net/http removes the deadline, to notice when the client leaves.
//
//go:noinline
func (s *Server) limitReading(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.config.BodyTimeout))
}

// answersBrowser answers requests that browsers and no clients of the API send, and reports whether r is one. Scenarios
// with a path come first, unless a browser asks for permission. In ServeHTTP this code would make the stack of each
// waiting stream larger.
//
//go:noinline
func (s *Server) answersBrowser(w http.ResponseWriter, r *http.Request) bool {
	var answer http.HandlerFunc
	switch {
	case r.Method == http.MethodOptions:
		answer = preflight
	case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		answer = s.own().Greet
	case r.URL.Path == "/favicon.ico": // a browser that shows a page of the server asks for it, unasked
		answer = http.NotFound
	default:
		return false
	}
	if r.Header.Get("Access-Control-Request-Method") == "" && s.catalogOf(request.APIKey(r.Header)).answersPath(r, r.Method) {
		return false
	}
	answer(w, r)
	return true
}

// below returns the request without the base path at the beginning of its URL, if that is there. As with answersBrowser,
// the code is not in ServeHTTP so that the stacks of waiting streams stay small.
//
//go:noinline
func below(base string, r *http.Request) *http.Request {
	if !strings.HasPrefix(r.URL.Path, base+"/") {
		return r
	}
	at, to := *r, *r.URL
	to.Path, to.RawPath = strings.TrimPrefix(to.Path, base), strings.TrimPrefix(to.RawPath, base)
	at.URL, at.RequestURI = &to, r.URL.RequestURI()
	return &at
}

// pathSent is the path and the query of a request as the client sent them, with the base path that [below] took away.
func (s *Server) pathSent(r *http.Request) string {
	if base := s.config.BasePath; base != "" && strings.HasPrefix(r.RequestURI, base+"/") {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}

// ErrNoReload is the error of [Server.Reload] if [Config.Reload] is nil.
var ErrNoReload = admin.ErrNoReload

// Reload reads the scenarios again with [Config.Reload] and plays them from the next
// request on. After an error the server keeps the old ones.
func (s *Server) Reload() error {
	if s.config.Reload == nil {
		return ErrNoReload
	}
	s.reloading.Lock()
	defer s.reloading.Unlock()
	set, err := s.config.Reload()
	if err == nil {
		err = s.config.checkDefault(set)
	}
	if err == nil {
		err = s.SetScenarios(set)
	}
	if err != nil {
		s.failedReloads.Add(1)
	} else {
		s.reloads.Add(1)
	}
	return err
}

// Figures are counts of a server at one moment.
type Figures struct {
	OpenRequests   int   // OpenRequests counts the requests whose answers have not ended.
	WebSockets     int   // WebSockets counts the open WebSocket connections.
	JournalEntries int   // JournalEntries counts the requests that the journal remembers.
	JournalBytes   int   // JournalBytes is how many bytes of memory these entries hold.
	Reloads        int64 // Reloads counts the calls of Reload that succeeded.
	FailedReloads  int64 // FailedReloads counts the calls of Reload that failed.
}

// Figures returns the current counts. The call is cheap, however long the journal is.
func (s *Server) Figures() Figures {
	f := Figures{OpenRequests: s.active.count(), WebSockets: s.sessions.count(), Reloads: s.reloads.Load(), FailedReloads: s.failedReloads.Load()}
	f.JournalEntries, f.JournalBytes = s.journal.Size()
	return f
}

// Reset forgets the counts of replies and of limits, the journal, the releases of holds
// that no stream has used yet, the scenarios that came with [Server.PutScenarios], the
// faults that came with [Server.PutFaults], and all stored responses and conversations. Responses that are being made in the
// background end; other open streams go on.
func (s *Server) Reset() { s.ResetKey("") }

// ResetKey is [Server.Reset] for what belongs to one API key. An empty key stands for
// all keys.
func (s *Server) ResetKey(apiKey string) {
	s.dropOverlay(apiKey)
	s.counters.Reset(apiKey)
	s.limiter.Reset(apiKey)
	s.journal.Remove(apiKey)
	s.holds.Reset(apiKey)
	s.store.Reset(apiKey)
}

// Journal returns the entries that the journal remembers, the oldest first. A request
// is entered when its body has been read. Until its answer has ended, Delivery.Ended of
// the entry is [journal.EndedOpen], and its counts say what was sent so far.
func (s *Server) Journal(filters ...journal.Filter) []journal.Entry {
	entries, _ := s.journal.Entries("")
	return journal.Select(entries, filters...)
}

// JournalEntry returns entry i of [Server.Journal], or false if there are not so many.
// The call is cheap, however long the journal is.
func (s *Server) JournalEntry(i int) (journal.Entry, bool) { return s.journal.At(i) }

// AwaitEnd waits until the answer to entry i of [Server.Journal], which may still have to come, has
// ended, and returns the entry. [Config.Observe] has returned then. When ctx ends first, the error
// says what is missing, and where the open streams stand.
func (s *Server) AwaitEnd(ctx context.Context, i int) (journal.Entry, error) {
	return s.journal.AwaitEndAt(ctx, i)
}

// Calls groups the requests that the journal remembers into calls, in the order
// of their first attempts. See [journal.Call] for the rules.
func (s *Server) Calls() []journal.Call { return journal.Calls(s.Journal()) }

// ResetJournal empties the journal.
func (s *Server) ResetJournal() { s.journal.Remove("") }

// Await waits until a stream waits at the hold, or has passed it because [Server.Release]
// was called before. When ctx ends first, the error says how far every open stream is.
// When no scenario has such a hold, Await returns an error at once.
func (s *Server) Await(ctx context.Context, hold string) error {
	if err := s.checkHold(hold); err != nil {
		return err
	}
	ctx, cancel := s.whileServing(ctx)
	defer cancel()
	return s.holds.Await(ctx, hold, "")
}

// Patient returns a context for a wait, derived from ctx. It also ends when nothing has moved for the
// duration patience: no request came or ended, no byte of an answer was written, and no open answer is
// in a pause that long, because each stands at a hold or its client reads nothing. The caller must call
// the function that Patient returns.
func (s *Server) Patient(ctx context.Context, patience time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		before, still := s.journal.Moves(), time.Duration(0)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(patience):
			}
			if now := s.journal.Moves(); now != before {
				before, still = now, 0
				continue
			}
			still += patience
			switch open, pauses := s.openFor(still - patience); { // a pause that is just over counts
			case !open:
				cancel(fmt.Errorf("no request came for %s", patience))
			case !pauses:
				cancel(fmt.Errorf("nothing moved for %s, and the client is still connected", patience))
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// openFor reports whether an answer is open, and whether one of them pauses for as long as this.
func (s *Server) openFor(still time.Duration) (open, pauses bool) {
	for _, e := range s.Journal() {
		if e.Delivery.Ended != journal.EndedOpen {
			continue
		}
		open = true
		if s.holds.Stands(e.ID) {
			continue
		}
		if trace, err := s.traceOf(&e); err == nil && trace.Speed > 0 {
			pauses = pauses || float64(trace.Plan.LongestPause()) >= trace.Speed*float64(max(1, still))
		}
	}
	return open, pauses
}

// whileServing derives a context from ctx that also ends when the server closes. The
// caller must call the function that it returns.
func (s *Server) whileServing(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.serving, func() { cancel(errClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// Release lets all streams that wait at the hold go on. If none waits, the next stream
// that reaches the hold passes it.
func (s *Server) Release(hold string) { s.holds.Release(hold, "") }

// holdNames returns the names of the holds of all scenarios, and of those at which streams of
// earlier scenarios wait.
func (s *Server) holdNames() []string {
	names := s.catalogs.Load().holds()
	for _, name := range s.holds.Waiting() {
		if !slices.Contains(names, name) {
			names = append(slices.Clip(names), name) // the list is the set's
		}
	}
	return names
}

func (s *Server) checkHold(name string) error {
	known := s.holdNames()
	switch {
	case slices.Contains(known, name):
		return nil
	case len(known) == 0:
		return fmt.Errorf("there is no hold %q: no scenario has a hold", name)
	}
	return fmt.Errorf("there is no hold %q: the scenarios have %s", name, strings.Join(known, ", "))
}
