package limits

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
)

// clock is a clock whose time a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) set(since time.Duration) { c.at = time.Unix(1_790_000_000, 0).Add(since) }

func started() (*Limiter, *clock) {
	c := &clock{}
	c.set(0)
	return New(c.now, nil), c
}

func of(what string, l scenarios.Limits) []Rule { return []Rule{{Of: what, Limits: l}} }

func TestARefusalIsThatOfTheLongestWait(t *testing.T) {
	t.Parallel()
	short := Rule{Of: "short", Limits: scenarios.Limits{RPM: 1, Window: time.Second}}
	long := Rule{Of: "long", Limits: scenarios.Limits{RPM: 1}}
	for _, rules := range [][]Rule{{short, long}, {long, short}} {
		l, _ := started()
		l.Admit("k", rules, 1)
		if _, r := l.Admit("k", rules, 1); r == nil || r.Wait != time.Minute {
			t.Errorf("the refusal is %+v, want one that says to wait for a minute", r)
		}
	}
}

func TestAWindowSlides(t *testing.T) {
	t.Parallel()
	type ask struct {
		at     time.Duration
		tokens int
		want   string // want is the outcome: let in, or refused with the time to wait.
	}
	for _, tt := range []struct {
		name   string
		limits scenarios.Limits
		asks   []ask
	}{
		{"one a minute", scenarios.Limits{RPM: 1}, []ask{
			{0, 1, "in"}, {59 * time.Second, 1, "rpm 1 of 1: 1s"}, {60001 * time.Millisecond, 1, "in"}, {61 * time.Second, 1, "rpm 1 of 1: 59.001s"},
		}},
		{"exactly a minute is enough", scenarios.Limits{RPM: 1}, []ask{{0, 1, "in"}, {time.Minute - 1, 1, "rpm 1 of 1: 1ns"}, {time.Minute, 1, "in"}}},
		{"no window of the clock's own", scenarios.Limits{RPM: 2}, []ask{
			{0, 1, "in"}, {50 * time.Second, 1, "in"}, {59 * time.Second, 1, "rpm 2 of 2: 1s"},
			{60 * time.Second, 1, "in"}, {70 * time.Second, 1, "rpm 2 of 2: 40s"}, {110 * time.Second, 1, "in"},
		}},
		{"another window", scenarios.Limits{RPM: 1, Window: 2 * time.Second}, []ask{{0, 1, "in"}, {time.Second, 1, "rpm 1 of 1: 1s"}, {2 * time.Second, 1, "in"}}},
		{"tokens", scenarios.Limits{TPM: 100}, []ask{
			{0, 40, "in"}, {10 * time.Second, 40, "in"}, {20 * time.Second, 21, "tpm 80 of 100: 40s"}, {20 * time.Second, 20, "in"},
			{30 * time.Second, 70, "tpm 100 of 100: 40s"}, {30 * time.Second, 40, "tpm 100 of 100: 30s"}, {30 * time.Second, 101, "tpm 100 of 100: never"},
			{60 * time.Second, 40, "in"},
		}},
		{"the longest wait", scenarios.Limits{RPM: 2, TPM: 100}, []ask{
			{0, 10, "in"}, {30 * time.Second, 90, "in"}, {40 * time.Second, 5, "rpm 2 of 2: 20s"}, {40 * time.Second, 11, "tpm 100 of 100: 50s"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, c := started()
			for _, a := range tt.asks {
				c.set(a.at)
				admission, refusal := l.Admit("key", of("x", tt.limits), a.tokens)
				if got := outcome(admission, refusal); got != a.want {
					t.Errorf("at %s with %d tokens: %s, want %s", a.at, a.tokens, got, a.want)
				}
				admission.End()
			}
		})
	}
}

func outcome(a *Admission, r *Refusal) string {
	switch {
	case a != nil:
		return "in"
	case r.TooLarge():
		return fmt.Sprintf("%s %d of %d: never", r.Unit, r.Used, r.Limit)
	}
	return fmt.Sprintf("%s %d of %d: %s", r.Unit, r.Used, r.Limit, r.Wait)
}

func TestAnAnswerIsOpenUntilItEnds(t *testing.T) {
	t.Parallel()
	l, _ := started()
	rules := of("x", scenarios.Limits{Concurrent: 2})
	first, _ := l.Admit("key", rules, 1)
	_, _ = l.Admit("key", rules, 1)
	if got := outcome(l.Admit("key", rules, 1)); got != "concurrent 2 of 2: 1s" {
		t.Error(got)
	}
	if got := outcome(l.Admit("other", rules, 1)); got != "in" {
		t.Error("another key:", got)
	}
	first.End()
	first.End()
	if got := outcome(l.Admit("key", rules, 1)); got != "in" {
		t.Error("after an end:", got)
	}
	if got := outcome(l.Admit("key", rules, 1)); got != "concurrent 2 of 2: 1s" {
		t.Error("an end counts once:", got)
	}
}

func TestARefusedRequestCountsNowhere(t *testing.T) {
	t.Parallel()
	l, _ := started()
	rules := append(of("wide", scenarios.Limits{RPM: 3, Concurrent: 9}), of("narrow", scenarios.Limits{RPM: 1})...)
	if got := outcome(l.Admit("key", rules, 1)); got != "in" {
		t.Fatal(got)
	}
	for range 5 {
		if _, r := l.Admit("key", rules, 1); r == nil || r.Of != "narrow" {
			t.Fatalf("refused by %+v", r)
		}
	}
	if u := l.Usage("key").Keys[0].Windows[0]; u.Requests.Used != 1 || u.Open != 1 {
		t.Errorf("the wide limit has %+v", u)
	}
}

func TestACancelledAdmissionCountsNothing(t *testing.T) {
	t.Parallel()
	l, _ := started()
	rules := of("x", scenarios.Limits{RPM: 1, TPM: 10, Concurrent: 1})
	a, _ := l.Admit("key", rules, 10)
	a.Cancel()
	a.Cancel()
	if got := outcome(l.Admit("key", rules, 10)); got != "in" {
		t.Error(got)
	}
}

func TestWhatAnAnswerCostsCountsFromItsAdmission(t *testing.T) {
	t.Parallel()
	l, c := started()
	rules := of("x", scenarios.Limits{TPM: 100})
	a, _ := l.Admit("key", rules, 10)
	c.set(50 * time.Second)
	a.Spend(200)
	if got := outcome(l.Admit("key", rules, 10)); got != "tpm 210 of 100: 10s" {
		t.Error(got)
	}
	c.set(time.Minute)
	if got := outcome(l.Admit("key", rules, 10)); got != "in" {
		t.Error(got)
	}
	a.Spend(200)
	if s := l.Status("key", rules); s.Tokens.Used != 10 {
		t.Errorf("what has left the window costs %d", s.Tokens.Used)
	}
}

func TestTheStatusCountsDown(t *testing.T) {
	t.Parallel()
	l, c := started()
	rules := of("x", scenarios.Limits{RPM: 3, TPM: 100})
	for _, at := range []time.Duration{0, 10 * time.Second, 20 * time.Second} {
		c.set(at)
		if _, r := l.Admit("key", rules, 10); r != nil {
			t.Fatal(r)
		}
	}
	for _, want := range []struct {
		at       time.Duration
		requests Level
		tokens   int
	}{
		{20 * time.Second, Level{3, 3, 0, time.Minute}, 30},
		{45 * time.Second, Level{3, 3, 0, 35 * time.Second}, 30},
		{60 * time.Second, Level{3, 2, 1, 20 * time.Second}, 20},
		{79500 * time.Millisecond, Level{3, 1, 2, 500 * time.Millisecond}, 10},
		{80 * time.Second, Level{3, 0, 3, 0}, 0},
	} {
		c.set(want.at)
		if s := l.Status("key", rules); s.Requests != want.requests || s.Tokens.Used != want.tokens {
			t.Errorf("at %s: %+v, want %+v and %d tokens", want.at, s, want.requests, want.tokens)
		}
	}
}

func TestTheStatusHasTheNarrowestLimit(t *testing.T) {
	t.Parallel()
	l, _ := started()
	wide, narrow := Rule{Of: "wide", Limits: scenarios.Limits{RPM: 500}}, Rule{Of: "narrow", Limits: scenarios.Limits{RPM: 100}}
	for range 3 {
		if _, r := l.Admit("key", []Rule{wide, narrow}, 10); r != nil {
			t.Fatalf("refused: %+v", r)
		}
	}
	if s := l.Status("key", []Rule{wide, narrow}); s.Requests.Limit != 100 || s.Requests.Remaining != 97 || s.Tokens != Unlimited.Tokens {
		t.Errorf("told %+v", s)
	}
}

func TestWithoutLimitsNothingIsCounted(t *testing.T) {
	t.Parallel()
	l, _ := started()
	a, refusal := l.Admit("key", nil, 10)
	if a != nil || refusal != nil || l.Status("key", nil) != Unlimited {
		t.Errorf("admitted as %+v, refused as %+v; the status is %+v", a, refusal, l.Status("key", nil))
	}
	if u := l.Usage(""); len(u.Keys) != 0 {
		t.Errorf("counted %+v", u)
	}
}

func TestResetAndForget(t *testing.T) {
	t.Parallel()
	l, _ := started()
	admit := func(key, what string, want string) {
		t.Helper()
		if got := outcome(l.Admit(key, of(what, scenarios.Limits{RPM: 1}), 1)); got != want {
			t.Errorf("%s for %s: %s, want %s", what, key, got, want)
		}
	}
	const full = "rpm 1 of 1: 1m0s"
	for _, key := range []string{"a", "b"} {
		admit(key, "x", "in")
		admit(key, "y", "in")
		admit(key, "x", full)
	}
	l.Forget("a", "x")
	admit("a", "x", "in")
	admit("a", "y", full)
	admit("b", "x", full)
	l.Reset("b")
	admit("b", "y", "in")
	admit("a", "y", full)
	l.Reset("")
	admit("a", "y", "in")
	admit("b", "y", "in")
}

func TestTheKeysAreBounded(t *testing.T) {
	t.Parallel()
	l, _ := started()
	rules := of("x", scenarios.Limits{RPM: 1})
	for i := range maxKeys + 3 {
		_, _ = l.Admit(strconv.Itoa(i), rules, 1)
	}
	u := l.Usage("")
	if len(u.Keys) != maxKeys || u.Forgotten != 3 || u.Keys[0].APIKey != strconv.Itoa(maxKeys+2) {
		t.Errorf("%d keys, %d forgotten, the last is %q", len(u.Keys), u.Forgotten, u.Keys[0].APIKey)
	}
	if got := outcome(l.Admit("2", rules, 1)); got != "in" {
		t.Error("a key that was forgotten:", got)
	}
	if got := outcome(l.Admit(strconv.Itoa(maxKeys), rules, 1)); got == "in" {
		t.Error("a key that was not forgotten is let in")
	}
}

func TestParallelRequestsAreLetInExactlyAsOftenAsAllowed(t *testing.T) {
	t.Parallel()
	l := New(time.Now, nil)
	rules := append(of("x", scenarios.Limits{RPM: 7}), of("y", scenarios.Limits{TPM: 1000})...)
	var in atomic.Int64
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if a, _ := l.Admit("key", rules, 1); a != nil {
				in.Add(1)
				a.Spend(1)
				a.End()
			}
			l.Status("key", rules)
			l.Usage("")
		})
	}
	wg.Wait()
	if n := in.Load(); n != 7 {
		t.Errorf("%d requests are let in, want 7", n)
	}
}

func TestDurationsAreWrittenAsTheRealServiceDoes(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 6 * time.Minute: "6m0s", time.Second: "1s", 120 * time.Millisecond: "120ms", 18642 * time.Millisecond: "18.642s",
		8640 * time.Millisecond: "8.64s", 6 * time.Millisecond: "6ms", 1: "1ms", time.Second + 1: "1.001s",
		23*time.Hour + 55*time.Minute + 16126*time.Millisecond: "23h55m16.126s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%d ns is %q, want %q", d, got, want)
		}
	}
}

// A key that has spent nothing makes room for others without being missed.
func TestKeysThatSpentNothingAreNotForgotten(t *testing.T) {
	t.Parallel()
	l, c := started()
	rules := of("x", scenarios.Limits{RPM: 1, TPM: 1000})
	for i := range maxKeys {
		a, _ := l.Admit(strconv.Itoa(i), rules, 1)
		if i > 0 {
			a.End()
		}
	}
	c.set(2 * time.Minute)
	for i, want := range []int{1, 1, 1} { // the answer of the first key is still open
		l.Admit("later "+strconv.Itoa(i), rules, 1)
		if u := l.Usage(""); len(u.Keys) != maxKeys || u.Forgotten != want {
			t.Errorf("%d keys are counted, %d forgotten, want %d", len(u.Keys), u.Forgotten, want)
		}
	}
}

func TestALongKeyTakesLittleMemory(t *testing.T) {
	t.Parallel()
	l, _ := started()
	rules := of("x", scenarios.Limits{RPM: 1})
	long := strings.Repeat("k", 1000)
	for _, key := range []string{long + "1", long + "2"} {
		if got := outcome(l.Admit(key, rules, 1)); got != "in" {
			t.Error(got)
		}
		if name := l.Usage(key).Keys[0].APIKey; len(name) > longestKey {
			t.Errorf("%d characters of a key are remembered", len(name))
		}
	}
}

func TestTheFirstKeyThatIsForgottenIsWarnedOf(t *testing.T) {
	t.Parallel()
	warnings := 0
	l := New(time.Now, func(string) { warnings++ })
	for i := range maxKeys + 2 {
		if i <= maxKeys && warnings > 0 {
			t.Fatalf("warned at key %d", i)
		}
		l.Admit(strconv.Itoa(i), of("x", scenarios.Limits{RPM: 1}), 1)
	}
	if warnings != 1 {
		t.Errorf("warned %d times", warnings)
	}
}
