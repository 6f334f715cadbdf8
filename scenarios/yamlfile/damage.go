package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

var damageOps = []string{"drop", "duplicate", "swap", "rename", "retype", "corrupt"}

func damageSection() *table.Section[scenarios.Damage] {
	s := &table.Section[scenarios.Damage]{
		Name:     "damage",
		About:    "One thing that goes wrong on the way: one of drop, duplicate, swap, rename, retype and corrupt.",
		Position: func(v *scenarios.Damage) *diag.Pos { return &v.Pos },
		Check: func(d *table.Decoder, m table.Members, _ *scenarios.Damage) bool {
			return d.ExactlyOne(m, "a damage", damageOps...)
		},
	}
	s.Fields = []table.Field[scenarios.Damage]{
		onFrames("drop", "These frames are not sent."),
		onFrames("duplicate", "These frames are sent twice."),
		table.StoredField("swap", "These two frames change places.", twoFrames(), func(v *scenarios.Damage, f []scenarios.Selector) {
			if len(f) == 2 {
				v.Op, v.Frames, v.With = "swap", f[0], f[1]
			}
		}, func(v *scenarios.Damage) ([]scenarios.Selector, bool) {
			return []scenarios.Selector{v.Frames, v.With}, v.Op == "swap"
		}),
		ofKind("rename", "A member gets another name.", renameSection().Codec("{frames, from, to}")),
		ofKind("retype", "A value becomes one of another type.", retypeSection().Codec("{frames, at, to}")),
		ofKind("corrupt", "Bytes are changed.", corruptCodec()),
		table.Optional("chance", "How likely it is, for each frame, drawn from the seed. Default: always.", table.ChanceCodec(), func(v *scenarios.Damage) **float64 { return &v.Chance }),
	}
	return s
}

// onFrames is the key of a kind of damage that needs nothing but its frames.
func onFrames(op, doc string) table.Field[scenarios.Damage] {
	return table.StoredField(op, doc, selectorsCodec(),
		func(v *scenarios.Damage, f scenarios.Selector) { v.Op, v.Frames = op, f },
		func(v *scenarios.Damage) (scenarios.Selector, bool) { return v.Frames, v.Op == op })
}

// ofKind is the key of a kind of damage that has a section of its own.
func ofKind(op, doc string, c table.Codec[scenarios.Damage]) table.Field[scenarios.Damage] {
	return table.StoredField(op, doc, c, func(v *scenarios.Damage, from scenarios.Damage) {
		from.Op, from.Chance, from.Pos = op, v.Chance, v.Pos
		*v = from
	}, func(v *scenarios.Damage) (scenarios.Damage, bool) { return *v, v.Op == op })
}

// twoFrames reads the two frames that swap exchanges.
func twoFrames() table.Codec[[]scenarios.Selector] {
	c := table.ListOf("a list of two frames", selectorCodec())
	c = table.Validated(c, func(d *table.Decoder, n *yaml.Node, v *[]scenarios.Selector) bool {
		if len(n.Content) != 2 {
			d.Report(n, "", "swap needs two frames, found %d", len(n.Content))
			return false
		}
		return true
	})
	items := c.Schema
	c.Schema = func(w *schema.Writer) ojson.Value {
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
func selectorCodec() table.Codec[scenarios.Selector] {
	position := table.Validated(table.IntCodec("a position", -table.MaxCount, table.MaxCount), func(d *table.Decoder, n *yaml.Node, v *int) bool {
		if *v == 0 {
			d.Report(n, "1 is the first frame, -1 the last", "there is no frame 0")
		}
		return *v != 0
	})
	return table.AnyOf(
		table.Mapped(position, func(v int, p diag.Pos) scenarios.Selector { return scenarios.Selector{Position: v, Pos: p} },
			func(s scenarios.Selector) (int, bool) { return s.Position, s.Kind == "" && len(s.Any) == 0 }),
		table.Mapped(table.WordCodec(selectorKinds...), func(kind string, p diag.Pos) scenarios.Selector { return scenarios.Selector{Kind: kind, Pos: p} },
			func(s scenarios.Selector) (string, bool) { return s.Kind, s.Kind != "" }),
	)
}

// selectorsCodec reads which frames are meant, by one selector or several.
func selectorsCodec() table.Codec[scenarios.Selector] {
	several := table.Mapped(table.NonEmpty(table.ListOf("a list of those", selectorCodec())), func(list []scenarios.Selector, p diag.Pos) scenarios.Selector {
		all := scenarios.Selector{Pos: p}
		for _, s := range list {
			all.Any = append(all.Any, scenarios.FrameName{Position: s.Position, Kind: s.Kind, Pos: s.Pos})
		}
		return all
	}, func(s scenarios.Selector) ([]scenarios.Selector, bool) { return s.Each(), len(s.Any) > 0 })
	return table.AnyOf(selectorCodec(), several)
}

// framesField says which frames a damage is done to, where the damage needs
// more than that.
func framesField() table.Field[scenarios.Damage] {
	return table.Key("frames", "Which frames. Default: all.", selectorsCodec(), func(v *scenarios.Damage) *scenarios.Selector { return &v.Frames })
}

// allFrames is a check that fills in the default of the frames field.
func allFrames(_ *table.Decoder, m table.Members, v *scenarios.Damage) bool {
	if m.Key("frames") == nil {
		v.Frames = scenarios.Selector{Kind: "all"}
	}
	return true
}

func renameSection() *table.Section[scenarios.Damage] {
	return &table.Section[scenarios.Damage]{
		Name: "rename", About: "A member gets another name.", Check: allFrames,
		Fields: []table.Field[scenarios.Damage]{
			framesField(),
			table.Required(table.Key("from", "The place of the member.", table.PathCodec(), func(v *scenarios.Damage) *scenarios.Path { return &v.From })),
			table.Required(table.Key("to", "Its new name.", table.NameCodec("a name"), func(v *scenarios.Damage) *string { return &v.To })),
		},
	}
}

func retypeSection() *table.Section[scenarios.Damage] {
	return &table.Section[scenarios.Damage]{
		Name: "retype", About: "A value becomes one of another type.", Check: allFrames,
		Fields: []table.Field[scenarios.Damage]{
			framesField(),
			table.Required(table.Key("at", "The place of the value.", table.PathCodec(), func(v *scenarios.Damage) *scenarios.Path { return &v.From })),
			table.Required(table.Key("to", "The new type.", table.WordCodec("string", "number", "bool", "null", "array", "object", "absent"), func(v *scenarios.Damage) *string { return &v.To })),
		},
	}
}

func corruptCodec() table.Codec[scenarios.Damage] {
	s := &table.Section[scenarios.Damage]{
		Name: "corrupt", About: "Bytes are changed.", Check: allFrames,
		Fields: []table.Field[scenarios.Damage]{
			framesField(),
			table.Key("bytes", "How many bytes. Default: 1.", table.IntCodec("a number of bytes", 1, table.MaxCount), func(v *scenarios.Damage) *int { return &v.Bytes }),
		},
	}
	frames := table.ReadAs(selectorsCodec(), func(f scenarios.Selector, _ diag.Pos) scenarios.Damage { return scenarios.Damage{Frames: f} })
	return table.AnyOf(frames, s.Codec("{frames, bytes}"))
}
