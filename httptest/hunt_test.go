package fakeopenai_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// huntSeeds is how many seeds TestHuntFindsPlantedBugs tries.
var huntSeeds = flag.Int("hunt-seeds", 1, "number of seeds with which a hunt looks for each planted bug")

// hunted are the answers in which planted bugs are looked for.
const hunted = `
name: hunted-items
when: { surface: responses }
message:
  content: Grüße aus 北京, 😀! All is well.
  tool_calls:
    - { id: call_a, name: get_weather, arguments: { city: Oslo, unit: celsius } }
    - { id: call_b, name: get_time, arguments: { zone: Europe/Oslo } }
---
name: hunted
message:
  choices:
    - content: Grüße aus 北京, 😀! All is well.
      tool_calls:
        - { id: call_a, name: get_weather, arguments: { city: Oslo, unit: celsius } }
        - { id: call_b, name: get_time, arguments: { zone: Europe/Oslo } }
    - content: Once upon a time.
`

// TestHuntFindsPlantedBugs looks for each of plantedBugs, and prints a table of how it went. All
// of it is run by: go test ./httptest -run TestHuntFindsPlantedBugs -v -hunt-seeds 10
func TestHuntFindsPlantedBugs(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	begin, all := time.Now(), 0
	var table strings.Builder
	missed := 0
	for _, planted := range plantedBugs {
		found, first, runs, lines := 0, 0, 0, 0
		for seed := range int64(*huntSeeds) {
			f, n, err := fakeopenai.HuntResult(t, fakeopenai.YAML(hunted), func(ctx context.Context, fake *fakeopenai.Server) (any, error) {
				return planted.bug.ask(ctx, fake)
			}, append(planted.opts, fakeopenai.WithSeed(seed+1), fakeopenai.HuntRuns(500)))
			all += n
			if err != nil {
				t.Fatalf("%s, seed %d: %v", planted.bug, seed+1, err)
			}
			if f == nil {
				continue
			}
			if len(f.Changes) == 0 || !f.Stable && !planted.unstable {
				t.Errorf("%s, seed %d: %s", planted.bug, seed+1, f.Explain())
				continue
			}
			text := f.Scenario()
			if _, problems := server.CheckFiles(yamlfile.Source{Name: "hunted.yaml", Data: []byte(text)}); len(problems) > 0 {
				t.Errorf("%s: the least scenario is not correct: %v\n%s", planted.bug, problems, text)
			}
			if found++; seed == 0 {
				t.Logf("%s: %s", planted.bug, f.Explain())
			}
			first, runs = max(first, f.First), max(runs, f.Runs)
			if f.Stable && !planted.unstable {
				lines = max(lines, strings.Count(text, "\n"))
			}
		}
		if found < *huntSeeds {
			missed++
		}
		fmt.Fprintf(&table, "| %s | %d of %d | %d | %d | %d |\n", planted.bug, found, *huntSeeds, first, runs, lines)
		if lines > 14 {
			t.Errorf("%s: the least scenario has %d lines", planted.bug, lines)
		}
	}
	t.Logf("bug | found | most cases | most runs | most lines\n%s%d runs in %s", table.String(), all, time.Since(begin))
	if missed > 1 {
		t.Errorf("%d bugs were not found with each seed", missed)
	}
}

func TestHuntPassesHealthyClients(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for _, ask := range []func(context.Context, *fakeopenai.Server) (reading, error){buggy("").ask, buggy("usage").ask, itemBug("").ask} {
		found, _, err := fakeopenai.HuntResult(t, fakeopenai.YAML(hunted), func(ctx context.Context, fake *fakeopenai.Server) (any, error) {
			return ask(ctx, fake)
		}, []fakeopenai.HuntOption{fakeopenai.HuntFaults(), fakeopenai.HuntDialects("all"), fakeopenai.HuntRuns(100)})
		if err != nil {
			t.Fatal(err)
		}
		if found != nil {
			t.Error(found.Explain())
		}
	}
}

// A reply by chance is hunted like any other: written out, it is the reply that answered.
func TestHuntChangesAReplyByChance(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	found, _, err := fakeopenai.HuntResult(t, fakeopenai.YAML("name: x\nreplies: [{ chance: 0.999, message: One two }, { message: Three }]\n"), func(ctx context.Context, fake *fakeopenai.Server) (any, error) {
		return buggy("takes choices[0] for granted").ask(ctx, fake)
	}, []fakeopenai.HuntOption{fakeopenai.HuntRuns(500)})
	if err != nil || found == nil {
		t.Errorf("a hunt found %v: %v", found, err)
	}
}

// A hunt ends after its time, though runs are left.
func TestHuntEndsAfterItsTime(t *testing.T) {
	t.Parallel()
	const many = 1_000_000
	found, runs, err := fakeopenai.HuntResult(t, fakeopenai.YAML(hunted), func(ctx context.Context, fake *fakeopenai.Server) (any, error) {
		return buggy("").ask(ctx, fake)
	}, []fakeopenai.HuntOption{fakeopenai.HuntRuns(many), fakeopenai.HuntFor(time.Millisecond)})
	if found != nil || err != nil || runs >= many {
		t.Errorf("a hunt for a millisecond found %v in %d runs: %v", found, runs, err)
	}
}

// interleaved is an answer whose choices make calls at the same places of their streams.
const interleaved = `
name: hunted
message:
  choices:
    - tool_calls: [{ id: call_a, name: get_weather, arguments: { city: Oslo } }]
    - tool_calls: [{ id: call_b, name: get_weather, arguments: { city: Bergen } }]
`

// TestHuntNeedsTheChangeForItsBug finds a bug with the changes of a hunt and not without one of them.
func TestHuntNeedsTheChangeForItsBug(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	dialect := []fakeopenai.HuntOption{fakeopenai.HuntDialects("event-behind-data")}
	for _, of := range []struct {
		bug          buggy
		in, needs    string
		opts         []fakeopenai.HuntOption
		leftInAnswer string // leftInAnswer is in the least scenario.
	}{
		{"adds arguments to the last call of any choice", interleaved, "choices-interleaved", nil, "choice: 1"},
		{"skips the event of a comment", hunted, "comment-inside", nil, `raw: ": ping\n"`},
		{"takes event: for the next event", hunted, "event-behind-data", dialect, `event: ping`},
	} {
		ask := func(ctx context.Context, fake *fakeopenai.Server) (any, error) { return of.bug.ask(ctx, fake) }
		found, _, err := fakeopenai.HuntResult(t, fakeopenai.YAML(of.in), ask, append(of.opts, fakeopenai.HuntRuns(100)))
		if err != nil || found == nil || !strings.Contains(found.Scenario(), of.leftInAnswer) {
			t.Errorf("%s: %v, %v", of.bug, found, err)
		} else {
			t.Logf("%s:\n%s", of.bug, found.Scenario())
		}
		found, _, err = fakeopenai.HuntResult(t, fakeopenai.YAML(of.in), ask, append(of.opts, fakeopenai.HuntRuns(100), fakeopenai.Without(of.needs)))
		if err != nil || found != nil {
			t.Errorf("%s, without %s: %v, %v", of.bug, of.needs, found, err)
		}
	}
}

// Of an answer with log-probabilities no more is left than of others.
func TestHuntLeavesLittleOfLogprobs(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	found, _, err := fakeopenai.HuntResult(t, fakeopenai.Fixture("generated-logprobs"), func(ctx context.Context, fake *fakeopenai.Server) (any, error) {
		return buggy("splits at LF LF alone").ask(ctx, fake)
	}, []fakeopenai.HuntOption{fakeopenai.HuntRuns(500), fakeopenai.HuntDialects("mixed"), fakeopenai.Without("crlf", "crlf-bytes", "line-ends", "split-crlf")})
	if err != nil || found == nil || found.Name != "mixed" || strings.Count(found.Scenario(), "\n") > 8 {
		t.Errorf("a hunt found %+v: %v", found, err)
	}
}
