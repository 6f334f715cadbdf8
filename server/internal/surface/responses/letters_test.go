package responses_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// counted counts the numbers that are drawn from a source.
type counted struct {
	rand.Source
	n int
}

func (c *counted) Uint64() uint64 {
	c.n++
	return c.Source.Uint64()
}

// To draw the obfuscation of each piece was the most expensive part of a long answer with a template.
func TestObfuscationIsDrawnOnceForAllAnswers(t *testing.T) {
	t.Parallel()
	list, problems := yamlfile.Parse("x.yaml", []byte("name: x\nmessage: '{{ .request.input }}'\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	set, err := scenarios.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	for sel := range set.Selections(1) {
		sel.Request = &scenarios.Request{Surface: "responses", Stream: true, IncludeObfuscation: true}
		want := responses.Surface{}.Want(sel, false)
		sc, problems := script.New(sel, want).Reply(responses.Surface{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		drawn := &counted{Source: rand.NewPCG(1, 2)}
		var later []func(*surface.Filler)
		o := surface.Options{Want: want, FromMessage: true, Rand: func() *rand.Rand { return rand.New(drawn) }}
		o.Later = func(fill func(*surface.Filler, hole.ID)) ojson.Value {
			id := sc.FreeHole() + hole.ID(len(later)) //nolint:gosec // a few
			later = append(later, func(f *surface.Filler) { fill(f, id) })
			return hole.Value(id)
		}
		if _, err := (responses.Surface{}).Speak(sc, &o); err != nil {
			t.Fatal(err)
		}
		for answer, input := range []string{"one two three", "four five", "six"} {
			before := drawn.n
			one := *sel
			one.Request = &scenarios.Request{Body: ojson.Object(ojson.M("input", ojson.String(input)))}
			f := surface.Filler{Values: new(player.Values), Selection: &one}
			if _, _, err := sc.Fill(&one, f.Style, 0, f.Values); err != nil {
				t.Fatal(err)
			}
			for _, fill := range later {
				fill(&f)
			}
			if n := drawn.n - before; (n > 0) != (answer == 0) {
				t.Errorf("%q: %d numbers were drawn; the first and longest answer draws, the others use what is drawn", input, n)
			}
		}
	}
}
