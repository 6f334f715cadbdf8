// Package admin has the server's own endpoints, below /_fake/: they show and change what a
// fake plays, remembers and waits for. All requests to them go through [Handler].
package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Fake is what the endpoints need of their server. For functions that take an API key, ""
// stands for all keys.
type Fake struct {
	Server
	Journal     *journal.Journal
	JournalSize int // JournalSize is how many requests the journal remembers.
	Holds       *holds.Holds
	Logger      *slog.Logger

	MaxBody int64  // MaxBody is the largest body that is read, in bytes.
	Token   string // Token must be sent to all endpoints but healthz and readyz; "" is none.
	// Hosts are the hosts for which the endpoints answer, besides localhost and the
	// addresses of loopback.
	Hosts []string
	// ShowSecrets shows API keys and other secrets without masks.
	ShowSecrets bool
	// HealthOnly leaves out all endpoints but healthz and readyz.
	HealthOnly bool
	// Played are the endpoints of OpenAI's API; the list of endpoints includes them.
	Played []Endpoint

	// Metrics answers the endpoint metrics; nil leaves it out.
	Metrics http.Handler

	Counters *limits.Counters
	Limiter  *limits.Limiter

	// Draining reports whether the server is shutting down.
	Draining func() bool
	// WhileServing derives a context that also ends when the server closes.
	WhileServing func(context.Context) (context.Context, func())
	// HoldNames returns the names of all holds. CheckHold returns an error for any other
	// name.
	HoldNames func() []string
	CheckHold func(name string) error
	// ScenariosFor returns the scenarios that answer an API key.
	ScenariosFor func(apiKey string) *scenarios.Set
	// DefaultFor is the name of the scenario that answers what no other does, as [scenarios.Set.Match] takes it.
	DefaultFor func(apiKey string) string
	// TraceOf returns the trace of an entry, or an error that says why there is none.
	TraceOf func(*journal.Entry) (*journal.Trace, error)
	// AsScenario writes the answer of an entry with a trace as a scenario; nil leaves the endpoint out.
	AsScenario func(journal.Entry) ([]byte, error)
	// Sends says in a sentence each, by name, what scenarios send, and who answers a plain request of each API.
	Sends func(*scenarios.Set) (said map[string]string, plain string)
	// Try checks scenarios, and plans what they send to a request; nil is an example.
	Try func(asked *scenarios.Request, files ...yamlfile.Source) ([]Tried, diag.List)
}

// Server is what the endpoints call of the server's own interface.
type Server interface {
	PutScenarios(apiKey string, files ...yamlfile.Source) error
	AddScenarios(apiKey string, files ...yamlfile.Source) error
	PutFaults(apiKey string, files ...yamlfile.Source) error
	Faults(apiKey string) []*scenarios.Faults
	ResetKey(apiKey string)
	Reload() error                 // Reload can return ErrNoReload.
	DownFor(d time.Duration) error // DownFor can return ErrNoListener.
}

// The errors of a server that has no files, or no listener, of its own.
var (
	ErrNoReload   = errors.New("this server has no files to read its scenarios from")
	ErrNoListener = errors.New("this server does not own its listener: give it one with Server.Watch")
)

// Path is the prefix of the paths of all endpoints.
const Path = "/_fake/"

// Owns reports whether a request is for a path below Path, or for Path without its last
// slash.
func Owns(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, Path) || r.URL.Path == strings.TrimSuffix(Path, "/")
}

// Handler answers every request for which [Owns] is true.
type Handler struct {
	fake      Fake
	started   time.Time
	made      sync.Once // made makes the routes at the first request; most servers get none.
	router    *mux.Router
	paths     map[string]methods
	endpoints []Endpoint // endpoints is the list that GET /_fake/ shows.

	hosts   []string                 // hosts are Fake.Hosts in the spelling of [normalHost].
	bound   atomic.Pointer[net.Addr] // bound is the first address of the server; nil if none is known.
	exposed atomic.Pointer[net.Addr] // exposed is an address of the server beyond loopback; nil if none is known.
	saidOff sync.Once                // saidOff logs once that the endpoints are off.
}

// New makes the endpoints of a server.
func New(fake Fake) *Handler {
	h := &Handler{fake: fake, started: time.Now(), paths: map[string]methods{}, router: mux.NewRouter().SkipClean(true).UseEncodedPath()}
	for _, host := range fake.Hosts {
		h.hosts = append(h.hosts, normalHost(host))
	}
	return h
}

// ServeHTTP answers a request to one of the endpoints. No answer but the page is a document that runs
// scripts.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", "sandbox")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	h.made.Do(h.routes)
	if on := h.paths[r.URL.EscapedPath()]; on != nil {
		on.ServeHTTP(w, r)
		return
	}
	h.router.ServeHTTP(w, r)
}

// answer is an endpoint that answers with a value in JSON, with an empty body if the value is nil,
// with a document, or with an error.
type answer func(*http.Request) (any, *apierror.Error)

// raw is the answer of an endpoint that is sent as it is, and not as JSON.
type raw struct {
	contentType string
	data        []byte
}

// ServeHTTP implements [http.Handler].
func (a answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v, wrong := a(r)
	if wrong != nil {
		writeError(w, wrong)
		return
	}
	switch v := v.(type) {
	case nil:
		w.WriteHeader(http.StatusNoContent)
	case raw:
		w.Header().Set("Content-Type", v.contentType)
		_, _ = w.Write(v.data)
	default:
		writeJSON(w, http.StatusOK, v)
	}
}

// aboutEntry returns the handler of an endpoint that answers about one journal entry, whose number is in the path.
func (h *Handler) aboutEntry(say func(*journal.Entry) (any, *apierror.Error)) answer {
	return func(r *http.Request) (any, *apierror.Error) {
		e, wrong := h.entryOf(r)
		if wrong != nil {
			return nil, wrong
		}
		return say(&e)
	}
}

func notFound(format string, args ...any) *apierror.Error {
	return apierror.Refusal(http.StatusNotFound, apierror.CodeNotFound, fmt.Sprintf(format, args...))
}

func badQuery(format string, args ...any) *apierror.Error {
	return apierror.Refusal(http.StatusBadRequest, apierror.CodeBadQuery, fmt.Sprintf(format, args...))
}

// writeJSON answers with v as JSON. It ignores that a client may have left.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		writeError(w, apierror.Fault(http.StatusInternalServerError, apierror.CodeInternal, err.Error()))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes())
}

// writeError answers with an error. Clients are told not to retry what would fail again.
func writeError(w http.ResponseWriter, e *apierror.Error) {
	if e.Status >= http.StatusInternalServerError || e.Code == apierror.CodeTimeout {
		w.Header().Set("X-Should-Retry", "false")
	}
	w.Header().Set("Content-Type", e.Shape.ContentType())
	w.WriteHeader(e.Status)
	_, _ = w.Write(e.Body())
}
