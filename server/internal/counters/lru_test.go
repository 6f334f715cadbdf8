package counters

import "testing"

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
