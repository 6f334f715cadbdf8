package limits

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

func TestLeftTakesNothing(t *testing.T) {
	t.Parallel()
	c := NewCounters(nil)
	left := func(want bool) {
		t.Helper()
		for range 2 {
			if got := c.Available(SumOf("key"), "s", 1, 2); got != want {
				t.Errorf("Left is %t, want %t", got, want)
			}
		}
	}
	left(true)
	if n := c.taken.Len(); n != 0 {
		t.Errorf("a look made %d keys be counted", n)
	}
	c.Take(SumOf("key"), "s", 1, 2)
	left(true)
	c.Take(SumOf("key"), "s", 1, 2)
	left(false)
	for _, other := range []struct {
		apiKey, scenario string
		reply, limit     int
	}{{"other", "s", 1, 2}, {"key", "other", 1, 2}, {"key", "s", 0, 2}, {"key", "s", 1, 3}, {"key", "s", 1, 0}} {
		if !c.Available(SumOf(other.apiKey), other.scenario, other.reply, other.limit) {
			t.Errorf("%+v has none left", other)
		}
	}
	c.Reset("key")
	left(true)
}

func TestResetOfOneKeyLeavesTheOthers(t *testing.T) {
	t.Parallel()
	c := NewCounters(nil)
	for _, key := range []string{"a", "b"} {
		c.Take(SumOf(key), "s", 0, 1)
		c.Attempt(SumOf(key), [32]byte{1})
	}
	c.Reset("a")
	if !c.Available(SumOf("a"), "s", 0, 1) || c.Available(SumOf("b"), "s", 0, 1) {
		t.Error("what was given to b alone must still count")
	}
	if a, b := c.Attempt(SumOf("a"), [32]byte{1}), c.Attempt(SumOf("b"), [32]byte{1}); a != 1 || b != 2 {
		t.Errorf("the attempts are %d of a and %d of b, want 1 and 2", a, b)
	}
	c.Reset("")
	if b := c.Attempt(SumOf("b"), [32]byte{1}); b != 1 {
		t.Errorf("after a reset of all keys this is attempt %d of b", b)
	}
}

func TestAnAnswerThatResumesAStreamIsNotDrawnAnew(t *testing.T) {
	t.Parallel()
	c := NewCounters(nil)
	for _, tt := range []struct {
		resumes bool
		want    int
	}{{true, 1}, {true, 1}, {false, 2}, {true, 2}, {true, 2}, {false, 3}, {false, 4}, {true, 4}} {
		if got := c.Draw(SumOf("key"), [32]byte{}, tt.resumes); got != tt.want {
			t.Errorf("the answer is drawn %d times, want %d", got, tt.want)
		}
	}
	if got := c.Draw(SumOf("other"), [32]byte{}, false); got != 1 {
		t.Errorf("of another key it is drawn %d times", got)
	}
	if c.Reset("key"); c.Draw(SumOf("key"), [32]byte{}, false) != 1 || c.Draw(SumOf("other"), [32]byte{}, false) != 2 {
		t.Error("a reset of one key is no reset of it alone")
	}
}

func TestWhatIsForgottenIsSaid(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	var said []string
	c := NewCounters(func(text string) { said = append(said, text) })
	c.Take(SumOf("first"), "s", 0, 1)
	for i := range maxKeys - 1 {
		c.Take(SumOf(fmt.Sprint(i)), "s", 0, 1)
	}
	if got := c.Forgotten(); got != (Forgotten{}) || said != nil {
		t.Errorf("nothing is forgotten yet: %+v, %q", got, said)
	}
	c.Take(SumOf("last"), "s", 0, 1)
	if c.Take(SumOf("last"), "s", 0, 1) || !c.Available(SumOf("first"), "s", 0, 1) || c.Available(SumOf("1"), "s", 0, 1) {
		t.Error("the first key alone is forgotten, and can take its reply again")
	}
	for i := range maxRequests + 2 {
		c.Attempt(SumOf(fmt.Sprint(i)), [32]byte{})
	}
	if got := c.Forgotten(); got != (Forgotten{1, 2}) {
		t.Errorf("%+v, want 1 key and 2 attempts", got)
	}
	if want := []string{timesForgotten, attemptsForgotten}; !slices.Equal(said, want) {
		t.Errorf("said are %q, want %q", said, want)
	}
	c.Reset("")
	if got := c.Forgotten(); got != (Forgotten{}) {
		t.Errorf("after a reset there is %+v", got)
	}
}

// Not parallel: the memory of other tests would count.
func TestKeysBeyondTheLimitTakeNoMemory(t *testing.T) {
	testflag.NoRace(t)
	c := NewCounters(nil)
	body := [32]byte{}
	long := strings.Repeat("k", 500)
	add := func(from, to int) {
		for i := from; i < to; i++ {
			key := long + strconv.Itoa(i)
			c.Take(SumOf(key), "s", 0, 1)
			c.Attempt(SumOf(key), body)
		}
	}
	add(0, maxRequests)
	before := heap()
	add(maxRequests, maxRequests+10_000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("10,000 keys beyond the limit take %d bytes", grown)
	}
	if before > 128<<20 {
		t.Errorf("%d bytes are held", before)
	}
	runtime.KeepAlive(c)
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
