// Package catalog keeps the scenarios that are played, and says which of them answer each
// API key.
package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
)

// Catalog is a set of scenarios, and the maker of its answers. It is immutable, but for the
// programs in the maker's cache.
type Catalog struct {
	Set   *scenarios.Set
	Maker *answer.Maker
}

// holdsKey and modelsKey are keys of [scenarios.Set.Keep]: the lists of holds and of models
// are computed when they are first needed, which in most tests is never.
type holdsKey struct{}
type modelsKey struct{}

// holds returns the names of all holds, each once.
func (c *Catalog) holds() []string {
	return c.Set.Keep(holdsKey{}, func() any { return c.Set.Holds() }).([]string)
}

// models returns the models that conditions name without a wildcard, each once.
func (c *Catalog) models() []string {
	return c.Set.Keep(modelsKey{}, func() any { return namedModels(c.Set) }).([]string)
}

// namedModels returns the models that conditions of a set name without a wildcard, each
// once.
func namedModels(set *scenarios.Set) []string {
	var models []string
	known := map[string]bool{}
	add := func(glob string) {
		if glob != "" && !known[glob] && !strings.ContainsAny(glob, "*?") {
			known[glob] = true
			models = append(models, glob)
		}
	}
	for _, s := range set.Scenarios() {
		add(s.When.Model)
		for i := range s.Replies {
			add(s.Replies[i].When.Model)
		}
	}
	return models
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
	if len(c.byKey) == 0 {
		return c.shared.holds()
	}
	names := slices.Clone(c.shared.holds())
	for _, key := range slices.Sorted(maps.Keys(c.byKey)) {
		for _, name := range c.byKey[key].holds() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
