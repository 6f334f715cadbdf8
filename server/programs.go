package server

import "sync"

// maxPrograms bounds the cache. Only a client that asks for the same reply in
// ever other ways comes near it.
const maxPrograms = 4096

// programs remembers what was compiled. The zero value is ready to use.
type programs struct {
	mu     sync.RWMutex
	byKind map[variant]*compiled // guarded by mu; what it holds is not changed
}

func (p *programs) get(v variant) *compiled {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byKind[v]
}

func (p *programs) put(v variant, c *compiled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byKind == nil || len(p.byKind) >= maxPrograms {
		p.byKind = make(map[variant]*compiled)
	}
	p.byKind[v] = c
}

// clear forgets all programs, when other scenarios take their place.
func (p *programs) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byKind = nil
}
