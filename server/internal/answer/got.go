package answer

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Got is what a client comes to that read the first bytes of an answer.
type Got struct {
	Whole bool // Whole says that they have all that it needs.
	Open  bool // Open says that nobody can know what it comes to, unless Whole.
	Error bool // Error says that there is an error in the stream in place of the rest.
	// Failed says that the answer says of itself that it has failed.
	Failed bool
	Code   string // Code is the code of the error or, without one, its type.

	Named string   // Named is the id by which a later request can go on from the answer; "" for none.
	Text  string   // Text is the text of the first choice.
	Calls []string // Calls are the ids of the calls of the first choice.
}

// To say what a client comes to, so many bytes are read at most of an answer, and of a part of one. It takes about four
// times the memory.
const (
	mostRead       = 8 << 20
	mostReadOfPart = 1 << 20
)

// Got says what a client comes to that read the first bytes, so many as were sent, of the body of an
// answer. All says that these are all of it.
func (a *Answer) Got(asked *Asked, sent int64, all bool) Got {
	switch p := a.shares; {
	case sent > mostRead, sent > mostReadOfPart && !all:
		return Got{Open: true}
	case sent <= mostReadOfPart || p == nil:
		return a.got(asked, sent)
	default: // all requests share the bytes
		p.read.Do(func() {
			p.got = a.got(asked, sent)
			p.got.Named, p.got.Text, p.got.Calls = "", "", nil // they are of this request alone, or large
		})
		return p.got
	}
}

func (a *Answer) got(asked *Asked, sent int64) (g Got) {
	t := transfer{on: asked.Surface, streamed: asked.Request.Stream, choices: asked.Want.N}
	switch {
	case slices.ContainsFunc(a.Program.Frames, func(f player.Frame) bool { return len(f.Bytes.Data()) > mostRead }):
		return Got{Open: true}
	case t.on == Other && a.Status < http.StatusBadRequest:
		n, err := lengthOf(asked)
		return Got{Whole: err == nil && sent >= n, Open: err != nil}
	}
	events := t.read(a.body(&t, sent))
	r := &t.reading
	g.Named, g.Code, g.Failed, g.Error = r.Named, cmp.Or(r.Code, t.code), r.Failure != "", t.code != "" && r.Failure == ""
	careful, _ := r.Outcomes()
	g.Text = careful[0].Text
	for _, call := range careful[0].Calls {
		g.Calls = append(g.Calls, call.ID)
	}
	switch {
	case t.noJSON || t.other:
		g.Open = true
	case !events:
		g.Whole = t.failure == ""
	case t.hasEnded(r):
		g.Whole = true
	default: // some servers send no finish, and some clients take an event that no blank line ends
		g.Open = t.done && r.Says() || t.rest != nil && t.rest.IsWhole()
	}
	return g
}

// lengthOf is how many bytes the body has that a scenario plays to a path, without an early end.
func lengthOf(asked *Asked) (n int64, err error) {
	sel, manner, again := *asked.Selection, *asked.Manner, *asked
	manner.End = scenarios.End{}
	sel.Manner, again.Selection, again.program = &manner, &sel, nil
	a, err := NewMaker().Make(&again)
	if err != nil {
		return 0, err
	}
	defer a.Release()
	for f := range a.Program.All() {
		n += int64(len(f.Append(nil, a.Values)))
	}
	return n, nil
}

// IsPlain reports whether the kinds of the frames of an answer say what they hold, so that its bytes
// need not be read.
func (a *Answer) IsPlain(asked *Asked) bool {
	m := asked.Manner
	odd := a.rewritten || len(m.Damage) > 0 || m.Wire.Gzip != "" || m.Wire.Body != nil || m.Envelope.Response != nil
	return !odd && asked.Want.N <= 1 && a.Streams == asked.Request.Stream
}
