package yamlfile

import (
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// selectorKinds are the words that pick frames by kind.
var selectorKinds = []string{"role", "content", "refusal", "reasoning", "tool", "logprobs", "heartbeat", "finish", "usage", "error", "comment", "done", "all"}

// selectorCodec reads which frames are meant: a position or a kind.
func selectorCodec() codec[scenarios.Selector] {
	position := checked(intCodec("a position", -maxCount, maxCount), func(d *decoder, n *yaml.Node, v *int) bool {
		if *v == 0 {
			d.report(n, "1 is the first frame, -1 the last", "there is no frame 0")
		}
		return *v != 0
	})
	return anyOf(
		as(position, func(v int, p diag.Pos) scenarios.Selector { return scenarios.Selector{Position: v, Pos: p} }),
		as(wordCodec(selectorKinds...), func(kind string, p diag.Pos) scenarios.Selector { return scenarios.Selector{Kind: kind, Pos: p} }),
	)
}

var damageOps = []string{"drop", "duplicate", "swap", "rename", "retype", "corrupt"}

func damageSection() *section[scenarios.Damage] {
	s := &section[scenarios.Damage]{
		name:  "damage",
		about: "One thing that goes wrong on the way: one of drop, duplicate, swap, rename, retype and corrupt.",
		place: func(v *scenarios.Damage) *diag.Pos { return &v.Pos },
		check: func(d *decoder, m members, _ *scenarios.Damage) bool {
			return d.exactlyOne(m, "a damage", damageOps...)
		},
	}
	s.fields = []field[scenarios.Damage]{
		put("drop", "These frames are not sent.", selectorCodec(), func(v *scenarios.Damage, f scenarios.Selector) { v.Op, v.Frames = "drop", f }),
		put("duplicate", "These frames are sent twice.", selectorCodec(), func(v *scenarios.Damage, f scenarios.Selector) { v.Op, v.Frames = "duplicate", f }),
		put("swap", "These two frames change places.", twoFrames(), func(v *scenarios.Damage, f []scenarios.Selector) {
			if len(f) == 2 {
				v.Op, v.Frames, v.With = "swap", f[0], f[1]
			}
		}),
		put("rename", "A member gets another name.", renameSection().codec("{frames, from, to}"), asOp("rename")),
		put("retype", "A value becomes one of another type.", retypeSection().codec("{frames, at, to}"), asOp("retype")),
		put("corrupt", "Bytes are changed.", corruptCodec(), asOp("corrupt")),
		maybe("chance", "How likely it is, for each frame, drawn from the seed. Default: always.", chanceCodec(), func(v *scenarios.Damage) **float64 { return &v.Chance }),
	}
	return s
}

// asOp takes over what the section of one kind of damage has read.
func asOp(op string) func(*scenarios.Damage, scenarios.Damage) {
	return func(v *scenarios.Damage, from scenarios.Damage) {
		from.Op, from.Chance, from.Pos = op, v.Chance, v.Pos
		*v = from
	}
}

// twoFrames reads the two frames that change places.
func twoFrames() codec[[]scenarios.Selector] {
	c := listOf("a list of two frames", selectorCodec())
	c = checked(c, func(d *decoder, n *yaml.Node, v *[]scenarios.Selector) bool {
		if len(n.Content) != 2 {
			d.report(n, "", "swap needs two frames, found %d", len(n.Content))
			return false
		}
		return true
	})
	items := c.schema
	c.schema = func(w *schemaWriter) ojson.Value {
		s := items(w)
		s.Set("minItems", ojson.Int(2))
		s.Set("maxItems", ojson.Int(2))
		return s
	}
	return c
}

// framesField says which frames a damage is done to, where the damage needs
// more than that.
func framesField() field[scenarios.Damage] {
	return key("frames", "Which frames. Default: all.", selectorCodec(), func(v *scenarios.Damage) *scenarios.Selector { return &v.Frames })
}

// allFrames is a check that fills in the default of the frames field.
func allFrames(_ *decoder, m members, v *scenarios.Damage) bool {
	if m.key("frames") == nil {
		v.Frames = scenarios.Selector{Kind: "all"}
	}
	return true
}

func renameSection() *section[scenarios.Damage] {
	return &section[scenarios.Damage]{
		name: "rename", about: "A member gets another name.", check: allFrames,
		fields: []field[scenarios.Damage]{
			framesField(),
			required(key("from", "The place of the member.", pathCodec(), func(v *scenarios.Damage) *scenarios.Path { return &v.From })),
			required(key("to", "Its new name.", nameCodec("a name"), func(v *scenarios.Damage) *string { return &v.To })),
		},
	}
}

func retypeSection() *section[scenarios.Damage] {
	return &section[scenarios.Damage]{
		name: "retype", about: "A value becomes one of another type.", check: allFrames,
		fields: []field[scenarios.Damage]{
			framesField(),
			required(key("at", "The place of the value.", pathCodec(), func(v *scenarios.Damage) *scenarios.Path { return &v.From })),
			required(key("to", "The new type.", wordCodec("string", "number", "bool", "null", "array", "object", "absent"), func(v *scenarios.Damage) *string { return &v.To })),
		},
	}
}

func corruptCodec() codec[scenarios.Damage] {
	s := &section[scenarios.Damage]{
		name: "corrupt", about: "Bytes are changed.", check: allFrames,
		fields: []field[scenarios.Damage]{
			framesField(),
			key("bytes", "How many bytes. Default: 1.", intCodec("a number of bytes", 1, maxCount), func(v *scenarios.Damage) *int { return &v.Bytes }),
		},
	}
	frames := as(selectorCodec(), func(f scenarios.Selector, _ diag.Pos) scenarios.Damage { return scenarios.Damage{Frames: f} })
	return anyOf(frames, s.codec("{frames, bytes}"))
}

var endKinds = []string{string(scenarios.EndClose), string(scenarios.EndCut), string(scenarios.EndReset), string(scenarios.EndStall), string(scenarios.EndLinger), string(scenarios.EndRefuse)}

// endCodec reads how a stream ends: a word, or a word and what belongs to it.
func endCodec() codec[scenarios.End] {
	s := &section[scenarios.End]{
		name:  "end",
		about: "How a stream ends: one of close, cut, reset, stall, linger and refuse.",
		place: func(e *scenarios.End) *diag.Pos { return &e.Pos },
		check: func(d *decoder, m members, _ *scenarios.End) bool { return d.exactlyOne(m, "end", endKinds...) },
		fields: []field[scenarios.End]{
			endField(scenarios.EndClose, "Orderly, but without [DONE]; a message also without its finish.", "after", "byte", "chance"),
			endField(scenarios.EndCut, "Inside an event; the connection closes without HTTP's final chunk.", "after", "byte", "inside", "final_chunk", "chance"),
			endField(scenarios.EndReset, "The connection is reset.", "after", "byte", "chance"),
			endField(scenarios.EndStall, "Silence, then the connection closes. A duration alone is how long.", "for", "after", "byte", "chance"),
			endField(scenarios.EndLinger, "All is sent, but the connection stays open. A duration alone is how long.", "for", "after", "byte", "chance"),
			endField(scenarios.EndRefuse, "The connection closes before any answer.", "reset", "chance"),
		},
	}
	word := as(wordCodec(endKinds...), func(kind string, p diag.Pos) scenarios.End {
		return scenarios.End{Kind: scenarios.EndKind(kind), Pos: p}
	})
	return anyOf(word, s.codec("a mapping such as {cut: {after: 3}}"))
}

// endField is the key of one kind of ending with the options that it has.
func endField(kind scenarios.EndKind, doc string, options ...string) field[scenarios.End] {
	s := &section[scenarios.End]{
		name:  string(kind),
		about: doc,
		check: func(d *decoder, m members, _ *scenarios.End) bool {
			where := d.atMostOne(m, "both say where the stream ends", "after", "byte")
			return where && d.atMostOne(m, "a byte may lie anywhere", "byte", "inside")
		},
	}
	for _, f := range endOptions() {
		for _, name := range options {
			if f.name == name {
				s.fields = append(s.fields, f)
			}
		}
	}
	c := s.codec("a mapping")
	if options[0] == "for" {
		c = anyOf(as(durationCodec(), func(v time.Duration, _ diag.Pos) scenarios.End { return scenarios.End{For: v} }), c)
	}
	return put(string(kind), doc, c, func(e *scenarios.End, from scenarios.End) {
		from.Kind, from.Pos = kind, e.Pos
		*e = from
	})
}

func endOptions() []field[scenarios.End] {
	return []field[scenarios.End]{
		key("for", "How long. Default: 60s.", durationCodec(), func(e *scenarios.End) *time.Duration { return &e.For }),
		maybe("after", "How many whole frames are sent before; negative counts from the last.", intCodec("a number of frames", -maxCount, maxCount), func(e *scenarios.End) **int { return &e.After }),
		maybe("byte", "How many bytes of the body are sent before.", intCodec[int64]("a number of bytes", 0, 1<<40), func(e *scenarios.End) **int64 { return &e.Byte }),
		maybe("inside", "false cuts between two frames, not inside the next one.", boolCodec(), func(e *scenarios.End) **bool { return &e.Inside }),
		key("final_chunk", "Also send HTTP's final chunk, so that the body looks complete.", boolCodec(), func(e *scenarios.End) *bool { return &e.FinalChunk }),
		key("reset", "By a reset in place of an ordinary close.", boolCodec(), func(e *scenarios.End) *bool { return &e.Reset }),
		maybe("chance", "How likely it is, drawn from the seed. Default: always.", chanceCodec(), func(e *scenarios.End) **float64 { return &e.Chance }),
	}
}
