package server

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
)

// catalog is the scenarios that answer an API key, and the maker of their answers. It is
// immutable, but for the programs in the maker's cache.
type catalog struct {
	set     *scenarios.Set
	maker   *answer.Maker
	faults  []faultLayer // faults are laid over the answers; nil if there are none.
	withOwn bool         // withOwn reports whether some of the scenarios came by [Server.PutScenarios].
}

// overlay has the scenarios and faults of an API key that came by [Server.PutScenarios] and [Server.PutFaults].
type overlay struct {
	set     *scenarios.Set
	setSize int // setSize is what the set takes of memory.
	faults  faultLayer
}

func (o *overlay) isEmpty() bool { return o.set.Len() == 0 && len(o.faults.docs) == 0 }

// catalogs has the catalog of each API key. It is immutable.
type catalogs struct {
	base     *scenarios.Set      // base is the set of the files, or of the server's configuration.
	faults   faultLayer          // faults are the faults of the files and of the configuration.
	overlays map[string]overlay  // overlays has the overlay of each API key; that of "" is for all keys.
	shared   *catalog            // shared is the catalog of keys without scenarios of their own.
	byKey    map[string]*catalog // byKey has the catalogs of the API keys that have scenarios or faults of their own.
}

// The bounds of overlays: how many API keys have one, and how many bytes of memory one takes, and all together.
const (
	maxOverlays     = 1000
	maxOverlayBytes = 16 << 20
	maxPutBytes     = 64 << 20
)

// newCatalogs lays the overlays over the base. All catalogs share one maker, because the
// program of a reply does not depend on the key.
func newCatalogs(base *scenarios.Set, faults faultLayer, overlays map[string]overlay, maker *answer.Maker) *catalogs {
	c := &catalogs{base: base, faults: faults, overlays: overlays, byKey: map[string]*catalog{}}
	c.shared = &catalog{base, maker, c.faultsOf(""), false}
	if all := overlays[""].set; all.Len() > 0 {
		c.shared.set, c.shared.withOwn = all.Over(base), true
	}
	for key := range overlays {
		if key != "" {
			c.byKey[key] = c.catalogOf(key)
		}
	}
	return c
}

func (c *catalogs) catalogOf(apiKey string) *catalog {
	own := &catalog{c.shared.set, c.shared.maker, c.faultsOf(apiKey), c.shared.withOwn}
	if set := c.overlays[apiKey].set; set.Len() > 0 {
		own.set, own.withOwn = set.Over(own.set), true
	}
	return own
}

// faultsOf returns the faults for an API key: its own, those that were put for all, and those of the files.
func (c *catalogs) faultsOf(apiKey string) (layers []faultLayer) {
	all := []faultLayer{c.overlays[apiKey].faults, c.overlays[""].faults, c.faults}
	if apiKey == "" {
		all = all[1:]
	}
	return slices.DeleteFunc(all, func(l faultLayer) bool { return len(l.docs) == 0 })
}

// withOverlay returns a copy of the catalogs with another overlay for an API key, or for all keys
// if it is "". An empty overlay removes the key's.
func (c *catalogs) withOverlay(apiKey string, own overlay) *catalogs {
	next := &catalogs{base: c.base, faults: c.faults, overlays: maps.Clone(c.overlays), shared: c.shared, byKey: maps.Clone(c.byKey)}
	delete(next.overlays, apiKey)
	delete(next.byKey, apiKey)
	if !own.isEmpty() {
		next.overlays[apiKey] = own
	}
	switch {
	case apiKey == "":
		return newCatalogs(c.base, c.faults, next.overlays, c.shared.maker)
	case !own.isEmpty():
		next.byKey[apiKey] = next.catalogOf(apiKey)
	}
	return next
}

func (c *catalogs) checkRoom(apiKey string, next *overlay) error {
	if _, has := c.overlays[apiKey]; !has && len(c.overlays) >= maxOverlays {
		return fmt.Errorf("%d API keys have scenarios of their own, which is as many as can be; POST /_fake/reset?api_key=KEY frees one", maxOverlays)
	}
	size, others := next.setSize+next.faults.size, 0
	for key, o := range c.overlays {
		if key != apiKey {
			others += o.setSize + o.faults.size
		}
	}
	switch {
	case size > maxOverlayBytes:
		return fmt.Errorf("the scenarios and faults of this API key take %d bytes of memory, and can take %d; leave some out, or play them from files", size, maxOverlayBytes)
	case size > 0 && others+size > maxPutBytes:
		return fmt.Errorf("the scenarios and faults of this API key take %d bytes of memory, those of others %d, and all together can take %d; "+
			"POST /_fake/reset?api_key=KEY frees those of one, POST /_fake/reset all", size, others, maxPutBytes)
	}
	return nil
}

// storeOverlay plays another overlay to an API key, or to all if it is "", if there is room for it. The
// counts of faults that are replaced are forgotten.
func (s *Server) storeOverlay(apiKey string, next overlay) error {
	all := s.catalogs.Load()
	if err := all.checkRoom(apiKey, &next); err != nil {
		return err
	}
	s.catalogs.Store(all.withOverlay(apiKey, next))
	old := all.overlays[apiKey]
	all.shared.maker.Forget(old.set.Scenarios())
	if len(old.faults.docs) > 0 && old.faults.since != next.faults.since {
		names := []string{old.faults.requests()}
		for _, doc := range old.faults.docs {
			names = append(names, old.faults.countsOf(doc))
		}
		s.counters.Forget(apiKey, names...)
	}
	return nil
}

func (c *catalogs) holds() []string {
	names := c.shared.set.Holds()
	for _, key := range slices.Sorted(maps.Keys(c.byKey)) {
		for _, name := range c.byKey[key].set.Holds() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (s *Server) catalogOf(apiKey string) *catalog {
	all := s.catalogs.Load()
	if own := all.byKey[apiKey]; own != nil {
		return own
	}
	return all.shared
}

// Scenarios returns the set that is played now to API keys without scenarios of their own.
func (s *Server) Scenarios() *scenarios.Set { return s.catalogs.Load().shared.set }

// SetScenarios plays other scenarios from the next request on. Nil is the empty set. Open
// streams go on as they began; counters and the scenarios that came with
// [Server.PutScenarios] are kept. The error is what [Check] finds in the set; the server
// keeps the old scenarios then.
func (s *Server) SetScenarios(set *scenarios.Set) error {
	if set == nil {
		set = new(scenarios.Set)
	}
	if err := slices.Concat(Check(set), answer.CheckFaults(s.ownFaults, set)).Err(); err != nil {
		return err
	}
	faults := faultLayer{from: "files", docs: slices.Concat(set.Faults(), s.ownFaults), since: time.Now()}
	maker := answer.NewMaker()
	maker.Warm(set, s.config.Seed)
	s.changing.Lock()
	defer s.changing.Unlock()
	overlays := map[string]overlay{}
	if old := s.catalogs.Load(); old != nil {
		overlays, faults.since = old.overlays, old.faults.since
	}
	s.catalogs.Store(newCatalogs(set, faults, overlays, maker))
	return nil
}

// PutScenarios plays further scenarios to the requests of one API key, or of all keys if
// it is "". They replace those that an earlier call gave the key, are tried before the
// server's own, replace those of the same name, and can extend any of them. Counts of
// scenarios of these names are forgotten. Documents of faults in the files are put as by
// [Server.PutFaults].
//
// The error is a [diag.List] if the files have problems. After an error nothing has
// changed. [Server.Reset] and [Server.ResetKey] remove the scenarios.
func (s *Server) PutScenarios(apiKey string, files ...yamlfile.Source) error {
	return s.changeOverlay(apiKey, false, files)
}

// AddScenarios is [Server.PutScenarios], but the key keeps the scenarios of earlier calls
// that have other names.
func (s *Server) AddScenarios(apiKey string, files ...yamlfile.Source) error {
	return s.changeOverlay(apiKey, true, files)
}

func (s *Server) changeOverlay(apiKey string, add bool, files []yamlfile.Source) error {
	old := s.catalogs.Load()
	under, own := old.base, old.overlays[apiKey].set
	if all := old.overlays[""].set; all != nil && apiKey != "" {
		under = all.Over(under)
	}
	if own != nil && add {
		under = own.Over(under)
	}
	set, problems := yamlfile.CheckOverlay(under, answer.Check, files...)
	if err := problems.Err(); err != nil {
		return err
	}
	layer := putLayer(apiKey, set.Faults())
	s.changing.Lock()
	defer s.changing.Unlock()
	next := s.catalogs.Load().overlays[apiKey]
	changed := slices.Concat(set.Scenarios(), next.set.Scenarios())
	if next.set != nil && add {
		changed = set.Scenarios()
		set = set.Over(next.set)
	}
	next.set, next.setSize = set, memoryOf(set.Scenarios())
	if len(layer.docs) > 0 {
		next.faults = layer
	}
	if err := s.storeOverlay(apiKey, next); err != nil {
		return err
	}
	names := make([]string, len(changed))
	for i, sc := range changed {
		names[i] = sc.Name
		s.limiter.Forget(apiKey, ofScenario(sc.Name))
	}
	s.counters.Forget(apiKey, names...)
	return nil
}

// dropOverlay forgets the scenarios and faults of one API key, or of all if it is "". With those of all,
// the faults of the files begin to hold anew.
func (s *Server) dropOverlay(apiKey string) {
	s.changing.Lock()
	defer s.changing.Unlock()
	old := s.catalogs.Load()
	switch _, has := old.overlays[apiKey]; {
	case apiKey == "":
		faults := faultLayer{from: old.faults.from, docs: old.faults.docs, since: time.Now()}
		s.catalogs.Store(newCatalogs(old.base, faults, map[string]overlay{}, old.shared.maker))
		for _, o := range old.overlays {
			old.shared.maker.Forget(o.set.Scenarios())
		}
	case has:
		s.catalogs.Store(old.withOverlay(apiKey, overlay{}))
		old.shared.maker.Forget(old.overlays[apiKey].set.Scenarios())
	}
}

// memoryOf is about how many bytes of memory a value takes, with all that it points to.
func memoryOf(v any) int { return memory{}.sizeOf(reflect.ValueOf(v)) }

type memory map[unsafe.Pointer]bool

// sizeOf returns how many bytes v refers to, without the bytes of v itself.
func (m memory) sizeOf(v reflect.Value) (bytes int) {
	if kind := v.Kind(); kind == reflect.Pointer || kind == reflect.Slice {
		at := v.UnsafePointer()
		if at == nil || m[at] {
			return 0
		}
		m[at] = true
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return int(v.Elem().Type().Size()) + m.sizeOf(v.Elem())
	case reflect.String:
		return v.Len()
	case reflect.Slice:
		of := v.Type().Elem()
		bytes = v.Cap() * int(of.Size())
		if of.Kind() <= reflect.Complex128 {
			return bytes // numbers have no parts
		}
		for i := range v.Len() {
			bytes += m.sizeOf(v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			bytes += m.sizeOf(field)
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			const room = 2 // as much is free
			bytes += room*int(key.Type().Size()+value.Type().Size()) + m.sizeOf(key) + m.sizeOf(value)
		}
	case reflect.Func:
		const captured = 64 // nobody can look into a function
		return captured
	default: // Other values have no parts; those of an array are small.
	}
	return bytes
}
