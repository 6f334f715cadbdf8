package journal

import (
	"net/http"
	"testing"
)

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

func TestEntriesAreCopies(t *testing.T) {
	t.Parallel()
	j := New(10)
	j.Add(&Entry{Header: http.Header{"A": {"b"}}, Body: []byte("x")})
	got, _ := j.Lookup(1)
	got.Header.Set("A", "changed")
	got.Body[0] = 'y'
	if again, _ := j.Lookup(1); again.Header.Get("A") != "b" || string(again.Body) != "x" {
		t.Errorf("the journal was changed to %+v", again)
	}
}
