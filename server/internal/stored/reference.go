package stored

import (
	"iter"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// referred returns the kept items that the item references of a request name, by id. An item
// that is not kept is the error of the real service; a store that takes any id leaves it out.
func (s *Store) referred(req *scenarios.Request) (map[string]ojson.Value, *apierror.Error) {
	ids := responses.References(req)
	found := s.find(req.APIKey, ids)
	for id := range ids {
		if _, ok := found[id]; !ok && !s.takesAnyID() {
			return nil, apierror.NoItem(id)
		}
	}
	return found, nil
}

// find returns the kept items of an API key that have these ids. Of several with one id it is
// the newest.
func (s *Store) find(apiKey string, ids iter.Seq[string]) map[string]ojson.Value {
	wanted := map[string]bool{}
	for id := range ids {
		wanted[id] = true
	}
	if len(wanted) == 0 {
		return nil
	}
	found := map[string]ojson.Value{}
	for _, value := range s.newest(apiKey) {
		for _, item := range value.items() {
			id := item.Get("id").Text()
			if _, known := found[id]; !known && wanted[id] && !responses.IsReference(item) {
				found[id] = item
			}
		}
		if len(found) == len(wanted) {
			break
		}
	}
	return found
}

// newest returns the responses and conversations of an API key, the newest first.
func (s *Store) newest(apiKey string) (values []kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, e := range s.entries.All() {
		if n.apiKey == apiKey {
			values = append(values, e.kept)
		}
	}
	slices.Reverse(values)
	return values
}
