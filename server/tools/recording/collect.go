package recording

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// File is a scenario file with recordings, or one with the body of an answer, which the next scenario file names.
type File struct {
	Name    string // Name is the name of the file, with its extension.
	Data    []byte
	Answers int // Answers is how many recorded answers a scenario file has; 0 for a body.
}

// Note is a problem of a recording that the user should know.
type Note struct {
	Scenario string // Scenario is the name of the recording; "" if the note is about all.
	Reason   string
	Lost     int // Lost is how many of its answers are not recorded; 0 if all are.
}

// recorded is one scenario and its request.
type recorded struct {
	scenario *scenarios.Scenario
	request  *scenarios.Request
	as       string // as describes the scenario when files were made, to notice changes.
	files    []File
}

// isSameRequest compares two requests that are alike.
func isSameRequest(a, b *scenarios.Request) bool {
	return a.Surface == b.Surface && a.Method == b.Method && a.Path == b.Path && len(a.Messages) == len(b.Messages) && ojson.Same(a.Body, b.Body)
}

// alikeOf is what equal requests have in common and most others do not.
func alikeOf(req *scenarios.Request) [sha256.Size]byte {
	return sha256.Sum256([]byte(req.Path + " " + req.Model + " " + req.LastUser))
}

// Collection collects recordings as scenario files, one for each distinct request. The
// file of a request that was made several times has all its answers, in order. A
// Collection is safe for concurrent use.
type Collection struct {
	Matching Matching // Matching selects the conditions of the scenarios; "" is MatchTurn.
	Writing  Writing  // Writing is how exchanges are written.
	// KeepBody, if not nil, writes the files of bodies, each as soon as it is recorded, so that they are not kept
	// in memory; Files does not have them then. With an error the answer is not recorded.
	KeepBody func(name string, data []byte) error

	mu       sync.Mutex
	taken    map[string]*scenarios.When // taken are the names that a recording gets only if these conditions hold for its request; nil never do.
	list     []*recorded
	alike    map[[sha256.Size]byte][]int // alike are the positions in list of requests of the same path and texts.
	past     past
	before   before
	answered []*scenarios.Request // answered are requests that the recordings must not match.
}

// Answered adds a request that an existing scenario answers. The conditions of the
// recordings will not match it, as far as conditions can tell the requests apart.
func (c *Collection) Answered(req *scenarios.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = append(c.answered, req)
}

// Add adds an exchange. The error says why it cannot be a scenario; [ErrNoSurface] and
// [ErrTooLong] are two such reasons.
func (c *Collection) Add(x *Exchange) error {
	if x.TooLong && isOwn(x.Method, x.Path) && !isKept(x.Path) {
		return ErrNoSurface
	}
	if x.TooLong {
		return ErrTooLong
	}
	if x.Status == http.StatusSwitchingProtocols {
		return errors.New("the connection changed to another protocol, such as WebSocket; it was passed through. Let the client ask over HTTP while its answers are recorded: the scenarios answer over WebSocket, too")
	}
	if x.Packed != nil {
		return fmt.Errorf("a body cannot be read: %w", x.Packed)
	}
	req, err := c.answeredBy(x)
	if err != nil {
		return err
	}
	how := c.Writing
	how.before = &c.before
	sc, err := how.Write(x, "recorded")
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.past.follow(req, x)
	r := &recorded{scenario: sc, request: req}
	i := c.index(req)
	if i >= 0 {
		r.scenario = withReplyOf(c.list[i].scenario, sc)
	} else {
		sc.Name = c.name(req)
	}
	r.scenario.When = basic(req, c.Matching)
	nameBodies(r.scenario)
	err = r.format()
	if err == nil && c.KeepBody != nil {
		err = r.keepBodies(c.KeepBody)
	}
	switch {
	case err != nil:
		return err
	case i < 0:
		c.alike[alikeOf(req)] = append(c.alike[alikeOf(req)], len(c.list))
		c.list = append(c.list, r)
		c.taken[r.scenario.Name] = nil
	default:
		c.list[i] = r
	}
	return nil
}

// index is the position of the recording of an equal request; -1 if there is none.
func (c *Collection) index(req *scenarios.Request) int {
	for _, i := range c.alike[alikeOf(req)] {
		if isSameRequest(c.list[i].request, req) {
			return i
		}
	}
	if c.alike == nil {
		c.alike = map[[sha256.Size]byte][]int{}
	}
	return -1
}

// answeredBy is the request that an exchange answers. The error says why it cannot be recorded.
func (c *Collection) answeredBy(x *Exchange) (*scenarios.Request, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if isOwn(x.Method, x.Path) && !c.past.isElsewhere(x) {
		c.past.notice(x)
		return nil, ErrNoSurface
	}
	req, err := read(x)
	if err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	if speaksItems(req.Surface) && c.past.isBegun(x) {
		return nil, errBackground
	}
	return req, nil
}

// errBackground is the error for a response in the background, which a client asks for by its id until it is over.
var errBackground = errors.New("it is made in the background, of which nothing is recorded; it was passed through. Ask without background: true while answers are recorded: the scenarios answer in the background, too")

// ErrNoSurface is the error for an exchange of which no scenario is made, because no scenario answers such
// requests: those for what a server keeps, and those of browsers.
var ErrNoSurface = errors.New("a server answers this by itself; it was passed through")

// ErrTooLong is the error for an exchange that is longer than [Session.Limit].
var ErrTooLong = errors.New("its body or the body of its answer is longer than a recording can be (16 MiB), or has more than 100,000 events; it was passed through")

// Files returns the scenario files so far. Their names are derived from the requests,
// so that a file keeps its name when its request is recorded again.
func (c *Collection) Files() []File {
	c.mu.Lock()
	defer c.mu.Unlock()
	files, _ := c.files()
	return files
}

// files are the files, and notes on recordings that cannot be read again.
func (c *Collection) files() ([]File, []Note) {
	for i, w := range deriveConditions(c.Matching, c.requests(), c.answered) {
		c.list[i].scenario.When = w
	}
	var files []File
	var notes []Note
	for _, r := range c.list {
		if err := r.format(); err != nil {
			notes = append(notes, Note{Scenario: r.scenario.Name, Reason: "not recorded: " + err.Error(), Lost: max(1, len(r.scenario.Replies))})
			continue
		}
		files = append(files, r.files...)
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

// format makes the files of the recording, unless it has not changed. The error says why they cannot be read
// again.
func (r *recorded) format() error {
	sc := r.scenario
	as := fmt.Sprintf("%s %d %q", sc.Name, len(sc.Replies), sc.When.Conditions())
	if r.as == as {
		return nil
	}
	text, err := Format(sc)
	if err != nil {
		return err
	}
	_, problems := server.CheckFiles(yamlfile.Source{Name: sc.Name + ".yaml", Data: text, Beside: bodyDirectory(sc)})
	if err := problems.Err(); err != nil {
		return fmt.Errorf("its file could not be read again: %w", err)
	}
	r.as, r.files = as, nil
	for _, b := range bodyFiles(sc) {
		if b.Text.Source != "" {
			r.files = append(r.files, File{Name: b.File, Data: []byte(b.Text.Source)})
		}
	}
	r.files = append(r.files, File{Name: sc.Name + ".yaml", Data: text, Answers: max(1, len(sc.Replies))})
	return nil
}

// mark is the first line of each scenario file with a recording.
const mark = "# A recording of fakeopenai.\n"

// Format writes a recorded scenario as YAML, under a line that says what it is.
func Format(sc *scenarios.Scenario) ([]byte, error) {
	text, err := yamlfile.Format(sc)
	return append([]byte(mark), text...), err
}

// Unreadable returns the problems of a file that is a recording which cannot be read, because it was changed or written by
// another version; recording it again mends that. It returns nil for any other file, which its author must mend.
func Unreadable(f yamlfile.Source) diag.List {
	if !isRecording(f) {
		return nil
	}
	_, problems := server.CheckFiles(f)
	return problems
}

func isRecording(f yamlfile.Source) bool { return bytes.HasPrefix(f.Data, []byte(mark)) }

// withReplyOf returns a scenario with the replies of both, which are for the same request, in this order.
func withReplyOf(before, other *scenarios.Scenario) *scenarios.Scenario {
	sc := *before
	sc.Replies = slices.Clone(sc.Replies)
	if len(sc.Replies) <= 1 { // The manner of the scenario becomes that of its first reply.
		sc.Replies = []scenarios.Reply{replyOf(before)}
		sc.Manner = scenarios.Manner{}
	}
	sc.Replies[len(sc.Replies)-1].Times = 1
	sc.Replies = append(sc.Replies, replyOf(other))
	sc.Quirks = slices.Clone(sc.Quirks)
	for _, q := range other.Quirks {
		if !slices.ContainsFunc(sc.Quirks, func(have scenarios.Quirk) bool { return have.Rule == q.Rule }) {
			sc.Quirks = append(sc.Quirks, q)
		}
	}
	return &sc
}

// replyOf is the only reply of a scenario, with the scenario's manner.
func replyOf(sc *scenarios.Scenario) scenarios.Reply {
	var reply scenarios.Reply
	switch {
	case len(sc.Replies) > 0:
		reply = sc.Replies[0]
	case sc.Wire.Body == nil:
		reply.Stream = &[]scenarios.Step{}
	}
	reply.Manner = sc.Manner
	return reply
}

// reserveName reserves a name. Only recordings of requests for which the conditions hold can still get it.
func (c *Collection) reserveName(name string, but *scenarios.When) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken == nil {
		c.taken = map[string]*scenarios.When{}
	}
	c.taken[name] = but
}

// name is a free name for the recording of a request, made of the request.
func (c *Collection) name(req *scenarios.Request) string {
	if c.taken == nil {
		c.taken = map[string]*scenarios.When{}
	}
	isFree := func(name string) bool {
		when, isTaken := c.taken[name]
		return !isTaken || when != nil && len(when.Conditions()) > 0 && when.Test()(req)
	}
	base := cmp.Or(Slug(req.LastUser, slugWords), Slug(req.Model, slugWords), "recorded")
	if req.Turn > 1 {
		base = fmt.Sprintf("%s-turn-%d", base, req.Turn)
	}
	switch req.Surface {
	case scenarios.DefaultSurface:
	case scenarios.SurfaceOther:
		base = Slug(req.Method+strings.TrimPrefix(req.APIPath, "/v1"), slugWords)
	default:
		base += "-" + req.Surface
	}
	name := base
	if !isFree(name) {
		base += "-" + digest(req)
		name = base
	}
	for n := 2; !isFree(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// digest tells requests apart whose texts begin alike. The ids of what came before are other ones
// when a request is recorded again.
func digest(req *scenarios.Request) string {
	body := req.Body.Clone()
	for _, id := range []string{"previous_response_id", "conversation"} {
		body.Remove(ojson.Path{{Name: id}})
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s%s %s", req.Path, req.Model, body))
	return hex.EncodeToString(sum[:3])
}

// slugWords is how many words of a text a name has at most.
const slugWords = 6

// Slug is the beginning of a text in the form of a file name, with at most so many words.
func Slug(text string, most int) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	joined := strings.Join(words[:min(len(words), most)], "-")
	const longest = 60
	name := strings.Trim(joined[:min(len(joined), longest)], "-")
	if ofDevice().MatchString(name) {
		name += "-1"
	}
	return name
}

// ofDevice matches the names that Windows has for devices, whatever their extension.
var ofDevice = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:con|prn|aux|nul|(?:com|lpt)[0-9])$`) })

// Check loads all files as one set and matches the recorded requests, which takes longer
// than Files. The notes are on recordings that cannot be written as YAML, on requests
// that another scenario than their own answers, and on requests of [Collection.Answered]
// that a recording answers.
func (c *Collection) Check() []Note {
	c.mu.Lock()
	defer c.mu.Unlock()
	files, notes := c.files()
	for _, r := range c.list {
		for _, b := range bodyFiles(r.scenario) {
			files = append(files, File{Name: b.File}) // Bodies do not matter here, and may be dropped.
		}
	}
	set, problems := server.CheckFiles(Sources(files)...)
	if err := problems.Err(); err != nil {
		return append(notes, Note{Reason: err.Error()})
	}
	for _, r := range c.list {
		if set.Lookup(r.scenario.Name) == nil {
			continue // A note says that it is not recorded.
		}
		sel, none := set.Match(context.Background(), r.request, nil, scenarios.NoDefault, 1)
		name := r.scenario.Name
		switch {
		case none != nil:
			notes = append(notes, Note{Scenario: name, Reason: "its own request is not answered by it: " + none.Reason})
		case sel.Scenario.Name != name:
			notes = append(notes, Note{Scenario: name, Reason: fmt.Sprintf("its request is answered by %s: what tells them apart cannot be said in a condition", sel.Scenario.Name)})
		}
	}
	for _, r := range c.list {
		if id := responses.Previous(r.request); id != "" && speaksItems(r.request.Surface) && !c.past.knows(id) {
			notes = append(notes, Note{Scenario: r.scenario.Name, Reason: fmt.Sprintf("its request goes on from %s, which is not recorded: record that, too, or serve with --any-id", id)})
		}
	}
	for _, req := range c.answered {
		if sel, none := set.Match(context.Background(), req, nil, scenarios.NoDefault, 1); none == nil {
			notes = append(notes, Note{Scenario: sel.Scenario.Name, Reason: "it also answers a request that another scenario answered: what tells them apart cannot be said in a condition"})
		}
	}
	return notes
}
