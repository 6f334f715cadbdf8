package journal

import "testing"

func TestTheJournalIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	j := New(10)
	for range 3 {
		j.Add(&Entry{Body: make([]byte, maxBytes/2)})
	}
	if left := j.entries; len(left) != 2 || left[0].ID != 2 || j.forgotten != 1 {
		t.Errorf("%d entries are left, %d forgotten", len(left), j.forgotten)
	}
	j.Add(&Entry{Body: make([]byte, 2*maxBytes)})
	if left := j.entries; len(left) != 1 || left[0].ID != 4 {
		t.Errorf("%d entries are left beside a huge one", len(left)-1)
	}
}

func TestAnUpdateOfAForgottenEntryIsDropped(t *testing.T) {
	t.Parallel()
	j := New(10)
	e := &Entry{Status: 200}
	j.Add(e)
	j.Remove("")
	j.Update(e)
	if _, ok := j.Lookup(e.ID); ok {
		t.Error("the entry came back")
	}
}

// Whoever waits for an end looks again and again: bodies must not be copied for
// that.
func TestAnEntryIsFoundWithoutCopyingItsBytes(t *testing.T) {
	t.Parallel()
	j := New(2)
	for _, body := range []string{"first", "second", "third"} {
		j.Add(&Entry{Body: []byte(body)})
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
	j := New(1)
	e := &Entry{Transcript: append(make([]byte, 0, 100), "sent"...)}
	j.Add(e)
	got, _ := j.At(0)
	_ = append(got.Transcript, "changed"...)
	e.Transcript = append(e.Transcript, " more"...)
	_ = append(got.Transcript, "again"...)
	if string(e.Transcript) != "sent more" {
		t.Errorf("the transcript is %q, want %q", e.Transcript, "sent more")
	}
}
