package answer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/testkit"
)

var printedAsks = []script.Ask{
	{},
	{Usage: true, Logprobs: true, TopLogprobs: 2},
	{N: 3, Usage: true, Fold: true},
	{Layout: scenarios.LayoutReasoning, Logprobs: true},
	{Layout: scenarios.LayoutMinimal, Usage: true},
	{Layout: scenarios.LayoutAzure},
}

func TestAMessagePrintedAsAStreamGivesTheSameLines(t *testing.T) {
	t.Parallel()
	for _, files := range []string{scenarioFiles + "/ok/*.yaml", scenarioFiles + "/messages/*.yaml", "../../../fixtures"} {
		for _, s := range loadEach(t, files) {
			for i := range s.Replies {
				if s.Replies[i].Error == nil {
					t.Run(fmt.Sprintf("%s/%d", s.Name, i), func(t *testing.T) {
						t.Parallel()
						samePrinted(t, s, i)
					})
				}
			}
		}
	}
}

// loadEach loads a folder as one set, or each file that matches a pattern as a
// set of its own.
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
	for _, file := range testkit.Files(t, files) {
		list = append(list, checked(t, yamlfile.Source{Name: file, Data: testkit.Read(t, file)})...)
	}
	return list
}

// checked are the scenarios of files that together have no mistakes.
func checked(t *testing.T, sources ...yamlfile.Source) []*scenarios.Scenario {
	t.Helper()
	set, diags := yamlfile.Check(answer.Check, sources...)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return set.Scenarios()
}

func samePrinted(t *testing.T, s *scenarios.Scenario, reply int) {
	asks := printedAsks
	if s.Replies[reply].Message == nil {
		asks = asks[:2] // a stream does not depend on more
	}
	for _, ask := range asks {
		sel := &scenarios.Selection{
			Scenario: s, Reply: &s.Replies[reply], Index: reply, Request: testkit.RichRequest(t), Seed: 7,
			Match:  map[string]string{},
			Manner: s.Manner.Under(s.Replies[reply].Manner),
		}
		for _, name := range append(s.When.GroupNames(), s.Replies[reply].When.GroupNames()...) {
			sel.Match[name] = "captured {{ " + name
		}
		if s.Seed != nil {
			sel.Seed = *s.Seed
		}
		if layout := sel.Manner.Envelope.Layout; layout != "" {
			ask.Layout = layout
		}
		want, err := script.Expand(sel, ask)
		if err != nil {
			t.Fatal(err)
		}
		printed, err := answer.AsStream(sel, ask)
		if err != nil {
			t.Fatal(err)
		}
		set, diags := yamlfile.Check(answer.Check, yamlfile.Source{Name: "printed.yaml", Data: printed})
		if len(diags) > 0 {
			t.Fatalf("the printed stream is refused: %v\n%s", diags, printed)
		}
		if got, want := set.Scenarios()[0].Manner, sel.Manner; s.Replies[reply].Stream != nil && !equalButForPlaces(reflect.ValueOf(got), reflect.ValueOf(want)) {
			t.Fatalf("the manner changes:\n%+v\nwas\n%+v\nprinted\n%s", got, want, printed)
		}
		other := *sel
		other.Scenario = set.Scenarios()[0]
		other.Reply, other.Index = &other.Scenario.Replies[0], 0
		other.Manner = other.Scenario.Manner
		again := ask
		if layout := other.Manner.Envelope.Layout; layout != "" {
			again.Layout = layout
		}
		got, err := script.Expand(&other, again)
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if testkit.Describe(got) != testkit.Describe(want) {
			t.Fatalf("%+v: got\n%s\nwant\n%s\nprinted\n%s", ask, testkit.Describe(got), testkit.Describe(want), printed)
		}
	}
}

// equalButForPlaces is [reflect.DeepEqual] that takes no notice of positions.
func equalButForPlaces(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return equalButForPlaces(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equalButForPlaces(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		return equalStructs(a, b)
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// equalStructs compares structs field by field, but as a whole where it may not
// look into them.
func equalStructs(a, b reflect.Value) bool {
	if a.Type() == reflect.TypeFor[diag.Pos]() {
		return true
	}
	for i := range a.NumField() {
		if !a.Type().Field(i).IsExported() {
			return reflect.DeepEqual(a.Interface(), b.Interface())
		}
	}
	for i := range a.NumField() {
		if !equalButForPlaces(a.Field(i), b.Field(i)) {
			return false
		}
	}
	return true
}
