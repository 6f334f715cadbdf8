package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Bounds of what [Parse] takes. They are far beyond what people write, and keep
// a hostile file from using up memory.
const (
	maxFileBytes = 4 << 20
	maxNodes     = 1_000_000 // values in a file, aliases written out
	maxDepth     = 200
)

// Parse reads the scenarios of a file, one for each YAML document. It reports
// every problem that it finds in what is written there; what needs other
// scenarios, templates or the protocol's rules is left to [NewSet]. File is the
// name that positions carry.
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
	lost      bool // there are documents of which not even the name could be read
	problems  diag.List
}

type parsedScenario struct {
	*scenarios.Scenario
	whole bool // all of it could be read
}

func parseFile(file string, src []byte) parsedFile {
	d := &decoder{file: file}
	if !d.checkBytes(src) {
		return parsedFile{lost: true, problems: d.diags}
	}
	f := d.documents(src)
	if len(f.scenarios) == 0 && len(d.diags) == 0 {
		d.at(1, 1, 0, "", "no scenario in the file")
	}
	d.diags.Sort()
	f.problems = d.diags
	return f
}

// documents reads the documents of a file, up to the first that is not YAML.
func (d *decoder) documents(src []byte) (f parsedFile) {
	documents := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(src, []byte(diag.ByteOrderMark))))
	for {
		root, err := nextDocument(documents)
		if errors.Is(err, io.EOF) {
			return f
		}
		if err != nil {
			d.syntaxError(err, src)
			f.lost = true
			return f
		}
		if shapeOf(root) == shapeNothing {
			continue // what a separator at the end of the file makes
		}
		if !d.expand(root) {
			f.lost = true
			continue
		}
		form, whole := language().read(d, root)
		if form.Name == "" {
			f.lost = true
			continue
		}
		f.scenarios = append(f.scenarios, parsedScenario{&form.Scenario, whole})
	}
}

// language is the whole table, made when it is first needed. It never changes.
var language = sync.OnceValue(func() codec[scenarioForm] {
	return scenarioSection().codec("a mapping with the keys of a scenario")
})

// nextDocument is the value of the next document. The library reports problems
// of its own as panics, which are turned into errors here.
func nextDocument(documents *yaml.Decoder) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	var document yaml.Node
	if err := documents.Decode(&document); err != nil {
		return nil, err
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, errors.New("yaml: a document without a value")
	}
	return document.Content[0], nil
}
