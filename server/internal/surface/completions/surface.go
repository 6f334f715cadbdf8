// Package completions is the surface of legacy completions, POST /v1/completions: a
// text for a prompt. Its chunks have no roles, no deltas and no calls.
//
// The JSON follows recordings of gpt-3.5-turbo-instruct: the finish reason stands on
// the last chunk with text, and there is no obfuscation and no system_fingerprint.
package completions

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Surface is the API of legacy completions.
type Surface struct{}

var _ surface.Surface = Surface{}

const surfaceName = "completions"

var info = surface.Info{
	Name: surfaceName, Title: "completions", Path: "/completions", DefaultModel: "gpt-3.5-turbo-instruct",
	Example:   `{"model":"gpt-3.5-turbo-instruct","stream":true,"stream_options":{"include_usage":true},"prompt":"Hello"}`,
	Operation: "text_completion", AzureOperation: "Completions_Create", OnDeployments: true,
	Objects: []string{"text_completion"}, ChoiceMember: "text",
	Skips: []string{"missing-role"}, // a completion has no role
}

// Info returns what the server knows of the API.
func (Surface) Info() *surface.Info { return &info }

// Want reads what the selection's request wants of its answer.
func (Surface) Want(sel *scenarios.Selection, _ bool) script.Want {
	req := sel.Request
	echo, _ := req.Body.Get("echo").Bool()
	return script.Want{
		Surface: surfaceName, N: req.N * max(1, len(req.Messages)), Usage: req.IncludeUsage,
		Logprobs: req.Logprobs, TopLogprobs: req.TopLogprobs, Stream: surface.Streams(sel), Echo: echo,
		ReadsTexts: surface.NamesKinds(sel.Manner),
	}
}

// DraftWant is the want for which a reply is checked at load.
func (Surface) DraftWant(r *scenarios.Reply, _ *scenarios.Manner) script.Want {
	want := script.Want{Surface: surfaceName, N: 1, Usage: true, Logprobs: script.AsksForLogprobs(r), Stream: true}
	if r.Message != nil && len(r.Message.Choices) > 0 {
		want.N = len(r.Message.Choices)
	}
	return want
}

// FillEnvelope fills the holes of the envelope.
func (Surface) FillEnvelope(e *surface.Envelope, f *surface.Filler) {
	env := &e.Selection.Manner.Envelope
	if f.Open(holeID, &env.ID) {
		f.ID(holeID, "cmpl-", e.IDs(), draw.Base62, 29)
	}
	if f.Open(holeModel, &env.Model) {
		f.Text(holeModel, model.Snapshot(e.Model))
	}
	if f.Open(holeFingerprint, &env.SystemFingerprint) {
		f.Text(holeFingerprint, "")
	}
	if f.Open(holeServiceTier, &env.ServiceTier) {
		f.Text(holeServiceTier, "")
	}
	f.Number(holeCreated, e.Created)
}

// Repeated is Absent: a completion repeats no member of its request.
func (Surface) Repeated(*scenarios.Request) ojson.Value { return ojson.Value{} }

// Complete completes a path that starts inside the first choice of a chunk: text
// is short for choices[0].text.
func (Surface) Complete(p ojson.Path) ojson.Path { return complete(p) }

func complete(p ojson.Path) ojson.Path {
	switch p[0].Name {
	case "text", "finish_reason", "logprobs":
		return append(ojson.Path{{Name: "choices"}, {IsIndex: true}}, p...)
	}
	return p
}

// placesOf returns the places that a path of the envelope stands for, one in each
// choice; none for a path into a chat completion.
func placesOf(p ojson.Path, choices int) []ojson.Path {
	switch {
	case ofChat(scenarios.Path{Path: p}) || p[0].Name == "message":
		return nil
	case len(complete(p)) > len(p):
		return surface.InChoices(p, choices)
	}
	return []ojson.Path{p}
}

// Hear returns what a group says. Only chunks that the author wrote as a whole, or
// whose choices or usage are overwritten at the end, are parsed.
func (Surface) Hear(g *script.Group, o surface.Options) (heard lint.Heard) {
	whole := false
	sp := speaker{options: &surface.Options{}, offsets: map[int]int{}}
	sp.options.Envelope.Extra, sp.options.Envelope.Omit, sp.options.Envelope.Set = o.Envelope.Extra, o.Envelope.Omit, o.Envelope.Set
	if c, err := sp.chunk(g); err == nil {
		whole = !c.whole.IsAbsent()
		if whole || o.Changes(g) && !c.onlyRole {
			heard.Chunk, _ = sp.json(&c, g) // Speak reports what cannot be said
		}
	}
	if !heard.Chunk.IsAbsent() && (whole || o.Overwrites(g, complete, "choices", "usage")) {
		heard.Said, heard.Usage = hearChunk(heard.Chunk)
	} else {
		heard.Said, heard.Usage = hearBeats(g)
	}
	return heard
}

// HearJSON reads a chunk, or a whole answer.
func (Surface) HearJSON(v ojson.Value) (heard lint.Heard) {
	heard.Said, heard.Usage = hearChunk(v)
	return heard
}

// hearBeats returns what the beats of a group say.
func hearBeats(g *script.Group) (said []lint.Said, usage *script.Usage) {
	for _, beat := range g.Beats {
		if u, ok := beat.(script.Usage); ok {
			usage = &u
			if u.Alone {
				return nil, usage
			}
		}
	}
	return []lint.Said{{Choice: g.Choice, Beats: g.Beats}}, usage
}

// hearChunk parses a chunk.
func hearChunk(chunk ojson.Value) (said []lint.Said, usage *script.Usage) {
	for _, choice := range chunk.Get("choices").Items() {
		index, _ := choice.Get("index").Int()
		one := lint.Said{Choice: int(index)}
		if text := choice.Get("text"); script.Says(text) {
			one.Beats = append(one.Beats, script.Text{Text: text})
		}
		if finish := choice.Get("finish_reason"); !finish.IsNullOrAbsent() {
			one.Beats = append(one.Beats, script.Finish{Reason: finish})
		}
		said = append(said, one)
	}
	return said, surface.HearUsage(chunk)
}

// CheckShapes checks the protocol rules about the members of chunks.
func (Surface) CheckShapes(t *lint.Transcript, report lint.Report) {
	lint.Chunks{
		Envelope: []string{"id", "object", "created", "model"},
		Others:   []string{"usage", "system_fingerprint", "service_tier"},
		Choice:   []string{"text", "index", "finish_reason"},
	}.Check(t, report)
}
