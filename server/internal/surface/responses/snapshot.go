package responses

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/ask"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// The holes of the envelope. Those of the members that repeat the request follow.
const (
	holeID = script.SurfaceHoles + iota
	holeCreated
	holeModel
	holeFingerprint
	holeTierAsked
	holeTierServed
	holePromptLength
	holeConversation
	holeEcho
)

// snapshot is what differs between the snapshots of an answer.
type snapshot struct {
	status  string
	details ojson.Value // details are why the answer is incomplete; Absent where it is not.
	failure ojson.Value // failure is the error of a failed answer.
	usage   ojson.Value
	output  ojson.Value
	over    bool // over says that the answer is over, in whatever way.
}

// response is the answer as it stands, in the order of recordings.
func (s *speaker) response(now snapshot) ojson.Value {
	env := &s.options.Envelope
	v := ojson.Object()
	for _, name := range s.layout.members {
		if !slices.Contains(onlyUsed, name) || strings.Contains(s.options.Want.Used, " "+name) {
			v.Set(name, s.member(name, &now))
		}
	}
	if s.queued() && !v.Get("background").IsAbsent() {
		v.Set("background", ojson.Bool(true)) // nothing else is ever queued
	}
	if s.options.Want.Conversation {
		v.Set("conversation", hole.Value(holeConversation))
	}
	if env.SystemFingerprint.Present {
		v.Set("system_fingerprint", orNull(env.SystemFingerprint, hole.Value(holeFingerprint)))
	}
	for _, m := range env.Extra.Members() {
		if v.Get(m.Name).IsAbsent() { // what the answer says itself stays
			v.Set(m.Name, m.Value)
		}
	}
	return v
}

// member is a member of the answer as it stands.
func (s *speaker) member(name string, now *snapshot) ojson.Value {
	env := &s.options.Envelope
	switch name {
	case "id":
		return orNull(env.ID, hole.Value(holeID))
	case "object":
		return s.object()
	case "created_at":
		return created(env)
	case "status":
		return ojson.String(now.status)
	case "completed_at":
		return completedAt(env, now.status)
	case "content_filters":
		return s.contentFilters(now)
	case "error":
		return orElse(now.failure, ojson.Null())
	case "incomplete_details":
		return orElse(now.details, ojson.Null())
	case "model":
		return orNull(env.Model, hole.Value(holeModel))
	case "output":
		return now.output
	case "service_tier":
		return tier(env, now.over)
	case "usage":
		return now.usage
	}
	i := slices.IndexFunc(echoes, func(e echoed) bool { return e.name == name })
	return hole.Value(holeEcho + hole.ID(i))
}

func (s *speaker) object() ojson.Value {
	object := "response"
	if s.options.Object != "" {
		object = s.options.Object
	}
	return orNull(s.options.Envelope.Object, ojson.String(object))
}

func created(env *scenarios.Envelope) ojson.Value {
	switch {
	case env.Created.Null:
		return ojson.Null()
	case !env.CreatedAs.IsAbsent():
		return env.CreatedAs
	case env.CreatedPerChunk:
		return hole.Value(hole.Clock)
	}
	return hole.Value(holeCreated)
}

// completedAt is the time at which an answer was completed; null until then, and
// for one that never is.
func completedAt(env *scenarios.Envelope, status string) ojson.Value {
	if status != statusCompleted {
		return ojson.Null()
	}
	return created(env)
}

// tier is the tier that is asked for, and in the end the one that served.
func tier(env *scenarios.Envelope, over bool) ojson.Value {
	if over || env.ServiceTier.Present {
		return orNull(env.ServiceTier, hole.Value(holeTierServed))
	}
	return hole.Value(holeTierAsked)
}

// orNull is null if the option is null, and the value that fills it in otherwise.
func orNull(o scenarios.Opt[scenarios.Text], v ojson.Value) ojson.Value {
	if o.Null {
		return ojson.Null()
	}
	return v
}

func orElse(v, otherwise ojson.Value) ojson.Value {
	if v.IsAbsent() {
		return otherwise
	}
	return v
}

// FillEnvelope fills the holes of the envelope, the members that repeat the request,
// and the ids of items.
func (Surface) FillEnvelope(e *surface.Envelope, f *surface.Filler) {
	env, req := &e.Selection.Manner.Envelope, e.Selection.Request
	id := newIDs(e.IDs, e.Layout, e.Created)
	if f.Open(holeID, &env.ID) {
		f.Text(holeID, id("resp_"))
	}
	if f.Open(holeModel, &env.Model) {
		f.Text(holeModel, model.Snapshot(e.Model))
	}
	if f.Open(holeFingerprint, &env.SystemFingerprint) {
		f.Text(holeFingerprint, "")
	}
	f.Text(holeTierAsked, askedTier(req))
	if f.Open(holeTierServed, &env.ServiceTier) {
		f.Text(holeTierServed, servedTier(req))
	}
	f.Number(holePromptLength, promptLength(req))
	f.Value(holeConversation, ojson.Object(ojson.M("id", ojson.String(ask.Conversation(req)))))
	f.Number(holeCreated, e.Created)
	for i := range echoes {
		f.Value(holeEcho+hole.ID(i), echoes[i].of(e))
	}
	for _, drawn := range e.Drawn {
		f.Text(drawn.Hole, id(drawn.Prefix))
	}
}

// newIDs draws the ids of one answer: behind the prefix they have 16 digits in
// common, then the time, and digits of their own. Those of calls have nothing in common.
// What stands for reasoning is drawn by itself, so that ids do not depend on whether
// it is asked for.
func newIDs(ids func() *rand.Rand, layout scenarios.Layout, created int64) func(prefix string) string {
	var r, sealing *rand.Rand
	var chain string
	return func(prefix string) string {
		if prefix == encryptedPrefix {
			if sealing == nil {
				seed := ids()
				sealing = rand.New(rand.NewPCG(seed.Uint64(), seed.Uint64()))
			}
			return prefix + draw.Text(sealing, draw.Base62, encryptedLength)
		}
		if r == nil {
			r = ids()
			chain = draw.Text(r, draw.Hex, 16)
		}
		if prefix == hosted.CallPrefix {
			return prefix + draw.Text(r, draw.Base62, 24)
		}
		if layout == scenarios.Layout202503 { // there what is in common comes last
			return fmt.Sprintf("%s%08x%s%s", prefix, uint32(created), draw.Text(r, draw.Hex, 24), chain)
		}
		return fmt.Sprintf("%s%s00%08x%s", prefix, chain, uint32(created), draw.Text(r, draw.Hex, 24))
	}
}

// askedTier is the tier that an answer names while it runs.
func askedTier(req *scenarios.Request) string {
	if tier := req.Body.Get("service_tier").Text(); tier != "" {
		return tier
	}
	return "auto"
}

// servedTier is the tier that an answer names in the end.
func servedTier(req *scenarios.Request) string {
	switch tier := askedTier(req); tier {
	case "auto":
		return "default"
	case "fast":
		return "priority"
	default:
		return tier
	}
}

// Fold is the answer as its last event tells it. Who pays stands in answers in one
// piece alone.
func (Surface) Fold(units []compile.Unit, o surface.Options) ojson.Value {
	var last ojson.Value
	for i := range units {
		if r := units[i].JSON.Get("response"); r.Kind() == ojson.ObjectKind {
			last = r
		}
	}
	v := ojson.Object()
	for _, m := range last.Members() {
		v.Set(m.Name, m.Value)
		if m.Name == "background" {
			v.Set("billing", ojson.Object(ojson.M("payer", ojson.String("developer"))))
		}
	}
	return o.AmendEverywhere(v, inAnswer)
}
