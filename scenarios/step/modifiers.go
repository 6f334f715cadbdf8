package step

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// A Modifier changes how a step is sent, or adds to what its chunk holds.
type Modifier func(*scenarios.Step)

// With puts the parts of another step into the chunk of the step:
//
//	step.Content("is.", step.With(step.Finish("stop")))
//
// It panics if both steps have the same part or modifier, of which one would be lost.
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

// After is the pause before the step, in place of the pace's.
func After(d time.Duration) Modifier { return func(st *scenarios.Step) { st.After = &d } }

// Every is the pause between the chunks of the step, in place of the pace's.
func Every(d time.Duration) Modifier { return func(st *scenarios.Step) { st.Every = &d } }

// Jitter lets each pause of the step vary by up to d, either way.
func Jitter(d time.Duration) Modifier { return func(st *scenarios.Step) { st.Jitter = &d } }

// Choice sends the step to the choice with that index.
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

// Wire lays the events of the step out in a way of their own: with an id, a
// name, a comment before them, or other line ends.
func Wire(w scenarios.StepWire) Modifier { return func(st *scenarios.Step) { st.Wire = &w } }

// Quirks lets the step break these lint rules.
func Quirks(rules ...string) Modifier {
	return func(st *scenarios.Step) {
		for _, rule := range rules {
			st.Quirks = append(st.Quirks, scenarios.Quirk{Rule: rule})
		}
	}
}

// Repeat sends the step n times. It panics if n is below 1: there is no step that is
// not sent.
func Repeat(n int) Modifier {
	if n < 1 {
		panic(fmt.Sprintf("step: Repeat(%d): a step is sent at least once; leave out a step that is not sent", n))
	}
	return func(st *scenarios.Step) { st.Repeat = n }
}

// Omit takes places out of each chunk of the step, such as delta.refusal. It
// panics if a path cannot be read: paths are written in the test's source.
func Omit(paths ...string) Modifier {
	list := make([]scenarios.Path, len(paths))
	for i, path := range paths {
		list[i] = mustPath(path)
	}
	return func(st *scenarios.Step) { st.Omit = append(st.Omit, list...) }
}

// Set puts a JSON value at a place of each chunk of the step. JSON that cannot be
// read is sent as it is. Set panics if the path cannot be read.
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
