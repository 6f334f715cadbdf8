package catalog

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
)

// Store has the catalogs that are played now. The zero value has none: call [Store.Set]
// first. Its methods may be called at the same time.
type Store struct {
	now     atomic.Pointer[Catalogs]
	loading sync.Mutex     // loading lets only one change happen at a time.
	bytes   map[string]int // bytes has the size of the scenarios of each API key, written as files; loading guards it.
}

// Load returns the catalogs that are played now.
func (s *Store) Load() *Catalogs { return s.now.Load() }

// Scenarios returns the set that is played now to API keys without scenarios of their own.
func (s *Store) Scenarios() *scenarios.Set { return s.Load().shared.Set }

// Set replaces the base set, and the maker of all answers. The overlays of API keys stay.
func (s *Store) Set(set *scenarios.Set, maker *answer.Maker) {
	s.loading.Lock()
	defer s.loading.Unlock()
	var overlays map[string]*scenarios.Set
	if old := s.Load(); old != nil {
		overlays = old.overlays
	}
	s.now.Store(newCatalogs(set, overlays, maker))
}

// The bounds of overlays: how many API keys have one, and how many bytes all take together,
// written as files. In memory they take about ten times as much.
const (
	maxOverlays     = 1000
	maxOverlayBytes = 16 << 20
)

// Put plays further scenarios to the requests of one API key, or of all keys if it is "".
// They replace the key's overlay, or are added to it if add is true. Put returns the
// scenarios that were added and removed. After an error nothing has changed; it is a
// [diag.List] if the files have problems.
func (s *Store) Put(apiKey string, add bool, files []yamlfile.Source) ([]*scenarios.Scenario, error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	old := s.Load()
	under, own := old.base, old.overlays[apiKey]
	if all := old.overlays[""]; all != nil && apiKey != "" {
		under = all.Over(under)
	}
	if own != nil && add {
		under = own.Over(under)
	}
	overlay, problems := yamlfile.CheckOverlay(under, answer.Check, files...)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	changed := slices.Concat(overlay.Scenarios(), own.Scenarios())
	if own != nil && add {
		changed = overlay.Scenarios()
		overlay = overlay.Over(own)
	}
	if len(old.overlays) >= maxOverlays && own == nil {
		return nil, fmt.Errorf("%d API keys have scenarios of their own, which is as many as can be; POST /_fake/reset?api_key=KEY frees one", maxOverlays)
	}
	if err := s.reserve(apiKey, lengthOf(overlay)); err != nil {
		return nil, err
	}
	s.now.Store(old.with(apiKey, overlay))
	return changed, nil
}

// reserve records the size of an API key's overlay, or returns an error if all overlays
// together would be too large. The caller holds loading.
func (s *Store) reserve(apiKey string, size int) error {
	others := -s.bytes[apiKey]
	for _, n := range s.bytes {
		others += n
	}
	if size > 0 && others+size > maxOverlayBytes {
		return fmt.Errorf("the scenarios of this API key take %d bytes written as files, those of others %d, and all together can take %d; "+
			"POST /_fake/reset?api_key=KEY frees those of one, POST /_fake/reset all", size, others, maxOverlayBytes)
	}
	if s.bytes == nil {
		s.bytes = map[string]int{}
	}
	s.bytes[apiKey] = size
	if size == 0 {
		delete(s.bytes, apiKey)
	}
	return nil
}

// lengthOf is the size of the scenarios of a set in bytes, written as files.
func lengthOf(set *scenarios.Set) (n int) {
	for _, sc := range set.Scenarios() {
		text, err := yamlfile.Format(sc)
		if err == nil { // always, because the scenario came from a file
			n += len(text)
		}
	}
	return n
}

// Drop forgets the scenarios of one API key, or of all if it is "".
func (s *Store) Drop(apiKey string) {
	s.loading.Lock()
	defer s.loading.Unlock()
	switch old := s.Load(); {
	case len(old.overlays) == 0:
	case apiKey == "":
		clear(s.bytes)
		s.now.Store(newCatalogs(old.base, nil, old.shared.Maker))
	default:
		delete(s.bytes, apiKey)
		s.now.Store(old.with(apiKey, nil))
	}
}
