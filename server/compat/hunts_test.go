package compat

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

var (
	huntRuns   = flag.Int("hunt-runs", 0, "draw this `number` of cases for each client, and print which changes find bugs")
	huntSeed   = flag.Int64("hunt-seed", 1, "the first seed of these hunts")
	huntFaults = flag.Bool("hunt-faults", false, "draw faults, too")
)

// With -hunt-runs each client is hunted: after each failure the changes of its least case are left out, and the hunt goes
// on with the next seed. The test prints which changes each failure needs, and how many failures come of a hundred cases.
func TestHuntsOfTheClients(t *testing.T) {
	if *huntRuns == 0 {
		t.Skip("-hunt-runs says how many cases are drawn")
	}
	buildAdapters(t)
	cases, failures := 0, 0
	for _, c := range clients {
		if regexp.MustCompile(*whom).MatchString(c.name) && c.newer == "" && c.name != "openai-go unstreamed" {
			found := c.hunt(t)
			cases, failures = cases+*huntRuns, failures+len(found)
			t.Logf("%s: %s", c.name, strings.Join(found, ", "))
		}
	}
	t.Logf("%d failures in %d cases, %.1f in a hundred", failures, cases, float64(100*failures)/float64(cases))
}

// hunt draws cases for the client on chat completions. It returns the changes that each failure needs.
func (c client) hunt(t *testing.T) (found []string) {
	t.Helper()
	set := setOf(t, []string{"hunted.yaml"})
	h := sweep.Hunt{Set: set, Check: server.Check, Play: c.player(t, set), Seed: *huntSeed, Runs: *huntRuns, Jobs: 1, Faults: *huntFaults}
	for h.Runs > 0 {
		f, _, err := h.Run(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if f == nil {
			break
		}
		for _, change := range f.Changes {
			h.Without = append(h.Without, change.Name())
		}
		found, h.Seed, h.Runs = append(found, f.Name), h.Seed+1, h.Runs-f.First
	}
	return found
}

// player starts the adapter of the client. It returns a function that asks it for a case.
func (c client) player(t *testing.T, set *scenarios.Set) func(context.Context, sweep.Case) (sweep.Result, error) {
	t.Helper()
	adapter := exec.CommandContext(t.Context(), c.args()[0], c.args()[1:]...)
	questions, _ := adapter.StdinPipe()
	printed, _ := adapter.StdoutPipe()
	if err := adapter.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = adapter.Wait() })
	outcomes, on := bufio.NewReader(printed), server.SurfaceNamed("chat")
	request, _ := ojson.Parse([]byte(on.Example))
	request.Set("tools", ojson.Array(on.Tool("get_weather"), on.Tool("get_time")))
	return func(_ context.Context, played sweep.Case) (result sweep.Result, err error) {
		changed, err := played.Set(set, time.Nanosecond)
		if err != nil {
			return result, err
		}
		fake, err := server.New(server.Config{Scenarios: changed, Created: 1_790_000_000, Speed: 1_000_000, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return result, err
		}
		defer fake.Close()
		front := httptest.NewServer(fake)
		defer front.Close()
		fmt.Fprintf(questions, `{"surface":"chat","base_url":"%s/v1","api_key":"sk-a","request":%s}`+"\n", front.URL, request)
		line, err := outcomes.ReadBytes('\n')
		var came scenarios.Outcome
		if err = cmp.Or(err, json.Unmarshal(line, &came)); err != nil {
			return result, fmt.Errorf("%s: %w", played.Name, err)
		}
		came.Usage = came.Usage.Get("total_tokens") // without details, which some layouts do not have
		answers := sweep.Answers(fake.Journal())
		return sweep.Result{Value: came, Detail: came.Error, Answers: answers, Verdict: played.Judge(set, came.Error != "", answers)}, nil
	}
}
