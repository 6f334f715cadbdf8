package yamlfile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// bodyCodec reads what is sent in place of an answer: a text, a generated text, the name of a file, or any
// other mapping or list, which is sent as JSON.
func bodyCodec() table.Codec {
	generated := table.As[scenarios.Body](table.Later[scenarios.Text](sizeOfText, generatedTextSection), "Text")
	generated.Takes = func(n *yaml.Node) bool { return valueOf(n, "repeat") != nil && valueOf(n, "bytes") != nil }
	file := table.Later[scenarios.Body]("{file}", bodyFileSection)
	file.Takes = func(n *yaml.Node) bool { return valueOf(n, "file") != nil && len(n.Content) == 2 }
	write := file.Write
	file.Write = func(from any) *yaml.Node {
		if from.(*scenarios.Body).File == "" {
			return nil
		}
		return write(from)
	}
	json := table.As[scenarios.Body](table.JSONCodec("JSON", node.Mapping|node.List), "JSON")
	return table.AnyOf(table.As[scenarios.Body](table.TextCodec(), "Text"), generated, file, json)
}

func bodyFileSection() *table.Section {
	return &table.Section{
		Name:  "body of a file",
		About: "The bytes of a file that are sent in place of an answer.",
		Fields: []table.Field{
			table.Required(table.Key("file", "The path of the file, beginning at the directory of the scenario's own file.", table.Refusing(table.NameCodec("a path"), func(name *string) bool { return !fs.ValidPath(*name) || *name == "." },
				"write the path with slashes, and without . and .., as in file: audio/speech.mp3", "a file lies beside the scenario or below"))),
		},
	}
}

// ReadBodies returns the scenarios, those that send the bytes of files with these bytes, which it reads from
// the directory beside. [Parse] does not read them. The scenarios themselves do not change.
func ReadBodies(list []*scenarios.Scenario, beside fs.FS) ([]*scenarios.Scenario, diag.List) {
	var problems diag.List
	list = slices.Clone(list)
	for i, s := range list {
		if !slices.ContainsFunc(bodies(s), func(b **scenarios.Body) bool { return !(*b).IsRead() }) {
			continue
		}
		c := *s
		c.Replies, c.Faults = slices.Clone(s.Replies), slices.Clone(s.Faults)
		list[i] = &c
		problems = append(problems, readBodies(&c, beside)...)
	}
	return list, problems
}

// bodies are the places in a scenario that have a body.
func bodies(s *scenarios.Scenario) (list []**scenarios.Body) {
	list = append(list, &s.Wire.Body)
	for i := range s.Replies {
		list = append(list, &s.Replies[i].Wire.Body)
	}
	for i := range s.Faults {
		list = append(list, &s.Faults[i].Wire.Body)
	}
	return slices.DeleteFunc(list, func(b **scenarios.Body) bool { return *b == nil })
}

// readBodies reads the files that the scenario sends.
func readBodies(s *scenarios.Scenario, beside fs.FS) (problems diag.List) {
	for _, at := range bodies(s) {
		b := **at
		if b.IsRead() {
			continue
		}
		data, err := readBody(b.File, beside)
		if err != nil {
			problems = append(problems, diag.Problem{
				Pos: b.Pos, Message: fmt.Sprintf("the file %s cannot be read: %v", diag.Quote(b.File), err),
				Hint: "name a file beside the scenario, or write the bytes as body: !!binary, in base64",
			})
		}
		b.Text = scenarios.Text{Source: string(data), Literal: true, Pos: b.Pos}
		*at = &b
	}
	return problems
}

func readBody(name string, beside fs.FS) ([]byte, error) {
	if beside == nil {
		return nil, errors.New("the scenario is not read from a directory")
	}
	data, err := node.ReadFile(beside, name, scenarios.MaxText)
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err // its path is that of this machine
	}
	if err == nil && len(data) > scenarios.MaxText {
		err = fmt.Errorf("it has more than %d bytes", scenarios.MaxText)
	}
	return data, err
}
