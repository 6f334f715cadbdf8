package answer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// wish is what a request wants. The zero value is a stream of chat completions in the
// layout of gpt-4o.
type wish struct {
	N           int
	Usage       bool
	Fold        bool // fold: the answer is not streamed
	Logprobs    bool
	TopLogprobs int
	Layout      scenarios.Layout // the layout, if the scenario names none
	Surface     surface.Surface  // nil stands for chat
}

var printedWishes = []wish{
	{},
	{Usage: true, Logprobs: true, TopLogprobs: 2},
	{N: 3, Usage: true, Fold: true},
	{Layout: scenarios.LayoutReasoning, Logprobs: true},
	{Layout: scenarios.LayoutMinimal, Usage: true},
	{Layout: scenarios.LayoutAzure},
}

// A message that is printed as a stream plays the same lines.
func TestAMessagePrintedAsAStreamGivesTheSameLines(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for _, files := range []string{scenarioFiles + "/ok/*.yaml", scenarioFiles + "/messages/*.yaml", "../../../fixtures"} {
		for _, s := range loadEach(t, files) {
			for i := range s.Replies {
				if s.Replies[i].Error == nil && s.Replies[i].Whole() == "" {
					t.Run(fmt.Sprintf("%s/%d", s.Name, i), func(t *testing.T) {
						t.Parallel()
						samePrinted(t, s, i)
					})
				}
			}
		}
	}
}

// loadEach loads a folder as one set, or each file that matches a pattern as a set of
// its own.
func loadEach(t *testing.T, files string) []*scenarios.Scenario {
	t.Helper()
	if filepath.Ext(files) == "" {
		sources, err := yamlfile.ReadSources(os.DirFS(files), "*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		return checked(t, sources...)
	}
	var list []*scenarios.Scenario
	for file, text := range filesOf(t, files) {
		list = append(list, checked(t, yamlfile.Source{Name: file, Data: text, Beside: os.DirFS(filepath.Dir(file))})...)
	}
	return list
}

// checked loads files that must have no mistakes, and returns their scenarios.
func checked(t *testing.T, sources ...yamlfile.Source) []*scenarios.Scenario {
	t.Helper()
	set, diags := yamlfile.Check(Check, sources...)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return set.Scenarios()
}

// selected is the selection of a reply for a request with that wish.
func selected(t *testing.T, s *scenarios.Scenario, reply int, w wish) *Asked {
	t.Helper()
	body, err := os.ReadFile(scenarioFiles + "/request.json")
	if err != nil {
		t.Fatal(err)
	}
	req := request(t, string(body), "X-Trace", "t1")
	req.N, req.IncludeUsage, req.Stream = max(1, w.N), w.Usage, !w.Fold
	req.Logprobs, req.TopLogprobs = w.Logprobs, w.TopLogprobs
	sel := &scenarios.Selection{
		Scenario: s, Reply: &s.Replies[reply], Index: reply, Request: req, Seed: 7,
		Match:  map[string]string{},
		Manner: s.Manner.Overlay(&s.Replies[reply].Manner),
	}
	for _, name := range append(s.When.GroupNames(), s.Replies[reply].When.GroupNames()...) {
		sel.Match[name] = "captured {{ " + name
	}
	if s.Seed != nil {
		sel.Seed = *s.Seed
	}
	return asked(sel, w)
}

func asked(sel *scenarios.Selection, w wish) *Asked {
	if w.Surface == nil {
		w.Surface = chat.Surface{}
	}
	a := Ask(w.Surface, sel, w.Layout == scenarios.LayoutAzure)
	a.Want.N = max(1, w.N) // whatever the surface reads from the request's messages
	if w.Layout != "" && sel.Manner.Envelope.Layout == "" {
		a.Want.Layout = w.Layout
	}
	return a
}

func samePrinted(t *testing.T, s *scenarios.Scenario, reply int) {
	wishes := printedWishes
	if s.Replies[reply].Message == nil {
		wishes = wishes[:2] // streams depend on nothing else
	}
	if testing.Short() {
		wishes = wishes[:1] // each reads what was printed
	}
	on := SurfaceOf(s, &s.Replies[reply])
	if on.Info().Name != (chat.Surface{}).Info().Name {
		wishes = wishes[:min(len(wishes), 2)] // the others are about chat completions
	}
	for _, w := range wishes {
		w.Surface = on
		first := selected(t, s, reply, w)
		want := playedFor(first)
		if strings.HasPrefix(want, "error: ") {
			t.Fatal(want)
		}
		printed, err := AsStream(first)
		if err != nil {
			t.Fatal(err)
		}
		set, diags := yamlfile.Check(Check, yamlfile.Source{Name: "printed.yaml", Data: printed, Beside: os.DirFS(scenarioFiles + "/ok")})
		if len(diags) > 0 {
			t.Fatalf("the printed stream is refused: %v\n%s", diags, printed)
		}
		if first.Manner.Wire.Body != nil {
			continue // it has no stream
		}
		if got, want := mannerOf(t, set.Scenarios()[0].Manner), mannerOf(t, *first.Manner); s.Replies[reply].Stream != nil && got != want {
			t.Fatalf("the manner changes:\n%s\nwas\n%s\nprinted\n%s", got, want, printed)
		}
		other := *first.Selection
		other.Scenario = set.Scenarios()[0]
		other.Reply, other.Index = &other.Scenario.Replies[0], 0
		other.Manner = &other.Scenario.Manner
		if got := playedFor(asked(&other, w)); got != want {
			t.Fatalf("%+v: got\n%s\nwant\n%s\nprinted\n%s", w, got, want, printed)
		}
	}
}

// playedFor prints what is played of a program that is built for its request alone.
func playedFor(a *Asked) string {
	p, err := buildFor(a)
	return playedFrom(p, err, a)
}

// mannerOf prints a manner as it is written in files.
func mannerOf(t *testing.T, m scenarios.Manner) string {
	t.Helper()
	text, err := yamlfile.Format(&scenarios.Scenario{Name: "x", Manner: m, Replies: []scenarios.Reply{{Message: &scenarios.Message{}}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
