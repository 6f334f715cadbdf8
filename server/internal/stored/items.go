package stored

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// Normalised returns the items of an input as the service keeps and lists them: a text becomes
// a message of the user, a content becomes a list of parts, and each item gets an id and a
// status if it has none. The ids are hashes of the position and of the argument of, the id of
// what the items belong to.
func Normalised(input ojson.Value, of string) []ojson.Value {
	items := input.Items()
	if input.Kind() == ojson.StringKind {
		items = []ojson.Value{ojson.Object(ojson.M("role", ojson.String("user")), ojson.M("content", input))}
	}
	list := make([]ojson.Value, len(items))
	for i, item := range items {
		list[i] = normalised(item, of, i)
	}
	return list
}

func normalised(item ojson.Value, of string, at int) ojson.Value {
	if responses.IsReference(item) {
		return item
	}
	kind := item.Get("type").Text()
	if kind == "" {
		kind = responses.Message
	}
	id := item.Get("id")
	if id.IsNullOrAbsent() {
		id = ojson.String(itemID(kind, of, at))
	}
	v := ojson.Object(ojson.M("id", id), ojson.M("type", ojson.String(kind)))
	if kind != responses.Reasoning {
		v.Set("status", ojson.String("completed"))
	}
	members := slices.Clone(item.Members())
	for i := range members {
		switch m := &members[i]; m.Name {
		case "id", "type":
			m.Value = ojson.Value{} // v has it
		case "content":
			m.Value = contentParts(m.Value, item.Get("role").Text())
		}
	}
	v.SetAll(members)
	return v
}

func contentParts(content ojson.Value, role string) ojson.Value {
	if content.Kind() != ojson.StringKind {
		return content
	}
	if role == "assistant" {
		return ojson.Array(ojson.Object(
			ojson.M("type", ojson.String("output_text")), ojson.M("annotations", ojson.Array()),
			ojson.M("logprobs", ojson.Array()), ojson.M("text", content)))
	}
	return ojson.Array(ojson.Object(ojson.M("type", ojson.String("input_text")), ojson.M("text", content)))
}

// itemID returns the id for the item at a position. Its first digits are those of the response
// in the argument of, as all items of one response share them.
func itemID(kind, of string, at int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", of, at))
	digits := hex.EncodeToString(sum[:25])
	const shared = 26 // 16 digits of the chain, 2 of a version, 8 of the time
	if _, own, _ := strings.Cut(of, "_"); len(own) == len(digits) {
		digits = own[:shared] + digits[shared:]
	}
	t := responses.ItemNamed(kind)
	if call, ok := strings.CutSuffix(kind, "_output"); ok && !t.IsKnown() {
		return strings.TrimSuffix(responses.ItemNamed(call).Prefix, "_") + "o_" + digits
	}
	return t.Prefix + digits
}

// referred returns the kept items that the item references of a request name, by id. An item
// that is not kept is the error of the real service; with AnyID it is left out.
func (s *Store) referred(req *scenarios.Request) (map[string]ojson.Value, *apierror.Error) {
	ids := responses.References(req)
	found := s.find(req.APIKey, ids)
	for id := range ids {
		if _, ok := found[id]; !ok && !s.limits.AnyID {
			return nil, apierror.Refused(404, "input", "", "Item with id '%s' not found. "+
				"Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", id)
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
