package lint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Transcript is a reply as the rules see it: the groups of its script, what each says
// for each choice, and the calls that are assembled from fragments.
type Transcript struct {
	Reply  *scenarios.Reply
	Manner *scenarios.Manner // Manner is the manner that applies to the reply.
	// Script has the chunks that raw bytes and events contain as groups of their own.
	// It is nil for a reply that is an HTTP error.
	Script *script.Script
	Said   []Said    // Said is what the groups say, one entry for each choice.
	Usages []UsageAt // Usages are the groups with a usage object.
	// Chunks are the finished chunks with something that the author wrote as JSON.
	Chunks []ChunkAt

	fragments []fragment
	calls     []*call
	// finishes maps each choice that ends to its finish reason.
	finishes map[int]string
	opaque   bool // opaque says that there are raw bytes or events of unknown content.
	failed   bool // failed says that there is an error in mid-stream.
}

// Said is what a group says for one choice.
type Said struct {
	*script.Group
	Choice int
	// Beats are what the group says. Literal JSON is turned back into beats.
	Beats []script.Beat
	JSON  ojson.Value // JSON is the same as JSON of the surface, for rules about shapes.

	at int // at is the index of the group in the script.
}

// UsageAt is a group with a usage object.
type UsageAt struct {
	*script.Group
	Usage script.Usage

	at    int  // at is the index of the group in the script.
	alone bool // alone says that the group says nothing for a choice.
}

// ChunkAt is the finished chunk of a group.
type ChunkAt struct {
	*script.Group
	JSON ojson.Value
}

// Heard is what a group says.
type Heard struct {
	Said  []Said        // Said has an entry for each choice.
	Usage *script.Usage // Usage is nil if there is none.
	// Chunk is the finished chunk, if it holds more than the surface makes of beats: if
	// it is written as a whole, or changed by a step or the envelope. Otherwise it is
	// Absent.
	Chunk ojson.Value
}

// Hear turns a group back into what it says. Every surface can read its own JSON.
type Hear func(g *script.Group) Heard

// A fragment is one beat of a call.
type fragment struct {
	Said
	index     int
	kind      script.CallType
	untyped   bool // untyped says that the fragment lacks the type of its call.
	id, name  string
	arguments ojson.Value

	call  *call
	opens bool // opens says that the fragment starts the call.
	// named and identified say that an earlier fragment gave the call its name, or its
	// id.
	named, identified bool
}

// A call is a call of a tool, or of a legacy function, assembled from its fragments.
type call struct {
	choice, index int
	kind          script.CallType
	first         *script.Group // first is the group that opens the call.
	reused        bool          // reused says that an earlier call has the same index.
	id, name      string
	arguments     strings.Builder
	templated     bool
	noText        bool // noText says that arguments are not a text.
}

func newTranscript(r *scenarios.Reply, m *scenarios.Manner, subject *Subject) *Transcript {
	t := &Transcript{Reply: r, Manner: m, Script: subject.Script, finishes: map[int]string{}}
	if t.Script == nil {
		return t
	}
	t.Script = readWire(t.Script, subject)
	for i := range t.Script.Groups {
		t.hear(&t.Script.Groups[i], i, subject.Hear)
	}
	t.putCallsTogether()
	for _, p := range t.Said {
		if _, finished := t.finishes[p.Choice]; p.finishes() && !finished {
			t.finishes[p.Choice] = p.finish().Text()
		}
	}
	return t
}

func (t *Transcript) hear(g *script.Group, at int, hear Hear) {
	if !g.IsChunk() {
		switch g.Beats[0].(type) {
		case script.Raw, script.Event:
			t.opaque = true
		case script.Error:
			t.failed = true
		}
		return
	}
	heard := hear(g)
	for _, s := range heard.Said {
		s.Group, s.at = g, at
		t.Said = append(t.Said, s)
	}
	if u := heard.Usage; u != nil && !u.Null {
		t.Usages = append(t.Usages, UsageAt{Group: g, Usage: *u, at: at, alone: len(heard.Said) == 0})
	}
	if !heard.Chunk.IsAbsent() {
		t.Chunks = append(t.Chunks, ChunkAt{Group: g, JSON: heard.Chunk})
	}
}

func (t *Transcript) putCallsTogether() {
	type key struct {
		choice, index int
		legacy        bool
	}
	open := map[key]*call{}
	for _, p := range t.Said {
		for _, beat := range p.Beats {
			f, ok := fragmentIn(p, beat)
			if !ok {
				continue
			}
			k := key{p.Choice, f.index, f.kind == script.LegacyCall}
			f.call = open[k]
			if reused := f.isOfAnother(f.call); f.call == nil || reused {
				f.opens = true
				f.call = &call{choice: p.Choice, index: f.index, kind: f.kind, first: p.Group, reused: reused}
				open[k] = f.call
				t.calls = append(t.calls, f.call)
			}
			f.named, f.identified = f.call.name != "", f.call.id != ""
			f.addTo(f.call)
			t.fragments = append(t.fragments, f)
		}
	}
}

// fragmentIn returns the fragment in a beat; ok says that the beat is one of a call.
func fragmentIn(s Said, beat script.Beat) (f fragment, ok bool) {
	switch beat := beat.(type) {
	case script.CallStart:
		return fragment{Said: s, index: beat.Index, kind: beat.Type, untyped: beat.Untyped, id: beat.ID.Text(), name: beat.Name.Text(), arguments: beat.Arguments}, true
	case script.CallArguments:
		return fragment{Said: s, index: beat.Index, kind: beat.Type, untyped: true, arguments: beat.Arguments}, true
	}
	return fragment{}, false
}

func isOfCall(beat script.Beat) bool {
	_, ok := fragmentIn(Said{}, beat)
	return ok
}

// isOfAnother reports whether a fragment starts another call with the same index: it
// has a function name, and an id that differs.
func (f fragment) isOfAnother(c *call) bool {
	return c != nil && !f.Templated && c.id != "" && f.id != "" && f.id != c.id && f.name != ""
}

func (f fragment) addTo(c *call) {
	c.id, c.name = cmp.Or(c.id, f.id), cmp.Or(c.name, f.name)
	c.arguments.WriteString(f.arguments.Text())
	c.templated = c.templated || f.Templated
	c.noText = c.noText || f.noText()
}

func (f fragment) noText() bool {
	v := f.arguments
	return !v.IsNullOrAbsent() && v.Kind() != ojson.StringKind && v.Kind() != ojson.RawKind
}

// words names what a group says for a choice, in the words of the scenario language.
func (s Said) words() []string {
	var list []string
	for _, beat := range s.Beats {
		switch beat := beat.(type) {
		case script.Logprobs, script.Finish, script.Usage: // these accompany other beats
		case script.Reasoning:
			if !beat.Text.IsAbsent() {
				list = append(list, script.Word(beat))
			}
		default:
			list = append(list, script.Word(beat))
		}
	}
	return list
}

// first returns the first of the beats that is of this type; the zero value if none is.
func first[T script.Beat](beats []script.Beat) (beat T) {
	for _, b := range beats {
		if beat, ok := b.(T); ok {
			return beat
		}
	}
	return beat
}

// role is the role of the group; Absent for none.
func (s Said) role() ojson.Value { return first[script.Start](s.Beats).Role }

// finish is the finish reason of the group; null or Absent for none.
func (s Said) finish() ojson.Value { return first[script.Finish](s.Beats).Reason }

// finishes reports whether the group ends its choice. An empty reason does not: some
// servers send it in every chunk.
func (s Said) finishes() bool { return !s.finish().IsNullOrAbsent() && !s.finishesEmpty() }

func (s Said) finishesEmpty() bool {
	finish := s.finish()
	return finish.Kind() == ojson.StringKind && finish.Text() == ""
}

// saysSomething reports whether the group is more than an empty delta.
func (s Said) saysSomething() bool { return len(s.words()) > 0 || s.finishes() }

// isAudio reports whether the group belongs to a spoken answer. There the real service
// repeats the role, sends chunks after the usage, and sends no finish reason.
func (s Said) isAudio() bool { return !first[script.Audio](s.Beats).Members.IsAbsent() }

// text is the group's part of the content, or of the refusal.
func (s Said) text(refusal bool) string {
	if refusal {
		return first[script.Refusal](s.Beats).Text.Text()
	}
	return first[script.Text](s.Beats).Text.Text()
}

// textWord names the kind of text that the group says; "" for none, or an empty one.
func (s Said) textWord() string {
	for _, beat := range s.Beats {
		text, isText := beat.(script.Text)
		refusal, isRefusal := beat.(script.Refusal)
		if isText && script.Says(text.Text) || isRefusal && script.Says(refusal.Text) {
			return script.Word(beat)
		}
	}
	return ""
}

// logprobs is the list of token entries for the content, or for the refusal.
func (s Said) logprobs(refusal bool) ojson.Value {
	l := first[script.Logprobs](s.Beats)
	if refusal {
		return l.Refusal
	}
	return l.Content
}

func (t *Transcript) hasAudio() bool { return slices.ContainsFunc(t.Said, Said.isAudio) }

// breaksOff reports whether the reply lets the stream end early.
func (t *Transcript) breaksOff() bool {
	if t.failed || t.opaque || t.Manner.End.Kind != "" || t.Manner.Wire.Body != nil {
		return true
	}
	unended := func(s scenarios.Step) bool { return s.Done != nil && !*s.Done }
	return t.Reply.Stream != nil && slices.ContainsFunc(*t.Reply.Stream, unended)
}

// choices lists the indices of the choices, in order of appearance.
func (t *Transcript) choices() (list []int) {
	for _, p := range t.Said {
		if !slices.Contains(list, p.Choice) {
			list = append(list, p.Choice)
		}
	}
	return list
}

// written returns the position and the text of a part of the group's step. There is no
// position if the reply is not a stream.
func (t *Transcript) written(g *script.Group, get func(*scenarios.Step) scenarios.Opt[scenarios.Text]) (diag.Pos, string) {
	if t.Reply.Stream == nil || g.Step < 0 || g.Step >= len(*t.Reply.Stream) {
		return diag.Pos{}, ""
	}
	text := get(&(*t.Reply.Stream)[g.Step]).Value
	return text.Pos, text.Source
}

func (t *Transcript) groups() []script.Group {
	if t.Script == nil {
		return nil
	}
	return t.Script.Groups
}
