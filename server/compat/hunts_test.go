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
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

var (
	huntSeed   = flag.Int64("hunt-seed", 1, "the first seed of the hunts of BenchmarkHunts")
	huntFaults = flag.Bool("hunt-faults", false, "draw faults in these hunts, too")
)

// BenchmarkHunts hunts each client on chat completions, in b.N cases: after each failure the changes of its least case
// are left out, and the hunt goes on with the next seed. It prints which changes each failure needs, and reports how many
// failures come of a case.
func BenchmarkHunts(b *testing.B) {
	buildAdapters(b)
	for _, c := range clients {
		if !regexp.MustCompile(*whom).MatchString(c.name) || c.newer != "" || c.name == "openai-go unstreamed" {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			set := setOf(b, []string{"hunted.yaml"})
			h := sweep.Hunt{Set: set, Check: server.Check, Play: c.player(b, set), Seed: *huntSeed, Runs: b.N, Jobs: 1, Faults: *huntFaults}
			failures := 0
			for h.Runs > 0 {
				f, _, err := h.Run(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				if f == nil {
					break
				}
				if len(f.Changes) == 0 {
					b.Fatal("the client fails with the answer as written:", f.Detail)
				}
				b.Log(f.Name)
				for _, change := range f.Changes {
					h.Without = append(h.Without, change.Name())
				}
				failures, h.Seed, h.Runs = failures+1, h.Seed+1, h.Runs-f.First
			}
			b.ReportMetric(float64(failures)/float64(b.N), "failures/op")
		})
	}
}

// player starts the adapter of the client. It returns a function that asks it for a case.
func (c client) player(b *testing.B, set *scenarios.Set) func(context.Context, sweep.Case) (sweep.Result, error) {
	b.Helper()
	adapter := exec.CommandContext(b.Context(), c.args()[0], c.args()[1:]...)
	questions, _ := adapter.StdinPipe()
	printed, _ := adapter.StdoutPipe()
	if err := adapter.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = adapter.Wait() })
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
