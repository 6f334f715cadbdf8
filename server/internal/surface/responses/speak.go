package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Speak returns the events of a script. Each group opens the items and parts that it belongs
// to, and closes those that it does not.
func (Surface) Speak(s *script.Script, o *surface.Options) ([]compile.Unit, error) {
	if err := info.Sayable(s, o); err != nil {
		return nil, err
	}
	sp := newSpeaker(s, o)
	sp.speakAll(s)
	return sp.Units, nil
}

// speakAll writes the events of all groups. Ends has the number
// of events up to the end of each group.
func (s *speaker) speakAll(sc *script.Script) (ends []int) {
	defer func() { s.Options.AmendNamed(s.Units) }()
	for i := range sc.Groups {
		s.speak(i, &sc.Groups[i])
		ends = append(ends, len(s.Units))
	}
	s.end(sc)
	if n := len(ends); n > 0 {
		ends[n-1] = len(s.Units)
	}
	return ends
}

type speaker struct {
	surface.EventSpeaker
	layout layout
	late   bool // late says that texts, numbers and obfuscation are known only with the request.
	behind bool // behind says that a series came before.
	said   int  // said is the number of events so far, from which the next sequence number follows.

	opened   bool        // opened says that response.created was sent.
	role     ojson.Value // role is the role of messages, if the reply has one.
	items    []*item     // items are the items so far, in their order.
	past     int         // past is how many items at their start are closed.
	calls    map[int]*item
	lastCall ojson.Value // lastCall is the call_id of the last item that was written whole and had one.
	usage    ojson.Value
	finished string // finished is the finish reason until the last event has told it; "" for none.
	failed   bool   // failed says that an error ended the answer.
	over     bool   // over says that the last event was sent.
}

func newSpeaker(s *script.Script, o *surface.Options) *speaker {
	sp := &speaker{layout: layoutNamed(o.Want.Layout), calls: map[int]*item{}, usage: ojson.Null(), said: o.Said, opened: o.Said > 0}
	sp.Options = o
	sp.Units = make([]compile.Unit, 0, len(s.Groups)+8) // most groups have one event, and an answer a few more
	sp.Padded = sp.layout.era != march2025 && o.Want.Padding && o.Want.Stream && !sp.queued() && (o.Envelope.Obfuscation == nil || *o.Envelope.Obfuscation)
	sp.late = s.OpenTexts() && o.Want.Stream && o.Later != nil
	sp.Obfuscation = o.NewObfuscation(sp.late)
	sp.Ends, sp.UsageAt = surface.LastGroups(s)
	return sp
}

func (s *speaker) speak(at int, g *script.Group) {
	u := s.Begin(at, g)
	if !s.Group.IsChunk() {
		s.wire(u)
		return
	}
	s.beats()
	if len(s.Said()) == 0 { // the group has no event here
		u.Silent, u.Paced, u.Kind = true, false, "silent"
		s.Units = append(s.Units, u)
	}
	s.Options.EditEvents(s.Group, s.Said())
}

// wire writes a group that belongs to no item: an error, [DONE], or bytes as they are written.
func (s *speaker) wire(u compile.Unit) {
	switch beat := s.Group.Beats[0].(type) {
	case script.Error:
		s.fail(u, &beat)
	case script.Done:
		s.terminate()
		s.Units = append(s.Units, u)
	default:
		s.Units = append(s.Units, u)
	}
}

func (s *speaker) beats() {
	g := s.Group
	if isHeartbeat(g) {
		s.open()
		s.emit("keepalive", kindHeartbeat)
		return
	}
	for _, beat := range g.Beats {
		switch beat := beat.(type) {
		case script.Start:
			s.role = beat.Role
			s.open()
		case script.Part:
			s.endPart()
		case script.Text:
			s.text(answerText, beat.Text)
		case script.Refusal:
			s.text(refusalText, beat.Text)
		case script.Reasoning:
			s.reasoning(&beat)
		case script.Annotations:
			s.annotations(beat.List)
		case script.Item:
			s.saysItem(&beat)
		case script.CallStart:
			s.callStart(&beat)
		case script.CallArguments:
			s.callArguments(&beat)
		case script.CallFragment:
			s.callStart(s.StartOf(&beat, len(s.calls)))
		case script.Literal:
			s.literal(beat.Value)
		case script.Finish:
			s.finish(beat.Reason)
		case script.Usage:
			s.usage = usageObject(&beat, s.layout)
		}
	}
	if s.finished != "" && s.At >= s.UsageAt {
		s.terminate()
	}
}

// isHeartbeat reports whether a group has no content and is sent only to keep the connection
// alive.
func isHeartbeat(g *script.Group) bool {
	for _, beat := range g.Beats {
		if l, ok := beat.(script.Logprobs); !ok || !l.Null {
			return false
		}
	}
	return true
}

func (s *speaker) literal(event ojson.Value) {
	u := s.emit(event.Get("type").Text(), "")
	u.JSON = event
	s.opened = true
}

// end writes what is left when the script is over. An answer in one piece is folded from the
// last event, so that it gets one even if nothing finishes it.
func (s *speaker) end(sc *script.Script) {
	s.BeginEnd()
	if ends := s.Options.Envelope.Response.Ends(); ends == statusFailed && !s.over && !s.failed && s.Options.Said == 0 {
		s.open()
		s.finished = ends // an answer that fails needs no finish
	}
	s.terminate()
	if !s.Options.Want.Stream && s.Options.Said == 0 {
		s.endWhole(len(sc.Groups))
	}
	if s.Options.EndMark && !sc.OwnDone {
		s.Units = append(s.Units, surface.Done(compile.Unit{Step: s.Group.Step}))
	}
}

// endWhole writes the last event of an answer in one piece whose script has none: an answer with the status queued, or
// one that has no finish reason.
func (s *speaker) endWhole(groups int) {
	switch {
	case s.queued():
		s.open()
		s.answer("queued", kindFinish, without(statusQueued))
	case !s.over && !s.failed:
		s.open()
		s.closeItems(groups, statusInProgress)
		s.answer("in_progress", kindFinish, snapshot{status: statusInProgress, usage: s.usage, output: s.output()})
	}
}

// says reports whether events can express a beat.
func says(beat script.Beat) bool {
	switch beat := beat.(type) {
	case script.CallStart:
		return beat.Type != script.LegacyCall
	case script.CallArguments:
		return beat.Type != script.LegacyCall
	case nil, script.Start, script.Part, script.Text, script.Refusal, script.Reasoning, script.Annotations, script.Item, script.CallFragment, script.Logprobs, script.Finish, script.Usage:
		return true
	}
	return false
}
