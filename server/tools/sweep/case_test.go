package sweep_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

func names(cases []sweep.Case) []string {
	var list []string
	for _, c := range cases {
		list = append(list, c.Name)
	}
	return list
}

func TestCasesAreTheVariantsThatWereAskedFor(t *testing.T) {
	t.Parallel()
	cases, err := sweep.Cases([]string{"cr"}, []string{"crlf"})
	if err != nil {
		t.Fatal(err)
	}
	got := names(cases)
	if got[0] != sweep.AsWritten().Name {
		t.Errorf("the cases do not begin with the scenario as it is: %q", got)
	}
	for name, want := range map[string]bool{"cr": true, "bom": false, "crlf": false, "no-space": true} {
		if slices.Contains(got, name) != want {
			t.Errorf("%s is a case: %t, want %t", name, !want, want)
		}
	}
	for _, names := range [][2][]string{{{"crfl"}, nil}, {nil, {"crfl"}}} {
		if _, err := sweep.Cases(names[0], names[1]); err == nil || !strings.Contains(err.Error(), `there is no variant "crfl" (did you mean "crlf"?); there are: as-written, `) {
			t.Errorf("Cases(%q, %q): %v", names[0], names[1], err)
		}
	}
}

func TestCasesRefuseAVariantThatIsAddedAndLeftOut(t *testing.T) {
	t.Parallel()
	const want = "the variant bom is both added and left out; name it once"
	if cases, err := sweep.Cases([]string{"cr", "bom"}, []string{"crlf", "bom"}); err == nil || err.Error() != want {
		t.Errorf("the cases are %q, %v, want the error %s", names(cases), err, want)
	}
}

// oneEvent are the bytes of an answer that can end early before its event, or inside it.
var oneEvent = []byte("data: 1\n\n")

const twoReplies = "name: one\nreplies: [{ when: { turn: 1 }, message: One }, { message: Two }]\n"

func TestTruncateTakesEachReplyOnce(t *testing.T) {
	t.Parallel()
	set := checked(t, twoReplies)
	one := sweep.Answer{Scenario: "one", Status: 200, Bytes: oneEvent, Surface: "chat", Body: []byte(askChat)}
	two := one
	two.Reply = 1
	for _, tt := range []struct {
		name    string
		answers []sweep.Answer
		want    []string
	}{
		{"one reply needs no name", []sweep.Answer{one, one}, []string{"close-after-0", "cut-after-0"}},
		{"several do", []sweep.Answer{one, two, one}, []string{"one-1-close-after-0", "one-1-cut-after-0", "one-2-close-after-0", "one-2-cut-after-0"}},
		{"errors are not truncated", []sweep.Answer{{Scenario: "one", Status: 429, Bytes: oneEvent}, two}, []string{"close-after-0", "cut-after-0"}},
		{"nor what no scenario answers", []sweep.Answer{{Status: 200, Bytes: oneEvent}}, nil},
	} {
		if got := names(sweep.Truncate(set, tt.answers)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: the cases are %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestATruncationIsThatOfOneReply(t *testing.T) {
	t.Parallel()
	truncation := sweep.Truncate(checked(t, twoReplies), []sweep.Answer{{Scenario: "one", Reply: 1, Status: 200, Bytes: oneEvent, Surface: "chat", Body: []byte(askChat)}})[0]
	for _, tt := range []struct {
		c        sweep.Case
		scenario string
		reply    int
		want     bool
	}{
		{sweep.AsWritten(), "one", 0, true},
		{truncation, "one", 1, true},
		{truncation, "one", 0, false},
		{truncation, "two", 1, false},
	} {
		if got := tt.c.Plays(tt.scenario, tt.reply); got != tt.want {
			t.Errorf("%s plays reply %d of %s: %t, want %t", tt.c.Name, tt.reply, tt.scenario, got, tt.want)
		}
	}
}

func TestReproduction(t *testing.T) {
	t.Parallel()
	set := checked(t, `
name: one
message: One
---
name: two
replies:
  - when: { turn: 1 }
    message: Two
  - message: Three
---
name: base
quirks: [missing-finish, role-not-assistant]
stream: [{ role: bot }, { content: "a\nb" }]
---
name: late
extends: base
quirks: [usage-negative]
when: { model: other }
envelope: { id: mine }
damage: { drop: 2 }
stream: [{ role: bot }, { content: "a\nb" }, { finish: stop }, { usage: { prompt_tokens: -1, completion_tokens: 0, total_tokens: -1 } }]
---
name: again
extends: late
pace: { first: 1s }
`)
	cases, err := sweep.Cases(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	crlf := cases[slices.IndexFunc(cases, func(c sweep.Case) bool { return c.Name == "crlf" })]
	ends := func(scenario string, reply int) sweep.Case {
		return sweep.Truncate(set, []sweep.Answer{{Scenario: scenario, Reply: reply, Status: 200, Bytes: oneEvent, Surface: "chat", Body: []byte(askChat)}})[0]
	}
	for _, tt := range []struct {
		name     string
		c        sweep.Case
		answered []string
		want     string
	}{
		{"of the scenario that answered", crlf, []string{"one"}, `{name: one-crlf, wire: {newline: crlf}, message: "One"}`},
		{"of all that did, each once", crlf, []string{"two", "one", "two"}, `{name: one-crlf, wire: {newline: crlf}, message: "One"}
---
{name: two-crlf, replies: [{when: {turn: 1}, wire: {newline: crlf}, message: "Two"}, {wire: {newline: crlf}, message: "Three"}]}`},
		{"of none, when none did", crlf, []string{""}, ""},
		{"of one that takes over another, with the quirks of both", crlf, []string{"again"}, `{name: again-crlf, when: {model: "other"}, quirks: [role-not-assistant, usage-negative], envelope: {id: "mine"}, pace: {first: 1s}, wire: {newline: crlf}, damage: [{drop: 2}], ` +
			`stream: [{role: bot}, {content: "a\nb"}, {finish: stop}, {usage: {prompt_tokens: -1, completion_tokens: 0, total_tokens: -1}}]}`},
		{"a truncation of the only reply", ends("one", 0), []string{"one", "two"}, `{name: one-close-after-0, end: {close: {after: 0}}, message: "One"}`},
		{"a truncation of one of several", ends("two", 1), []string{"one", "two"}, `{name: two-close-after-0, replies: [{when: {turn: 1}, message: "Two"}, {end: {close: {after: 0}}, message: "Three"}]}`},
		{"a truncation of what did not answer", ends("two", 1), []string{"one"}, ""},
	} {
		var answers []sweep.Answer
		for _, name := range tt.answered {
			answers = append(answers, sweep.Answer{Scenario: name})
		}
		got := tt.c.Reproduction(server.Check, set, answers)
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if got != "" {
			checked(t, got) // the reproduction is a complete file
		}
	}
}

// TestEachKeepsTheOrder plays cases of which the earlier take longer.
func TestEachKeepsTheOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var open, most atomic.Int64
		play := func(_ context.Context, n int) (int, error) {
			most.Store(max(most.Load(), open.Add(1)))
			time.Sleep(time.Duration(10-n) * time.Second)
			open.Add(-1)
			return n, nil
		}
		var got []int
		err := sweep.Each(t.Context(), 3, slices.Values([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), play, func(n int) error {
			got = append(got, n)
			return nil
		})
		if err != nil || !slices.IsSorted(got) || len(got) != 10 || most.Load() != 3 {
			t.Errorf("%v, %v, at most %d at a time", got, err, most.Load())
		}
	})
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	endless := func(yield func(int) bool) {
		for n := 0; yield(n); n++ {
		}
	}
	for name, fails := range map[string]struct{ play, take bool }{"play": {true, false}, "take": {false, true}} {
		var open atomic.Int64
		err := sweep.Each(t.Context(), 4, endless, func(ctx context.Context, n int) (int, error) {
			defer open.Add(-1)
			if open.Add(1); fails.play && n == 5 {
				return 0, broken
			}
			if n > 5 {
				<-ctx.Done() // the failure of case 5 ends it
			}
			return n, ctx.Err()
		}, func(n int) error {
			if fails.take && n == 5 {
				return broken
			}
			return nil
		})
		if !errors.Is(err, broken) || open.Load() != 0 {
			t.Errorf("%s: %v, and %d runs are left", name, err, open.Load())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sweep.Each(ctx, 1, endless, func(context.Context, int) (int, error) { return 0, nil }, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a run whose context has ended returns %v", err)
	}
}
