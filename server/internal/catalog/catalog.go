// Package catalog keeps the scenarios that are played, and says which of them answer each
// API key.
package catalog

import (
	"maps"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
)

// Catalog is a set of scenarios, and the maker of its answers. It is immutable, but for the
// programs in the maker's cache.
type Catalog struct {
	Set   *scenarios.Set
	Maker *answer.Maker
}

// Catalogs has the catalog of each API key. It is immutable.
type Catalogs struct {
	base *scenarios.Set // base is the set of the files, or of the server's configuration.
	// overlays has the scenarios that came by [Store.Put], by API key. Those of the key ""
	// are for all keys.
	overlays map[string]*scenarios.Set

	shared *Catalog            // shared is the catalog of keys without scenarios of their own.
	byKey  map[string]*Catalog // byKey has the catalogs of the other keys.
}

// newCatalogs lays the overlays over the base. All catalogs share one maker, because the
// program of a reply does not depend on the key.
func newCatalogs(base *scenarios.Set, overlays map[string]*scenarios.Set, maker *answer.Maker) *Catalogs {
	c := &Catalogs{base: base, overlays: overlays, byKey: map[string]*Catalog{}}
	if all := overlays[""]; all != nil {
		base = all.Over(base)
	}
	c.shared = &Catalog{base, maker}
	for key, overlay := range overlays {
		if key != "" {
			c.byKey[key] = &Catalog{overlay.Over(base), maker}
		}
	}
	return c
}

// with returns a copy of the catalogs with another overlay for an API key, or for all keys
// if it is "". An overlay without scenarios removes the key's.
func (c *Catalogs) with(apiKey string, overlay *scenarios.Set) *Catalogs {
	overlays := maps.Clone(c.overlays)
	if overlays == nil {
		overlays = map[string]*scenarios.Set{}
	}
	overlays[apiKey] = overlay
	if overlay.Len() == 0 {
		delete(overlays, apiKey)
	}
	if apiKey == "" {
		return newCatalogs(c.base, overlays, c.shared.Maker)
	}
	next := &Catalogs{base: c.base, overlays: overlays, shared: c.shared, byKey: maps.Clone(c.byKey)}
	delete(next.byKey, apiKey)
	if own := overlays[apiKey]; own != nil {
		next.byKey[apiKey] = &Catalog{own.Over(c.shared.Set), c.shared.Maker}
	}
	return next
}

// Of returns the catalog that answers an API key.
func (c *Catalogs) Of(apiKey string) *Catalog {
	if own := c.byKey[apiKey]; own != nil {
		return own
	}
	return c.shared
}

// Holds returns the names of the holds of all scenarios, each once.
func (c *Catalogs) Holds() []string {
	names := c.shared.Set.Holds()
	for _, key := range slices.Sorted(maps.Keys(c.byKey)) {
		for _, name := range c.byKey[key].Set.Holds() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
