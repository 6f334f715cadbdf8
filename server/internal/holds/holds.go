// Package holds implements holds: named places where streams wait until a test or an HTTP
// call releases them, or what they wait for comes: a message of the client, or an answer to another request.
package holds

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// maxAdvance bounds how many releases in advance a hold remembers.
const maxAdvance = 1000

// Holds has all holds of a server and its open streams. It is safe for concurrent use.
// Where a method takes an API key, "" stands for any key.
type Holds struct {
	mu      sync.Mutex       // guards what follows
	entered int64            // entered counts the streams that came.
	named   map[string]*hold // named has the holds that are not empty, by their names.
	open    map[*Gate]bool   // open has the streams between Enter and Leave.
	changed chan struct{}    // changed is closed and replaced when a stream reaches a hold.
}

type hold struct {
	waiting []*Gate
	// advance has the API keys of releases in advance: those that came while no stream
	// waited. "" is a release for any key.
	advance []string
	// passed has the API keys of streams that such a release let pass, and that no Await
	// has reported yet.
	passed []string
}

// Stream says which answer a stream is.
type Stream struct {
	Request  int64  `json:"request"` // Request is the id of its journal entry.
	Scenario string `json:"scenario"`
	Reply    int    `json:"reply"` // Reply is the position in the scenario, from 0.
	APIKey   string `json:"api_key,omitempty"`
	Until    string `json:"until,omitempty"` // Until is what a stream that waits waits for, in words; "" for a release alone.

	// Steps are those of the stream, of which some may wait for what the client does; nil for none.
	Steps []scenarios.Step `json:"-"`
	// Connection is the WebSocket connection of the stream, whose messages it can wait for; nil for none.
	Connection any `json:"-"`
}

// New makes Holds without streams and releases.
func New() *Holds {
	return &Holds{named: make(map[string]*hold), open: make(map[*Gate]bool), changed: make(chan struct{})}
}

// Gate lets one open stream wait at holds. It implements player.Gate.
type Gate struct {
	stream Stream
	holds  *Holds
	sent   *atomic.Int64 // sent counts the bytes of the stream's body; nil in the background, where no client reads.
	// at is the hold at which the stream waits, or "". Released is closed when it may go on.
	// Both are guarded by the mutex of holds.
	at       string
	released chan struct{}
	// number is how many streams had come with this one, step is the last step at which it arrived, -1 before the first,
	// and passed is how many holds it has passed.
	number, step, passed int64
	awaited              bool // awaited says that an Await has returned because the stream waits at this hold.
	// heard has the messages that came and for which a step waits, and message is the one that ended the last wait.
	// Both are guarded, too.
	heard   []heard
	message ojson.Value
}

// heard is something that a stream can wait for: a message, or an answer of a scenario.
type heard struct {
	message  ojson.Value
	scenario string
}

func (e *heard) ends(st *scenarios.Step) bool {
	u := st.Until
	return u != nil && (e.scenario != "" && u.Request == e.scenario || e.scenario == "" && u.Hears(e.message))
}

// Enter adds a stream to those that are open, until [Gate.Leave]. The errors of
// [Holds.Await] say how many bytes of its body were sent, unless sent is nil. The gate was never
// used.
func (h *Holds) Enter(g *Gate, s Stream, sent *atomic.Int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entered++
	g.stream, g.holds, g.sent, g.number, g.step = s, h, sent, h.entered, -1
	h.open[g] = true
}

// Leave removes the stream from those that are open.
func (g *Gate) Leave() {
	g.holds.mu.Lock()
	defer g.holds.mu.Unlock()
	delete(g.holds.open, g)
}

// Pass waits at the hold until it is released, or until what its step waits for has come. When ctx ends before, Pass
// returns its error.
func (g *Gate) Pass(ctx context.Context, name string, step int) error {
	released := g.holds.arrive(name, g, int64(step))
	var late <-chan time.Time
	if u := g.until(); u != nil && u.Within > 0 {
		timer := time.NewTimer(u.Within)
		defer timer.Stop()
		late = timer.C
	}
	var err error
	select {
	case <-released:
	case <-late:
		g.holds.change(name, g.leaveHold)
	case <-ctx.Done():
		g.holds.change(name, func(hd *hold) {
			g.awaited = true // nobody needs to know
			g.leaveHold(hd)
		})
		err = ctx.Err()
	}
	g.passed++
	return err
}

// until is what the stream's step waits for; nil for a release alone.
func (g *Gate) until() *scenarios.Until {
	if i := int(g.step); i >= 0 && i < len(g.stream.Steps) {
		return g.stream.Steps[i].Until
	}
	return nil
}

// leaveHold ends the wait of the stream at a hold, without a release.
func (g *Gate) leaveHold(hd *hold) {
	if g.at != "" && !g.awaited {
		hd.passed = bounded(append(hd.passed, g.stream.APIKey))
	}
	g.at = ""
	hd.waiting = slices.DeleteFunc(hd.waiting, func(o *Gate) bool { return o == g })
}

// Passed returns how many holds the stream has passed, and the message that ended its last wait; Absent if none did.
func (g *Gate) Passed() (holds int, message ojson.Value) { return int(g.passed), g.message }

// Awaits reports whether the stream still waits, or will wait, for a message, and how often.
func (g *Gate) Awaits(message ojson.Value) bool {
	g.holds.mu.Lock()
	defer g.holds.mu.Unlock()
	return g.awaits(&heard{message: message})
}

func (g *Gate) awaits(e *heard) bool {
	ends := func(from int64) bool {
		rest := g.stream.Steps[min(max(0, int(from)), len(g.stream.Steps)):]
		return slices.ContainsFunc(rest, func(st scenarios.Step) bool { return e.ends(&st) })
	}
	if g.at != "" { // the step at which it waits counts
		return ends(g.step)
	}
	return ends(g.step + 1)
}

// maxHeard bounds what a stream remembers for its later steps.
const maxHeard = 100

// Hear tells the open streams of a connection of a message, and reports whether one of them waits for it, or will.
func (h *Holds) Hear(connection any, message ojson.Value) (awaited bool) {
	return h.notify(heard{message: message}, func(g *Gate) bool { return g.stream.Connection == connection })
}

// Hear tells this stream alone of a message.
func (g *Gate) Hear(message ojson.Value) {
	g.holds.notify(heard{message: message}, func(o *Gate) bool { return o == g })
}

// Listens reports whether an open stream of a connection waits for something, or will.
func (h *Holds) Listens(connection any) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for g := range h.open {
		if g.stream.Connection == connection && len(g.stream.Steps) > 0 {
			return true
		}
	}
	return false
}

// Answered tells the open streams with the same API key that came before this one that its scenario has answered.
func (h *Holds) Answered(by *Gate) {
	if s := &by.stream; s.Scenario != "" {
		h.notify(heard{scenario: s.Scenario}, func(g *Gate) bool { return g.stream.APIKey == s.APIKey && g.number < by.number })
	}
}

func (h *Holds) notify(e heard, of func(*Gate) bool) (awaited bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for g := range h.open {
		if len(g.stream.Steps) == 0 || !of(g) || !g.awaits(&e) {
			continue
		}
		awaited = true
		if g.at != "" && e.ends(&g.stream.Steps[g.step]) {
			g.message = e.message
			close(g.released)
			g.leaveHold(h.named[g.at])
		} else if len(g.heard) < maxHeard {
			g.heard = append(g.heard, e)
		}
	}
	return awaited
}

// takeHeard looks for a message or an answer that the stream's step waits for among those that came before, uses it up,
// and reports whether there was one.
func (g *Gate) takeHeard() bool {
	g.message = ojson.Value{}
	if g.until() == nil {
		return false
	}
	i := slices.IndexFunc(g.heard, func(e heard) bool { return e.ends(&g.stream.Steps[g.step]) })
	if i < 0 {
		return false
	}
	g.message = g.heard[i].message
	g.heard = slices.Delete(g.heard, i, i+1)
	return true
}

// arrive adds the stream to those that wait at the hold of a step. If what it waits for has come, or there is a release in
// advance, it uses that up, and the stream is released.
func (h *Holds) arrive(name string, g *Gate, step int64) (released <-chan struct{}) {
	h.change(name, func(hd *hold) {
		g.released, g.step, g.awaited = make(chan struct{}), step, false
		released = g.released
		if g.takeHeard() {
			hd.passed = bounded(append(hd.passed, g.stream.APIKey))
			close(g.released)
		} else if i := slices.IndexFunc(hd.advance, func(key string) bool { return covers(key, g.stream.APIKey) }); i >= 0 {
			hd.advance = slices.Delete(hd.advance, i, i+1)
			hd.passed = bounded(append(hd.passed, g.stream.APIKey))
			close(g.released)
		} else {
			g.at = name
			hd.waiting = append(hd.waiting, g)
		}
		close(h.changed)
		h.changed = make(chan struct{})
	})
	return released
}

// Release lets the streams with this API key that wait at the hold go on, and returns how
// many there were. If there were none, the next stream passes: a release in advance.
func (h *Holds) Release(name, apiKey string) (released int) {
	h.change(name, func(hd *hold) {
		hd.waiting = slices.DeleteFunc(hd.waiting, func(g *Gate) bool {
			if !covers(apiKey, g.stream.APIKey) {
				return false
			}
			g.at = ""
			close(g.released)
			released++
			return true
		})
		if released == 0 {
			hd.advance = bounded(append(hd.advance, apiKey))
		}
	})
	return released
}

// Await waits until a stream with this API key waits at the hold, or has passed it on a
// release in advance. When ctx ends before, the error says why, and how far every open
// stream is.
func (h *Holds) Await(ctx context.Context, name, apiKey string) error {
	for {
		reached, changed := h.reached(name, apiKey)
		if reached {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("no stream reached hold %q: %w; %s", name, context.Cause(ctx), h.Standing(apiKey))
		}
	}
}

// reached reports whether Await can return; if not, changed is closed when a stream reaches
// a hold.
func (h *Holds) reached(name, apiKey string) (ok bool, changed <-chan struct{}) {
	h.change(name, func(hd *hold) {
		changed = h.changed
		for _, g := range hd.waiting {
			if covers(apiKey, g.stream.APIKey) {
				ok, g.awaited = true, true
			}
		}
		if i := slices.IndexFunc(hd.passed, func(key string) bool { return covers(apiKey, key) }); !ok && i >= 0 {
			hd.passed = slices.Delete(hd.passed, i, i+1)
			ok = true
		}
	})
	return ok, changed
}

// Standing says in words how far every open stream with this API key is.
func (h *Holds) Standing(apiKey string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var gates []*Gate
	for g := range h.open {
		if covers(apiKey, g.stream.APIKey) {
			gates = append(gates, g)
		}
	}
	if len(gates) == 0 {
		return "no stream is open"
	}
	slices.SortFunc(gates, func(a, b *Gate) int { return cmp.Compare(a.stream.Request, b.stream.Request) })
	texts := make([]string, len(gates))
	for i, g := range gates {
		texts[i] = g.describe()
	}
	return "open streams: " + strings.Join(texts, ", ")
}

// describe says in words how far the stream is. The caller holds the lock.
func (g *Gate) describe() string {
	where := "is playing"
	if g.at != "" {
		where = fmt.Sprintf("waits at hold %q", g.at)
		if u := g.until(); u != nil {
			where = fmt.Sprintf("waits at %q for %s", g.at, u)
		}
	}
	text := fmt.Sprintf("request %d (scenario %q, reply %d) %s", g.stream.Request, g.stream.Scenario, g.stream.Reply+1, where)
	if g.sent != nil {
		text += fmt.Sprintf(" after %d bytes", g.sent.Load())
	}
	return text
}

// Reset forgets the releases in advance for the API key. Streams that wait go on waiting.
func (h *Holds) Reset(apiKey string) {
	h.mu.Lock()
	names := slices.Collect(maps.Keys(h.named))
	h.mu.Unlock()
	ofKey := func(key string) bool { return covers(apiKey, key) }
	for _, name := range names {
		h.change(name, func(hd *hold) {
			hd.advance = slices.DeleteFunc(hd.advance, ofKey)
			hd.passed = slices.DeleteFunc(hd.passed, ofKey)
		})
	}
}

// Stands reports whether the stream that answers a request waits at a hold.
func (h *Holds) Stands(request int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for g := range h.open {
		if g.stream.Request == request && g.at != "" {
			return true
		}
	}
	return false
}

// Waiting returns the names of the holds at which streams wait, sorted.
func (h *Holds) Waiting() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for name, hd := range h.named {
		if len(hd.waiting) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// State is what GET /_fake/holds shows of a hold.
type State struct {
	Name    string   `json:"name"`
	Waiting []Stream `json:"waiting"`
	Advance int      `json:"released_in_advance"` // Advance counts the releases in advance that no stream has used.
}

// States returns the states of the holds of these names: the streams with this API key, and
// the releases that let such a stream pass.
func (h *Holds) States(names []string, apiKey string) []State {
	list := make([]State, len(names))
	for i, name := range names {
		state := State{Name: name, Waiting: []Stream{}}
		h.change(name, func(hd *hold) {
			for _, g := range hd.waiting {
				if covers(apiKey, g.stream.APIKey) {
					s := g.stream
					if u := g.until(); u != nil {
						s.Until = u.String()
					}
					state.Waiting = append(state.Waiting, s)
				}
			}
			for _, key := range hd.advance {
				if covers(apiKey, key) || key == "" {
					state.Advance++
				}
			}
		})
		list[i] = state
	}
	return list
}

// change calls do with the hold of that name, and with the lock held. Holds that are empty are
// not kept, since HTTP calls may bring any number of names.
func (h *Holds) change(name string, do func(*hold)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	hd := h.named[name]
	if hd == nil {
		hd = new(hold)
		h.named[name] = hd
	}
	do(hd)
	if len(hd.waiting)+len(hd.advance)+len(hd.passed) == 0 {
		delete(h.named, name)
	}
}

// covers reports whether a filter, an API key or "" for any, matches the API key.
func covers(filter, key string) bool { return filter == "" || filter == key }

// bounded drops the oldest entry of a list that has become too long.
func bounded(list []string) []string {
	if len(list) > maxAdvance {
		return slices.Delete(list, 0, 1)
	}
	return list
}
