// Package yamlfile reads and writes scenarios as YAML.
//
// [Load] reads files and makes a set of them, [Parse] reads one file, and [Format]
// writes a scenario. One table of codecs reads the words of the language, writes them,
// and generates the JSON Schema for editors ([Schema]) and the list of words
// ([Words]). The table is spread over the files of this package, by topic.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// Parse reads the scenarios of a file, one for each YAML document. It reports all
// problems that the text of the file itself shows. It does not check what depends on
// other scenarios, templates or the rules of the protocol; [Check] does. File is the
// name of the file in positions.
//
// If there are problems, the scenarios are returned as far as they could be read.
func Parse(file string, src []byte) ([]*scenarios.Scenario, diag.List) {
	var r reading
	r.read(file, src)
	return r.scenarios(), r.problems
}

type reading struct {
	parsed []parsedScenario
	// lostDocument says that there is a document whose name could not be read, so that its
	// scenario is not among the parsed ones.
	lostDocument bool
	problems     diag.List
	noted        func(n *yaml.Node, l table.Layout) // noted is [table.Decoder.Noted]; it is nil except for fmt.
}

type parsedScenario struct {
	*scenarios.Scenario
	complete bool // complete says that the whole scenario could be read.
}

func (r *reading) scenarios() (list []*scenarios.Scenario) {
	for _, p := range r.parsed {
		list = append(list, p.Scenario)
	}
	return list
}

func (r *reading) read(file string, src []byte) {
	d := newDecoder(file)
	d.Noted = r.noted
	roots, lost := d.Documents(src)
	r.lostDocument = r.lostDocument || lost
	for _, root := range roots {
		r.add(d, root)
	}
	d.Problems.Sort()
	r.problems = append(r.problems, d.Problems...)
}

func newDecoder(file string) *table.Decoder {
	return &table.Decoder{Reader: &node.Reader{File: file}, Atlas: places, Doubtful: hardlyMeant}
}

// add reads the scenario, or the faults, of a document.
func (r *reading) add(d *table.Decoder, root *yaml.Node) {
	scenario, form := language(), scenarioAsWritten{}
	complete := scenario.Read(d, root, &form)
	if form.Name == "" && form.Faults == nil {
		r.lostDocument = true
		return
	}
	s := form.Scenario // a copy, so that the form is not kept in memory
	r.parsed = append(r.parsed, parsedScenario{&s, complete})
}

// Format writes a scenario as the text of a file, from which [Parse] reads the same
// scenario. It fails for a scenario made in Go with a value that no file can express,
// such as an invalid JSON value.
func Format(s *scenarios.Scenario) ([]byte, error) { return format(s, func(*yaml.Node) {}) }

// FormatLine is [Format] in a single line.
func FormatLine(s *scenarios.Scenario) ([]byte, error) { return format(s, node.InOneLine) }

func format(s *scenarios.Scenario, lay func(doc *yaml.Node)) ([]byte, error) {
	form := formOf(s)
	doc := language().Write(&form)
	if doc == nil {
		return nil, fmt.Errorf("scenario %q holds what cannot be said in a file", s.Name)
	}
	lay(doc)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
}

// language returns the table of the whole language. It is made on first use and
// immutable, so several goroutines can use it.
var language = sync.OnceValue(func() table.Codec {
	scenario := partial(table.Later[scenarioAsWritten]("a mapping with the keys of a scenario", scenarioSection))
	scenario = table.OrRather(scenario, func(*table.Decoder, *yaml.Node) string {
		return "write each scenario as a document of its own, without a dash, and --- between them"
	})
	return withFaults(table.Pasted(scenario, node.Mapping, pastedAnswer))
})

// places returns the atlas that tells in which sections each word of the language is
// allowed. It is made when the first misplaced word is found.
var places = sync.OnceValue(func() *table.Atlas {
	return table.NewAtlas(language(), table.Given{Synonyms: synonyms(), Misplaced: func(u table.Unknown) string { return leadFor(u, misplaced()) }, Instead: instead, Value: func(u table.Unknown) string { return leadFor(u, leads()) }, Otherwise: requestMember, Settled: withAnAnswer, Main: mainKey})
})

// Source is a scenario file: its name, as messages show it, and its text.
type Source struct {
	Name string
	Data []byte
	// Beside is the directory of the file, such as a [Folder], with the files whose bytes its scenarios send.
	// With nil, a scenario that names such a file is an error.
	Beside fs.FS
}

// Load reads and checks the scenarios in the files that the patterns name: files,
// directories (all .yaml and .yml files in them and below), or globs as in
// [path.Match]. The error is a [diag.List] if the contents of files are wrong; if a
// file or pattern could not be read, the error names it. A call without patterns is an
// error, too.
func Load(fsys fs.FS, patterns ...string) (*scenarios.Set, error) {
	if len(patterns) == 0 {
		return nil, errors.New("load scenarios: no files are named; a pattern is a file, a directory such as \".\", or a glob")
	}
	sources, err := ReadSources(fsys, patterns...)
	if err != nil {
		return nil, err
	}
	set, diags := Check(nil, sources...)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return set, nil
}

// Deferred returns a set of the files in a file system, each of which is read when its
// scenario is first used. Each file must hold one scenario, named like the file and
// without conditions. It is for embedded files, which tests have checked: the set does
// not check them, and panics if one cannot be read.
func Deferred(fsys fs.FS) (*scenarios.Set, error) {
	files, err := node.FileNames(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("load scenarios: %w", err)
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(file, path.Ext(file))
	}
	return scenarios.Deferred(names, func(name string) *scenarios.Scenario {
		file := files[slices.Index(names, name)]
		data, err := node.ReadFile(fsys, file, node.MaxFileBytes)
		if err != nil {
			panic(fmt.Sprintf("load scenarios: %v", err))
		}
		list, problems := Parse(file, data)
		for _, s := range list {
			problems = append(problems, readBodies(s, fsys)...)
		}
		if len(problems) > 0 || len(list) != 1 || list[0].Name != name {
			panic(fmt.Sprintf("%s does not hold one scenario named %s: %v", file, name, problems))
		}
		return list[0]
	}), nil
}

// ReadSources reads the files that the patterns name, each once, in the order of the
// patterns and, within a pattern, sorted by name. A pattern without files is an error.
func ReadSources(fsys fs.FS, patterns ...string) ([]Source, error) {
	var sources []Source
	seen := map[string]bool{}
	for _, pattern := range patterns {
		names, err := node.FileNames(fsys, pattern)
		if err != nil {
			return nil, fmt.Errorf("load scenarios from %s: %w", pattern, err)
		}
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			data, err := node.ReadFile(fsys, name, node.MaxFileBytes)
			if err != nil {
				return nil, fmt.Errorf("load scenarios: %w", err)
			}
			beside, err := fs.Sub(fsys, path.Dir(name))
			if err != nil {
				return nil, fmt.Errorf("load scenarios: %w", err)
			}
			sources = append(sources, Source{Name: name, Data: data, Beside: beside})
		}
	}
	return sources, nil
}

// Check parses files and checks all their scenarios together. It returns the problems
// that [Parse], [scenarios.NewSet] and the function further find, sorted and without
// repetitions; the set is nil if there are any. Further may be nil.
func Check(further func(*scenarios.Set) diag.List, sources ...Source) (*scenarios.Set, diag.List) {
	return CheckOverlay(nil, further, sources...)
}

// CheckOverlay is [Check] for scenarios that will be laid over those of base and can
// extend them.
func CheckOverlay(base *scenarios.Set, further func(*scenarios.Set) diag.List, sources ...Source) (*scenarios.Set, diag.List) {
	var r reading
	for _, src := range sources {
		before := len(r.parsed)
		r.read(src.Name, src.Data)
		for _, p := range r.parsed[before:] {
			r.problems = append(r.problems, readBodies(p.Scenario, src.Beside)...)
		}
	}
	set, found := scenarios.Build(base, r.scenarios()...)
	if further != nil {
		found = append(found, set.CheckOnce(further)...)
	}
	r.problems = append(r.problems, slices.DeleteFunc(slices.Clone(found), r.doubtful)...)
	r.problems.Sort()
	r.problems = r.problems.Unique()
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return set, nil
}

// doubtful reports whether a problem that was found later may be a consequence of something
// that could not be read.
func (r *reading) doubtful(d diag.Problem) bool {
	s := r.scenarioAt(d.Pos)
	isOf := func(reply scenarios.Reply) bool { return isWord(&reply.Manner, d.Pos) }
	switch {
	case s == nil:
		return false
	case s.Faults != nil: // what it could strike may be in what was lost
		return r.lostDocument || slices.ContainsFunc(r.parsed, func(p parsedScenario) bool { return !p.complete })
	case (r.lostDocument || !s.complete) && (isWord(&s.Manner, d.Pos) || slices.ContainsFunc(s.Replies, isOf)):
		return true // it may have an effect in what was lost
	case r.lostDocument && s.Extends != "" && s.ExtendsPos != nil && d.Pos == *s.ExtendsPos:
		return true // it may extend what was lost
	case s.complete:
		return false
	case d.Rule != "":
		return slices.Contains(rulesOfAbsence, d.Rule)
	}
	if slices.ContainsFunc(s.Expect, func(e scenarios.Expectation) bool { return e.Pos == d.Pos }) {
		return true // it may be what a client comes to with what was lost
	}
	isReply := func(reply scenarios.Reply) bool { return reply.Pos == d.Pos }
	isQuirk := func(q scenarios.Quirk) bool { return q.Pos == d.Pos }
	ofStep := func(st scenarios.Step) bool { return slices.ContainsFunc(st.Quirks, isQuirk) }
	inStream := func(reply scenarios.Reply) bool {
		return reply.Stream != nil && slices.ContainsFunc(*reply.Stream, ofStep)
	}
	return slices.ContainsFunc(s.Replies, isReply) || slices.ContainsFunc(s.Quirks, isQuirk) || slices.ContainsFunc(s.Replies, inStream)
}

func isWord(m *scenarios.Manner, pos diag.Pos) bool {
	for _, at := range []scenarios.Places{m.Envelope.At, m.Pace.At, m.Wire.At} {
		for _, p := range at {
			if p == pos {
				return true
			}
		}
	}
	return m.End.Pos == pos || len(m.Damage) > 0 && m.Damage[0].Pos == pos
}

func (r *reading) scenarioAt(p diag.Pos) *parsedScenario {
	for i := len(r.parsed) - 1; i >= 0; i-- {
		s := &r.parsed[i]
		if s.Scenario.Pos.File == p.File && s.Scenario.Pos.Line <= p.Line {
			return s
		}
	}
	return nil
}

// rulesOfAbsence is the lint rules that a stream breaks because something is missing.
// It may be missing only because a step could not be read.
var rulesOfAbsence = []string{
	"missing-role", "missing-finish", "finish-does-not-fit", "empty-stream",
	"tool-fragment-before-start", "tool-index-gap", "choice-index-gap",
	"arguments-not-json", "arguments-not-object", "logprobs-do-not-spell-content",
}

// Folder is the file system of a directory, for [Source.Beside]. Unlike in that of [os.DirFS], symbolic
// links lead to nothing outside the directory.
type Folder string

// Open implements [fs.FS].
func (f Folder) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.FS().Open(name)
}

// Stat implements [fs.StatFS]: without it, [fs.Stat] would open the file, and wait where that is a pipe.
func (f Folder) Stat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return fs.Stat(root.FS(), name)
}
