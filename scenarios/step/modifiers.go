package step

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// A Modifier changes how a step is sent, or adds to its chunk.
type Modifier func(*scenarios.Step)

// With puts the parts of another step into the chunk of the step:
//
//	step.Content("is.", step.With(step.Finish("stop")))
//
// It panics if both steps have the same part or modifier: one of the two would be lost.
func With(part scenarios.Step) Modifier {
	return func(st *scenarios.Step) {
		to, from := reflect.ValueOf(st).Elem(), reflect.ValueOf(part)
		for i := range from.NumField() {
			if from.Field(i).IsZero() {
				continue
			}
			if !to.Field(i).IsZero() {
				panic(fmt.Sprintf("step: With: both steps have %s; give it to one of them", to.Type().Field(i).Name))
			}
			to.Field(i).Set(from.Field(i))
		}
	}
}

// After sets the pause before the step, instead of the pause of the scenario's pace.
func After(d time.Duration) Modifier { return func(st *scenarios.Step) { st.After = &d } }

// Every sets the pause between the chunks of the step, instead of the pause of the
// scenario's pace.
func Every(d time.Duration) Modifier { return func(st *scenarios.Step) { st.Every = &d } }

// Jitter makes each pause of the step up to d shorter or longer, by chance.
func Jitter(d time.Duration) Modifier { return func(st *scenarios.Step) { st.Jitter = &d } }

// Choice sends the step in the choice with this index. The default is 0.
func Choice(index int) Modifier { return func(st *scenarios.Step) { st.Choice = index } }

// Pieces cuts the arguments of a call into exactly these pieces.
func Pieces(pieces ...string) Modifier {
	texts := make([]scenarios.Text, len(pieces))
	for i, piece := range pieces {
		texts[i] = scenarios.Text{Source: piece}
	}
	return func(st *scenarios.Step) { st.Pieces = scenarios.Pieces{Present: true, Texts: texts} }
}

// Logprobs gives each chunk of the step invented log-probabilities.
func Logprobs() Modifier {
	return func(st *scenarios.Step) { st.Logprobs = &scenarios.Logprobs{Generate: true} }
}

// Wire changes the SSE lines of the step's events: their id, name, comment or line ends.
func Wire(w scenarios.StepWire) Modifier { return func(st *scenarios.Step) { st.Wire = &w } }

// Quirks permits the step to break these lint rules.
func Quirks(rules ...string) Modifier {
	return func(st *scenarios.Step) {
		for _, rule := range rules {
			st.Quirks = append(st.Quirks, scenarios.Quirk{Rule: rule})
		}
	}
}

// Repeat sends the step n times. It panics if n is below 1.
func Repeat(n int) Modifier {
	if n < 1 {
		panic(fmt.Sprintf("step: Repeat(%d): a step is sent at least once; leave out a step that is not sent", n))
	}
	return func(st *scenarios.Step) { st.Repeat = n }
}

// Omit removes the values at these paths, such as delta.refusal, from each chunk of the
// step. It panics if a path cannot be parsed.
func Omit(paths ...string) Modifier {
	list := make([]scenarios.Path, len(paths))
	for i, path := range paths {
		list[i] = mustPath(path)
	}
	return func(st *scenarios.Step) { st.Omit = append(st.Omit, list...) }
}

// Set puts a JSON value at a path in each chunk of the step. Text that is not JSON is
// sent unchanged. Set panics if the path cannot be parsed.
func Set(path, json string) Modifier {
	a := scenarios.Assignment{Path: mustPath(path), Value: *literalOf(json)}
	return func(st *scenarios.Step) { st.Set = append(st.Set, a) }
}

func withModifiers(st scenarios.Step, mods []Modifier) scenarios.Step {
	for _, modify := range mods {
		modify(&st)
	}
	return st
}

func literalOf(json string) *ojson.Value {
	v, err := ojson.Parse([]byte(json))
	if err != nil {
		v = ojson.Raw(json)
	}
	return &v
}

func mustPath(path string) scenarios.Path {
	p, err := ojson.ParsePath(path)
	if bad, ok := errors.AsType[*ojson.PathError](err); ok && bad.Instead != "" {
		panic(fmt.Sprintf("step: %v; write %s", err, bad.Instead))
	}
	if err != nil {
		panic(fmt.Sprintf("step: %v", err))
	}
	return scenarios.Path{Path: p}
}
