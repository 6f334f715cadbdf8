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
	s := script{at: caller()}
	for _, step := range steps {
		step.Pos = s.at
		s.steps = append(s.steps, step)
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
		lib.checkMade(fmt.Sprintf("script %d%s", i+1, at(sc.at)), &scenarios.Scenario{Name: scriptName, Replies: []scenarios.Reply{reply}})
		s.Replies = append(s.Replies, reply)
	}
	lib.list = slices.Insert(lib.list, 0, s)
}
