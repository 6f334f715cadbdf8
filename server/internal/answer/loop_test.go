package answer

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/completions"
)

// loopedSteps are steps that are repeated often enough to be held as loops, and some
// that cannot be.
var loopedSteps = map[string]string{
	"content":       "[{role: assistant}, {content: 'Hi ', repeat: 90}, {finish: stop}]",
	"pieces":        "[{role: assistant}, {text: 'one two three four', repeat: 40}, {finish: stop}, {usage: {}}]",
	"with an end":   "[{role: assistant}, {text: 'one two', finish: length, repeat: 40, after: 3ms, every: 2ms}]",
	"heartbeats":    "[{role: assistant}, {heartbeat: 90}, {heartbeat: 80, every: 5ms}, {finish: stop}]",
	"in turn":       "[{content: a, repeat: 50, after: 1s}, {content: b, repeat: 60, choice: 1}, {hold: gate}, {content: c, repeat: 70}, {usage: {}}]",
	"wire events":   "[{comment: ping, repeat: 40}, {event: {event: e, data: d, id: i}, repeat: 40}, {content: x, repeat: 3}, {raw: \"data: {}\\n\\n\", repeat: 50}, {done: false}]",
	"pauses":        "[{wait: 5ms}, {content: x, repeat: 40}, {wait: 7ms}, {content: y, repeat: 40, jitter: 3ms, every: 9ms}]",
	"edits":         "[{role: assistant, repeat: 33, extra: {k: [1]}}, {content: x, set: {delta.y: 2}, omit: [model], repeat: 40}, {usage: {}}]",
	"large":         "[{content: {repeat: 'Hi ', bytes: 66000}, repeat: 40}, {usage: {}}]",
	"literals":      "[{chunk: {id: x, choices: [{index: 0, delta: {content: x}}]}, repeat: 40}, {delta: {content: y}, repeat: 40}]",
	"templates":     "[{content: '{{ .Model }}', repeat: 40}, {text: '{{ .Model }} and more', repeat: 40}, {content: x, repeat: 40}, {usage: {}}]",
	"calls":         "[{tool_call: {name: f, arguments: {a: 1}}, repeat: 40}, {content: x, repeat: 40}]",
	"log-probs":     "[{content: x, repeat: 40}, {content: y, logprobs: true, repeat: 40}, {content: z, repeat: 40}]",
	"a failure":     "[{content: x, repeat: 40}, {error: {status: 500}, repeat: 40}]",
	"fewer than it": "[{content: x, repeat: 31}, {content: y, repeat: 34}]",
}

// loopedManners are the manners in which loopedSteps are sent.
var loopedManners = []string{
	"", "pace: {every: 10ms}", "pace: {first: 1s, every: 10ms, speed: 3}", "pace: {every: 10ms, jitter: 5ms}", "pace: {every: 10ms, distribution: gamma}",
	"pace: {recorded: [1ms, 2ms, 3ms]}", "pace: {tokens_per_second: 7}",
	"end: {stall: {after: 37}}", "end: {reset: {after: 41}}", "end: {close: {after: 1}}", "end: {cut: {after: 77, inside: false}}", "end: stall",
	"end: {reset: {after: -3}}", "end: {cut: {after: 44}}", "end: {cut: {byte: 5000}}", "end: close",
	"wire: {final_blank: false}", "wire: {ids: true}", "wire: {newline: mixed}", "wire: {coalesce: 7}", "wire: {bom: true, retry: 5}",
	"wire: {after_done: more}", "wire: {done: 2}", "damage: [{drop: 40}, {duplicate: all}]", "wire: {split: {size: 100}}",
}

// A loop is sent like the groups for which it stands, each at the same time.
func TestALoopIsSentAsWhatItStandsFor(t *testing.T) {
	t.Parallel()
	loops := 0
	for _, steps := range loopedSteps {
		for _, manner := range loopedManners {
			src := fmt.Sprintf("name: x\n%s\nstream: %s\n", manner, steps)
			if strings.Contains(steps, "bytes") && manner != "" {
				continue // skipped because it is slow
			}
			sources := unchecked(t, src)
			for _, s := range []surface.Surface{chat.Surface{}, completions.Surface{}} {
				for _, stream := range []bool{true, false} {
					for _, header := range [][]string{nil, {"Last-Event-Id", "i"}} {
						if header != nil && !strings.Contains(steps, "id: i}") {
							continue
						}
						a := matched(t, sources, fmt.Sprintf(`{"model":"m","stream":%t,"messages":[{"role":"user","content":"hi"}]}`, stream), header...)
						a = Ask(s, a.Selection, false)
						looped, n := timed(t, a)
						loops += n
						a.Want.Loops = false
						single, n := timed(t, a)
						if n > 0 {
							t.Fatalf("%s: loops that nobody wants", src)
						}
						if looped != single {
							inA, inB := differ(looped, single)
							t.Errorf("%s%s, stream %t, %v: got\n%s\nwant\n%s", src, s.Name(), stream, header, inA, inB)
						}
					}
				}
			}
		}
	}
	if loops == 0 {
		t.Error("there are no loops")
	}
}

func checkedSet(src string) (*scenarios.Set, diag.List) {
	return yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte(src)})
}

// unchecked returns a set without checking it against the rules of the protocol.
func unchecked(t *testing.T, src string) *scenarios.Set {
	t.Helper()
	set, problems := yamlfile.Check(func(*scenarios.Set) diag.List { return nil }, yamlfile.Source{Name: "x.yaml", Data: []byte(src)})
	if set == nil {
		t.Fatalf("%s: %v", src, problems)
	}
	return set
}

// timed prints what is sent of an answer, and when. Loops is the number of its loops.
func timed(t *testing.T, a *Asked) (text string, loops int) {
	t.Helper()
	m := Maker{Created: 1}
	made, err := m.Make(a)
	if err != nil {
		return err.Error(), 0
	}
	var out strings.Builder
	fmt.Fprintln(&out, made.Status, made.Tokens, made.Program.Ending, made.Program.Chance)
	for f, due := range made.Program.All() {
		fmt.Fprintf(&out, "%v %s %d %s %s %t %q\n", due, f.Hold, f.Step, f.Kind, f.ID, f.More, f.Append(nil, made.Values))
	}
	for _, f := range made.Program.Frames {
		if f.Loop != nil {
			loops++
		}
	}
	return out.String(), loops
}

// A reply of nearly a million chunks takes little memory.
func TestALargeReplyTakesNoMemoryForWhatIsRepeated(t *testing.T) {
	t.Parallel()
	for _, steps := range []string{
		"[{role: assistant}, {content: 'Hi ', repeat: 999990}, {finish: stop}]",
		"[{text: 'one two three ', repeat: 240000}, {finish: stop}]",
		"[{heartbeat: 999990}, {content: x}, {finish: stop}]",
	} {
		for _, manner := range []string{"pace: {every: 1ms}", "end: {stall: {after: 900000}}"} {
			src := fmt.Sprintf("name: x\n%s\nstream: %s\n", manner, steps)
			a := matched(t, unchecked(t, src), fmt.Sprintf(plainRequest, "gpt-4o"))
			p, err := new(Maker).shared(a)
			if err != nil {
				t.Fatal(err)
			}
			if groups, units, frames := len(p.script.Groups), len(p.units), len(p.shared.Frames); groups > 20 || units > 20 || frames > 20 {
				t.Errorf("%s: there are %d groups, %d units and %d frames", src, groups, units, frames)
			}
			n := 0
			for range p.shared.All() {
				n++
			}
			if n < 900_000 {
				t.Errorf("%s: only %d frames are played", src, n)
			}
		}
	}
}

// Manners that look at each frame limit the length of loops.
func TestALoopThatIsWrittenOutIsBounded(t *testing.T) {
	t.Parallel()
	for _, manner := range []string{"wire: {ids: true}", "damage: [{drop: 7}]", "wire: {coalesce: 3}", "end: {cut: {byte: 100}}"} {
		src := "name: x\n" + manner + "\nstream: [{role: assistant}, {content: 'Hi ', repeat: %d}, {finish: stop}]\n"
		set, problems := checkedSet(fmt.Sprintf(src, 999_990))
		if set != nil || !strings.Contains(problems.Error(), "the stream has 999992 frames") {
			t.Errorf("%s: a million frames: got %v", manner, problems)
		}
		if set, problems := checkedSet(fmt.Sprintf(src, 2000)); set == nil {
			t.Errorf("%s: two thousand frames: %v", manner, problems)
		}
	}
}

// The arguments of these calls are JSON only if every repeated fragment counts.
func TestTheRulesCheckEachRoundOfALoop(t *testing.T) {
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

// The error for too many repetitions says what to write instead, and that is accepted.
func TestTheErrorForTooManyRepetitionsCanBePasted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src, want string
		quick     bool
	}{
		{"when: { surface: responses }\nstream: [{role: assistant}, {content: 'Hi ', repeat: 200000}, {finish: stop}]", "step 2 is sent 200000 times", false},
		{"stream: [{role: assistant}, {content: 'Hi {{ .turn }}', repeat: 200000}, {finish: stop}]", "repeats 100000 times at most", true},
	} {
		_, problems := checkedSet("name: x\n" + tt.src)
		got := fmt.Sprint(problems)
		for _, p := range problems {
			got += " " + p.Hint
		}
		_, mend, found := strings.Cut(got, "write repeat: ")
		times := mend[:strings.IndexFunc(mend+" ", func(r rune) bool { return r < '0' || r > '9' })]
		if !found || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s", tt.src, got)
			continue
		}
		if n, err := strconv.Atoi(times); err != nil || n < 10_000 || n >= 200_000 {
			t.Errorf("%s: repeat: %s is no mend", tt.src, times)
		}
		if !tt.quick {
			continue
		}
		if _, problems := checkedSet("name: x\n" + strings.Replace(tt.src, "200000", times, 1)); len(problems) > 0 {
			t.Errorf("%s: with repeat: %s: %v", tt.src, times, problems)
		}
	}
}

// The texts of a reply are limited together, because an answer in one piece holds them
// all.
func TestAReplyIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	const src = "name: x\nstream: [{role: assistant}, {content: {repeat: ab, bytes: %d}}, {content: {repeat: ab, bytes: 60000000}, repeat: 4}, {finish: stop}]\n"
	if _, problems := checkedSet(fmt.Sprintf(src, 20_000_000)); len(problems) > 0 {
		t.Errorf("260 MB: %v", problems)
	}
	if _, problems := checkedSet(fmt.Sprintf(src, 30_000_000)); !strings.Contains(fmt.Sprint(problems), "the texts of the reply are longer than 268435456 bytes together") {
		t.Errorf("270 MB: %v", problems)
	}
}
