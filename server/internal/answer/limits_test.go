package answer

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

func checkedSet(src string) (*scenarios.Set, diag.List) {
	return yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte(src)})
}

// The arguments of these calls are JSON only if every repeated fragment counts.
func TestTheRulesCheckEachRepetition(t *testing.T) {
	t.Parallel()
	loaded(t, `
name: x
stream:
  - role: assistant
  - fragment: { index: 0, id: call_1, type: function, name: f, arguments: '{"a":' }
  - fragment: { index: 0, arguments: '[' }
    repeat: 40
  - fragment: { index: 0, arguments: ']' }
    repeat: 20
  - fragment: { index: 0, arguments: ']' }
    repeat: 20
  - fragment: { index: 0, arguments: '}' }
  - finish: tool_calls
`)
}

// manyChunks is a stream with a step that is sent so many times, after one and before two
// others.
const manyChunks = "stream: [{role: assistant}, {%s}, {finish: stop}, {usage: {}}]"

// An answer has a hundred thousand events at most. The error says how many it has, where,
// and what to write instead; that is accepted.
func TestAReplyHasSoManyEventsAtMost(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for _, tt := range []struct{ name, most, beyond, want, mend string }{
		{
			"repeated", "content: 'Hi ', repeat: 99997", "content: 'Hi ', repeat: 999987",
			"the answer has 999988 events, and at most 100000 are played: write repeat: 99997", "content: 'Hi ', repeat: 99997",
		},
		{
			"repeated pieces", "text: 'one two three', repeat: 33332", "text: 'one two three', repeat: 33334",
			"the answer has 100003 events, and at most 100000 are played: write repeat: 33332", "text: 'one two three', repeat: 33332",
		},
		{
			"heartbeats", "heartbeat: 99997", "heartbeat: 100000",
			"the answer has 100001 events, and at most 100000 are played: cut its texts", "heartbeat: 1",
		},
		{
			"pieces", "text: {repeat: ab, bytes: 99997}, by: rune", "text: {repeat: ab, bytes: 200000}, by: rune",
			"the answer has more than 100000 events, and at most 100000 are played: cut its texts", "text: {repeat: ab, bytes: 200000}, by: {size: 1000}",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, fits := range []string{tt.most, tt.mend} {
				if _, problems := checkedSet("name: x\n" + fmt.Sprintf(manyChunks, fits)); len(problems) > 0 {
					t.Errorf("%s: %v", fits, problems)
				}
			}
			_, problems := checkedSet("name: x\n" + fmt.Sprintf(manyChunks, tt.beyond))
			if len(problems) != 1 || !strings.HasPrefix(problems[0].Message, tt.want) || problems[0].Line != 2 {
				t.Errorf("%s: got %v, want %s", tt.beyond, problems, tt.want)
			}
		})
	}
}

// If steps after a repeated one are too many, that one is told, with a number that fits.
func TestTheStepThatRepeatsTooOftenIsTold(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	const src = "name: x\nstream:\n  - role: assistant\n  - { content: a, repeat: 3 }\n  - { content: b, repeat: %d }\n  - content: c\n  - { text: 'd e f' }\n  - content: g\n  - finish: stop\n"
	_, problems := checkedSet(fmt.Sprintf(src, 99_995))
	if want := "the answer has 100003 events, and at most 100000 are played: write repeat: 99990"; len(problems) != 1 || problems[0].Message != want || problems[0].Line != 5 {
		t.Errorf("got %v, want %s at line 5", problems, want)
	}
	if _, problems := checkedSet(fmt.Sprintf(src, 99_990)); len(problems) > 0 {
		t.Errorf("with what it says: %v", problems)
	}
}

// A template is beyond the limits only with some requests. The error says what is.
func TestAnAnswerToARequestHasSoMuchAtMost(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for _, tt := range []struct {
		name, reply string
		most        int // most is the length of the longest question that is answered.
		want        string
	}{
		{"events", "message: { content: '{{ .last_user }}', by: rune }", 99_998, "x.yaml:2:21: the answer has more than 100000 events, and at most 100000 are played"},
		{"bytes", "stream: [{ role: assistant }, { content: { repeat: ab, bytes: 67108864 } }, { content: '{{ .last_user }}' }, { finish: stop }]", 1_048_563, "the texts of the answer have more than 68157440 bytes together"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sources := loaded(t, "name: x\n"+tt.reply+"\n")
			for length, fits := range map[int]bool{tt.most: true, tt.most + 60_000: false} {
				a := matched(t, sources, fmt.Sprintf(`{"model":"m","stream":true,"messages":[{"role":"user","content":%q}]}`, strings.Repeat("x", length)))
				_, err := NewMaker().Make(a)
				if fits && err != nil || !fits && (err == nil || !strings.Contains(err.Error(), tt.want)) {
					t.Errorf("a question of %d letters: got %v, want %s", length, err, tt.want)
				}
			}
		})
	}
}

// The texts of a reply are limited together, because an answer holds them all.
func TestAReplyIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	const src = "name: x\nstream: [{role: assistant}, {content: {repeat: ab, bytes: 67108864}}, {content: {repeat: ab, bytes: %d}, repeat: 5}, {finish: stop}]\n"
	if _, problems := checkedSet(fmt.Sprintf(src, 209_712)); len(problems) > 0 {
		t.Errorf("65 MiB: %v", problems)
	}
	const want = "the texts of the answer have more than 68157440 bytes together"
	if _, problems := checkedSet(fmt.Sprintf(src, 209_713)); len(problems) != 1 || !strings.HasPrefix(problems[0].Message, want) {
		t.Errorf("more than 65 MiB: got %v, want %s", problems, want)
	}
}

// A text that is given by its size takes no memory until it is played. Not parallel: it counts what the process allocates.
func TestATextOfASizeIsNotMadeAtLoad(t *testing.T) {
	testflag.SkipRace(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	set, problems := checkedSet("name: x\nstream: [{role: assistant}, {content: {repeat: ab, bytes: 67108864}}, {finish: stop}]\n")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	NewMaker().Warm(set, 1)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > scenarios.MaxText/2 {
		t.Errorf("loading a text of 64 MiB allocates %d bytes", n)
	}
}

// Long answers are built two at a time, in whatever way they are built, and others without waiting.
// A client that leaves does not wait. Not parallel: it replaces the slots of the process.
func TestLongAnswersWaitForEachOther(t *testing.T) {
	play := func(a *Asked) error {
		_, err := NewMaker().Make(a)
		return err
	}
	for name, tt := range map[string]struct {
		reply string // reply has the number of its events for %d.
		build func(*Asked) error
		alone bool // alone says that it is built for one request, and not if its client has left.
	}{
		"for all requests":     {"stream: [{ role: assistant }, { content: a, repeat: %d }, { finish: stop }]", play, false},
		"for one request":      {"envelope: { extra: { a: '{{ .last_user }}' } }\nstream: [{ role: assistant }, { content: a, repeat: %d }, { finish: stop }]", play, true},
		"pieces of a template": {`message: { content: '{{ printf "%%%dd" 1 }}', by: rune }`, play, true},
		"a record of what is kept": {"stream: [{ role: assistant }, { content: a, repeat: %d }, { finish: stop }]", func(a *Asked) error {
			_, err := NewMaker().Record(a, 1)
			return err
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { waitsForSlots(t, tt.reply, tt.build, tt.alone) })
		})
	}
}

func waitsForSlots(t *testing.T, reply string, build func(*Asked) error, alone bool) {
	t.Helper()
	slots := building
	defer func() { building = slots }()
	building = make(chan struct{}, cap(building)) // the bubble needs its own
	ask := func(events int) *Asked {
		return matched(t, loaded(t, fmt.Sprintf("name: x\n"+reply, events)), fmt.Sprintf(plainRequest, "gpt-4o"))
	}
	short, first, second, left := ask(10), ask(600), ask(600), ask(600)
	building <- struct{}{}
	if err := build(first); err != nil {
		t.Errorf("the second at a time: %v", err)
	}
	building <- struct{}{}
	if err := build(short); err != nil {
		t.Errorf("a short one: %v", err)
	}
	var built atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		if err := build(second); err != nil {
			t.Errorf("the third at a time: %v", err)
		}
		built.Store(true)
	})
	synctest.Wait()
	if built.Load() {
		t.Error("a third is built at a time")
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	left.Context = gone
	if alone {
		if err := build(left); err == nil {
			t.Error("one whose client has left is built")
		}
	}
	<-building
	group.Wait()
	if n := len(building); n != 1 {
		t.Errorf("%d slots are taken, want the one of this test", n)
	}
}
