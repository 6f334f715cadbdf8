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
	return sp.units, nil
}

// speakAll writes the events of all groups. Ends has the number
// of events up to the end of each group.
func (s *speaker) speakAll(sc *script.Script) (ends []int) {
	defer func() { s.options.AmendNamed(s.units) }()
	for i := range sc.Groups {
		s.speak(i, &sc.Groups[i])
		ends = append(ends, len(s.units))
	}
	s.end(sc)
	if n := len(ends); n > 0 {
		ends[n-1] = len(s.units)
	}
	return ends
}

type speaker struct {
	layout  layout
	options *surface.Options
	padded  bool // padded says that events have obfuscation.
	// obfuscation makes the obfuscation of deltas.
	obfuscation *surface.Obfuscation
	late        bool // late says that texts, numbers and obfuscation are known only with the request.
	behind      bool // behind says that a series came before.

	// ends has the position of the last group of each call, by the index of the call; usageAt
	// is the position of the last group with usage.
	ends    map[int]int
	usageAt int

	at    int           // at is the position of the current group.
	group *script.Group // group is the current group.
	began int           // began is the number of units before the current group.
	blank compile.Unit  // blank is the unit that the first event of the current group starts from; it has the pause before the group.
	units []compile.Unit
	said  int // said is the number of events so far, from which the next sequence number follows.

	opened   bool        // opened says that response.created was sent.
	role     ojson.Value // role is the role of messages, if the reply has one.
	items    []*item     // items are the items so far, in their order.
	past     int         // past is how many items at their start are closed.
	calls    map[int]*item
	lastCall ojson.Value // lastCall is the call_id of the last item that was written whole and had one.
	latest   int         // latest is the index of the call that had the latest fragment.
	usage    ojson.Value
	finished string // finished is the finish reason until the last event has told it; "" for none.
	failed   bool   // failed says that an error ended the answer.
	over     bool   // over says that the last event was sent.
	closing  bool   // closing marks the next event as the first of those that an early ending takes away.
}

func newSpeaker(s *script.Script, o *surface.Options) *speaker {
	sp := &speaker{
		layout: layoutNamed(o.Want.Layout), options: o, calls: map[int]*item{},
		usage: ojson.Null(), said: o.Said, opened: o.Said > 0,
		units: make([]compile.Unit, 0, len(s.Groups)+8), // most groups have one event, and an answer a few more
	}
	sp.padded = sp.layout.era != march2025 && o.Want.Padding && o.Want.Stream && !sp.queued() && (o.Envelope.Obfuscation == nil || *o.Envelope.Obfuscation)
	sp.late = s.OpenTexts() && o.Want.Stream && o.Later != nil
	sp.obfuscation = o.NewObfuscation(sp.late)
	sp.ends, sp.usageAt = surface.LastGroups(s)
	return sp
}

func (s *speaker) speak(at int, g *script.Group) {
	s.at, s.group, s.began = at, g, len(s.units)
	u := surface.NewUnit(s.group)
	s.blank = u
	s.blank.Series = 0
	if !s.group.IsChunk() {
		s.wire(u)
		return
	}
	s.beats()
	if len(s.units) == s.began { // the group has no event here
		u.Silent, u.Paced, u.Kind = true, false, "silent"
		s.units = append(s.units, u)
	}
	s.options.EditEvents(s.group, s.units[s.began:])
}

// wire writes a group that belongs to no item: an error, [DONE], or bytes as they are written.
func (s *speaker) wire(u compile.Unit) {
	switch beat := s.group.Beats[0].(type) {
	case script.Error:
		s.fail(u, &beat)
	case script.Done:
		s.terminate()
		s.units = append(s.units, u)
	default:
		s.units = append(s.units, u)
	}
}

func (s *speaker) beats() {
	g := s.group
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
			s.callFragment(&beat)
		case script.Literal:
			s.literal(beat.Value)
		case script.Finish:
			s.finish(beat.Reason)
		case script.Usage:
			s.usage = usageObject(&beat, s.layout)
		}
	}
	if s.finished != "" && s.at >= s.usageAt {
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
	last := script.Group{Step: -1}
	if n := len(s.units); n > 0 {
		last.Step = s.units[n-1].Step
	}
	s.group, s.began, s.blank = &last, len(s.units), compile.Unit{Step: last.Step}
	if ends := s.options.Envelope.Response.Ends(); ends == statusFailed && !s.over && !s.failed && s.options.Said == 0 {
		s.open()
		s.finished = ends // an answer that fails needs no finish
	}
	s.terminate()
	if !s.options.Want.Stream && s.options.Said == 0 {
		s.endWhole(len(sc.Groups))
	}
	if s.options.EndMark && !sc.OwnDone {
		s.units = append(s.units, surface.Done(compile.Unit{Step: last.Step}))
	}
}

// endWhole writes the last event of an answer in one piece that has none: one that nothing
// finishes, and one with the status queued.
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
