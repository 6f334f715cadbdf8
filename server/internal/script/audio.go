package script

import (
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
)

// Recorded audio comes in pieces of this many base64 characters, 0.4 seconds of
// 24 kHz 16-bit sound. Speech takes about a fifteenth of a second for each
// character, which is 3,200 bytes or these many base64 characters.
const (
	audioPiece        = 25_600
	audioPerCharacter = 4_268
	maxSilence        = 1 << 20
)

// neverExpires is when audio expires in a scenario that does not say when it was
// made: the start of the year 2100.
const neverExpires = 4_102_444_800

// audioSpeech is a spoken answer as it was recorded: the role, the transcript in
// pieces, the sound in pieces with the role again on the first, and after the
// usage when it expires. There is no finish unless the message names one.
func (b *builder) audioSpeech(m *scenarios.Message) speech {
	var s speech
	a := m.Audio
	s.opening = []scenarios.Step{{Role: scenarios.Some(scenarios.Text{Source: "assistant"}), Omit: deltaPath("content")}}
	id := b.audioID(a)
	for i, piece := range cut.Text(b.text(a.Transcript), m.By) {
		said := unrendered(piece)
		st := scenarios.Step{Audio: audioMember(ojson.M("transcript", said))}
		if i == 0 {
			st.Audio = audioMember(ojson.M("id", id), ojson.M("transcript", said))
			st.Content = scenarios.NullOf[scenarios.Text]()
		}
		s.body = append(s.body, st)
	}
	for i, piece := range cut.Text(b.audioData(a), scenarios.By{Size: audioPiece}) {
		sound := unrendered(piece)
		st := scenarios.Step{Audio: audioMember(ojson.M("data", sound))}
		if i == 0 {
			st.Role, st.Content = scenarios.Some(scenarios.Text{Source: "assistant"}), scenarios.NullOf[scenarios.Text]()
			st.Audio = audioMember(ojson.M("id", id), ojson.M("data", sound))
		}
		s.body = append(s.body, st)
	}
	s.late = []scenarios.Step{{Audio: audioMember(ojson.M("expires_at", b.expiry(a))), Omit: []scenarios.Path{{Path: ojson.Path{{Name: "finish_reason"}}}}}}
	if m.Finish.Present {
		s.closing = []scenarios.Step{{Finish: m.Finish}}
	}
	return s
}

// unrendered is text that stays what it is when the step's literal values are
// rendered.
func unrendered(text string) ojson.Value { return ojson.String(scenarios.EscapeActions(text)) }

func audioMember(members ...ojson.Member) *ojson.Value {
	v := ojson.Object(members...)
	return &v
}

func deltaPath(name string) []scenarios.Path {
	return []scenarios.Path{{Path: ojson.Path{{Name: "delta"}, {Name: name}}}}
}

// audioID is the id as written, or one that the seed draws.
func (b *builder) audioID(a *scenarios.Audio) ojson.Value {
	if a.ID.Present {
		return b.member(a.ID)
	}
	return ojson.String("audio_" + draw.Text(b.rand("audio"), draw.Hex, 32))
}

// audioData is the sound as written, or silence.
func (b *builder) audioData(a *scenarios.Audio) string {
	if a.Data != "" {
		return a.Data
	}
	size := utf8.RuneCountInString(b.text(a.Transcript)) * audioPerCharacter
	return strings.Repeat("A", min(size, maxSilence))
}

func (b *builder) expiry(a *scenarios.Audio) ojson.Value {
	switch created := b.sel.Manner.Envelope.Created; {
	case a.ExpiresAt.Null:
		return ojson.Null()
	case a.ExpiresAt.Present:
		return ojson.Int(a.ExpiresAt.Value)
	case created.Present && !created.Null:
		return ojson.Int(created.Value + 3600)
	}
	return ojson.Int(neverExpires)
}
