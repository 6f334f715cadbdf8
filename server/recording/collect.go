package recording

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/recording/internal/condition"
)

// File is a scenario file that was made of recordings.
type File struct {
	Name string // Name is that of the file, with its extension.
	Data []byte
}

// Note is something about a recording that its user should know.
type Note struct {
	Scenario string // Scenario is the name of the recording; "" if it is about all.
	Reason   string
}

// recorded is one scenario, and the request that it was recorded for.
type recorded struct {
	scenario *scenarios.Scenario
	request  *scenarios.Request
	as       string // as is what the text below was made of, beside the first reply.
	text     []byte
}

// likeness is what equal requests have in common, so that only those that share it
// are compared whole.
type likeness struct {
	surface, model, user string
	turn, messages       int
	stream               bool
}

func likenessOf(req *scenarios.Request) likeness {
	return likeness{req.Surface, req.Model, req.LastUser, req.Turn, len(req.Messages), req.Stream}
}

// Collection are recordings that become scenario files, one for each request: the
// same request, made several times, gets its answers in their order. It may be used
// by several goroutines.
type Collection struct {
	Matching Matching // Matching is how narrow conditions are; "" is MatchTurn.
	Writing  Writing  // Writing is how exchanges are written.
	// Taken are the names that recordings do not get: those of scenarios, and of files
	// without their extension, beside which they will be.
	Taken []string

	mu       sync.Mutex
	list     []*recorded
	alike    map[likeness][]*recorded // alike are the recordings of list.
	answered []*scenarios.Request     // answered are requests that are not for the recordings to answer.
}

// Answered notes a request that something else answers: recordings will be narrow
// enough to leave it alone, as far as there are words for that.
func (c *Collection) Answered(req *scenarios.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = append(c.answered, req)
}

// Add adds an exchange. The error says why there is no scenario for it.
func (c *Collection) Add(x *Exchange) error {
	if x.TooLong {
		return ErrTooLong
	}
	if x.Packed != nil {
		return fmt.Errorf("a body cannot be read: %w", x.Packed)
	}
	surface, ok := surfaceOf(x.Path)
	if !ok {
		return ErrNoSurface
	}
	req, err := read(x, surface)
	if err != nil {
		return fmt.Errorf("the request cannot be read: %w", err)
	}
	sc, err := c.Writing.Write(x, "recorded")
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	like := likenessOf(req)
	for _, r := range c.alike[like] {
		if ojson.Same(r.request.Body, req.Body) {
			r.add(sc)
			return nil
		}
	}
	r := &recorded{scenario: sc, request: req}
	c.list = append(c.list, r)
	if c.alike == nil {
		c.alike = map[likeness][]*recorded{}
	}
	c.alike[like] = append(c.alike[like], r)
	return nil
}

// ErrNoSurface is why an exchange is no scenario that was made on a path where
// scenarios do not answer.
var ErrNoSurface = errors.New("scenarios do not answer on this path; it was passed through")

// ErrTooLong is why an exchange is no scenario that the recorder did not keep.
var ErrTooLong = errors.New("its body or that of its answer is longer than a recording can be; it was passed through")

// Files are the scenario files so far. Names follow from what was asked, so that
// recording again changes no more than what changed.
func (c *Collection) Files() []File {
	c.mu.Lock()
	defer c.mu.Unlock()
	files, _ := c.files()
	return files
}

// files are the files, and notes on recordings that no file can say.
func (c *Collection) files() ([]File, []Note) {
	c.name()
	for i, w := range condition.Derive(string(c.Matching), c.requests(), c.answered) {
		c.list[i].scenario.When = w
	}
	var files []File
	var notes []Note
	for _, r := range c.list {
		if err := r.format(); err != nil {
			notes = append(notes, Note{Scenario: r.scenario.Name, Reason: err.Error()})
			continue
		}
		files = append(files, File{Name: r.scenario.Name + ".yaml", Data: r.text})
	}
	return files, notes
}

func (c *Collection) requests() []*scenarios.Request {
	list := make([]*scenarios.Request, len(c.list))
	for i, r := range c.list {
		list[i] = r.request
	}
	return list
}

// format makes the text of the recording's file, unless it is as it was before.
func (r *recorded) format() error {
	as := fmt.Sprintf("%s %d %q", r.scenario.Name, len(r.scenario.Replies), r.scenario.When.Conditions())
	if r.as == as {
		return nil
	}
	text, err := yamlfile.Format(r.scenario)
	if err == nil {
		r.as, r.text = as, text
	}
	return err
}

// add adds the answer of another scenario for the same request.
func (r *recorded) add(other *scenarios.Scenario) {
	sc := r.scenario
	if len(sc.Replies) <= 1 { // what held for the one answer is that answer's own now
		sc.Replies = []scenarios.Reply{replyOf(sc)}
		sc.Manner = scenarios.Manner{}
	}
	sc.Replies[len(sc.Replies)-1].Times = 1
	sc.Replies = append(sc.Replies, replyOf(other))
	for _, q := range other.Quirks {
		if !slices.ContainsFunc(sc.Quirks, func(have scenarios.Quirk) bool { return have.Rule == q.Rule }) {
			sc.Quirks = append(sc.Quirks, q)
		}
	}
}

// replyOf is the only answer of a scenario, with all that holds for it.
func replyOf(sc *scenarios.Scenario) scenarios.Reply {
	reply := scenarios.Reply{Stream: &[]scenarios.Step{}}
	if len(sc.Replies) > 0 {
		reply = sc.Replies[0]
	}
	reply.Manner = sc.Manner
	return reply
}

// name gives each scenario a name that follows from what was asked.
func (c *Collection) name() {
	taken := map[string]bool{}
	for _, name := range c.Taken {
		taken[name] = true
	}
	for _, r := range c.list {
		base := cmp.Or(slug(r.request.LastUser), slug(r.request.Model), "recorded")
		if r.request.Turn > 1 {
			base = fmt.Sprintf("%s-turn-%d", base, r.request.Turn)
		}
		if r.request.Surface != "chat" {
			base += "-" + r.request.Surface
		}
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[name] = true
		r.scenario.Name = name
	}
}

// slugWords is how many words of a text stand in a name.
const slugWords = 6

// slug is the beginning of a text as a part of a file's name.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	joined := strings.Join(words[:min(len(words), slugWords)], "-")
	const longest = 60
	return strings.Trim(joined[:min(len(joined), longest)], "-")
}

// Check plays the files, which takes longer than to make them. The notes are on
// recordings that no file can say, and on requests that, with all the files in one
// set, are not answered by their own scenario, or by one where there should be none.
func (c *Collection) Check() []Note {
	c.mu.Lock()
	defer c.mu.Unlock()
	files, notes := c.files()
	var sources []yamlfile.Source
	for _, f := range files {
		sources = append(sources, yamlfile.Source{Name: f.Name, Data: f.Data})
	}
	set, problems := server.CheckFiles(sources...)
	if err := problems.Err(); err != nil {
		return append(notes, Note{Reason: err.Error()})
	}
	for _, r := range c.list {
		sel, none := set.Match(r.request, nil, scenarios.NoDefault, 1)
		name := r.scenario.Name
		switch {
		case none != nil:
			notes = append(notes, Note{Scenario: name, Reason: "its own request is not answered by it: " + none.Reason})
		case sel.Scenario.Name != name:
			notes = append(notes, Note{Scenario: name, Reason: fmt.Sprintf("its request is answered by %s: what tells them apart cannot be said in a condition", sel.Scenario.Name)})
		}
	}
	for _, req := range c.answered {
		if sel, none := set.Match(req, nil, scenarios.NoDefault, 1); none == nil {
			notes = append(notes, Note{Scenario: sel.Scenario.Name, Reason: "it also answers a request that another scenario answered: what tells them apart cannot be said in a condition"})
		}
	}
	return notes
}
