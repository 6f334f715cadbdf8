package journal

import (
	"net/http"
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Played counts which replies requests got. The zero value has counted none. It is safe for concurrent
// use.
type Played struct {
	mu      sync.Mutex
	given   map[string][]int // given has by scenario how often each of its replies was given; guarded by mu.
	refused bool             // refused says that the server refused something; guarded by mu.
}

// Count counts the reply to a request. One whose place a fault took counts as refused, and its scenario
// as played: a retry may get it.
func (p *Played) Count(e *Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.given == nil {
		p.given = map[string][]int{}
	}
	struck := e.Injected != "" && e.Failed
	p.refused = p.refused || struck || e.Scenario == "" && e.Status >= http.StatusBadRequest
	if e.Scenario == "" {
		return
	}
	counts := p.given[e.Scenario]
	if e.Reply >= 0 && !struck {
		counts = slices.Grow(counts, e.Reply+1)[:max(len(counts), e.Reply+1)]
		counts[e.Reply]++
	}
	p.given[e.Scenario] = counts
}

// Refuse notes that the server refuses connections.
func (p *Played) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = true
}

// Refused reports whether the server refused a request or connections.
func (p *Played) Refused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// Given returns how often a reply of a scenario was given.
func (p *Played) Given(scenario string, reply int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if counts := p.given[scenario]; reply < len(counts) {
		return counts[reply]
	}
	return 0
}

// Unused returns the names of the scenarios of a set that no request played. One that a played one
// extends, or that is left to chance, counts as played.
func (p *Played) Unused(set *scenarios.Set) (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := map[string]bool{}
	for name := range p.given {
		for s := set.Lookup(name); s != nil && !used[s.Name]; s = set.Lookup(s.Extends) {
			used[s.Name] = true
		}
	}
	for _, s := range set.Scenarios() {
		if !used[s.Name] && !s.IsLeftToChance() {
			names = append(names, s.Name)
		}
	}
	return names
}
