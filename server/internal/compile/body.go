package compile

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Body compiles an answer in one piece. It is sent when the stream of these units would
// have ended, holds included; without units it is sent at once. Damage sees one frame,
// the body.
func Body(units []Unit, body Unit, o *Options, r Request) *player.Program {
	d := &draws{rand: r.Chance}
	m := &o.Manner
	end := d.ending(m.End)
	p := newProgram(m, end)
	units = expandSeries(units, r.Values)
	if len(units) == 0 {
		units = []Unit{body}
	}
	due := schedule(units, &m.Pace, r.Pauses)
	var sent []Unit // holds, then the body
	for i, u := range units {
		if u.Hold != "" {
			sent = append(sent, u)
			p.Frames = append(p.Frames, player.Frame{Due: due[i], Hold: u.Hold, Step: u.Step, Kind: u.Kind})
		}
	}
	if !endsBefore(end) {
		body.Step = units[len(units)-1].Step
		bodies := []Unit{body}
		if len(m.Damage) > 0 {
			bodies = d.damage(fillUnits(bodies, r.Values, false), m.Damage, o.Complete)
		}
		for i := range bodies {
			f := bodies[i].bodyFrame(m.Wire.JSONStyle)
			f.Due = due[len(due)-1]
			p.Frames = append(p.Frames, f)
		}
		sent = slices.Concat(sent, bodies)
	}
	if Bytewise(m) {
		resolveBytes(p, sent, stopInBody(end), r.Values, d)
		limit := noCutoff.bytes
		if end.Byte != nil {
			limit = *end.Byte
		}
		encodeBytes(p, limit, m, &r)
	}
	p.Chance = d.outcomes
	return p
}

// bodyFrame frames the unit as an answer in one piece. By default JSON is written over
// several lines.
func (u *Unit) bodyFrame(style *scenarios.JSONStyle) player.Frame {
	f := player.Frame{Step: u.Step, Kind: u.Kind}
	if u.Raw != nil {
		f.Bytes = player.Literal([]byte(*u.Raw))
		return f
	}
	s := BodyStyle(style)
	json := s.Append(nil, u.JSON)
	if s.Indent != "" && u.FinalNewline {
		json = append(json, '\n')
	}
	heads := player.Heads{One: true}
	f.Bytes = heads.NewTemplate(json, json)
	return f
}

// BodyStyle is the JSON layout of an answer in one piece: indented, unless the scenario
// names another.
func BodyStyle(s *scenarios.JSONStyle) ojson.Style {
	if s == nil {
		return ojson.Style{Indent: "  "}
	}
	return Style(s)
}

// endsBefore reports whether the ending comes before the body, so that nothing of it is
// sent: a stall or reset inside a stream, or a cut before its first frame.
func endsBefore(e scenarios.End) bool {
	if e.All || e.Byte != nil || e.InsideRune || endsInside(e) {
		return e.Kind == scenarios.EndRefuse
	}
	switch e.Kind {
	case scenarios.EndStall, scenarios.EndReset, scenarios.EndRefuse:
		return true
	case scenarios.EndCut:
		return e.After != nil && *e.After <= 0
	}
	return false
}

// stopInBody is the cutoff of an ending inside the body: in its middle, or inside a
// character.
func stopInBody(e scenarios.End) cutoff {
	s := noCutoff
	s.inside, s.rune = endsInside(e) && e.Byte == nil, e.InsideRune
	if s.rune {
		s.units = 0
	}
	return s
}
