package realtime

import (
	"cmp"
	"slices"
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
	defer func() { o.AmendNamed(sp.Units) }()
	for i := range s.Groups {
		sp.speak(i, &s.Groups[i])
	}
	sp.end()
	return sp.Units, nil
}

type speaker struct {
	surface.EventSpeaker
	ownSound bool // ownSound says that the author wrote the sound.
	toned    int  // toned is the length of the tones so far, in base64 characters: see maxTone.

	opened   bool // opened says that response.created was sent.
	items    []*item
	calls    map[int]*item
	usage    ojson.Value
	finished string // finished is the finish reason until response.done has told it; "" for none.
	over     bool   // over says that response.done was sent.
}

func newSpeaker(s *script.Script, o *surface.Options) *speaker {
	sp := &speaker{calls: map[int]*item{}, usage: ojson.Null(), opened: o.Said > 0}
	sp.Options, sp.Obfuscation = o, o.NewObfuscation(s.OpenTexts() && o.Later != nil)
	sp.Padded = o.Want.Padding && (o.Envelope.Obfuscation == nil || *o.Envelope.Obfuscation)
	sp.Ends, sp.UsageAt = surface.LastGroups(s)
	for i := range s.Groups {
		sp.ownSound = sp.ownSound || slices.ContainsFunc(s.Groups[i].Beats, func(beat script.Beat) bool {
			audio, is := beat.(script.Audio)
			return is && !audio.Members.Get("data").IsNullOrAbsent()
		})
	}
	return sp
}

func (s *speaker) speak(at int, g *script.Group) {
	u := s.Begin(at, g)
	if !g.IsChunk() {
		if e, ok := g.Beats[0].(script.Error); ok && e.Body == nil {
			s.fail(&e)
		} else {
			s.Units = append(s.Units, u)
		}
		return
	}
	for _, beat := range g.Beats {
		s.beat(beat)
	}
	if s.finished != "" && s.At >= s.UsageAt {
		s.terminate()
	}
	if len(s.Said()) == 0 { // the group has no event here
		s.silent(u)
	}
	s.Options.EditEvents(g, s.Said())
}

// silent adds a group without an event: a heartbeat is a ping, as the server's comments are, and anything else a pause.
func (s *speaker) silent(u compile.Unit) {
	if len(s.Group.Beats) == 0 {
		beat := kindHeartbeat
		u.Kind, u.Event.Comment = kindHeartbeat, &beat
	} else {
		u.Silent, u.Paced, u.Kind = true, false, "silent"
	}
	s.Units = append(s.Units, u)
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
		s.callStart(s.StartOf(&beat, len(s.calls)))
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

func (s *speaker) emit(eventType, kind string, members ...ojson.Member) *compile.Unit {
	event := ojson.Object(append([]ojson.Member{ojson.M("type", ojson.String(eventType))}, members...)...)
	return s.Add(eventType, kind, event, surface.InEvent(eventType, func(p ojson.Path, _ bool) ojson.Path { return p }))
}

// delta adds an event with a piece of a text, or of the sound of one. It is sent for each piece of a series.
func (s *speaker) delta(eventType, kind string, delta ojson.Value, padded bool, members ...ojson.Member) {
	members = append(members, ojson.M("delta", delta))
	if padded && s.Padded {
		members = append(members, ojson.M("obfuscation", s.Obfuscation.Of(delta, s.SeriesOf(delta))))
	}
	s.InSeries(s.emit(eventType, kind, members...))
}

// text writes a piece of a text, which is said aloud if the response is spoken. An empty text beside a role, where other
// APIs send one, opens nothing.
func (s *speaker) text(piece ojson.Value) {
	s.open()
	_, beside := s.Group.Beats[0].(script.Start)
	if piece.IsNullOrAbsent() || !script.Says(piece) && (beside || s.Options.FromMessage) {
		return
	}
	i := s.message()
	s.say(i, piece)
	if s.Options.Want.Voice != 0 && !s.ownSound {
		s.delta("response.output_audio.delta", kindAudio, s.soundOf(piece), false, s.insidePart(i)...)
	}
}

// say writes a piece of the words of a message.
func (s *speaker) say(i *item, piece ojson.Value) {
	i.text.Add(piece, s.Group.Series)
	eventType := "response.output_text.delta"
	if s.Options.Want.Voice != 0 {
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
	if sound := members.Get("data"); script.Says(sound) && s.Options.Want.Voice != 0 {
		i := s.message()
		s.delta("response.output_audio.delta", kindAudio, sound, false, s.insidePart(i)...)
	}
}

// soundOf returns the sound of a piece of a text: a tone. If only the request tells the text, that is a hole.
func (s *speaker) soundOf(piece ojson.Value) ojson.Value {
	id, open := hole.In(piece)
	if !open || s.Options.Later == nil {
		tone := appendTone(nil, utf8.RuneCountInString(piece.Text()), maxTone-s.toned, &s.Options.Want)
		s.toned += len(tone)
		return ojson.String(string(tone))
	}
	series := s.SeriesOf(piece)
	return s.Options.LaterIn(series, func(dst []byte, f *surface.Filler, _ int, json []byte) []byte {
		if series == 0 {
			json = f.Values.Get(id)
		}
		return append(appendTone(append(dst, '"'), utf8.RuneCount(json)-2, maxSound, &s.Options.Want), '"')
	})
}

// callStart opens a call, or goes on with it if it is open already.
func (s *speaker) callStart(c *script.CallStart) {
	if s.calls[c.Index] == nil {
		i := s.openItem(itemCall, func(i *item) {
			i.call, i.name, i.more = c.Index, c.Name, c.Extra
			if i.callID = c.ID; i.callID.IsAbsent() {
				i.callID = s.Options.NewID(callPrefix)
			}
		})
		s.Units[len(s.Units)-1].Also = append(s.Units[len(s.Units)-1].Also, kindTool)
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
	i.text.Add(c.Arguments, s.Group.Series)
	s.delta("response.function_call_arguments.delta", kindTool, c.Arguments, true, append(s.itemReference(i), ojson.M("call_id", i.callID))...)
}

// finish closes the open items. A reason that is null or empty finishes nothing. A response that failed or was cancelled
// leaves its items open.
func (s *speaker) finish(reason ojson.Value) {
	if !script.Says(reason) {
		return
	}
	s.open()
	s.Closing = s.Options.FromMessage
	s.finished = cmp.Or(reason.Text(), "stop") // a template, which only the request tells, is a finish like others
	status, _ := s.outcome()
	if status != statusCompleted && status != statusIncomplete {
		return
	}
	if len(s.items) == 0 && s.finished != "tool_calls" {
		s.message() // an empty answer has an empty message, unless it ends for calls
	}
	for call := range s.calls {
		s.Ends[call] = s.At - 1
	}
	s.closeItems(s.At, status)
}

// outcome returns how the response ends, as the envelope says or else as the finish reason does, and its status_details.
func (s *speaker) outcome() (status string, details ojson.Value) {
	status, reason := surface.StatusByFinish(s.finished)
	authored := s.Options.Envelope.Response
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
	if s.Options.Want.Layout != scenarios.LayoutAzure && (status == statusCompleted || status == statusIncomplete) {
		s.emit("rate_limits.updated", "", ojson.M("rate_limits", hole.Value(holeLimits)))
	}
}

// fail writes an error in mid-stream: response.done with the status failed. Items stay open.
func (s *speaker) fail(e *script.Error) {
	s.open()
	s.over = true
	details := failureDetails(e.Object)
	if authored := s.Options.Envelope.Response; authored != nil && !authored.Error.IsAbsent() {
		details = failureDetails(authored.Error)
	}
	s.emit("response.done", kindError, ojson.M("response", s.response(statusFailed, details, ojson.Array(), usageObject(nil))))
}

// end writes the closing events when the script is over.
func (s *speaker) end() {
	s.BeginEnd()
	if s.Options.Envelope.Response.Ends() == statusFailed && !s.over && s.Options.Said == 0 {
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
