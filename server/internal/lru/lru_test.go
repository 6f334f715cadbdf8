package lru

import (
	"fmt"
	"slices"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

func TestTheLeastRecentlyUsedAreRemoved(t *testing.T) {
	t.Parallel()
	m := New[string, int](3)
	for i, key := range []string{"a", "b", "c"} {
		m.Put(key, i)
	}
	m.Get("b") // is no use
	m.Use("a")
	if _, full := m.Put("c", 9); full {
		t.Error("a value is removed for one that takes the place of another")
	}
	if old, full := m.Put("d", 3); old != 1 || !full || m.Len() != 3 {
		t.Errorf("%d is removed (%t), %d are left, want 1 and 3", old, full, m.Len())
	}
	var got []string
	for key, value := range m.All() {
		got = append(got, fmt.Sprint(key, value))
	}
	if want := []string{"a0", "c9", "d3"}; !slices.Equal(got, want) {
		t.Errorf("%v are left, want %v", got, want)
	}
	if _, ok := m.Get("b"); ok {
		t.Error("b is still there")
	}
}

func TestALoopCanDeleteWhatItIsAt(t *testing.T) {
	t.Parallel()
	m := New[int, int](0)
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
