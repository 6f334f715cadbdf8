package table

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// A signpost is what the tests read and write: it has a struct field of each kind.
type signpost struct {
	post
	Text     scenarios.Opt[scenarios.Text]
	Lit      *bool
	Blink    time.Duration
	Distance int
	Far      bool
	Arms     []arm
	Of       maker
	Extra    ojson.Value
	At       scenarios.Places
	Pos      diag.Pos
}

type post struct{ LastSeen string }

type arm struct {
	Way string
	Pos diag.Pos
}

type maker struct{ Name string }

func signpostSection() *Section {
	arms := &Section{
		Name: "arm", Fields: []Field{Required(Key("way", "Where to.", NameCodec("a place")))},
		Check: Check(func(d *Decoder, m Members, a *arm) bool {
			if a.Way == "nowhere" {
				d.Report(m.Key("way"), "", "no arm points there")
			}
			return a.Way != "nowhere"
		}),
	}
	return &Section{
		Name: "signpost", About: "A post with arms.", Foreign: "Extra", WrittenLast: []string{"text"},
		Fields: append([]Field{
			Key("text", "What it says."),
			Key("lit", "Whether it shines."),
			Key("blink", "How long it is dark."),
			Key("last_seen", "By whom.", NameCodec("a name")),
			Either(Key("distance", "How far.", IntCodec("a number of miles", 1, 100)), Key("distance", "", Constant("far", true)).In("Far")),
			Key("arms", "Its arms.", NonEmpty(OneOrMore("a list of arms", AnyOf(As[arm](NameCodec("a place"), "Way"), Mapping[arm]("an arm", arms))))),
			Extra("What else is on it.", "Extra"),
		}, Within("Of", []Field{Key("maker", "Who made it.", WordCodec("smith", "carver")).In("Name")})...),
	}
}

// read reads the YAML of a signpost.
func read(text string) (s signpost, problems diag.List, complete bool) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		panic(err)
	}
	d, c := &Decoder{Reader: &node.Reader{File: "x"}}, Mapping[signpost]("a signpost", signpostSection())
	complete = c.Read(d, doc.Content[0], &s)
	return s, d.Problems, complete
}

func TestASectionIsReadAndWritten(t *testing.T) {
	t.Parallel()
	text := `{lit: false, blink: 1s, last_seen: "me", distance: 3, arms: ["Rome", "Ur"], extra: {b: 1, a: 2}, maker: smith, text: "{{ .x }}"}`
	s, problems, ok := read(text)
	if !ok {
		t.Fatal(problems)
	}
	if got := string(must(yaml.Marshal(signposts().Write(&s)))); got != text+"\n" {
		t.Errorf("it is written as %s", got)
	}
	place := func(col int) diag.Pos { return diag.Pos{File: "x", Line: 1, Col: col} }
	if s.Pos != place(1) || s.At["blink"] != place(14) || s.Arms[1].Pos != place(70) {
		t.Errorf("it stands at %v, blink at %v, the second arm at %v", s.Pos, s.At["blink"], s.Arms[1].Pos)
	}
	if *s.Lit || s.Blink != time.Second || s.LastSeen != "me" || s.Distance != 3 || s.Of.Name != "smith" || s.Text.Value.Source != "{{ .x }}" {
		t.Errorf("it is read as %+v", s)
	}
	for _, text := range []string{"{}", "{text: null}", "{distance: far}", "{arms: [\"Ur\"]}"} {
		s, problems, _ := read(text)
		if got := string(must(yaml.Marshal(signposts().Write(&s)))); got != text+"\n" {
			t.Errorf("%s is written as %s; problems: %v", text, got, problems)
		}
	}
	if signposts().Write(&signpost{Distance: 3, Far: true}) != nil {
		t.Error("both distances are written under one key")
	}
}

func signposts() *Codec {
	c := Mapping[signpost]("a signpost", signpostSection())
	return &c
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestASectionReportsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{lit: 3}":                     "1:7: expected true or false, found the number 3",
		"{blink: 3}":                   "1:9: expected a duration such as 50ms, found 3 without a unit (write 3ms or 3s)",
		"{distance: near}":             "1:12: expected far, found \"near\"",
		"{distance: 0}":                "1:12: expected a number of miles, found 0: it must be at least 1",
		"{distance: []}":               "1:12: expected a number of miles or far, found a list",
		"{arms: []}":                   "1:8: the list is empty (add an element, or leave the key out)",
		"{arms: [{}, {way: Ur}]}":      "1:9: arm needs the key \"way\"",
		"{arms: [{way: nowhere}, Ur]}": "1:10: no arm points there",
		"{colour: red}":                "1:2: unknown key \"colour\" in signpost (write extra: { colour: red } to send it as it is, or let fakeopenai fmt do it)",
		"{arms: [{way: Ur, colour: red}, {way: 3}]}": "1:19: unknown key \"colour\" in arm (known keys: way)\n1:39: expected a place, found the number 3 (write \"3\" in quotes if a text is meant)",
		"[]": "1:1: expected a signpost, found a list",
	} {
		_, problems, complete := read(text)
		var got []string
		for _, p := range problems {
			line := fmt.Sprintf("%d:%d: %s", p.Line, p.Col, p.Message)
			if p.Hint != "" {
				line += " (" + p.Hint + ")"
			}
			got = append(got, line)
		}
		if got := strings.Join(got, "\n"); got != want || complete {
			t.Errorf("%s: complete %v, problems:\n%s\nwant:\n%s", text, complete, got, want)
		}
	}
}

// What could not be read is left out, and the rest is used.
func TestAnItemThatCannotBeReadIsLeftOut(t *testing.T) {
	t.Parallel()
	s, _, complete := read("{arms: [Rome, {way: nowhere}, Ur], lit: 3, blink: 1s}")
	if complete || len(s.Arms) != 2 || s.Arms[1].Way != "Ur" || s.Lit != nil || s.Blink != time.Second {
		t.Errorf("complete %v, %+v", complete, s)
	}
}

func TestASectionIsDescribed(t *testing.T) {
	t.Parallel()
	w := NewWriter()
	ref := signposts().Schema(w)
	if got := ref.String(); got != `{"$ref":"#/definitions/signpost"}` {
		t.Errorf("its schema is %s", got)
	}
	var words []string
	for _, word := range w.Words {
		words = append(words, word.Section+" "+word.Name+" ("+word.Type+"): "+word.Doc)
	}
	want := []string{
		"signpost text (a text or null): What it says.", "signpost lit (true or false): Whether it shines.",
		"signpost blink (a duration such as 50ms): How long it is dark.", "signpost last_seen (a name): By whom.",
		"signpost distance (a number of miles or far): How far.", "signpost arms (a place, an arm or a list of arms): Its arms.",
		"signpost extra (a mapping): What else is on it.", "signpost maker (one of smith, carver): Who made it.", "arm way (a place): Where to.",
	}
	if !slices.Equal(words, want) {
		t.Errorf("its words are:\n%s", strings.Join(words, "\n"))
	}
	if got := w.Definitions.Get("arm").String(); got != `{"description":"","type":"object","properties":{"way":{"description":"Where to.","type":"string","minLength":1}},"additionalProperties":false,"required":["way"]}` {
		t.Errorf("an arm is described as %s", got)
	}
}

// A mistake in a row is found when its section is made.
func TestARowNeedsItsStructField(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]Field{
		"table.signpost has no field legs for a key":                      Key("legs", "", BoolCodec()),
		"table.signpost has no field Of.legs for a key":                   Key("legs", "").In("Of.legs"),
		"the codec of true or false is for bool, and not for string":      Key("last_seen", "", BoolCodec()),
		"a key for []table.arm needs a codec":                             Key("arms", ""),
		"the codec of true or false is for bool, and not for ojson.Value": {},
	} {
		panicked := func() (message any) {
			defer func() { message = recover() }()
			if f.Name == "" {
				f = Member("x", "", BoolCodec(), "Extra")
			}
			f.bind(reflect.TypeFor[signpost]())
			return nil
		}()
		if panicked != want {
			t.Errorf("got the panic %v, want %s", panicked, want)
		}
	}
}

// A section is made once, when a value is first read or written with it.
func TestALaterSectionIsMadeWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	made := 0
	later := Later[arm]("an arm", func() *Section {
		made++
		return &Section{Name: "arm", Fields: []Field{Key("way", "Where to.", NameCodec("a place"))}}
	})
	line := ListOf("a list of arms", later)
	if made != 0 {
		t.Error("the section is made before it is needed")
	}
	list := []arm{{Way: "Ur"}}
	n := line.Write(&list)
	d, got := &Decoder{Reader: &node.Reader{}}, []arm(nil)
	if n == nil || !line.Read(d, n, &got) || !slices.Equal(got, list) || made != 1 {
		t.Errorf("%v is read as %v, and the section is made %d times, want once", list, got, made)
	}
}
