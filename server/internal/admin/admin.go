// Package admin is the server's own endpoints, below /_fake/: they show and change
// what a fake plays, remembers and waits for. [Handler] is their one front door.
package admin

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/counters"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Fake is what the endpoints need of the server that they belong to. Functions
// that take an API key mean all keys by "".
type Fake struct {
	Journal     *journal.Journal
	JournalSize int // JournalSize is how many requests the journal remembers.
	Holds       *holds.Holds
	Logger      *slog.Logger

	MaxBody int64  // MaxBody is the largest body in bytes that is read.
	Token   string // Token must be sent to all endpoints but those of health; "" asks for none.
	// Hosts are the names and addresses for which the endpoints answer, beside those
	// of loopback.
	Hosts []string
	// ShowSecrets shows API keys and other secrets as they are.
	ShowSecrets bool
	// HealthOnly leaves out all endpoints but those of health.
	HealthOnly bool
	// Played are the endpoints of the API that is faked; the list has them, too.
	Played []Endpoint

	// Metrics answers the endpoint metrics; nil is none.
	Metrics http.Handler

	// Draining reports whether the server shuts down.
	Draining func() bool
	// WhileServing is a context that also ends when the server closes.
	WhileServing func(context.Context) (context.Context, func())
	// HoldNames are the names of all holds, and CheckHold reports one that no
	// scenario has.
	HoldNames func() []string
	CheckHold func(name string) error
	// ScenariosFor are what an API key is answered from.
	ScenariosFor func(apiKey string) *scenarios.Set
	// Given is how often an API key was given a reply with times.
	Given func(apiKey, scenario string, reply int) int
	// Forgotten is what is not counted any more.
	Forgotten    func(apiKey string) counters.Forgotten
	PutScenarios func(apiKey string, files ...yamlfile.Source) error
	AddScenarios func(apiKey string, files ...yamlfile.Source) error
	Reset        func(apiKey string)
	// Usage is what API keys have spent of their limits; "" asks for all keys.
	Usage   func(apiKey string) limits.Usage
	Reload  func() error                // Reload can fail with ErrNoReload.
	DownFor func(d time.Duration) error // DownFor can fail with ErrNoListener.
}

// Errors that say that a server cannot do what it is asked for.
var (
	ErrNoReload   = errors.New("this server has no files to read its scenarios from")
	ErrNoListener = errors.New("this server does not own its listener: give it one with Server.Watch")
)

// Path is what the paths of the endpoints begin with.
const Path = "/_fake/"

// Owns reports whether a request is for one of the endpoints, or for their list
// without its last slash.
func Owns(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, Path) || r.URL.Path == strings.TrimSuffix(Path, "/")
}

// Handler answers every request that [Owns] speaks of.
type Handler struct {
	fake      Fake
	made      sync.Once // made is done when the routes are there, which most servers never need.
	router    *mux.Router
	paths     map[string]methods
	endpoints []Endpoint // endpoints are what is listed.

	hosts   []string                 // hosts are those of the fake, as [spelled] has them.
	exposed atomic.Pointer[net.Addr] // exposed is an address of the server beyond loopback; nil for none.
	saidOff sync.Once                // saidOff is done when the log has said that the endpoints are off.
}

// New makes the endpoints of a server.
func New(fake Fake) *Handler {
	h := &Handler{fake: fake, paths: map[string]methods{}, router: mux.NewRouter().SkipClean(true).UseEncodedPath()}
	for _, host := range fake.Hosts {
		h.hosts = append(h.hosts, spelled(host))
	}
	return h
}

// ServeHTTP is the one way in but [Handler.Greet], which needs no routes.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.made.Do(h.routes)
	h.router.ServeHTTP(w, r)
}
