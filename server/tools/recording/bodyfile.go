package recording

import (
	"fmt"
	"io/fs"
	"mime"
	"path"
	"strings"
	"testing/fstest"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// longestSaid is how many bytes the body of a message or of steps has at most. No model says as much
// in one answer, and a message is played several times. A longer body has a file of its own, beside that of
// the scenario: nobody reads it there, and a scenario file has 4 MiB at most.
const longestSaid = 512 << 10

// literalBody is a body that sends these bytes.
func literalBody(x *Exchange, bytes []byte) *scenarios.Body {
	body := &scenarios.Body{Text: literal(string(bytes))}
	if len(bytes) > longestSaid {
		body.File = "body" + extensionOf(x.AnswerHeader.Get("Content-Type"))
	}
	return body
}

// extensionOf is the usual extension of a file of a content type.
func extensionOf(contentType string) string {
	kind, _, _ := mime.ParseMediaType(contentType)
	_, name, _ := strings.Cut(kind, "/")
	switch {
	case strings.HasSuffix(name, "json"):
		return ".json"
	case strings.HasPrefix(kind, "text/"):
		return ".txt"
	}
	return ".bin"
}

// bodyFiles are the bodies of a scenario that have files of their own.
func bodyFiles(s *scenarios.Scenario) (list []*scenarios.Body) {
	manners := []*scenarios.Manner{&s.Manner}
	for i := range s.Replies {
		manners = append(manners, &s.Replies[i].Manner)
	}
	for _, m := range manners {
		if m.Wire.Body != nil && m.Wire.Body.File != "" {
			list = append(list, m.Wire.Body)
		}
	}
	return list
}

// nameBodies names the files of the bodies of a scenario after it.
func nameBodies(s *scenarios.Scenario) {
	for i, b := range bodyFiles(s) {
		b.File = fmt.Sprintf("%s.%d%s", s.Name, i+1, path.Ext(b.File))
	}
}

// keepBodies has the files of the bodies written, and drops their bytes.
func (r *recorded) keepBodies(write func(name string, data []byte) error) error {
	for _, f := range r.files[:len(r.files)-1] {
		if err := write(f.Name, f.Data); err != nil {
			return err
		}
	}
	for _, b := range bodyFiles(r.scenario) {
		b.Text.Source = ""
	}
	r.files = r.files[len(r.files)-1:]
	return nil
}

// beside is the directory in which the bodies of a scenario are.
func beside(s *scenarios.Scenario) fs.FS {
	dir := fstest.MapFS{}
	for _, b := range bodyFiles(s) {
		dir[b.File] = &fstest.MapFile{Data: []byte(b.Text.Source)}
	}
	return dir
}

// Sources are the scenario files among files, to be loaded; the others are beside them.
func Sources(files []File) []yamlfile.Source {
	dir := fstest.MapFS{}
	var list []yamlfile.Source
	for _, f := range files {
		dir[f.Name] = &fstest.MapFile{Data: f.Data}
		if f.Answers > 0 {
			list = append(list, yamlfile.Source{Name: f.Name, Data: f.Data, Beside: dir})
		}
	}
	return list
}
