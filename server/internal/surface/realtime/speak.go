package realtime

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Kinds of events: the words by which damage names them. Any other event has its type as kind, without "response.".
const (
	kindContent   = "content"
	kindAudio     = "audio"
	kindTool      = "tool"
	kindHeartbeat = "heartbeat"
	kindFinish    = "finish"
	kindUsage     = "usage"
	kindError     = "error"
)

// Speak returns the events of a script. A session adds the id of each event when it sends it.
func (Surface) Speak(s *script.Script, o *surface.Options) ([]compile.Unit, error) {
	if err := info.Sayable(s, o); err != nil {
		return nil, err
	}
	sp := newSpeaker(s, o)
	defer func() { o.AmendNamed(sp.units) }()
	for i := range s.Groups {
		sp.speak(i, &s.Groups[i])
	}
	sp.end()
	return sp.units, nil
}

type speaker struct {
	options     *surface.Options
	obfuscation *surface.Obfuscation
	padded      bool // padded says that deltas of texts have obfuscation.
	ownSound    bool // ownSound says that the author wrote the sound.
	toned       int  // toned is the length of the tones so far, in base64 characters: see maxTone.

	// ends has the position of the last group of each call, by the index of the call; usageAt is the position of the
	// last group with usage.
	ends    map[int]int
	usageAt int

	at    int           // at is the position of the current group.
	group *script.Group // group is the current group.
	began int           // began is the number of units before the current group.
	blank compile.Unit  // blank is the unit that the first event of the current group starts from; it has the pause before the group.
	units []compile.Unit

	opened   bool // opened says that response.created was sent.
	items    []*item
	calls    map[int]*item
	latest   int // latest is the index of the call that had the latest fragment.
	usage    ojson.Value
	finished string // finished is the finish reason until response.done has told it; "" for none.
	over     bool   // over says that response.done was sent.
	closing  bool   // closing marks the next event as the first of those that an early ending takes away.
}

func newSpeaker(s *script.Script, o *surface.Options) *speaker {
	sp := &speaker{
		options: o, calls: map[int]*item{}, usage: ojson.Null(), opened: o.Said > 0,
		padded:      o.Want.Padding && (o.Envelope.Obfuscation == nil || *o.Envelope.Obfuscation),
		obfuscation: o.NewObfuscation(s.OpenTexts() && o.Later != nil),
	}
	sp.ends, sp.usageAt = surface.LastGroups(s)
	for i := range s.Groups {
		sp.ownSound = sp.ownSound || slices.ContainsFunc(s.Groups[i].Beats, func(beat script.Beat) bool {
			audio, is := beat.(script.Audio)
			return is && !audio.Members.Get("data").IsNullOrAbsent()
		})
	}
	return sp
}

func (s *speaker) speak(at int, g *script.Group) {
	s.at, s.group, s.began = at, g, len(s.units)
	u := surface.NewUnit(g)
	s.blank = u
	s.blank.Series = 0
	if !g.IsChunk() {
		if e, ok := g.Beats[0].(script.Error); ok && e.Body == nil {
			s.fail(&e)
		} else {
			s.units = append(s.units, u)
		}
		return
	}
	for _, beat := range g.Beats {
		s.beat(beat)
	}
	if s.finished != "" && s.at >= s.usageAt {
		s.terminate()
	}
	if len(s.units) == s.began { // the group has no event here
		s.silent(u)
	}
	s.options.EditEvents(g, s.units[s.began:])
}

// silent adds a group without an event: a heartbeat is a ping, as the server's comments are, and anything else a pause.
func (s *speaker) silent(u compile.Unit) {
	if len(s.group.Beats) == 0 {
		beat := kindHeartbeat
		u.Kind, u.Event.Comment = kindHeartbeat, &beat
	} else {
		u.Silent, u.Paced, u.Kind = true, false, "silent"
	}
	s.units = append(s.units, u)
}

func (s *speaker) beat(beat script.Beat) {
	switch beat := beat.(type) {
	case script.Start:
		s.open()
	case script.Text:
		s.text(beat.Text)
	case script.Audio:
		s.audio(beat.Members)
	case script.CallStart:
		s.callStart(&beat)
	case script.CallArguments:
		s.callArguments(&beat)
	case script.CallFragment:
		s.callFragment(&beat)
	case script.Literal:
		u := s.emit(beat.Value.Get("type").Text(), "")
		u.JSON = beat.Value
		s.opened = true
	case script.Finish:
		s.finish(beat.Reason)
	case script.Usage:
		s.usage = usageObject(&beat)
	}
}

// emit adds an event of this type. The first event of a group gets the pause before the group; the others follow at once.
func (s *speaker) emit(eventType, kind string, members ...ojson.Member) *compile.Unit {
	u := compile.Unit{Step: s.group.Step, Wire: s.blank.Wire, Event: s.blank.Event}
	if len(s.units) == s.began {
		u = s.blank
	}
	u.Kind, u.Name = cmp.Or(kind, strings.TrimPrefix(eventType, "response.")), eventType
	u.Closing, s.closing = s.closing, false
	event := ojson.Object(append([]ojson.Member{ojson.M("type", ojson.String(eventType))}, members...)...)
	u.JSON = s.options.AmendEverywhere(event, surface.InEvent(eventType, func(p ojson.Path, _ bool) ojson.Path { return p }))
	s.units = append(s.units, u)
	return &s.units[len(s.units)-1]
}

// delta adds an event with a piece of a text, or of the sound of one. It is sent for each piece of a series.
func (s *speaker) delta(eventType, kind string, delta ojson.Value, padded bool, members ...ojson.Member) {
	series := hole.ID(0)
	if id, _ := hole.In(delta); id == hole.Piece {
		series = s.group.Series
	}
	members = append(members, ojson.M("delta", delta))
	if padded && s.padded {
		members = append(members, ojson.M("obfuscation", s.obfuscation.Of(delta, series)))
	}
	u := s.emit(eventType, kind, members...)
	if s.group.Series != 0 {
		u.Series, u.PieceGap = s.group.Series, s.group.PieceGap
		u.Follows = !u.Paced
		u.Paced, u.Jitter = true, s.group.Jitter
	}
}

// text writes a piece of a text, which is said aloud if the response is spoken. An empty text beside a role, where other
// APIs send one, opens nothing.
func (s *speaker) text(piece ojson.Value) {
	s.open()
	_, beside := s.group.Beats[0].(script.Start)
	if piece.IsNullOrAbsent() || !script.Says(piece) && (beside || s.options.FromMessage) {
		return
	}
	i := s.message()
	s.say(i, piece)
	if s.options.Want.Voice != 0 && !s.ownSound {
		s.delta("response.output_audio.delta", kindAudio, s.soundOf(piece), false, s.insidePart(i)...)
	}
}

// say writes a piece of the words of a message.
func (s *speaker) say(i *item, piece ojson.Value) {
	i.text.Add(piece, s.group.Series)
	eventType := "response.output_text.delta"
	if s.options.Want.Voice != 0 {
		eventType = "response.output_audio_transcript.delta"
	}
	s.delta(eventType, kindContent, piece, true, s.insidePart(i)...)
}

// audio writes a piece of a spoken message whose words and sound the author wrote.
func (s *speaker) audio(members ojson.Value) {
	s.open()
	if words := members.Get("transcript"); script.Says(words) {
		s.say(s.message(), words)
	}
	if sound := members.Get("data"); script.Says(sound) && s.options.Want.Voice != 0 {
		i := s.message()
		s.delta("response.output_audio.delta", kindAudio, sound, false, s.insidePart(i)...)
	}
}

// soundOf returns the sound of a piece of a text: a tone. If only the request tells the text, that is a hole.
func (s *speaker) soundOf(piece ojson.Value) ojson.Value {
	id, open := hole.In(piece)
	if !open || s.options.Later == nil {
		tone := appendTone(nil, utf8.RuneCountInString(piece.Text()), maxTone-s.toned, &s.options.Want)
		s.toned += len(tone)
		return ojson.String(string(tone))
	}
	series := hole.ID(0)
	if id == hole.Piece {
		series = s.group.Series
	}
	return s.options.LaterIn(series, func(dst []byte, f *surface.Filler, _ int, json []byte) []byte {
		if series == 0 {
			json = f.Values.Get(id)
		}
		return append(appendTone(append(dst, '"'), utf8.RuneCount(json)-2, maxSound, &s.options.Want), '"')
	})
}

// callStart opens a call, or goes on with it if it is open already.
func (s *speaker) callStart(c *script.CallStart) {
	if s.calls[c.Index] == nil {
		i := s.openItem(itemCall, func(i *item) {
			i.call, i.name, i.more = c.Index, c.Name, c.Extra
			if i.callID = c.ID; i.callID.IsAbsent() {
				i.callID = s.options.NewID(callPrefix)
			}
		})
		s.units[len(s.units)-1].Also = append(s.units[len(s.units)-1].Also, kindTool)
		s.calls[c.Index] = i
	}
	if script.Says(c.Arguments) {
		s.callArguments(&script.CallArguments{Index: c.Index, Arguments: c.Arguments})
	}
}

// callArguments writes a piece of the arguments of a call. It opens a call without id and name if the script has not
// opened it.
func (s *speaker) callArguments(c *script.CallArguments) {
	if c.Arguments.IsNullOrAbsent() {
		return
	}
	if s.calls[c.Index] == nil {
		s.callStart(&script.CallStart{Index: c.Index, Type: c.Type})
	}
	i := s.calls[c.Index]
	i.text.Add(c.Arguments, s.group.Series)
	s.delta("response.function_call_arguments.delta", kindTool, c.Arguments, true, append(s.inside(i), ojson.M("call_id", i.callID))...)
}

// callFragment writes a fragment of a call that the author wrote member by member.
func (s *speaker) callFragment(f *script.CallFragment) {
	start := surface.StartOf(f, s.latest, len(s.calls))
	s.latest = start.Index
	s.callStart(start)
}

// finish closes the open items. A reason that is null or empty finishes nothing. A response that failed or was cancelled
// leaves its items open.
func (s *speaker) finish(reason ojson.Value) {
	if !script.Says(reason) {
		return
	}
	s.open()
	s.closing = s.options.FromMessage
	s.finished = cmp.Or(reason.Text(), "stop") // a template, which only the request tells, is a finish like others
	status, _ := s.outcome()
	if status != statusCompleted && status != statusIncomplete {
		return
	}
	if len(s.items) == 0 && s.finished != "tool_calls" {
		s.message() // an empty answer has an empty message, unless it ends for calls
	}
	for _, i := range s.items {
		if i.kind == itemCall {
			s.ends[i.call] = s.at - 1
		}
	}
	s.closeItems(s.at, status)
}

// outcome returns how the response ends, as the envelope says or else as the finish reason does, and its status_details.
func (s *speaker) outcome() (status string, details ojson.Value) {
	status, reason := surface.StatusByFinish(s.finished)
	authored := s.options.Envelope.Response
	switch status = cmp.Or(authored.Ends(), status); status {
	case statusCompleted:
		return status, ojson.Null()
	case statusFailed:
		return status, failureDetails(authored.Error)
	case statusCancelled:
		reason = "turn_detected"
	}
	if authored != nil && !authored.IncompleteDetails.IsAbsent() {
		reason = cmp.Or(authored.IncompleteDetails.Get("reason").Text(), reason)
	}
	return status, ojson.Object(ojson.M("type", ojson.String(status)), ojson.M("reason", ojson.String(cmp.Or(reason, surface.ReasonLength))))
}

// terminate writes response.done, once, and the limits, which the service tells behind each response but not on Azure.
func (s *speaker) terminate() {
	if s.finished == "" || s.over {
		return
	}
	status, details := s.outcome()
	s.over = true
	output := s.output()
	if status == statusFailed {
		output = ojson.Array()
	}
	u := s.emit("response.done", kindFinish, ojson.M("response", s.response(status, details, output, s.usage)))
	u.Also = append(u.Also, kindUsage)
	if s.options.Want.Layout != scenarios.LayoutAzure && (status == statusCompleted || status == statusIncomplete) {
		s.emit("rate_limits.updated", "", ojson.M("rate_limits", hole.Value(holeLimits)))
	}
}

// fail writes an error in mid-stream: response.done with the status failed. Items stay open.
func (s *speaker) fail(e *script.Error) {
	s.open()
	s.over = true
	details := failureDetails(e.Object)
	if authored := s.options.Envelope.Response; authored != nil && !authored.Error.IsAbsent() {
		details = failureDetails(authored.Error)
	}
	s.emit("response.done", kindError, ojson.M("response", s.response(statusFailed, details, ojson.Array(), usageObject(nil))))
}

// end writes what is left when the script is over.
func (s *speaker) end() {
	last := script.Group{Step: -1}
	if n := len(s.units); n > 0 {
		last.Step = s.units[n-1].Step
	}
	s.group, s.began, s.blank = &last, len(s.units), compile.Unit{Step: last.Step}
	if s.options.Envelope.Response.Ends() == statusFailed && !s.over && s.options.Said == 0 {
		s.open()
		s.finished = statusFailed // an answer that fails needs no finish
	}
	s.terminate()
}

// open writes response.created, once.
func (s *speaker) open() {
	if s.opened {
		return
	}
	s.opened = true
	s.emit("response.created", "", ojson.M("response", s.response(statusInProgress, ojson.Null(), ojson.Array(), ojson.Null())))
}
