package fakeopenai

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// scriptName is the name of the scenario that all scripts of a server form.
const scriptName = "script"

// script is the steps of one Script option, and where in the test they stand.
type script struct {
	steps []scenarios.Step
	at    diag.Pos
}

// Script answers one request with these steps: the first that no other Script
// has answered yet and that no scenario with a when speaks for. Several of them
// are played in the order in which they are given. What is written is what is
// sent: a script with no role step sends no role chunk.
//
// Scripts are the replies, each with times: 1, of a scenario named "script"; as
// always, times are counted for each API key. A script may break the rules of
// the protocol, for which a scenario in a file needs quirks. A step that no file can
// hold, such as one with step.Pieces but without a call, fails the test.
func Script(steps ...scenarios.Step) Option {
	s := script{at: caller()}
	for _, step := range steps {
		step.Pos = s.at
		s.steps = append(s.steps, step)
	}
	return func(o *settings) { o.scripts = append(o.scripts, s) }
}

// caller is the place in the test that called the function that calls caller.
func caller() diag.Pos {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return diag.Pos{}
	}
	return diag.Pos{File: filepath.Base(file), Line: line}
}

// addScripts adds the scenario that the scripts form, before all others that
// have no condition either.
func (lib *library) addScripts(scripts []script) {
	if len(scripts) == 0 {
		return
	}
	s := &scenarios.Scenario{Name: scriptName, Pos: scripts[0].at, Quirks: []scenarios.Quirk{{Rule: scenarios.AnyQuirk}}}
	for i, sc := range scripts {
		reply := scenarios.Reply{Stream: &sc.steps, Times: 1, Pos: sc.at}
		lib.checkMade(fmt.Sprintf("script %d%s", i+1, at(sc.at)), &scenarios.Scenario{Name: scriptName, Replies: []scenarios.Reply{reply}})
		s.Replies = append(s.Replies, reply)
	}
	lib.list = slices.Insert(lib.list, 0, s)
}
