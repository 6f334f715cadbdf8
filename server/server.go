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

	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/catalog"
	"github.com/fakeopenai/fakeopenai/server/internal/counters"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/idle"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
	"github.com/fakeopenai/fakeopenai/server/internal/span"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Server plays scenarios over HTTP. It is an [http.Handler]; all its methods may
// be called at the same time.
type Server struct {
	config    Config
	handler   http.HandlerFunc
	own       *admin.Handler // own answers what is below /_fake/.
	catalogs  catalog.Store
	counters  *counters.Counters
	limiter   *limits.Limiter
	journal   *journal.Journal
	holds     *holds.Holds
	store     *stored.Store
	active    idle.Counter
	sessions  idle.Counter // sessions counts the WebSocket connections.
	running   idle.Counter // running are the answers that are made in the background.
	listeners socket.Listeners
	draining  atomic.Bool
	closeOnce sync.Once
	closeBy   time.Time // closeBy is when Close waits no more; the first call sets it.
	// reloads and failedReloads count how often the scenarios were read again.
	reloads, failedReloads atomic.Int64
	told                   told // told is what the log was told to be forgotten.

	serving    context.Context         // serving lasts as long as answers may go on.
	endServing context.CancelCauseFunc // endServing ends serving.
	spans      span.Spans              // spans are those of the exchanges that are open; they end after serving.
	reloading  sync.Mutex              // reloading lets only one reload at a time read files.
}

var _ http.Handler = (*Server)(nil)

// errClosed is why a server that was closed ends its answers.
var errClosed = errors.New("the server was closed")

// New makes a server. It needs no start and holds nothing but memory until a
// request comes. The error says which members of the config cannot be meant.
func New(config Config) (*Server, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, fmt.Errorf("server config: %w", err)
	}
	s := &Server{
		config:   config,
		counters: counters.New(),
		limiter:  limits.New(time.Now),
		journal:  journal.New(config.JournalSize, int(config.JournalBytes)),
		holds:    holds.New(),
		store:    stored.New(stored.Limits{Count: max(0, config.StoreSize), Bytes: config.StoreBytes, AnyID: config.AnyID}),
	}
	s.serving, s.endServing = context.WithCancelCause(context.Background())
	if err := s.SetScenarios(config.Scenarios); err != nil {
		return nil, err
	}
	s.own = s.adminRoom()
	s.handler = s.routes()
	return s, nil
}

// ServeHTTP answers a request. It panics with [http.ErrAbortHandler] when the
// connection must not be used any more.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := socket.ConnOf(r.Context())
	c.BeginRequest()
	defer c.EndRequest()
	if admin.Owns(r) || admin.IsGreeting(r) || r.Method == http.MethodOptions {
		c.NumberRequest() // no exchange will
	}
	s.handler(w, r)
}

// ErrNoReload is what [Server.Reload] returns when [Config.Reload] is nil.
var ErrNoReload = admin.ErrNoReload

// Reload reads the scenarios again with [Config.Reload] and plays them. After an
// error the old ones are played on.
func (s *Server) Reload() error {
	if s.config.Reload == nil {
		return ErrNoReload
	}
	s.reloading.Lock()
	defer s.reloading.Unlock()
	err := s.readAgain()
	if err != nil {
		s.failedReloads.Add(1)
	} else {
		s.reloads.Add(1)
	}
	return err
}

func (s *Server) readAgain() error {
	set, err := s.config.Reload()
	if err == nil {
		err = s.config.checkDefault(set)
	}
	if err != nil {
		return err
	}
	return s.SetScenarios(set)
}

// Figures are what a server counts, as it stands now.
type Figures struct {
	OpenRequests   int   // OpenRequests counts the requests that are not answered whole, open streams among them.
	WebSockets     int   // WebSockets counts the connections that are open.
	JournalEntries int   // JournalEntries counts the requests that the journal remembers.
	JournalBytes   int   // JournalBytes is how many bytes they hold.
	Reloads        int64 // Reloads counts how often scenarios were read again.
	FailedReloads  int64 // FailedReloads counts how often that failed.
}

// Figures are what the server counts. To ask costs nothing, however much it did.
func (s *Server) Figures() Figures {
	f := Figures{OpenRequests: s.active.Count(), WebSockets: s.sessions.Count(), Reloads: s.reloads.Load(), FailedReloads: s.failedReloads.Load()}
	f.JournalEntries, f.JournalBytes = s.journal.Size()
	return f
}

// Reset forgets everything that was counted, for replies and for limits, the journal, the releases of holds
// that came before a stream did, the scenarios that came with
// [Server.PutScenarios], and the responses and conversations that were kept; those
// that are made in the background end. Other open streams go on.
func (s *Server) Reset() {
	s.catalogs.Drop("")
	s.counters.Reset("")
	s.limiter.Reset("")
	s.journal.Remove("")
	s.holds.Reset("")
	s.store.Reset("")
}

// ResetKey is [Server.Reset] for what belongs to one API key, or for all if it is
// empty.
func (s *Server) ResetKey(apiKey string) {
	if apiKey == "" {
		s.Reset()
		return
	}
	s.catalogs.Drop(apiKey)
	s.counters.Reset(apiKey)
	s.limiter.Reset(apiKey)
	s.journal.Remove(apiKey)
	s.holds.Reset(apiKey)
	s.store.Reset(apiKey)
}

// Journal is what the server remembers of the requests that it got, the oldest
// first. A request is in it as soon as its body was read; until it is answered
// its delivery is [journal.EndedOpen] and says how far the answer is by now.
func (s *Server) Journal() []journal.Entry {
	entries, _ := s.journal.Entries("")
	return entries
}

// JournalEntry is entry i of [Server.Journal], if there are so many. It costs
// nothing, however long the journal is.
func (s *Server) JournalEntry(i int) (journal.Entry, bool) { return s.journal.At(i) }

// Calls groups the requests that the journal remembers into calls, in the order
// of their first attempts. See [journal.Call] for what belongs together.
func (s *Server) Calls() []journal.Call { return journal.Calls(s.Journal()) }

// ResetJournal empties the journal.
func (s *Server) ResetJournal() { s.journal.Remove("") }

// Await waits until a stream waits at the hold, or passed it on a release that
// came in advance. It returns an error when ctx ends first, which says where
// every open stream stands, and at once when no scenario has such a hold.
func (s *Server) Await(ctx context.Context, hold string) error { return s.await(ctx, hold, "") }

func (s *Server) await(ctx context.Context, hold, apiKey string) error {
	if err := s.checkHold(hold); err != nil {
		return err
	}
	ctx, cancel := s.whileServing(ctx)
	defer cancel()
	return s.holds.Await(ctx, hold, apiKey)
}

// whileServing is a context that also ends when the server closes.
func (s *Server) whileServing(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.serving, func() { cancel(errClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// Release lets every stream go on that waits at the hold. If there is none, the
// next one to reach it passes.
func (s *Server) Release(hold string) { s.holds.Release(hold, "") }

// checkHold reports a hold that no scenario has.
func (s *Server) checkHold(name string) error {
	known := s.catalogs.Load().Holds()
	switch {
	case slices.Contains(known, name):
		return nil
	case len(known) == 0:
		return fmt.Errorf("there is no hold %q: no scenario has a hold", name)
	}
	return fmt.Errorf("there is no hold %q: the scenarios have %s", name, strings.Join(known, ", "))
}
