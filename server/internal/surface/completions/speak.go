package completions

import (
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// The holes of the envelope.
const (
	holeID = script.SurfaceHoles + iota
	holeCreated
	holeModel
	holeFingerprint
	holeServiceTier
)

// Sayable returns the error that Speak would return.
func (on Surface) Sayable(s *script.Script, o surface.Options) error {
	_, err := on.Speak(s, o)
	return err
}

// Speak turns the script into chunks. It leaves roles out: a completion has none.
func (Surface) Speak(s *script.Script, o surface.Options) ([]compile.Unit, error) {
	if err := o.OfResponses(info.Title); err != nil {
		return nil, err
	}
	sp := speaker{options: &o, offsets: map[int]int{}}
	return surface.Each(s, sp.speak)
}

// speaker writes the chunks of one answer.
type speaker struct {
	options *surface.Options
	offsets map[int]int // offsets is the number of characters of each choice's text so far
}

// chunk is what a group says, in the terms of completions.
type chunk struct {
	text      ojson.Value
	logprobs  ojson.Value
	finish    ojson.Value
	usage     ojson.Value
	whole     ojson.Value // whole is a chunk that the author wrote as a whole; or Absent
	onlyRole  bool        // onlyRole says that the group is nothing but a role.
	onlyUsage bool        // onlyUsage says that the group is nothing but usage.
}

func (s *speaker) speak(u *compile.Unit, g *script.Group) error {
	c, err := s.chunk(g)
	if err != nil {
		return err
	}
	if c.onlyRole {
		u.Silent, u.Paced, u.Kind = true, false, "role"
		return nil
	}
	u.Kind = c.kind()
	if c.logprobs.Kind() == ojson.ObjectKind {
		u.Also = append(u.Also, "logprobs")
	}
	u.Closing = s.options.FromMessage && u.Kind == "finish"
	u.JSON, err = s.json(&c, g)
	return err
}

// kind is the kind of a chunk, for damage and reports.
func (c *chunk) kind() string {
	switch {
	case !c.whole.IsAbsent():
		return "chunk"
	case c.onlyUsage:
		return "usage"
	case !c.finish.IsNullOrAbsent():
		return "finish"
	case script.Says(c.text):
		return "content"
	}
	return "heartbeat"
}

// chunk combines the beats of a group.
func (s *speaker) chunk(g *script.Group) (chunk, error) {
	c := chunk{onlyRole: opensOnly(g)}
	var logprobs *script.Logprobs
	for _, beat := range g.Beats {
		switch beat := beat.(type) {
		case script.Start:
		case script.Text:
			c.text = beat.Text
		case script.Logprobs:
			logprobs = &beat
		case script.Finish:
			c.finish = beat.Reason
		case script.Usage:
			c.usage, c.onlyUsage = surface.UsageObject(&beat), beat.Alone
		case script.Literal:
			if beat.Surface != surfaceName || beat.Member != "chunk" {
				return c, s.unsayable(g, "a literal "+beat.Member+" of chat completions")
			}
			c.whole = beat.Value
		default:
			return c, s.unsayable(g, script.InWords(beat))
		}
	}
	offset := s.offsets[g.Choice]
	s.offsets[g.Choice] += characters(c.text)
	if logprobs != nil && !logprobs.Null {
		echoes := s.options.FromMessage && s.options.Want.Echo
		c.logprobs = oldLogprobs(logprobs.Content, offset, echoes, s.options.Want.TopLogprobs > 0)
	}
	return c, nil
}

// characters is the length of a text. A text that depends on the request counts as
// empty: if offsets follow it, the script is built for each request.
func characters(text ojson.Value) int {
	if _, isHole := hole.In(text); isHole {
		return 0
	}
	return utf8.RuneCountInString(text.Text())
}

// opensOnly reports whether a group is only a role, possibly with empty lists of
// log-probabilities.
func opensOnly(g *script.Group) (opens bool) {
	for _, beat := range g.Beats {
		switch beat := beat.(type) {
		case script.Start:
			opens = true
		case script.Logprobs:
			if len(beat.Content.Items()) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return opens
}

func (s *speaker) unsayable(g *script.Group, what string) error {
	u := &surface.Unsayable{Surface: info.Title, Step: g.Step, What: what}
	if s.options.FromMessage {
		u.Step = -1
	}
	return u
}

// json is the chunk, with its members in the recorded order.
func (s *speaker) json(c *chunk, g *script.Group) (ojson.Value, error) {
	if !c.whole.IsAbsent() {
		return s.amend(c.whole, g)
	}
	head, usage := s.head(), c.usage
	if usage.IsAbsent() && s.options.NullUsage() {
		usage = ojson.Null()
	}
	members := []ojson.Member{
		ojson.M("id", head.id), ojson.M("object", head.object), ojson.M("created", head.created),
		ojson.M("choices", ojson.Array(choice(c, g.Choice))), ojson.M("model", head.model), ojson.M("usage", usage),
	}
	if c.onlyUsage {
		members[3], members[4], members[5] = members[4], members[5], ojson.M("choices", ojson.Array())
	}
	v := ojson.Object(append(members, ojson.M("system_fingerprint", head.fingerprint), ojson.M("service_tier", head.tier))...)
	v.SetMissing(s.options.Envelope.Extra.Members()) // a member that the step sets stays
	if g.Edit != nil {
		v.SetAll(g.Edit.Extra.Members())
	}
	v = s.options.AmendEverywhere(v, func(p ojson.Path) []ojson.Path { return placesOf(p, 1) })
	return s.amend(v, g)
}

func choice(c *chunk, index int) ojson.Value {
	return ojson.Object(
		ojson.M("text", orElse(c.text, ojson.String(""))),
		ojson.M("index", ojson.Int(int64(index))),
		ojson.M("logprobs", orElse(c.logprobs, ojson.Null())),
		ojson.M("finish_reason", orElse(c.finish, ojson.Null())),
	)
}

func orElse(v, otherwise ojson.Value) ojson.Value {
	if v.IsAbsent() {
		return otherwise
	}
	return v
}

// amend applies the omit and set of the step to the finished chunk.
func (s *speaker) amend(v ojson.Value, g *script.Group) (ojson.Value, error) {
	if g.Edit == nil {
		return v, nil
	}
	for _, p := range g.Edit.Omit {
		if ofChat(p) {
			return v, s.unsayable(g, "an omit of "+p.String()+", a place in chat completions")
		}
	}
	for _, a := range g.Edit.Set {
		if ofChat(a.Path) {
			return v, s.unsayable(g, "a set of "+a.Path.String()+", a place in chat completions")
		}
	}
	return s.options.Amend(v, g, complete), nil
}

// ofChat reports whether a path names a delta, which only chat completions have.
func ofChat(p scenarios.Path) bool {
	for _, part := range p.Path {
		if part.Name == "delta" {
			return true
		}
	}
	return false
}

// envelope holds the members beside choices and usage.
type envelope struct{ id, object, created, model, fingerprint, tier ojson.Value }

func (s *speaker) head() envelope {
	env := &s.options.Envelope
	head := envelope{
		id:      surface.OrNull(env.ID, hole.Value(holeID)),
		object:  ojson.String("text_completion"),
		created: s.options.Created(holeCreated),
		model:   surface.OrNull(env.Model, hole.Value(holeModel)),
	}
	if s.options.Object != "" {
		head.object = ojson.String(s.options.Object)
	}
	head.object = surface.OrNull(env.Object, head.object)
	if env.SystemFingerprint.Present {
		head.fingerprint = surface.OrNull(env.SystemFingerprint, hole.Value(holeFingerprint))
	}
	if env.ServiceTier.Present {
		head.tier = surface.OrNull(env.ServiceTier, hole.Value(holeServiceTier))
	}
	return head
}
