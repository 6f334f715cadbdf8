package responses

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Kinds of events: the words by which damage names them. Any other event has its type as kind,
// without "response.".
const (
	kindContent   = "content"
	kindRefusal   = "refusal"
	kindReasoning = "reasoning"
	kindTool      = "tool"
	kindHeartbeat = "heartbeat"
	kindFinish    = "finish"
	kindUsage     = "usage"
	kindLogprobs  = "logprobs"
	kindError     = "error"
)

func (s *speaker) emit(eventType, kind string, members ...ojson.Member) *compile.Unit {
	return s.Add(eventType, kind, s.layout.event(s.event(eventType, members)), inEvent(eventType))
}

// answer adds the event of this name that has the response object.
func (s *speaker) answer(name, kind string, now snapshot) *compile.Unit {
	return s.emit("response."+name, kind, ojson.M("response", s.response(now)))
}

// emitPaced adds an event with a pause of its own, which is not the first of its group.
func (s *speaker) emitPaced(eventType, kind string, members ...ojson.Member) {
	u := s.emit(eventType, kind, members...)
	u.Paced, u.Gap, u.Jitter = true, s.Group.PieceGap, s.Group.Jitter
}

// event returns the JSON of an event: its type, its members in alphabetical order, its
// obfuscation if any, and its sequence number.
func (s *speaker) event(eventType string, members []ojson.Member) ojson.Value {
	slices.SortStableFunc(members, func(a, b ojson.Member) int { return cmp.Compare(a.Name, b.Name) })
	all := append(make([]ojson.Member, 0, len(members)+3), ojson.M("type", ojson.String(eventType)))
	all = append(all, members...)
	series := hole.ID(0) // the series that the event is sent for
	if i := slices.IndexFunc(members, isPadded); i >= 0 {
		delta := members[i].Value
		series = s.SeriesOf(delta)
		if s.Padded {
			all = append(all, ojson.M("obfuscation", s.Obfuscation.Of(delta, series)))
		}
	}
	all = append(all, ojson.M("sequence_number", s.number(series)))
	s.said++
	return ojson.Object(all...)
}

// isPadded reports whether a member of an event is a delta that obfuscation goes with.
func isPadded(m ojson.Member) bool {
	return m.Name == "delta" && !m.Value.IsAbsent() && m.Value.Kind() != ojson.ObjectKind
}

// number returns the sequence number of the next event, which may be a series.
func (s *speaker) number(series hole.ID) ojson.Value {
	number, step := int64(s.said), int64(1)
	if n := s.Options.Envelope.SequenceNumber; n != nil {
		number, step = int64(n.Start)+int64(n.Step)*number, int64(n.Step)
	}
	s.behind = s.behind || series != 0
	if !s.late || !s.behind {
		return ojson.Int(number)
	}
	return s.Options.LaterIn(series, func(dst []byte, f *surface.Filler, piece int, _ []byte) []byte {
		if piece > 0 {
			f.Extra++
		}
		return strconv.AppendInt(dst, number+step*f.Extra, 10)
	})
}

// isOfAnswer reports whether a path of the envelope begins with a member of the response object
// and names it without "response". Events have members text and error of their own, which such a
// path means.
func isOfAnswer(p ojson.Path) bool {
	name := p[0].Name
	return name == "billing" || memberNamed(name) != nil && name != "text" && name != "error"
}

// inEvent returns a function that maps a path of the envelope to the places in an event of this
// type: a member of the response object is inside "response".
func inEvent(eventType string) func(ojson.Path) []ojson.Path {
	return surface.InEvent(eventType, func(p ojson.Path, ofType bool) ojson.Path {
		if isOfAnswer(p) && (!ofType || isSnapshot(eventType)) {
			return append(ojson.Path{{Name: "response"}}, p...)
		}
		return p
	})
}

// isSnapshot reports whether events of this type have a response object.
func isSnapshot(eventType string) bool {
	return slices.Contains([]string{"created", "queued", "in_progress", statusCompleted, statusIncomplete, statusFailed, statusCancelled}, strings.TrimPrefix(eventType, "response."))
}

// inAnswer maps a path of the envelope to the places in the body of an answer in one piece.
func inAnswer(p ojson.Path) []ojson.Path {
	switch {
	case p[0].Name == "response" && len(p) > 1:
		return []ojson.Path{p[1:]}
	case isOfAnswer(p):
		return []ojson.Path{p}
	}
	return nil
}

// Holes of the envelope. From holeEcho on there is one for each of answerMembers.
const (
	holeTierAsked = surface.OwnHoles + iota
	holePromptLength
	holeConversation
	holeEcho
)

// snapshot is what differs between the response objects of one answer.
type snapshot struct {
	status  string
	details ojson.Value // details are the incomplete_details; Absent for null.
	failure ojson.Value // failure is the error of a failed response; Absent for null.
	usage   ojson.Value
	output  ojson.Value
	over    bool // over says that the response has ended, with whatever status.
}

// response returns the response object for a snapshot, with its members in the order of
// recordings.
func (s *speaker) response(now snapshot) ojson.Value {
	env := &s.Options.Envelope
	used := strings.Fields(s.Options.Want.Used)
	var list []ojson.Member
	for i := range answerMembers {
		m := &answerMembers[i]
		if s.layout.has(m) && (!m.onlyUsed || slices.Contains(used, m.name)) {
			list = append(list, ojson.M(m.name, s.member(m.name, hole.Value(holeEcho+hole.ID(i)), &now)))
		}
	}
	v := ojson.Object(list...)
	if s.queued() && !v.Get("background").IsAbsent() {
		v.Set("background", ojson.Bool(true)) // the scenario says queued, which only responses in the background are
	}
	if s.Options.Want.Conversation {
		v.Set("conversation", hole.Value(holeConversation))
	}
	if env.SystemFingerprint.Present {
		v.Set("system_fingerprint", surface.OrNull(env.SystemFingerprint, hole.Value(surface.HoleFingerprint)))
	}
	s.Options.Extend(&v) // extra does not replace the members of OpenAI's own
	return v
}

// member returns a member of the response object: what the answer tells, or the hole for what the
// request tells.
func (s *speaker) member(name string, repeated ojson.Value, now *snapshot) ojson.Value {
	env := &s.Options.Envelope
	switch name {
	case "id":
		return surface.OrNull(env.ID, hole.Value(surface.HoleID))
	case "object":
		return s.Options.ObjectOr("response")
	case "created_at":
		return s.Options.Created()
	case "status":
		return ojson.String(now.status)
	case "completed_at":
		if now.status == statusCompleted {
			return s.Options.CreatedOr(hole.Due)
		}
		return ojson.Null()
	case "content_filters":
		return s.contentFilters(now)
	case "error":
		return now.failure.Or(ojson.Null())
	case "incomplete_details":
		return now.details.Or(ojson.Null())
	case "model":
		return surface.OrNull(env.Model, hole.Value(surface.HoleModel))
	case "output":
		return now.output
	case "service_tier":
		return tier(env, now.over)
	case "tool_usage":
		searches := 0
		for _, item := range now.output.Items() {
			if item.Get("type").Text() == "web_search_call" {
				searches++
			}
		}
		return toolUsage(searches)
	case "usage":
		return now.usage
	}
	return repeated
}

// tier returns service_tier: the requested one while the response runs, the one that served at
// its end.
func tier(env *scenarios.Envelope, over bool) ojson.Value {
	if over || env.ServiceTier.Present {
		return surface.OrNull(env.ServiceTier, hole.Value(surface.HoleTier))
	}
	return hole.Value(holeTierAsked)
}

// FillEnvelope fills the holes of the envelope, of the members that repeat the request, and of
// the ids.
func (Surface) FillEnvelope(e *surface.Envelope, f *surface.Filler) {
	env, req := &e.Selection.Manner.Envelope, e.Selection.Request
	id := newIDs(e.IDs, e.Layout, e.Created, chainOf(Previous(req)))
	if f.Open(surface.HoleID, &env.ID) {
		f.Text(surface.HoleID, id("resp_"))
	}
	e.FillHead(f)
	f.Values.SetBegan(e.Created)
	f.Text(holeTierAsked, cmp.Or(req.Body.Get("service_tier").Text(), "auto"))
	f.Values.SetInt(holePromptLength, promptLength(req))
	f.Value(holeConversation, ojson.Object(ojson.M("id", ojson.String(Conversation(req)))))
	for i := range answerMembers {
		if m := &answerMembers[i]; m.repeats() {
			f.Value(holeEcho+hole.ID(i), m.repeated(e))
		}
	}
	for _, drawn := range e.Drawn {
		f.Text(drawn.Hole, id(drawn.Prefix))
	}
}

// newIDs returns a function that draws the ids of one answer. After the prefix an id has 16
// digits that all ids of the answer share, then the time, then random digits. The shared digits
// are those of the previous response, chain, or random if chain is "". A call_id is all random.
// Encrypted reasoning has a source of its own, so that ids are the same whether or not a request
// includes it.
func newIDs(ids func() *rand.Rand, layout scenarios.Layout, created int64, chain string) func(prefix string) string {
	var r, sealing *rand.Rand
	return func(prefix string) string {
		if prefix == encryptedPrefix {
			if sealing == nil {
				seed := ids()
				sealing = rand.New(rand.NewPCG(seed.Uint64(), seed.Uint64()))
			}
			return prefix + invent.Text(sealing, invent.Base62, encryptedLength)
		}
		if r == nil {
			r = ids()
			if drawn := invent.Text(r, invent.Hex, sharedDigits); chain == "" {
				chain = drawn
			}
		}
		if prefix == callPrefix {
			return prefix + invent.Text(r, invent.Base62, 24)
		}
		if layout == scenarios.Layout202503 { // in this layout the shared digits are last
			return fmt.Sprintf("%s%08x%s%s", prefix, uint32(created), invent.Text(r, invent.Hex, 24), chain)
		}
		return fmt.Sprintf("%s%s00%08x%s", prefix, chain, uint32(created), invent.Text(r, invent.Hex, 24))
	}
}

// sharedDigits is the number of digits that all ids of a chain of responses share.
const sharedDigits = 16

// chainOf returns the shared digits in the id of a response; "" if the id is not in the form
// that newIDs gives it.
func chainOf(id string) string {
	digits, ok := strings.CutPrefix(id, "resp_")
	switch {
	case !ok || strings.Trim(digits, "0123456789abcdef") != "":
		return ""
	case len(digits) == 50:
		return digits[:sharedDigits]
	case len(digits) == 48: // the form of the layout 2025-03
		return digits[len(digits)-sharedDigits:]
	}
	return ""
}

// Fold returns the response object of the last event as the body of an answer in one piece.
func (Surface) Fold(units []compile.Unit, o surface.Options) ojson.Value {
	return o.AmendEverywhere(WithBilling(surface.LastResponse(units)), inAnswer)
}

// WithBilling adds the member billing, which only response objects outside of streams have.
func WithBilling(v ojson.Value) ojson.Value {
	out := ojson.Object()
	for _, m := range v.Members() {
		out.Set(m.Name, m.Value)
		if m.Name == "background" {
			out.Set("billing", ojson.Object(ojson.M("payer", ojson.String("developer"))))
		}
	}
	return out
}
