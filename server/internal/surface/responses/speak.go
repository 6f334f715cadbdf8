package responses

import (
	"fmt"
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Sayable is the error of Speak.
func (on Surface) Sayable(s *script.Script, o surface.Options) error {
	_, err := on.Speak(s, o)
	return err
}

// Speak is the script as events. What is said next opens the items and parts that
// it belongs to, and closes those that it does not.
func (Surface) Speak(s *script.Script, o surface.Options) ([]compile.Unit, error) {
	sp := newSpeaker(s, &o)
	for i := range s.Groups {
		closes, err := sp.speak(i, &s.Groups[i])
		if err != nil {
			return nil, err
		}
		if closes {
			return sp.units, nil
		}
	}
	sp.end(s)
	return sp.units, nil
}

// speaker writes the events of one answer.
type speaker struct {
	layout  layout
	options *surface.Options
	repeats map[hole.ID]hole.Repeat
	padded  bool       // padded says that the length of texts is hidden.
	pads    int        // pads is how many events have written padding so far.
	chance  *rand.Rand // chance is where padding is drawn from; nil until there is some.

	// ends are the positions of the last groups that say something of a call, by the
	// index of the call, and usageAt is that of the last group with usage.
	ends    map[int]int
	usageAt int

	at    int           // at is the position of the group that is spoken.
	group *script.Group // group is the group that is spoken.
	began int           // began is how many units there were before the group.
	blank compile.Unit  // blank has the pause before the group.
	units []compile.Unit
	said  int // said is the number of the next event.

	opened   bool        // opened says that the stream has begun.
	role     ojson.Value // role is the role of messages, if the reply names one.
	items    []*item     // items are the items so far, in their order.
	calls    map[int]*item
	lastCall ojson.Value // lastCall is the call_id of the last item that was written with one.
	latest   int         // latest is the index of the call of which there was a fragment last.
	usage    ojson.Value
	finished string // finished is the reason of the finish that no event has told yet; "" for none.
	failed   bool   // failed says that an error ended the answer.
	over     bool   // over says that the last event was sent.
	closing  bool   // closing says that the next event begins what an early ending takes away.
}

func newSpeaker(s *script.Script, o *surface.Options) *speaker {
	sp := &speaker{
		layout: layoutNamed(o.Want.Layout), options: o, repeats: s.Repeats, ends: map[int]int{}, usageAt: -1, calls: map[int]*item{},
		usage: ojson.Null(), said: o.Said, opened: o.Said > 0,
	}
	sp.padded = !sp.layout.old && o.Want.Padding && o.Want.Stream && !sp.queued() && (o.Envelope.Obfuscation == nil || *o.Envelope.Obfuscation)
	for i := range s.Groups {
		for _, beat := range s.Groups[i].Beats {
			switch beat := beat.(type) {
			case script.CallStart:
				sp.ends[beat.Index] = i
			case script.CallArguments:
				sp.ends[beat.Index] = i
			case script.CallFragment:
				if index, ok := beat.Index.Int(); ok {
					sp.ends[int(index)] = i
				}
			case script.Usage:
				sp.usageAt = i
			}
		}
	}
	return sp
}

// speak says the group at a position; closes reports that the stream ends after it.
func (s *speaker) speak(at int, g *script.Group) (closes bool, err error) {
	s.at, s.group, s.began = at, g, len(s.units)
	u, isWire, closes := surface.NewUnit(s.group)
	s.blank = u
	s.blank.Run = 0
	if isWire {
		if err := s.errorFits(); err != nil {
			return false, err
		}
		s.wire(u)
		return closes, nil
	}
	if err := s.sayable(); err != nil {
		return false, err
	}
	s.beats()
	if len(s.units) == s.began { // nothing of it is said here
		u.Silent, u.Paced, u.Kind = true, false, "silent"
		s.units = append(s.units, u)
	}
	s.edit()
	return false, nil
}

// wire says a group that is no part of the answer's items.
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

// beats says what a group says of the answer.
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
		case script.Text:
			s.text(beat.Text)
		case script.Refusal:
			s.refusal(beat.Text)
		case script.Reasoning:
			s.reasoning(&beat)
		case script.Annotations:
			s.annotations(beat.List)
		case script.Item:
			s.saysItem(&beat)
		case script.CallStart:
			s.callStart(&beat)
		case script.CallArguments:
			s.callArguments(beat.Index, beat.Type, beat.Arguments)
		case script.CallFragment:
			s.callFragment(&beat)
		case script.Literal:
			s.literal(beat.Value)
		case script.Finish:
			s.finish(beat.Reason)
		case script.Usage:
			s.usage = usageObject(&beat, s.options.Envelope.UsageDetails != nil && !*s.options.Envelope.UsageDetails)
		}
	}
	if s.finished != "" && s.at >= s.usageAt {
		s.terminate()
	}
}

// isHeartbeat reports whether a group is sent to keep the connection alive: it says
// nothing, not even which part of the answer it is.
func isHeartbeat(g *script.Group) bool {
	for _, beat := range g.Beats {
		if l, ok := beat.(script.Logprobs); !ok || !l.Null {
			return false
		}
	}
	return true
}

// literal is an event as it is written.
func (s *speaker) literal(event ojson.Value) {
	u := s.emit(event.Get("type").Text(), "")
	u.JSON = event
	s.opened = true
}

// end says what is left when the script is over. An answer that is not streamed is
// told by its last event, even if nothing finishes it.
func (s *speaker) end(sc *script.Script) {
	last := script.Group{Step: -1}
	if n := len(s.units); n > 0 {
		last.Step = s.units[n-1].Step
	}
	s.group, s.began, s.blank = &last, len(s.units), compile.Unit{Step: last.Step}
	s.terminate()
	if !s.options.Want.Stream && s.options.Said == 0 {
		s.endWhole(len(sc.Groups))
	}
	if s.options.EndMark && !sc.OwnDone {
		s.units = append(s.units, surface.Done(compile.Unit{Step: last.Step}))
	}
}

// endWhole says what an answer in one piece is where its last event does not: one that
// nothing finishes, and one that is still in the queue.
func (s *speaker) endWhole(groups int) {
	switch {
	case s.queued():
		s.open()
		s.emit("response.queued", kindFinish, ojson.M("response", s.response(snapshot{status: statusQueued, usage: ojson.Null(), output: ojson.Array()})))
	case !s.over && !s.failed:
		s.open()
		s.closeItems(groups, statusInProgress)
		s.emit("response.in_progress", kindFinish, ojson.M("response", s.response(snapshot{status: statusInProgress, usage: s.usage, output: s.output()})))
	}
}

// errorFits is the error for an error in mid-stream of an answer that the envelope
// says not to fail, or nil.
func (s *speaker) errorFits() error {
	_, isError := s.group.Beats[0].(script.Error)
	if status := s.options.Envelope.Response.Ends(); isError && status != "" && status != statusFailed {
		return s.unsayable("an error in an answer that envelope.response calls " + status)
	}
	return nil
}

// sayable is the error for a group that this surface has no words for, or nil.
func (s *speaker) sayable() error {
	if s.group.Choice != 0 {
		return s.unsayable("a choice beyond the first")
	}
	for _, beat := range s.group.Beats {
		if what := foreign(beat); what != "" {
			return s.unsayable(what)
		}
	}
	if s.group.Edit == nil {
		return nil
	}
	for _, p := range s.group.Edit.Omit {
		if ofChat(p) {
			return s.unsayable("an omit of " + p.String() + ", a place in chat completions")
		}
	}
	for _, a := range s.group.Edit.Set {
		if ofChat(a.Path) {
			return s.unsayable("a set of " + a.Path.String() + ", a place in chat completions")
		}
	}
	return nil
}

func (s *speaker) unsayable(what string) error {
	u := &surface.Unsayable{Surface: surfaceName, Step: s.group.Step, What: what}
	if s.options.FromMessage {
		u.Step = -1
	}
	return u
}

// foreign names a beat that responses have no words for; "" for any other.
func foreign(beat script.Beat) string {
	switch beat := beat.(type) {
	case script.CallStart:
		return legacy(beat.Type)
	case script.CallArguments:
		return legacy(beat.Type)
	case script.Audio:
		return "audio"
	case script.Literal:
		if beat.Surface != surfaceName {
			return fmt.Sprintf("a literal %s of %s", beat.Member, inWords(beat.Surface))
		}
		if beat.Member != "chunk" {
			return fmt.Sprintf("a literal %s of chat completions", beat.Member)
		}
	case script.Start, script.Text, script.Refusal, script.Reasoning, script.Annotations, script.Item, script.CallFragment, script.Logprobs, script.Finish, script.Usage:
	default:
		return fmt.Sprintf("%T", beat)
	}
	return ""
}

func inWords(name string) string {
	if name == "chat" {
		return "chat completions"
	}
	return name
}

func legacy(t script.CallType) string {
	if t == script.LegacyCall {
		return "a function_call"
	}
	return ""
}
