package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

var damageOps = []string{"drop", "duplicate", "swap", "rename", "retype", "corrupt"}

func damageSection() *section[scenarios.Damage] {
	s := &section[scenarios.Damage]{
		name:     "damage",
		about:    "One thing that goes wrong on the way: one of drop, duplicate, swap, rename, retype and corrupt.",
		position: func(v *scenarios.Damage) *diag.Pos { return &v.Pos },
		check: func(d *decoder, m members, _ *scenarios.Damage) bool {
			return d.exactlyOne(m, "a damage", damageOps...)
		},
	}
	s.fields = []field[scenarios.Damage]{
		onFrames("drop", "These frames are not sent."),
		onFrames("duplicate", "These frames are sent twice."),
		storedField("swap", "These two frames change places.", twoFrames(), func(v *scenarios.Damage, f []scenarios.Selector) {
			if len(f) == 2 {
				v.Op, v.Frames, v.With = "swap", f[0], f[1]
			}
		}, func(v *scenarios.Damage) ([]scenarios.Selector, bool) {
			return []scenarios.Selector{v.Frames, v.With}, v.Op == "swap"
		}),
		ofKind("rename", "A member gets another name.", renameSection().codec("{frames, from, to}")),
		ofKind("retype", "A value becomes one of another type.", retypeSection().codec("{frames, at, to}")),
		ofKind("corrupt", "Bytes are changed.", corruptCodec()),
		optional("chance", "How likely it is, for each frame, drawn from the seed. Default: always.", chanceCodec(), func(v *scenarios.Damage) **float64 { return &v.Chance }),
	}
	return s
}

// onFrames is the key of a kind of damage that needs nothing but its frames.
func onFrames(op, doc string) field[scenarios.Damage] {
	return storedField(op, doc, selectorsCodec(),
		func(v *scenarios.Damage, f scenarios.Selector) { v.Op, v.Frames = op, f },
		func(v *scenarios.Damage) (scenarios.Selector, bool) { return v.Frames, v.Op == op })
}

// ofKind is the key of a kind of damage that has a section of its own.
func ofKind(op, doc string, c codec[scenarios.Damage]) field[scenarios.Damage] {
	return storedField(op, doc, c, func(v *scenarios.Damage, from scenarios.Damage) {
		from.Op, from.Chance, from.Pos = op, v.Chance, v.Pos
		*v = from
	}, func(v *scenarios.Damage) (scenarios.Damage, bool) { return *v, v.Op == op })
}

// twoFrames reads the two frames that swap exchanges.
func twoFrames() codec[[]scenarios.Selector] {
	c := listOf("a list of two frames", selectorCodec())
	c = validated(c, func(d *decoder, n *yaml.Node, v *[]scenarios.Selector) bool {
		if len(n.Content) != 2 {
			d.Report(n, "", "swap needs two frames, found %d", len(n.Content))
			return false
		}
		return true
	})
	items := c.schema
	c.schema = func(w *schema.Writer) ojson.Value {
		s := items(w)
		s.Set("minItems", ojson.Int(2))
		s.Set("maxItems", ojson.Int(2))
		return s
	}
	return c
}

// selectorKinds are the words that pick frames by kind.
var selectorKinds = []string{"role", "content", "refusal", "reasoning", "tool", "logprobs", "heartbeat", "finish", "usage", "error", "comment", "done", "all"}

// selectorCodec reads which frames are meant: a position or a kind.
func selectorCodec() codec[scenarios.Selector] {
	position := validated(intCodec("a position", -maxCount, maxCount), func(d *decoder, n *yaml.Node, v *int) bool {
		if *v == 0 {
			d.Report(n, "1 is the first frame, -1 the last", "there is no frame 0")
		}
		return *v != 0
	})
	return anyOf(
		mapped(position, func(v int, p diag.Pos) scenarios.Selector { return scenarios.Selector{Position: v, Pos: p} },
			func(s scenarios.Selector) (int, bool) { return s.Position, s.Kind == "" && len(s.Any) == 0 }),
		mapped(wordCodec(selectorKinds...), func(kind string, p diag.Pos) scenarios.Selector { return scenarios.Selector{Kind: kind, Pos: p} },
			func(s scenarios.Selector) (string, bool) { return s.Kind, s.Kind != "" }),
	)
}

// selectorsCodec reads which frames are meant, by one selector or several.
func selectorsCodec() codec[scenarios.Selector] {
	several := mapped(nonEmpty(listOf("a list of those", selectorCodec())), func(list []scenarios.Selector, p diag.Pos) scenarios.Selector {
		all := scenarios.Selector{Pos: p}
		for _, s := range list {
			all.Any = append(all.Any, scenarios.FrameName{Position: s.Position, Kind: s.Kind, Pos: s.Pos})
		}
		return all
	}, func(s scenarios.Selector) ([]scenarios.Selector, bool) { return s.Each(), len(s.Any) > 0 })
	return anyOf(selectorCodec(), several)
}

// framesField says which frames a damage is done to, where the damage needs
// more than that.
func framesField() field[scenarios.Damage] {
	return key("frames", "Which frames. Default: all.", selectorsCodec(), func(v *scenarios.Damage) *scenarios.Selector { return &v.Frames })
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
	frames := readAs(selectorsCodec(), func(f scenarios.Selector, _ diag.Pos) scenarios.Damage { return scenarios.Damage{Frames: f} })
	return anyOf(frames, s.codec("{frames, bytes}"))
}
