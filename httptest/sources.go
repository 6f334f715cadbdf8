package fakeopenai

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// source adds scenarios to a library. It runs in NewServer and not in the call of its
// option, because an option has no test to fail.
type source func(*library) error

// YAML plays the scenarios of a YAML text, usually a raw string in the test. The text
// may be indented like the code around it. Error messages call the texts
// "YAML", "YAML 2" and so on, in the order of the options.
func YAML(src string) Option {
	return fromSource(func(lib *library) error {
		lib.yamls++
		name := "YAML"
		if lib.yamls > 1 {
			name = fmt.Sprintf("YAML %d", lib.yamls)
		}
		before := len(lib.list)
		lib.parse(yamlfile.Source{Name: name, Data: []byte(unindented(src)), Beside: yamlfile.Folder(".")})
		lib.own = append(lib.own, lib.list[before:]...)
		return nil
	})
}

// File plays the scenarios of YAML files. Paths are relative to the directory of the
// test's package, in which go test runs the test.
func File(paths ...string) Option {
	return fromSource(func(lib *library) error {
		if len(paths) == 0 {
			return errors.New(`File: no file is named; write File("testdata/weather.yaml")`)
		}
		for _, path := range paths {
			// To open a FIFO waits for somebody who writes to it.
			if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
				return fmt.Errorf("%s is no file: %s", path, info.Mode())
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			lib.parse(yamlfile.Source{Name: filepath.ToSlash(path), Data: src, Beside: yamlfile.Folder(filepath.Dir(path))})
		}
		return nil
	})
}

// FS plays the scenarios of the files in fsys that the patterns name. A pattern is a
// file, a directory (for all .yaml and .yml files in it and below), or a glob as in
// [path.Match]. Without patterns all of fsys is played. A pattern that names no file fails the test.
func FS(fsys fs.FS, patterns ...string) Option {
	return fromSource(func(lib *library) error { return lib.addFS(fsys, patterns) })
}

// Fixture plays bundled scenarios by their names, which the command "fakeopenai list"
// prints.
func Fixture(names ...string) Option {
	return fromSource(func(lib *library) error {
		if len(names) == 0 {
			return errors.New(`Fixture: no scenario is named; write Fixture("plain-text"), or leave all sources out to play all that is bundled`)
		}
		for _, name := range names {
			if err := lib.addFixture(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Scenario plays scenarios made in Go, with all their conditions and replies. A
// scenario that would be an error in a file fails the test.
func Scenario(list ...scenarios.Scenario) Option {
	return fromSource(func(lib *library) error {
		if len(list) == 0 {
			return errors.New("Scenario: there is none; give one, or leave the option out")
		}
		for i := range list {
			s := list[i].Clone() // the test can change its own later
			lib.checkMade(fmt.Sprintf("scenario %q", s.Name), s)
			lib.list, lib.own = append(lib.list, s), append(lib.own, s)
		}
		return nil
	})
}

func fromSource(src source) Option {
	return func(o *settings) { o.sources = append(o.sources, src) }
}

// unindented returns a text without the white space that all its lines begin with, blank
// lines aside: a raw string is indented like the Go code around it.
func unindented(src string) string {
	lines := strings.Split(src, "\n")
	common, found := "", false
	for _, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if !found {
			common, found = line[:len(line)-len(text)], true
		}
		for !strings.HasPrefix(line, common) {
			common = common[:len(common)-1]
		}
	}
	for i, line := range lines {
		if len(line) < len(common) {
			line = common // a blank line
		}
		lines[i] = line[len(common):]
	}
	return strings.Join(lines, "\n")
}

func (lib *library) addFS(fsys fs.FS, patterns []string) error {
	if fsys == nil {
		return errors.New(`FS: the file system is nil; write FS(os.DirFS("testdata"))`)
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	sources, err := yamlfile.ReadSources(fsys, patterns...)
	for _, src := range sources {
		lib.parse(src)
	}
	return err
}

// addFixture parses the bundled file of that name, and the files of the scenarios that
// its scenarios extend.
func (lib *library) addFixture(name string) error {
	src, err := fs.ReadFile(fixtures.FS, name+".yaml")
	if err != nil {
		if hint := diag.DidYouMean(name, fixtures.Names()); hint != "" {
			return fmt.Errorf("there is no fixture %q; %s", name, hint)
		}
		return fmt.Errorf("there is no fixture %q; there are: %s", name, strings.Join(fixtures.Names(), ", "))
	}
	first := len(lib.list)
	lib.parse(yamlfile.Source{Name: "fixtures/" + name + ".yaml", Data: src, Beside: fixtures.FS})
	for _, s := range slices.Clone(lib.list[first:]) {
		if s.Extends != "" && !hasName(lib.all(), s.Extends) {
			if err := lib.addBase(s.Extends); err != nil {
				return err
			}
		}
	}
	return nil
}

// addBase parses a bundled file whose scenarios are extended by other fixtures. They
// come last in the order of matching.
func (lib *library) addBase(name string) error {
	rest := lib.list
	lib.list = nil
	err := lib.addFixture(name)
	lib.baseScenarios = append(lib.baseScenarios, lib.list...)
	lib.list = rest
	return err
}

// Fault lays faults over the answers from the next request on, whichever scenario gives them. They replace
// the faults of an earlier call; without arguments there are none. A fault is a status or an ending with
// its chance, such as "429 5%" or "stall 1%", the name of a preset that the command "fakeopenai list
// --faults" prints, such as "brownout", or YAML as in a document of faults:
//
//	fake.Fault("429 5%", "{ end: cut, times: 1, when: { stream: true } }")
//
// Which answers a fault strikes follows from the seed, the API key, and the number of requests with this
// key since the call. [Request.Injected] names the fault of an answer. A mistake fails the test at once, so
// Fault must be called in the goroutine of the test.
func (s *Server) Fault(faults ...string) {
	s.tb.test.Helper()
	files := make([]yamlfile.Source, len(faults))
	for i, text := range faults {
		files[i] = yamlfile.Source{Name: "Fault", Data: []byte(unindented(text))}
	}
	if err := s.core.PutFaults("", files...); err != nil {
		s.tb.test.Fatalf("fakeopenai: the faults cannot be played: %v", err)
	}
}

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
			lib.checkMade(fmt.Sprintf("script %d%s", i+1, positionSuffix(sc.at)), made)
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
