package stored

import (
	"fmt"
	"slices"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// conversations creates count conversations, each with a text of the given number of bytes.
func conversations(s *Store, key string, count, bytes int) {
	item := ojson.Object(ojson.M("role", ojson.String("user")), ojson.M("content", ojson.String(string(make([]byte, bytes)))))
	for i := range count {
		s.newConversation(name{kindConversation, key, fmt.Sprint("conv_", i)}, 0, ojson.Value{}, ojson.Array(item))
	}
}

func TestTheStoreIsBoundedInCount(t *testing.T) {
	t.Parallel()
	s := New(Limits{Count: 10, Bytes: 1 << 30})
	conversations(s, "a", 5000, 1)
	count, bytes := s.entries.Len(), s.bytes
	if count != 10 || bytes > 10*10_000 || s.Forgotten() != 4990 {
		t.Errorf("there are %d of %d bytes; forgotten are %d", count, bytes, s.Forgotten())
	}
	if _, wrong := s.Conversation("a", "conv_4989"); wrong == nil || wrong.Status != 404 {
		t.Error("the newest that is forgotten is there")
	}
	if _, wrong := s.Conversation("a", "conv_4990"); wrong != nil {
		t.Errorf("the oldest that is kept: %v", wrong)
	}
}

func TestTheStoreIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	s := New(Limits{Count: 1000, Bytes: 100_000})
	conversations(s, "a", 100, 10_000)
	if count, bytes := s.entries.Len(), s.bytes; count < 5 || count > 9 || bytes > 100_000 {
		t.Errorf("there are %d of %d bytes", count, bytes)
	}
	conversations(s, "b", 1, 1_000_000)
	if count := s.entries.Len(); count != 1 {
		t.Errorf("beside one that is too large there are %d", count)
	}
	s.Reset("b")
	if count, bytes := s.entries.Len(), s.bytes; count != 0 || bytes != 0 {
		t.Errorf("after a reset there are %d of %d bytes", count, bytes)
	}
}

// Each response in the background has a goroutine: a thousand can be made at a time.
func TestResponsesInTheBackgroundAreBounded(t *testing.T) {
	t.Parallel()
	s := New(Limits{Count: 10})
	for range 1000 {
		if !s.Reserve() {
			t.Fatal("there are fewer places than a thousand")
		}
	}
	if s.Reserve() {
		t.Error("there are more places than a thousand")
	}
	s.Unreserve()
	if !s.Reserve() || s.Reserve() {
		t.Error("a place that was given back is not taken once")
	}
}

// The id of an item is a hash that depends on the response or conversation of the item. No two ids are equal.
func TestItemsAreNormalised(t *testing.T) {
	t.Parallel()
	input, err := ojson.Parse([]byte(`[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"type":"function_call_output","call_id":"c","output":"d"},{"type":"item_reference","id":"msg_1"}]`))
	if err != nil {
		t.Fatal(err)
	}
	const of = "resp_0a1b2c3d4e5f6071016ab13b8000000000feed0000cafe0000"
	list := Normalised(input, of)
	const want = `{"id":"ID","type":"message","status":"completed","role":"user","content":[{"type":"input_text","text":"a"}]}` +
		`{"id":"ID","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"b"}]}` +
		`{"id":"ID","type":"function_call_output","status":"completed","call_id":"c","output":"d"}{"type":"item_reference","id":"msg_1"}`
	got, ids := "", map[string]bool{}
	for i, item := range list {
		id := item.Get("id").Text()
		if i < 3 {
			item = item.Clone()
			item.Set("id", ojson.String("ID"))
			if prefix := []string{"msg_", "msg_", "fco_"}[i]; id[:len(prefix)] != prefix || id[len(prefix):len(prefix)+26] != of[5:31] || len(id) != len(prefix)+50 {
				t.Errorf("item %d has the id %s", i, id)
			}
		}
		ids[id] = true
		got += item.String()
	}
	if got != want || len(ids) != 4 {
		t.Errorf("the items are\n%s\nwant\n%s\nwith the ids %v", got, want, ids)
	}
	if again := Normalised(input, of); again[1].String() != list[1].String() {
		t.Error("the ids differ from time to time")
	}
}

// Adding the members of an item one by one would search those that are there for each, and make
// a new list. The test is not parallel, because it counts allocations.
func TestTheMembersOfAnItemAreAddedTogether(t *testing.T) {
	var members []ojson.Member
	for i := range 1000 {
		members = append(members, ojson.M(fmt.Sprint("m", i), ojson.Null()))
	}
	item := ojson.Object(append(members, ojson.M("role", ojson.String("user")), ojson.M("content", ojson.String("Hi")))...)
	n := testing.AllocsPerRun(10, func() { Normalised(ojson.Array(item), "resp_1") })
	if n > 200 {
		t.Errorf("an item of %d members takes %.0f allocations, want at most 200", len(members), n)
	}
}

// Comparing each kept item with each id would take time with the product of their numbers.
func TestTheIDsOfReferencesAreReadOnce(t *testing.T) {
	t.Parallel()
	s := New(Limits{Count: 10, Bytes: 1 << 30})
	conversations(s, "a", 10, 1)
	var ids []string
	for i := range 10 {
		conversation, wrong := s.Conversation("a", fmt.Sprint("conv_", i))
		if wrong != nil {
			t.Fatal(wrong)
		}
		ids = append(ids, conversation.items()[0].Get("id").Text())
	}
	read := 0
	found := s.find("a", func(yield func(string) bool) {
		for _, id := range append(ids, "msg_unknown") {
			if read++; !yield(id) {
				return
			}
		}
	})
	if read > len(ids)+1 || len(found) != len(ids) {
		t.Errorf("%d of %d items are found, and %d ids are read, want each once", len(found), len(ids), read)
	}
}

func TestOfItemsWithOneIDTheNewestIsFound(t *testing.T) {
	t.Parallel()
	s := New(Limits{Count: 10, Bytes: 1 << 30})
	for _, text := range []string{"old", "new"} {
		item := ojson.Object(ojson.M("id", ojson.String("msg_1")), ojson.M("role", ojson.String("user")), ojson.M("content", ojson.String(text)))
		s.newConversation(name{kindConversation, "a", text}, 0, ojson.Value{}, ojson.Array(item))
	}
	found := s.find("a", slices.Values([]string{"msg_1"}))
	if got := found["msg_1"].Get("content").Items()[0].Get("text").Text(); got != "new" {
		t.Errorf("found is %q", got)
	}
}
