package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// maxAdvance bounds how many releases a hold remembers that came before a
// stream did.
const maxAdvance = 1000

// holds are the places where streams wait, and the streams that are open.
type holds struct {
	mu      sync.Mutex // guards what follows
	named   map[string]*hold
	open    map[int64]*place
	changed chan struct{} // closed and replaced when a stream reaches a hold
}

// hold is one named place.
type hold struct {
	waiting []*waiter
	advance []string // releases that came before a stream: the API keys they are for, "" for any
	passed  []string // API keys of streams that passed on such a release and were not awaited yet
}

type waiter struct {
	*place
	released chan struct{} // closed on release
}

// place is where an open stream stands.
type place struct {
	streamInfo
	hold string       // where it waits, or ""; guarded by the mutex of holds
	sent atomic.Int64 // bytes of the body
}

// streamInfo is how an open stream is shown.
type streamInfo struct {
	Request  int64  `json:"request"` // the id of its record
	Scenario string `json:"scenario"`
	Reply    int    `json:"reply"`
	APIKey   string `json:"api_key,omitempty"`
}

func newHolds() *holds {
	return &holds{named: make(map[string]*hold), open: make(map[int64]*place), changed: make(chan struct{})}
}

// gate is one stream's view of the holds.
type gate struct {
	holds *holds
	at    *place
}

// enter notes that a stream is open until leave.
func (h *holds) enter(p *place) gate {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open[p.Request] = p
	return gate{h, p}
}

func (g gate) leave() {
	g.holds.mu.Lock()
	defer g.holds.mu.Unlock()
	delete(g.holds.open, g.at.Request)
}

// Pass makes gate a player.Gate.
func (g gate) Pass(ctx context.Context, name string) error {
	w := g.holds.arrive(name, g.at)
	select {
	case <-w.released:
		return nil
	case <-ctx.Done():
		g.holds.abandon(name, w)
		return ctx.Err()
	}
}

// arrive makes the stream wait at the hold, unless a release came in advance.
func (h *holds) arrive(name string, at *place) *waiter {
	h.mu.Lock()
	defer h.mu.Unlock()
	hd, w := h.at(name), &waiter{at, make(chan struct{})}
	i := slices.IndexFunc(hd.advance, func(key string) bool { return covers(key, at.APIKey) })
	if i < 0 {
		at.hold = name
		hd.waiting = append(hd.waiting, w)
	} else {
		hd.advance = slices.Delete(hd.advance, i, i+1)
		hd.passed = bounded(append(hd.passed, at.APIKey))
		close(w.released)
	}
	close(h.changed)
	h.changed = make(chan struct{})
	return w
}

func (h *holds) abandon(name string, w *waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.hold = ""
	hd := h.at(name)
	hd.waiting = slices.DeleteFunc(hd.waiting, func(o *waiter) bool { return o == w })
}

// release lets the streams go on that wait at the hold with this API key, "" for
// any. If there is none, the next one to come will pass.
func (h *holds) release(name, apiKey string) (released int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	hd := h.at(name)
	hd.waiting = slices.DeleteFunc(hd.waiting, func(w *waiter) bool {
		if !covers(apiKey, w.APIKey) {
			return false
		}
		w.hold = ""
		close(w.released)
		released++
		return true
	})
	if released == 0 {
		hd.advance = bounded(append(hd.advance, apiKey))
	}
	return released
}

// await waits until a stream with this API key waits at the hold, or passed it
// on a release in advance.
func (h *holds) await(ctx context.Context, name, apiKey string) error {
	for {
		reached, changed := h.reached(name, apiKey)
		if reached {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("no stream reached hold %q: %w; %s", name, context.Cause(ctx), h.standing(apiKey))
		}
	}
}

func (h *holds) reached(name, apiKey string) (bool, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	hd := h.at(name)
	if slices.ContainsFunc(hd.waiting, func(w *waiter) bool { return covers(apiKey, w.APIKey) }) {
		return true, nil
	}
	i := slices.IndexFunc(hd.passed, func(key string) bool { return covers(apiKey, key) })
	if i < 0 {
		return false, h.changed
	}
	hd.passed = slices.Delete(hd.passed, i, i+1)
	return true, nil
}

// standing says where every open stream with this API key, "" for any, stands.
func (h *holds) standing(apiKey string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var places []*place
	for _, p := range h.open {
		if covers(apiKey, p.APIKey) {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		return "no stream is open"
	}
	slices.SortFunc(places, func(a, b *place) int { return cmp.Compare(a.Request, b.Request) })
	texts := make([]string, len(places))
	for i, p := range places {
		texts[i] = p.String()
	}
	return "open streams: " + strings.Join(texts, ", ")
}

func (p *place) String() string {
	where := "is playing"
	if p.hold != "" {
		where = fmt.Sprintf("waits at hold %q", p.hold)
	}
	return fmt.Sprintf("request %d (scenario %q, reply %d) %s after %d bytes", p.Request, p.Scenario, p.Reply+1, where, p.sent.Load())
}

// reset forgets the releases that came in advance. Streams that wait go on
// waiting.
func (h *holds) reset() { h.forget("") }

// forget is reset for the releases that one API key was given, "" for all.
func (h *holds) forget(apiKey string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, hd := range h.named {
		ofKey := func(key string) bool { return covers(apiKey, key) }
		hd.advance = slices.DeleteFunc(hd.advance, ofKey)
		hd.passed = slices.DeleteFunc(hd.passed, ofKey)
	}
}

// holdInfo is how a hold is shown.
type holdInfo struct {
	Name    string       `json:"name"`
	Waiting []streamInfo `json:"waiting"`
	Advance int          `json:"released_in_advance"`
}

// show shows the holds of these names, as the owner of the API key may see them;
// "" may see all.
func (h *holds) show(names []string, apiKey string) []holdInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]holdInfo, len(names))
	for i, name := range names {
		hd := h.at(name)
		list[i] = holdInfo{Name: name, Waiting: []streamInfo{}}
		for _, w := range hd.waiting {
			if covers(apiKey, w.APIKey) {
				list[i].Waiting = append(list[i].Waiting, w.streamInfo)
			}
		}
		for _, key := range hd.advance {
			if covers(apiKey, key) || key == "" {
				list[i].Advance++
			}
		}
	}
	return list
}

// at is the hold of that name. The caller holds the lock.
func (h *holds) at(name string) *hold {
	hd := h.named[name]
	if hd == nil {
		hd = new(hold)
		h.named[name] = hd
	}
	return hd
}

// covers reports whether the filter, "" for any, lets the API key through.
func covers(filter, key string) bool { return filter == "" || filter == key }

// bounded drops the oldest entry of a list that has become too long.
func bounded(list []string) []string {
	if len(list) > maxAdvance {
		return slices.Delete(list, 0, 1)
	}
	return list
}
