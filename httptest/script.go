package fakeopenai

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// scriptName is the name of the scenario that all scripts of a server form.
const scriptName = "script"

// script holds the steps of one Script option and the position of its call.
type script struct {
	steps []scenarios.Step
	at    diag.Pos
}

// Script answers one request with these steps, unless a scenario with a when matches
// the request. Several scripts answer one request each, in the order of the options.
// The server sends exactly these steps: without a role step there is no role chunk.
//
// Scripts are the replies, each with times: 1, of a scenario named "script". As
// always, times are counted for each API key. A script may break the rules of the
// protocol, for which a scenario in a file needs quirks. A step that would be an error
// in a file, such as one with step.Pieces but without a call, fails the test.
func Script(steps ...scenarios.Step) Option {
	s := script{at: caller(), steps: slices.Clone(steps)}
	for i := range s.steps {
		s.steps[i].Pos = s.at
	}
	return func(o *settings) { o.scripts = append(o.scripts, s) }
}

// caller is the position of the call, in the test, of the function that calls caller.
func caller() diag.Pos {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return diag.Pos{}
	}
	return diag.Pos{File: filepath.Base(file), Line: line}
}

// addScripts adds the scenario whose replies are the scripts. It comes first in the
// list, so that it matches before other scenarios without conditions.
func (lib *library) addScripts(scripts []script) {
	if len(scripts) == 0 {
		return
	}
	s := &scenarios.Scenario{Name: scriptName, Pos: scripts[0].at, Quirks: []scenarios.Quirk{{Rule: scenarios.AnyQuirk}}}
	for i, sc := range scripts {
		reply := scenarios.Reply{Stream: &sc.steps, Times: 1, Pos: sc.at}
		if !allPlain(sc.steps) {
			made := (&scenarios.Scenario{Name: scriptName, Replies: []scenarios.Reply{reply}}).Clone() // the test can change its own later
			lib.checkMade(fmt.Sprintf("script %d%s", i+1, at(sc.at)), made)
			reply = made.Replies[0]
		}
		s.Replies = append(s.Replies, reply)
	}
	lib.list = slices.Insert(lib.list, 0, s)
}

// allPlain reports whether each step is a chunk of texts alone. A file can say any such step, and
// nothing in it can be changed later.
func allPlain(steps []scenarios.Step) bool {
	return !slices.ContainsFunc(steps, func(st scenarios.Step) bool {
		said := false
		for _, text := range []*scenarios.Opt[scenarios.Text]{&st.Role, &st.Content, &st.Refusal, &st.Finish} {
			if text.Present && text.Value.Repeat == "" && text.Value.Bytes == 0 {
				said, *text = true, scenarios.Opt[scenarios.Text]{}
			}
		}
		st.Pos = diag.Pos{}
		return !said || !reflect.ValueOf(&st).Elem().IsZero()
	})
}
