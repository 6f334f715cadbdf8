package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing/fstest"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// bodyScenario turns an answer in one piece into a scenario: an error, a message or, if
// neither gives the same bytes, the literal body.
func (how Writing) bodyScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, error) {
	body := x.bodyBytes()
	if at := x.cameAt(len(body) - 1).Round(precision); at > 0 { // The server sends the body at once.
		base.Wire.HeaderDelay = &at
	}
	if sc := how.sayingScenario(x, base); sc != nil {
		return sc, nil
	}
	base.Wire.Body, base.End = literalBody(x, body), endOf(x)
	usual := http.DetectContentType(body)
	if json.Valid(body) {
		usual = "" // it depends on how the body is written
	}
	base.Wire.ContentType, base.Wire.Status = unusual(x, usual)
	answer, err := replay(&base, x)
	if err != nil {
		return nil, err
	}
	if base.Wire.Headers = headersOf(x, answer.Header); len(base.Wire.Headers) > 0 {
		_, err = replay(&base, x) // The language may refuse a header.
	}
	return &base, err
}

// sayingScenario returns a scenario with the error or the message that is played as exactly the body of the exchange, also
// after the scenario was written as YAML and read again; nil if there is none.
func (how Writing) sayingScenario(x *Exchange, base scenarios.Scenario) *scenarios.Scenario {
	body := x.bodyBytes()
	v, err := ojson.Parse(body)
	if err != nil || x.Ending != EndedComplete || len(body) > longestSaid || isWide(v) {
		return nil
	}
	if x.Status == http.StatusOK {
		base.Wire.ContentType, _ = unusual(x, "application/json")
	}
	outline := string(appendOutline(nil, v))
	if how.before.outline.Load() == outline {
		return nil
	}
	sc, answer := firstGiving(x, v, how.before.likelyFirst(sayings(x, v, base)))
	if sc == nil {
		how.before.outline.Store(outline)
		return nil
	}
	if !bytes.Equal(bodyIn(answer), body) {
		style := slices.IndexFunc(bodyStyles(), func(s *scenarios.JSONStyle) bool {
			return string(encoder(s).Append(nil, v)) == strings.TrimSpace(string(body))
		})
		if style < 0 {
			return nil
		}
		sc.Wire.JSONStyle = bodyStyles()[style]
	}
	if !writtenAgain(sc, x, answer.Header) {
		return nil
	}
	how.before.layout.Store(sc.Envelope.Layout)
	return sc
}

// before is what the answers in one piece before tell of the next, because each trial takes a server and a plan, and most
// answers are alike: the layout of the last message, and the outline of the last answer that no message gives.
type before struct{ layout, outline atomic.Value }

// likelyFirst returns the scenarios with that in front which has the layout of the last message.
func (b *before) likelyFirst(list []scenarios.Scenario) []scenarios.Scenario {
	i := slices.IndexFunc(list, func(sc scenarios.Scenario) bool { return b.layout.Load() == sc.Envelope.Layout })
	if i > 0 {
		list = slices.Insert(slices.Delete(slices.Clone(list), i, i+1), 0, list[i])
	}
	return list
}

// appendOutline appends a value without its texts and numbers.
func appendOutline(b []byte, v ojson.Value) []byte {
	b = append(b, byte(v.Kind()))
	for _, item := range v.Items() {
		b = appendOutline(b, item)
	}
	for _, m := range v.Members() {
		b = appendOutline(append(b, m.Name...), m.Value)
	}
	return append(b, '.')
}

// writtenAgain sets the header fields of a scenario, beside own, which the server sends by itself, and reports
// whether it still gives the body when it was written as YAML, which not all values can be.
func writtenAgain(sc *scenarios.Scenario, x *Exchange, own http.Header) bool {
	into := &sc.Wire.Headers
	if len(sc.Replies) > 0 && sc.Replies[0].Error != nil {
		into = &sc.Replies[0].Error.Headers
	}
	*into = headersOf(x, own)
	answer, err := replay(sc, x)
	return err == nil && bytes.Equal(bodyIn(answer), x.bodyBytes())
}

// sayings are the scenarios with an error or a message that may give a body.
func sayings(x *Exchange, v ojson.Value, base scenarios.Scenario) (list []scenarios.Scenario) {
	add := func(reply scenarios.Reply, env scenarios.Envelope) {
		sc := base
		sc.Replies, sc.Envelope = []scenarios.Reply{reply}, env
		list = append(list, sc)
	}
	surface := x.surface()
	switch {
	case x.Status >= http.StatusBadRequest && v.Get("error").Kind() == ojson.ObjectKind:
		e := errorOf(v)
		e.Status = x.Status
		add(scenarios.Reply{Error: &e}, scenarios.Envelope{})
		return list
	case !streams(surface):
		base.Wire.Body = &scenarios.Body{JSON: v}
		base.Wire.ContentType, base.Wire.Status = unusual(x, "application/json")
		return []scenarios.Scenario{base}
	case x.Status != http.StatusOK || requestOf(x).Stream:
		return nil
	}
	if message := messageOf(v); message != nil {
		for _, name := range layoutsOn(surface) {
			add(scenarios.Reply{Message: message}, answerEnvelope(v, name))
		}
	}
	return list
}

// mostBodyEdits is how many edits an answer in one piece may have. Each takes time for each event of an
// answer, and a body with more is easier to read as it is.
const mostBodyEdits = 100

// firstGiving is the first scenario in a list whose answer has the values of the recorded body, and that
// answer; both are nil if none has. Scenarios that do not fit are tried a second time, with edits of the
// envelope.
func firstGiving(x *Exchange, want ojson.Value, list []scenarios.Scenario) (*scenarios.Scenario, *server.Plan) {
	for range 2 {
		var edited []scenarios.Scenario
		for _, sc := range list {
			answer, err := rehearse(&sc, x)
			if err != nil || answer.Status != x.Status {
				continue
			}
			got, err := ojson.Parse(bodyIn(answer))
			if err == nil && ojson.Equal(got, want) {
				return &sc, answer
			}
			if edits, ok := editsBetween(got, want); err == nil && ok && len(edits) <= mostBodyEdits && want.Get("object").Text() == "response" {
				for _, e := range edits {
					inside := edit{append(ojson.Path{{Name: "response"}}, e.Path...), e.Value}
					inside = ofWholeMember(inside, ojson.Object(ojson.M("response", want)))
					p := ofAnswer(inside.Path, ojson.Object(ojson.M("response", got)))
					addEdit(&sc.Envelope.Omit, &sc.Envelope.Set, p, inside.Value)
				}
				edited = append(edited, sc)
			}
		}
		list = edited
	}
	return nil, nil
}

// longestSaid is how many bytes the body of a message has at most. No model says as much
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

// keepBodies writes the files of the bodies with write, and drops their bytes.
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

// bodyDirectory is the directory in which the bodies of a scenario are.
func bodyDirectory(s *scenarios.Scenario) fs.FS {
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
