package chat

import (
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Recorded audio comes in pieces of audioPiece base64 characters: 0.4 seconds of 24 kHz
// 16-bit sound. Speech takes about a fifteenth of a second for each character, which is
// 3,200 bytes or audioPerCharacter base64 characters.
const (
	audioPiece        = 25_600
	audioPerCharacter = 4_268
	maxSilence        = 1 << 20
)

// neverExpires is the expires_at of audio in a scenario that does not set one: the
// start of the year 2100.
const neverExpires = 4_102_444_800

// audioStream is a spoken answer as it was recorded: the role, pieces of the
// transcript, pieces of the sound (the first with the role again), and, after the
// usage, expires_at. There is no finish chunk unless the message has finish.
func audioStream(b *script.Builder, m *scenarios.Message) script.ChoiceStream {
	var s script.ChoiceStream
	a := m.Audio
	s.Opening = []scenarios.Step{{Role: assistant(), Omit: deltaPath("content")}}
	id := audioID(b, a)
	transcript := b.Text(a.Transcript)
	for i, piece := range script.Cut(transcript, m.By) {
		said := unrendered(piece)
		st := scenarios.Step{Audio: audioMember(ojson.M("transcript", said))}
		if i == 0 {
			st.Audio = audioMember(ojson.M("id", id), ojson.M("transcript", said))
			st.Content = scenarios.NullOf[scenarios.Text]()
		}
		s.Body = append(s.Body, st)
	}
	for i, piece := range script.Cut(audioData(a, transcript), scenarios.Cut{Size: audioPiece}) {
		sound := unrendered(piece)
		st := scenarios.Step{Audio: audioMember(ojson.M("data", sound))}
		if i == 0 {
			st.Role, st.Content = assistant(), scenarios.NullOf[scenarios.Text]()
			st.Audio = audioMember(ojson.M("id", id), ojson.M("data", sound))
		}
		s.Body = append(s.Body, st)
	}
	s.Late = []scenarios.Step{{Audio: audioMember(ojson.M("expires_at", expiry(a, &b.Manner().Envelope))), Omit: []scenarios.Path{{Path: ojson.Path{{Name: "finish_reason"}}}}}}
	if m.Finish.Present {
		s.Closing = []scenarios.Step{{Finish: m.Finish}}
	}
	return s
}

func assistant() scenarios.Opt[scenarios.Text] {
	return scenarios.Some(scenarios.Text{Source: "assistant"})
}

// unrendered makes a text that rendering the step's literal values does not change.
func unrendered(text string) ojson.Value { return ojson.String(scenarios.EscapeActions(text)) }

func audioMember(members ...ojson.Member) *ojson.Value {
	v := ojson.Object(members...)
	return &v
}

func deltaPath(name string) []scenarios.Path {
	return []scenarios.Path{{Path: ojson.Path{{Name: "delta"}, {Name: name}}}}
}

// audioID is the written id, or one drawn from the seed.
func audioID(b *script.Builder, a *scenarios.Audio) ojson.Value {
	switch {
	case a.ID.Null:
		return ojson.Null()
	case a.ID.Present:
		return ojson.String(a.ID.Value.Source)
	}
	return ojson.String("audio_" + invent.Text(b.Rand("audio"), invent.Hex, 32))
}

// audioData is the written sound, or silence.
func audioData(a *scenarios.Audio, transcript string) string {
	if a.Data != "" {
		return a.Data
	}
	size := utf8.RuneCountInString(transcript) * audioPerCharacter
	return strings.Repeat("A", min(size, maxSilence))
}

func expiry(a *scenarios.Audio, env *scenarios.Envelope) ojson.Value {
	switch created := env.Created; {
	case a.ExpiresAt.Null:
		return ojson.Null()
	case a.ExpiresAt.Present:
		return ojson.Int(a.ExpiresAt.Value)
	case created.Present && !created.Null:
		return ojson.Int(created.Value + 3600)
	}
	return ojson.Int(neverExpires)
}

// Derive returns the steps of the stream that the real service would send for a
// message.
func (on Surface) Derive(b *script.Builder, m *scenarios.Message) []scenarios.Step {
	if on.legacy {
		return deriveText(b, m)
	}
	d := script.Derivation{
		Audio: func(m *scenarios.Message) script.ChoiceStream { return audioStream(b, m) },
	}
	switch b.Want.Layout {
	case scenarios.LayoutReasoning, scenarios.LayoutSearch, scenarios.LayoutAudio:
	default:
		d.Logprobs = true
	}
	if b.Want.Layout == scenarios.LayoutAzure {
		d.First = []scenarios.Step{promptFilter()}
	}
	d.Open = func(m *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) {
		return openChoice(m, body, b.WantsLogprobs(m, &d))
	}
	steps := b.Message(m, d)
	if b.Want.Moderation {
		steps = append(steps, moderationStep(b.Want.Usage && b.Want.Stream))
		steps[len(steps)-1].Pos = m.Pos
	}
	return steps
}

// openChoice opens a choice with its role. The real service sends the role and the
// opening of a single call in one chunk.
func openChoice(m *scenarios.Message, body []scenarios.Step, logprobs bool) (opening, rest []scenarios.Step) {
	first := roleStep(m, logprobs)
	calls := script.Calls(m)
	saysNothing := len(body) == calls
	switch {
	case calls == 1 && saysNothing:
		call := body[0]
		call.Role = first.Role
		return []scenarios.Step{call}, body[1:]
	case calls > 1 && saysNothing:
		first.Omit = deltaPath("refusal")
	}
	return []scenarios.Step{first}, body
}

// roleStep opens a choice. It writes the empty members that the real service sends
// beside the role.
func roleStep(m *scenarios.Message, logprobs bool) scenarios.Step {
	st := scenarios.Step{Role: assistant()}
	switch {
	case script.HasContent(m):
	case m.Refusal.Present && !m.Refusal.Null:
		st.Content = scenarios.NullOf[scenarios.Text]()
		st.Refusal = scenarios.Some(scenarios.Text{})
	case script.Calls(m) > 0 || m.Content.Null:
		st.Content = scenarios.NullOf[scenarios.Text]()
	}
	if logprobs && (script.HasContent(m) || st.Refusal.Present || script.Calls(m) == 0) {
		empty := ojson.Array()
		st.Logprobs = &scenarios.Logprobs{Content: &empty}
		if st.Refusal.Present {
			st.Logprobs = &scenarios.Logprobs{Refusal: &empty}
		}
	}
	return st
}
