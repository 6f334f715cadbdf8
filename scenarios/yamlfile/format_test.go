package yamlfile_test

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// A formatted scenario is read back as the same scenario. The files in testdata/ok use
// all words of the language.
func TestAFormattedScenarioIsReadAsTheSame(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"../testdata/ok/*.yaml", "../testdata/messages/*.yaml", "../../fixtures/*.yaml"} {
		for _, file := range filesLike(t, pattern) {
			list, problems := yamlfile.Parse(file, mustRead(t, file))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			for _, s := range list {
				t.Run(filepath.Base(file)+"/"+s.Name, func(t *testing.T) {
					t.Parallel()
					checkFormatted(t, s)
				})
			}
		}
	}
}

func checkFormatted(t *testing.T, s *scenarios.Scenario) {
	text := format(t, s)
	list, problems := yamlfile.Parse("formatted.yaml", text)
	if len(problems) > 0 || len(list) != 1 {
		t.Fatalf("%d scenarios, %v, in\n%s", len(list), problems, text)
	}
	if got, want := withoutPlaces(list[0]), withoutPlaces(s); !reflect.DeepEqual(got, want) {
		t.Errorf("read back it is\n%+v\nnot\n%+v\nin\n%s", got, want, text)
	}
	if again := format(t, list[0]); string(again) != string(text) {
		t.Errorf("formatted again it is\n%s\nnot\n%s", again, text)
	}
}

func format(t *testing.T, s *scenarios.Scenario) []byte {
	t.Helper()
	text, err := yamlfile.Format(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// withoutPlaces returns a copy of a scenario without positions.
func withoutPlaces(s *scenarios.Scenario) *scenarios.Scenario {
	c := s.Clone()
	clearPlaces(reflect.ValueOf(c).Elem())
	return c
}

func clearPlaces(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*regexp.Regexp]() {
			clearPlaces(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			clearPlaces(v.Index(i))
		}
	case reflect.Map:
		v.SetZero() // places
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

func TestFormatWritesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	pause := 20 * time.Millisecond
	stream := []scenarios.Step{
		{Role: text("assistant")},
		{Content: text("yes: {{ .model }}"), After: &pause},
		{Raw: &scenarios.Text{Source: "{{", Literal: true}},
		{Finish: scenarios.NullOf[scenarios.Text]()},
	}
	s := &scenarios.Scenario{
		Name: "on", Description: "no", When: scenarios.When{Model: []string{"gpt-4o*"}},
		Quirks:  []scenarios.Quirk{{Rule: "missing-finish"}},
		Replies: []scenarios.Reply{{Stream: &stream}},
		Manner: scenarios.Manner{
			Envelope: scenarios.Envelope{Layout: scenarios.Layout2024, Extra: ojson.Object(ojson.M("true", ojson.Number("1.0")))},
			End:      scenarios.End{Kind: scenarios.EndStall, For: new(time.Minute)},
		},
	}
	want := `name: "on"
description: "no"
when:
  model: "gpt-4o*"
quirks: [missing-finish]
envelope:
  layout: "2024"
  extra: {"true": 1.0}
end: {stall: {for: 1m0s}}
stream:
  - role: assistant
  - content: "yes: {{ .model }}"
    after: 20ms
  - raw: "{{ \"{{\" }}"
  - finish: null
`
	if got := string(format(t, s)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.Replies[0].Times = 2
	s.Replies[0].Stream, s.Replies[0].Message = nil, &scenarios.Message{Content: text("Hi")}
	before, _, _ := strings.Cut(want, "stream:\n")
	want = before + "replies:\n  - times: 2\n    message: \"Hi\"\n"
	if got := string(format(t, s)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAConditionMadeInGoIsWritten(t *testing.T) {
	t.Parallel()
	hi := "hi"
	path := scenarios.Path{}
	path.Path, _ = ojson.ParsePath("user")
	s := &scenarios.Scenario{Name: "x", When: scenarios.When{Body: []scenarios.BodyMatch{{Path: path, Match: &scenarios.TextMatch{Equals: &hi}}}}}
	want := "name: x\nwhen:\n  body: {user: {equals: \"hi\"}}\n"
	if got := string(format(t, s)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s.When.Body[0].Equals != nil {
		t.Error("what is formatted has changed")
	}
}

func TestFormatRefusesWhatNoFileCanSay(t *testing.T) {
	t.Parallel()
	raw := ojson.Array(ojson.Raw("{half"))
	for name, st := range map[string]scenarios.Step{
		"JSON that is none":        {Delta: &raw},
		"a tool's name by size":    {ToolCall: &scenarios.ToolCall{Name: scenarios.Some(scenarios.Text{Repeat: "a", Bytes: 9})}},
		"a value under a path":     {Content: text("a"), Set: []scenarios.Assignment{{Value: raw}}},
		"two ways to end lines":    {Content: text("a"), Wire: &scenarios.StepWire{Newline: "lf", Newlines: [2]string{"cr", "cr"}}},
		"a member of an extension": {Content: text("a"), Extra: ojson.Object(ojson.M("a", raw))},
	} {
		steps := []scenarios.Step{st}
		text, err := yamlfile.Format(&scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Stream: &steps}}})
		if err == nil {
			t.Errorf("%s: written as\n%s", name, text)
		}
	}
}

func text(s string) scenarios.Opt[scenarios.Text] { return scenarios.Some(scenarios.Text{Source: s}) }
