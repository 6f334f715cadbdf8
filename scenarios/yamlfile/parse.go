// Package yamlfile reads and writes scenarios as YAML.
//
// [Load] makes a set of the files that it finds, [Parse] reads one file, and
// [Format] writes a scenario. One table of codecs reads the words of the language,
// writes them, and makes the JSON Schema for editors ([Schema]) and the list of
// words ([Words]); each family of words has a file.
package yamlfile

import (
	"bytes"
	"fmt"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/hint"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// Parse reads the scenarios of a file, one for each YAML document. It reports
// every problem that it finds in what is written there; what needs other
// scenarios, templates or the protocol's rules is left to [scenarios.NewSet].
// File is the name that positions carry.
//
// With problems there may still be scenarios: what could be read of them.
func Parse(file string, src []byte) ([]*scenarios.Scenario, diag.List) {
	parsed := parseFile(file, src)
	var list []*scenarios.Scenario
	for _, p := range parsed.scenarios {
		list = append(list, p.Scenario)
	}
	return list, parsed.problems
}

// parsedFile is what a file holds.
type parsedFile struct {
	scenarios []parsedScenario
	// lostDocument says that there is a document of which not even the name
	// could be read.
	lostDocument bool
	problems     diag.List
}

type parsedScenario struct {
	*scenarios.Scenario
	complete bool // complete says that all of it could be read.
}

func parseFile(file string, src []byte) parsedFile {
	var f parsedFile
	d := newDecoder(file)
	lost, err := d.Documents(src, func(root *yaml.Node) { f.add(d, root) })
	if err != nil {
		f, lost = parsedFile{}, true
		d = newDecoder(file)
		d.OneByOne(src, func(root *yaml.Node) { f.add(d, root) })
	}
	d.Problems.Sort()
	f.lostDocument, f.problems = f.lostDocument || lost, d.Problems
	return f
}

func newDecoder(file string) *table.Decoder {
	return &table.Decoder{Reader: &node.Reader{File: file}, Trail: hint.Trail{Atlas: places}}
}

// add adds the scenario of a document.
func (f *parsedFile) add(d *table.Decoder, root *yaml.Node) {
	scenario, form := language(), scenarioAsWritten{}
	complete := scenario.Read(d, root, &form)
	if form.Name == "" {
		f.lostDocument = true
		return
	}
	s := form.Scenario // without what else the form holds
	f.scenarios = append(f.scenarios, parsedScenario{&s, complete})
}

// Format is a scenario as a file of its own, so that [Parse] reads the same
// scenario from it. The error says that a scenario made in Go holds something
// that no file can say, such as a JSON value that is no JSON.
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

// language is the table of the whole language, made when it is first needed. It
// never changes, so that it can be used by several goroutines.
var language = sync.OnceValue(func() table.Codec[*scenarioAsWritten] {
	return scenarioSection().Codec("a mapping with the keys of a scenario")
})

// places is where the words of the language stand, made when a file has the first
// word that stands elsewhere.
var places = sync.OnceValue(func() *hint.Atlas {
	w := schema.NewWriter()
	w.Atlas = new(hint.Atlas)
	language().Schema(w)
	return w.Atlas
})
