package answer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// describe is everything about lines that a surface can see.
func Describe(l *script.Lines) string {
	var out bytes.Buffer
	fmt.Fprintln(&out, l.Layout, l.Drawn, l.CompletionTokens, l.OwnDone)
	for _, line := range l.Lines {
		gap := time.Duration(-1)
		if line.Gap != nil {
			gap = *line.Gap
		}
		fmt.Fprintln(&out, line.Kind, gap, line.Jitter, line.Choice, line.Delta, line.Literal, line.Logprobs, line.Finish, line.Usage,
			line.Chunk, line.Extra, pathsOf(line.Omit), line.Set, line.Text, line.Event, line.Error, line.Close, line.Hold)
	}
	return out.String()
}

func pathsOf(list []scenarios.Path) (names []string) {
	for _, p := range list {
		names = append(names, p.String())
	}
	return names
}

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
	for _, files := range []string{"testdata/ok/*.yaml", "testdata/messages/*.yaml", "../fixtures"} {
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
		set, err := yamlfile.Load(os.DirFS(files), "*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		return set.Scenarios()
	}
	found, err := filepath.Glob(files)
	if err != nil || len(found) == 0 {
		t.Fatalf("no files for %s: %v", files, err)
	}
	var list []*scenarios.Scenario
	for _, file := range found {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set, diags := yamlfile.Check(Check, yamlfile.Source{Name: file, Data: src})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		list = append(list, set.Scenarios()...)
	}
	return list
}

func samePrinted(t *testing.T, s *scenarios.Scenario, reply int) {
	asks := printedAsks
	if s.Replies[reply].Message == nil {
		asks = asks[:2] // a stream does not depend on more
	}
	for _, ask := range asks {
		sel := &scenarios.Selection{
			Scenario: s, Reply: &s.Replies[reply], Index: reply, Request: RichRequest(t), Seed: 7,
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
		printed, err := AsStream(sel, ask)
		if err != nil {
			t.Fatal(err)
		}
		set, diags := yamlfile.Check(Check, yamlfile.Source{Name: "printed.yaml", Data: printed})
		if len(diags) > 0 {
			t.Fatalf("the printed stream is refused: %v\n%s", diags, printed)
		}
		if got, want := withoutPlaces(set.Scenarios()[0].Manner), withoutPlaces(sel.Manner); s.Replies[reply].Stream != nil && !reflect.DeepEqual(got, want) {
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
		if Describe(got) != Describe(want) {
			t.Fatalf("%+v: got\n%s\nwant\n%s\nprinted\n%s", ask, Describe(got), Describe(want), printed)
		}
	}
}

// withoutPlaces is a copy of a manner without positions.
func withoutPlaces(m scenarios.Manner) scenarios.Manner {
	c := scenarios.Clone(&scenarios.Scenario{Manner: m}).Manner
	clearPlaces(reflect.ValueOf(&c).Elem())
	return c
}

func clearPlaces(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			clearPlaces(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			clearPlaces(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[diag.Pos]() {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				clearPlaces(v.Field(i))
			}
		}
	}
}

func RichRequest(t *testing.T) *scenarios.Request {
	t.Helper()
	body := `{"model":"gpt-4o","user":"ada","temperature":0.5,"messages":[{"role":"user","content":"weather in {{ Oslo"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"call_1","content":"18 {{ C"}],
		"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}},
			{"type":"function","function":{"name":"search"}}],
		"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object","properties":{"a":{"type":"integer"}}}}}}`
	req, err := request.Parse("chat", map[string][]string{"X-Trace": {"t1"}}, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}
