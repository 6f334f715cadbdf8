package lru

import (
	"fmt"
	"slices"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

func TestTheLeastRecentlyUsedAreRemoved(t *testing.T) {
	t.Parallel()
	m := New[string, int]()
	for i, key := range []string{"a", "b", "c", "d"} {
		m.Put(key, i)
	}
	m.Get("b") // is no use
	m.Use("a")
	m.Put("c", 9)
	if n := m.Trim(2); n != 2 || m.Len() != 2 {
		t.Errorf("%d are removed, %d are left, want 2 and 2", n, m.Len())
	}
	if n := m.Trim(2); n != 0 {
		t.Errorf("%d more are removed", n)
	}
	var got []string
	for key, value := range m.All() {
		got = append(got, fmt.Sprint(key, value))
	}
	if want := []string{"a0", "c9"}; !slices.Equal(got, want) {
		t.Errorf("%v are left, want %v", got, want)
	}
	if _, ok := m.Get("b"); ok {
		t.Error("b is still there")
	}
}

func TestALoopCanDeleteWhatItIsAt(t *testing.T) {
	t.Parallel()
	m := New[int, int]()
	for i := range 5 {
		m.Put(i, i)
	}
	for key := range m.All() {
		if key%2 == 0 {
			m.Delete(key)
		}
	}
	var got []int
	for key := range m.All() {
		got = append(got, key)
	}
	if want := []int{1, 3}; !slices.Equal(got, want) {
		t.Errorf("%v are left, want %v", got, want)
	}
}
