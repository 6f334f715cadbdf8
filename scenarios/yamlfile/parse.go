package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
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

// Format is a scenario as a file of its own, so that [Parse] reads the same
// scenario from it. The error is about a scenario made in Go that holds what
// cannot be said in a file, such as JSON that is not JSON.
func Format(s *scenarios.Scenario) ([]byte, error) {
	doc := language().write(formOf(s))
	if doc == nil {
		return nil, fmt.Errorf("scenario %q holds what cannot be said in a file", s.Name)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
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

// decoder reads the values of one file. It collects problems and goes on, so
// that an author sees all of them at once.
type decoder struct {
	file  string
	diags diag.List
	nodes int // values seen so far, aliases written out
}

func (d *decoder) pos(n *yaml.Node) diag.Pos {
	return diag.Pos{File: d.file, Line: n.Line, Col: n.Column}
}

// report adds a problem at n.
func (d *decoder) report(n *yaml.Node, hint, format string, args ...any) {
	d.diags = append(d.diags, diag.Problem{
		Pos:     d.pos(n),
		Width:   underline(n),
		Message: fmt.Sprintf(format, args...),
		Hint:    hint,
	})
}

// underline is how many characters of n's line a mark should cover.
func underline(n *yaml.Node) int {
	if n.Kind != yaml.ScalarNode || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return 1
	}
	width := utf8.RuneCountInString(n.Value)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		width += 2
	}
	return max(width, 1)
}

// pair is a key and its value in a mapping.
type pair struct {
	name       string
	key, value *yaml.Node
}

// pairs are the members of a mapping, and whether all its keys are good. Keys
// that are no texts, that stand there twice, or that merge another mapping are
// reported and left out.
func (d *decoder) pairs(n *yaml.Node) (list []pair, whole bool) {
	whole = true
	first := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch earlier := first[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			d.report(key, templateHint(n), "a key must be a text, found %s", inWords(key))
		case key.ShortTag() == "!!merge":
			d.report(key, "write the members out, or use extends", "merge keys are not supported")
		case earlier != nil:
			d.report(key, "", "key %q is already set at line %d", shortened(key.Value), earlier.Line)
		default:
			first[key.Value] = key
			list = append(list, pair{key.Value, key, value})
			continue
		}
		whole = false
	}
	return list, whole
}
