// Package importing converts the recordings and fixtures of other tools to scenario
// files. Each format has a source file of its own, which makes calls of it: a request and
// its answer (aimock's fixtures are scenarios already). The format of a file is detected by
// its content, never by its name.
package importing

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// Remark is a message about one place of a file.
type Remark struct {
	Place  string // Place is a line or a JSON path; "" is the whole file.
	Reason string
}

// String returns the remark as one line.
func (r Remark) String() string {
	reason := strings.Join(strings.Fields(r.Reason), " ") // errors of the server have several lines
	if r.Place == "" {
		return reason
	}
	return r.Place + ": " + reason
}

// Result is the result of importing one file.
type Result struct {
	Format   string   // Format is the name of the file's format; "" if it is unknown.
	Imported int      // Imported is the number of entries that became scenarios or replies.
	Unread   []Remark // Unread are the entries that could not be read.
	Skipped  []Remark // Skipped are entries for APIs that scenarios do not play.
	Notes    []Remark // Notes are decisions about what the file leaves open.
}

func (r *Result) unread(place string, err error) {
	r.Unread = append(r.Unread, Remark{place, err.Error()})
}

// Importer collects imported entries and makes scenario files of them. The zero value
// is ready to use. It is not safe for concurrent use.
type Importer struct {
	Collection recording.Collection // Collection has the recordings whose request is known.
	Redactor   recording.Redactor   // Redactor replaces secrets in all that is imported.

	unasked []*scenarios.Scenario // unasked are the scenarios of answers without a request.
}

// Add reads a file. Scenarios of answers without a request are named after the file.
func (im *Importer) Add(name string, data []byte) Result {
	a := &fileImport{importer: im, name: nameOf(name)}
	data, err := unzipped(data)
	if err != nil {
		a.unread("", err)
		return a.Result
	}
	read, err := readerOf(data)
	if err != nil {
		a.unread("", err)
		return a.Result
	}
	a.Format = read.name
	read.do(data, a)
	return a.Result
}

// fileImport is the import of one file.
type fileImport struct {
	Result
	importer *Importer
	name     string
}

// errSkipped is the reason for skipping an entry: it is for an API that scenarios do not
// play.
var errSkipped = errors.New("scenarios do not answer this")

// errKept is the reason for skipping an entry that needs no scenario.
var errKept = errors.New("the server answers this by itself")

// errPage is the reason for skipping an entry that no client of an API asked for.
var errPage = errors.New("a browser asked for this to show a page")

// add adds an exchange or, if err is not nil or the exchange is unsuitable, a remark.
func (a *fileImport) add(place string, x *recording.Exchange, err error) {
	if err == nil && len(x.Body) == 0 && x.Method == http.MethodPost {
		if _, known := apiOf(x.Path); known {
			a.Notes = append(a.Notes, Remark{place, "the file has no body of the request; its answer is asked for by name"})
			x, err = unasked(x.Status, x.AnswerHeader, x.Pieces[0].Data)
			a.addUnasked(place, x, err)
			return
		}
	}
	if err == nil {
		a.importer.Redactor.Redact(x)
		err = a.importer.Collection.Add(x)
		if errors.Is(err, recording.ErrNoSurface) {
			err = fmt.Errorf("%s %s: %w", x.Method, x.Path, errKept)
		}
	}
	if err != nil {
		a.remark(place, err)
		return
	}
	a.Imported++
}

// remark adds the reason why an entry is not imported.
func (a *fileImport) remark(place string, err error) {
	if errors.Is(err, errSkipped) || errors.Is(err, errKept) || errors.Is(err, errPage) {
		a.Skipped = append(a.Skipped, Remark{place, err.Error()})
		return
	}
	a.unread(place, err)
}

// withoutRequest writes answers whose request, and so the model that was asked for, is unknown.
var withoutRequest = recording.Writing{AnyModel: true}

// addUnasked is add for an answer whose request is unknown.
func (a *fileImport) addUnasked(place string, x *recording.Exchange, err error) {
	if err == nil {
		a.importer.Redactor.Redact(x)
		var sc *scenarios.Scenario
		if sc, err = withoutRequest.Write(x, a.name); err == nil {
			a.addScenario(a.withoutLineEnds(place, x, sc))
			return
		}
	}
	a.unread(place, err)
}

// withoutLineEnds is the scenario of an answer whose literal body becomes a message without the
// line ends at its end, which may be those of the file; else the given one.
func (a *fileImport) withoutLineEnds(place string, x *recording.Exchange, sc *scenarios.Scenario) *scenarios.Scenario {
	if sc.Wire.Body == nil || len(x.Pieces) != 1 {
		return sc
	}
	text := bytes.TrimRight(x.Pieces[0].Data, "\r\n")
	for _, end := range []string{"\n", ""} { // The server ends JSON over several lines with one.
		x.Pieces[0].Data = append(bytes.Clone(text), end...)
		if plain, err := withoutRequest.Write(x, a.name); err == nil && plain.Wire.Body == nil {
			a.Notes = append(a.Notes, Remark{place, "line ends after the answer are taken for the end of the file"})
			return plain
		}
	}
	return sc
}

func (a *fileImport) addScenario(sc *scenarios.Scenario) {
	a.importer.unasked = append(a.importer.unasked, sc)
	a.Imported++
}

// redacted returns the text of a file with its secrets replaced.
func (a *fileImport) redacted(data []byte) []byte {
	x := recording.Exchange{Pieces: []recording.Piece{{Data: data}}}
	a.importer.Redactor.Redact(&x)
	var text []byte
	for _, p := range x.Pieces {
		text = append(text, p.Data...)
	}
	return text
}

// Files returns the scenario files of all imported entries. The notes name recorded
// requests that another scenario would answer.
func (im *Importer) Files() ([]recording.File, []recording.Note) {
	list, notes := im.Collection.Files(), im.Collection.Check()
	taken := map[string]bool{}
	for _, f := range list {
		taken[f.Name] = true
	}
	for _, sc := range im.unasked {
		base := sc.Name
		for n := 2; taken[sc.Name+".yaml"]; n++ {
			sc.Name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[sc.Name+".yaml"] = true
		data, err := recording.Format(sc)
		if err != nil {
			notes = append(notes, recording.Note{Scenario: sc.Name, Reason: err.Error()})
			continue
		}
		list = append(list, recording.File{Name: sc.Name + ".yaml", Data: data})
	}
	return list, notes
}

// nameOf is the name of the scenarios of a file.
func nameOf(file string) string {
	base := filepath.Base(file)
	return cmp.Or(recording.Slug(strings.TrimSuffix(base, filepath.Ext(base)), math.MaxInt), "imported")
}

// reader is the reader of one format. Its function do adds entries and errors to a. An
// error in one entry does not remove those already added.
type reader struct {
	name string
	do   func(data []byte, a *fileImport)
}

// errUnknown is the error for a file in an unknown format.
var errUnknown = errors.New("it is in no format that can be imported: server-sent events (with curl's -i or without), JSON lines of chunks, " +
	"a JSON answer, HAR, cassettes of go-vcr, VCR.py, Ruby's VCR or betamax, or aimock fixtures")

// readerOf returns the reader for a file, by its content.
func readerOf(data []byte) (reader, error) {
	start := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(start) == 0:
		return reader{}, errors.New("it is empty")
	case bytes.HasPrefix(start, []byte("HTTP/")):
		return reader{"answer with headers", readWithHeaders}, nil
	case isEvents(start):
		return reader{"server-sent events", readEvents}, nil
	case start[0] == '{' || start[0] == '[':
		return jsonReader(start)
	}
	return yamlReader(start)
}

// isEvents reports whether a text begins like server-sent events.
func isEvents(text []byte) bool {
	return (&recording.Exchange{Pieces: []recording.Piece{{Data: text}}}).IsStream()
}

// jsonReader returns the reader for a JSON text, by its first value.
func jsonReader(data []byte) (reader, error) {
	values, err := jsonValues(data)
	if len(values) == 0 {
		return reader{}, fmt.Errorf("it begins like JSON, but is none: %w", err)
	}
	first := values[0].value
	switch {
	case first.Get("log").Get("entries").Kind() == ojson.ArrayKind:
		return reader{"HAR", readHAR}, nil
	case first.Get("fixtures").Kind() == ojson.ArrayKind:
		return reader{"aimock fixtures", readAimock}, nil
	case first.Get("interactions").Kind() == ojson.ArrayKind, first.Get("http_interactions").Kind() == ojson.ArrayKind,
		first.Get("request").Kind() == ojson.ObjectKind && first.Get("response").Kind() == ojson.ObjectKind:
		return yamlReader(data) // a cassette in JSON; all JSON is YAML
	}
	return reader{"JSON", readJSON}, nil
}

// yamlReader returns the reader for a YAML document, by its members.
func yamlReader(data []byte) (reader, error) {
	doc, err := yamlDocument(data)
	if err != nil {
		return reader{}, fmt.Errorf("%w; as YAML: %s", errUnknown, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if _, ok := interactionsIn(doc); !ok {
		return reader{}, errUnknown
	}
	return reader{"cassette", readCassette}, nil
}

// yamlDocument returns the mapping in the first document of a text.
func yamlDocument(data []byte) (*yaml.Node, error) {
	if v, err := ojson.Parse(data); err == nil { // YAML does not know all escapes of JSON.
		data = ojson.Style{Indent: "  "}.Append(nil, v)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it is no mapping")
	}
	return doc.Content[0], nil
}

// plainYAML rewords an error of the YAML library without the names of Go types.
func plainYAML(err error) error {
	wrong, ok := errors.AsType[*yaml.TypeError](err)
	if !ok || len(wrong.Errors) == 0 {
		return err
	}
	text, _, _ := strings.Cut(wrong.Errors[0], " into ")
	return errors.New(strings.Replace(text, "cannot unmarshal", "there is no place here for a", 1))
}

// member returns the value of a mapping's member; nil if there is none.
func member(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}
