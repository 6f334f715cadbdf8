package server

import (
	"net/http"
	"testing"
)

func TestTheJournalIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	j := newJournal(10)
	for range 3 {
		j.add(&Record{Body: make([]byte, maxJournalBytes/2)})
	}
	if left := j.records; len(left) != 2 || left[0].ID != 2 || j.forgotten != 1 {
		t.Errorf("%d records are left, %d forgotten", len(left), j.forgotten)
	}
	j.add(&Record{Body: make([]byte, 2*maxJournalBytes)})
	if left := j.records; len(left) != 1 || left[0].ID != 4 {
		t.Errorf("%d records are left beside a huge one", len(left)-1)
	}
}

func TestAnUpdateOfAForgottenRecordIsDropped(t *testing.T) {
	t.Parallel()
	j := newJournal(10)
	r := &Record{Status: 200}
	j.add(r)
	j.remove(anyRecord)
	j.update(r)
	if _, ok := j.lookup(r.ID); ok {
		t.Error("the record came back")
	}
}

func TestRecordsAreCopies(t *testing.T) {
	t.Parallel()
	j := newJournal(10)
	j.add(&Record{Header: http.Header{"A": {"b"}}, Body: []byte("x")})
	got, _ := j.lookup(1)
	got.Header.Set("A", "changed")
	got.Body[0] = 'y'
	if again, _ := j.lookup(1); again.Header.Get("A") != "b" || string(again.Body) != "x" {
		t.Errorf("the journal was changed to %+v", again)
	}
}

func TestLRUForgetsTheLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	c := newLRU[string, int](2)
	*c.at("a") = 1
	*c.at("b") = 2
	c.at("a")
	*c.at("c") = 3
	if a, c := *c.at("a"), *c.at("c"); a != 1 || c != 3 {
		t.Errorf("a is %d and c is %d, want 1 and 3", a, c)
	}
	if b := *c.at("b"); b != 0 {
		t.Errorf("b is still %d", b)
	}
	if n := len(c.entries); n != 2 {
		t.Errorf("%d entries", n)
	}
}

func TestCountersAreBounded(t *testing.T) {
	t.Parallel()
	c := newCounters()
	var key [2]byte
	for i := range maxCountedKeys + 10 {
		key[0], key[1] = byte(i), byte(i>>8)
		c.Take(string(key[:]), "s", 0, 1)
	}
	if n := len(c.taken.entries); n != maxCountedKeys {
		t.Errorf("%d keys are counted, want %d", n, maxCountedKeys)
	}
}
