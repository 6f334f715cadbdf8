package counters

import "testing"

func TestCountersAreBounded(t *testing.T) {
	t.Parallel()
	c := New()
	var key [2]byte
	for i := range maxKeys + 10 {
		key[0], key[1] = byte(i), byte(i>>8)
		c.Take(string(key[:]), "s", 0, 1)
	}
	if n := len(c.taken.entries); n != maxKeys {
		t.Errorf("%d keys are counted, want %d", n, maxKeys)
	}
}

func TestLeftTakesNothing(t *testing.T) {
	t.Parallel()
	c := New()
	left := func(want bool) {
		t.Helper()
		for range 2 {
			if got := c.Available("key", "s", 1, 2); got != want {
				t.Errorf("Left is %t, want %t", got, want)
			}
		}
	}
	left(true)
	if n := len(c.taken.entries); n != 0 {
		t.Errorf("a look made %d keys be counted", n)
	}
	c.Take("key", "s", 1, 2)
	left(true)
	c.Take("key", "s", 1, 2)
	left(false)
	for _, other := range []struct {
		apiKey, scenario string
		reply, limit     int
	}{{"other", "s", 1, 2}, {"key", "other", 1, 2}, {"key", "s", 0, 2}, {"key", "s", 1, 3}, {"key", "s", 1, 0}} {
		if !c.Available(other.apiKey, other.scenario, other.reply, other.limit) {
			t.Errorf("%+v has none left", other)
		}
	}
	c.Reset("key")
	left(true)
}

func TestResetOfOneKeyLeavesTheOthers(t *testing.T) {
	t.Parallel()
	c := New()
	for _, key := range []string{"a", "b"} {
		c.Take(key, "s", 0, 1)
		c.Attempt(key, [32]byte{1})
	}
	c.Reset("a")
	if !c.Available("a", "s", 0, 1) || c.Available("b", "s", 0, 1) {
		t.Error("what was given to b alone must still count")
	}
	if a, b := c.Attempt("a", [32]byte{1}), c.Attempt("b", [32]byte{1}); a != 1 || b != 2 {
		t.Errorf("the attempts are %d of a and %d of b, want 1 and 2", a, b)
	}
	c.Reset("")
	if b := c.Attempt("b", [32]byte{1}); b != 1 {
		t.Errorf("after a reset of all keys this is attempt %d of b", b)
	}
}
