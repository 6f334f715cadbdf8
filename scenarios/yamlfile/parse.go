// Package yamlfile reads and writes scenarios as YAML.
//
// [Load] reads files and makes a set of them, [Parse] reads one file, and [Format]
// writes a scenario. One table of codecs reads the words of the language, writes them,
// and generates the JSON Schema for editors ([Schema]) and the list of words
// ([Words]). The table is spread over the files of this package, by topic.
package yamlfile

import (
	"bytes"
	"fmt"
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

// reading is the result of reading files.
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

// read reads a further file.
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
	return &table.Decoder{Reader: &node.Reader{File: file}, Atlas: places}
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
	return withFaults(partial(table.Later[scenarioAsWritten]("a mapping with the keys of a scenario", scenarioSection)))
})

// places returns the atlas that tells in which sections each word of the language is
// allowed. It is made when the first misplaced word is found.
var places = sync.OnceValue(func() *table.Atlas {
	return table.NewAtlas(language(), table.Given{Synonyms: synonyms, Instead: instead, Otherwise: requestMember, Main: mainKey})
})
