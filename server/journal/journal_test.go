package journal

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

func TestTheJournalIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	j := New(10, most)
	for range 3 {
		j.Put(&Entry{Body: make([]byte, most/2-10_000)})
	}
	if left := j.entries; len(left) != 2 || left[0].ID != 2 || j.forgotten.Entries != 1 {
		t.Errorf("%d entries are left, %d forgotten", len(left), j.forgotten.Entries)
	}
	j.Put(&Entry{Body: make([]byte, 2*most)})
	if left := j.entries; len(left) != 1 || left[0].ID != 4 {
		t.Errorf("%d entries are left beside a huge one", len(left)-1)
	}
}

// An entry that has grown since it was put counts with all its bytes.
func TestAnEntryThatGrowsCountsAnew(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	j := New(10, most)
	j.Put(&Entry{})
	grown := &Entry{}
	j.Put(grown)
	_, before := j.Size()
	grown.Transcript = make([]byte, most/2)
	j.Put(grown)
	if _, after := j.Size(); after-before < most/2 {
		t.Errorf("the journal holds %d bytes, and %d before an entry grew by %d", after, before, most/2)
	}
	grown.Transcript = make([]byte, most)
	j.Put(grown)
	if entries, _ := j.Size(); entries != 1 {
		t.Errorf("%d entries are left beside one that is too large by itself", entries)
	}
}

// Not parallel: memory of other tests would count. The journal must count all memory that a
// request makes it hold: headers, and the values of the body.
func TestTheBytesOfAJournalAreThoseThatItHolds(t *testing.T) {
	testflag.NoRace(t)
	const most, requests = 8 << 20, 120
	for name, make := range map[string]func() *Entry{
		"dense bodies": func() *Entry {
			body := []byte("[" + strings.Repeat("0,", 50_000) + "0]")
			v, err := ojson.Parse(body)
			if err != nil {
				t.Fatal(err)
			}
			return &Entry{Body: body, Request: &scenarios.Request{Body: v}}
		},
		"headers": func() *Entry {
			h := http.Header{}
			for i := range 1000 {
				h.Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 100))
			}
			return &Entry{Header: h}
		},
		"paths":    func() *Entry { return &Entry{Path: strings.Repeat("/", 100_000)} },
		"problems": func() *Entry { return &Entry{Problem: strings.Repeat("x", 100_000)} },
		"texts": func() *Entry {
			return &Entry{Request: &scenarios.Request{Messages: []scenarios.RequestMessage{{Text: strings.Repeat("x", 100_000)}}}}
		},
	} {
		before := heap()
		j := New(100_000, most)
		for range requests {
			j.Put(make())
		}
		held := heap() - before
		if held > most+most/4 || held < most/2 {
			t.Errorf("%s: a journal of %d bytes holds %d", name, most, held)
		}
		if n := int64(len(j.entries)); n < 3 || n+j.forgotten.Entries != requests {
			t.Errorf("%s: of %d entries %d are held, and %d forgotten", name, requests, n, j.forgotten.Entries)
		}
	}
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestWhatIsForgottenIsCountedByKey(t *testing.T) {
	t.Parallel()
	j := New(1, 0)
	add := func(key string, times int) {
		for range times {
			j.Put(&Entry{APIKey: key})
		}
	}
	add("a", 3)
	add("b", 2)
	add("", 1)
	check := func(key string, entries, unknown int64) {
		t.Helper()
		if _, got := j.Entries(key); got != (Forgotten{entries, unknown}) {
			t.Errorf("of %q %+v, want %d, %d unknown", key, got, entries, unknown)
		}
	}
	check("a", 3, 0)
	check("b", 2, 0)
	check("", 5, 0)
	for i := range maxKeys + 5 {
		add(fmt.Sprint("key ", i), 1)
	}
	add(strings.Repeat("k", longestKey+1), 2)
	check("a", 3, 7+1)
	check("key 1", 1, 7+1)
	check("", 6+maxKeys+5+1, 7+1)
	if n := len(j.forgottenOf); n != maxKeys {
		t.Errorf("%d keys are counted, want %d", n, maxKeys)
	}
}

func TestAnUpdateOfAForgottenEntryIsDropped(t *testing.T) {
	t.Parallel()
	j := New(10, 0)
	e := &Entry{Status: 200}
	j.Put(e)
	j.Remove("")
	j.Put(e)
	if _, ok := j.Lookup(e.ID); ok {
		t.Error("the entry came back")
	}
}

// A call that waits looks at the entries again after each change, and must not copy bodies.
func TestAnEntryIsFoundWithoutCopyingItsBytes(t *testing.T) {
	t.Parallel()
	j := New(2, 0)
	for _, body := range []string{"first", "second", "third"} {
		j.Put(&Entry{Body: []byte(body)})
	}
	list, _ := j.Entries("")
	second, _ := j.At(0)
	byID, _ := j.Lookup(2)
	if string(second.Body) != "second" || &second.Body[0] != &list[0].Body[0] || &second.Body[0] != &byID.Body[0] {
		t.Errorf("the oldest entry has the bodies %q, %q and %q, want second, each time the same bytes", second.Body, list[0].Body, byID.Body)
	}
	for _, i := range []int{-1, 2} {
		if e, ok := j.At(i); ok {
			t.Errorf("of two entries number %d is %+v", i, e)
		}
	}
}

func TestWhatAReaderAppendsStaysItsOwn(t *testing.T) {
	t.Parallel()
	j := New(1, 0)
	e := &Entry{Transcript: append(make([]byte, 0, 100), "sent"...)}
	j.Put(e)
	got, _ := j.At(0)
	_ = append(got.Transcript, "changed"...)
	e.Transcript = append(e.Transcript, " more"...)
	_ = append(got.Transcript, "again"...)
	if string(e.Transcript) != "sent more" {
		t.Errorf("the transcript is %q, want %q", e.Transcript, "sent more")
	}
}

func TestAFullJournalTakesNoFurtherMemory(t *testing.T) {
	const size = 100
	j := New(size, 0)
	add := func() { j.Put(&Entry{APIKey: "key"}) }
	for range 10 * size {
		add()
	}
	if most := 3 * size; cap(j.entries) > most {
		t.Errorf("there is room for %d entries of %d, want at most %d", cap(j.entries), size, most)
	}
	for i, e := range j.entries {
		if want := int64(9*size + i + 1); e.ID != want {
			t.Fatalf("entry %d has the id %d, want %d", i, e.ID, want)
		}
		if got, ok := j.position(e.ID); !ok || got != i {
			t.Fatalf("entry %d is found at %d", i, got)
		}
	}
	before := j.entries
	if add(); before[0] != nil {
		t.Error("the journal holds an entry that it has dropped")
	}
	if n := testing.AllocsPerRun(10*size, add); n > 0 {
		t.Errorf("adding allocates %v times", n)
	}
}

func TestADeliveryPrintsItselfForTests(t *testing.T) {
	t.Parallel()
	whole := Delivery{Frames: 6, Planned: 6, Bytes: 1834, Step: 3, Ended: EndedComplete, Duration: 12 * time.Millisecond, First: time.Millisecond, Last: 11 * time.Millisecond, Protocol: "HTTP/1.1", RequestNumber: 1}
	left := Delivery{
		Frames: 2, Planned: 6, Bytes: 412, Step: 1, Ended: EndedByClient, Duration: time.Second, Left: LeftRST, LeftAfter: 20 * time.Millisecond,
		Stalls: Stalls{Count: 1, Longest: 30 * time.Millisecond, Total: 30 * time.Millisecond},
		Unread: Unread{Frames: 4, Bytes: 100}, Protocol: "HTTP/2.0", RequestNumber: 3, Reused: true,
	}
	for _, tt := range []struct {
		delivery Delivery
		want     string
	}{
		{whole, "6 of 6 frames, complete after 12ms; 1834 bytes, last step 3, written from 1ms to 11ms; request 1 of its HTTP/1.1 connection"},
		{left, "2 of 6 frames, client_left after 1s (rst after 20ms); 412 bytes, last step 1; unread: 4 frames, 100 bytes; stalls: 1, the longest 30ms; request 3 of its HTTP/2.0 connection"},
		{Delivery{Step: -1, Ended: EndedOpen, Protocol: "HTTP/1.1", RequestNumber: 1}, "0 of 0 frames, open after 0s; 0 bytes; request 1 of its HTTP/1.1 connection"},
	} {
		if got := fmt.Sprintf("%+v", tt.delivery); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
