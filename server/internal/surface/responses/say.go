package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// open writes the events that begin the stream, once.
func (s *speaker) open() {
	if s.opened {
		return
	}
	s.opened = true
	created := without(statusInProgress)
	if s.queued() {
		created = without(statusQueued)
	}
	s.answer("created", "", created)
	if s.queued() {
		s.answer("queued", "", created)
	}
	s.answer("in_progress", "", without(statusInProgress))
}

// text writes a piece of a text or a refusal. A refusal has no log-probabilities here.
func (s *speaker) text(of *textKind, piece ojson.Value) {
	if !s.saysText(of, piece) {
		return
	}
	i, p := s.part(of)
	if of != answerText {
		s.piece(i, p, piece)
		return
	}
	logprobs := logprobsOf(s.group)
	p.logprobs = append(p.logprobs, logprobs...)
	u := s.piece(i, p, piece, ojson.M("logprobs", ojson.Array(logprobs...)))
	if len(logprobs) > 0 {
		u.Also = append(u.Also, kindLogprobs)
	}
}

// saysText reports whether a piece has an event: if it is not empty, if the author wrote it as a
// step, or if the last part of the open item is of its kind. Beside a role, where other APIs send an
// empty text, and in a message it opens nothing.
func (s *speaker) saysText(of *textKind, piece ojson.Value) bool {
	s.open()
	if piece.IsNullOrAbsent() {
		return false
	}
	i := s.current()
	_, beside := s.group.Beats[0].(script.Start)
	return script.Says(piece) || !beside && !s.options.FromMessage || i != nil && len(i.parts) > 0 && i.lastPart().of == of
}

// annotations writes an event for each annotation of the text. The closing events of the part
// repeat them.
func (s *speaker) annotations(list ojson.Value) {
	for _, written := range list.Items() {
		i, p := s.part(answerText)
		annotation := flat(written)
		if s.layout.era >= february2026 {
			annotation = annotation.Sorted().First("type")
		}
		members := append(s.insidePart(i, p), ojson.M("annotation", annotation), ojson.M("annotation_index", ojson.Int(int64(len(p.annotations)))))
		p.annotations = append(p.annotations, annotation)
		s.emit("response.output_text.annotation.added", "", members...)
	}
}

// flat returns an annotation in the shape of this API: its members beside its type. On chat
// completions they are in an object that has the type for a name.
func flat(annotation ojson.Value) ojson.Value {
	kind := annotation.Get("type")
	inner := annotation.Get(kind.Text())
	if inner.Kind() != ojson.ObjectKind {
		return annotation
	}
	return ojson.Object(append([]ojson.Member{ojson.M("type", kind)}, inner.Members()...)...)
}

// reasoning writes a piece of reasoning: of its summary, or of the raw text.
func (s *speaker) reasoning(r *script.Reasoning) {
	of := summaryText
	if r.Raw {
		of = reasoningText
	}
	i := s.current()
	inside := i != nil && i.kind == Reasoning
	if inside && r.Next == script.NextPart {
		s.closePart(i)
	}
	if r.Next == script.NextItem || !r.Encrypted.IsAbsent() && !inside {
		i = s.openItem(Reasoning, s.prepare)
	}
	if !r.Encrypted.IsAbsent() && s.asks(encryptedInclude) {
		i.sealed = r.Encrypted
	}
	if r.Next != script.NextPart && !s.saysText(of, r.Text) || r.Text.IsNullOrAbsent() {
		return
	}
	i, p := s.part(of)
	s.piece(i, p, r.Text)
}

// encryptedPrefix is how encrypted_content begins.
const encryptedPrefix = "gAAAAAB"

// prepare gives an opened reasoning item its first encrypted_content, if the request includes
// it. The closed item has another.
func (s *speaker) prepare(i *item) {
	for _, beat := range s.group.Beats {
		r, ok := beat.(script.Reasoning)
		i.raw = i.raw || ok && r.Raw && s.layout.era == july2026
	}
	if i.kind == Reasoning && s.asks(encryptedInclude) {
		i.encrypted = s.options.NewID(encryptedPrefix)
	}
}

// seal gives a closed reasoning item its final encrypted_content, if it has one.
func (s *speaker) seal(i *item) {
	switch {
	case i.encrypted.IsAbsent():
	case !i.sealed.IsAbsent():
		i.encrypted = i.sealed
	default:
		i.encrypted = s.options.NewID(encryptedPrefix)
	}
}

// callStart opens a call, or goes on with it if it is open already.
func (s *speaker) callStart(c *script.CallStart) {
	if s.calls[c.Index] == nil {
		kind := Function
		if c.Type == script.CustomCall {
			kind = Custom
		}
		s.calls[c.Index] = s.openItem(kind, func(i *item) { i.call, i.callID, i.name = c.Index, c.ID, c.Name })
	}
	if script.Says(c.Arguments) {
		s.callArguments(&script.CallArguments{Index: c.Index, Arguments: c.Arguments})
	}
}

// callArguments writes a piece of the arguments of a call. It opens a call without id and name
// if the script has not opened it.
func (s *speaker) callArguments(c *script.CallArguments) {
	if c.Arguments.IsNullOrAbsent() {
		return
	}
	if s.calls[c.Index] == nil {
		s.callStart(&script.CallStart{Index: c.Index, Type: c.Type})
	}
	i := s.calls[c.Index]
	s.piece(i, s.partIn(i, alwaysIn(i.kind)), c.Arguments)
}

// callFragment writes a fragment of a call that the author wrote member by member. The first
// fragment of a call opens it.
func (s *speaker) callFragment(f *script.CallFragment) {
	start := surface.StartOf(f, s.latest, len(s.calls))
	s.latest = start.Index
	s.callStart(start)
}
