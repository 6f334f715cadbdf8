package yamlfile

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func moveSection() *table.Section[*scenarios.Damage] {
	return &table.Section[*scenarios.Damage]{
		Name: "move", About: "Frames are sent later than they belong, behind another one.",
		Fields: []table.Field[*scenarios.Damage]{
			table.Required(table.Key("frames", "Which frames.", selectorsCodec(), func(v *scenarios.Damage) *scenarios.Selector { return &v.Frames })),
			table.Required(table.Key("after", "Behind which frame; the last of several.", selectorCodec(), func(v *scenarios.Damage) *scenarios.Selector { return &v.With })),
		},
	}
}

func replaceSection() *table.Section[*scenarios.Damage] {
	return &table.Section[*scenarios.Damage]{
		Name: "replace", About: "A value becomes another.", Check: allFrames,
		Fields: []table.Field[*scenarios.Damage]{
			framesField(),
			table.Required(table.Key("at", "The place of the value. Frames that have none there stay.", table.PathCodec(), func(v *scenarios.Damage) *scenarios.Path { return &v.From })),
			table.Required(table.Key("to", "The new value: any JSON, without templates.", table.AnyJSON(), func(v *scenarios.Damage) *ojson.Value { return &v.Value })),
		},
	}
}

func keepSection() *table.Section[*scenarios.Damage] {
	return &table.Section[*scenarios.Damage]{
		Name: "keep", About: "Of an object only some members are left.", Check: allFrames,
		Fields: []table.Field[*scenarios.Damage]{
			framesField(),
			table.Key("at", "The place of the object. Default: the whole frame.", table.PathCodec(), func(v *scenarios.Damage) *scenarios.Path { return &v.From }),
			table.Required(table.Key("members", "The members that are left.", table.NonEmpty(table.OneOrMore("a list of names", table.NameCodec("a name"))), func(v *scenarios.Damage) *[]string { return &v.Members })),
		},
	}
}

func renameSection() *table.Section[*scenarios.Damage] {
	return &table.Section[*scenarios.Damage]{
		Name: "rename", About: "A member gets another name.", Check: allFrames,
		Fields: []table.Field[*scenarios.Damage]{
			framesField(),
			table.Required(table.Key("from", "The place of the member.", table.PathCodec(), func(v *scenarios.Damage) *scenarios.Path { return &v.From })),
			table.Required(table.Key("to", "Its new name.", table.NameCodec("a name"), func(v *scenarios.Damage) *string { return &v.To })),
		},
	}
}

func retypeSection() *table.Section[*scenarios.Damage] {
	return &table.Section[*scenarios.Damage]{
		Name: "retype", About: "A value becomes one of another type.", Check: allFrames,
		Fields: []table.Field[*scenarios.Damage]{
			framesField(),
			table.Required(table.Key("at", "The place of the value.", table.PathCodec(), func(v *scenarios.Damage) *scenarios.Path { return &v.From })),
			table.Required(table.Key("to", "The new type.", table.WordCodec("string", "number", "bool", "null", "array", "object", "absent"), func(v *scenarios.Damage) *string { return &v.To })),
		},
	}
}

func corruptCodec() table.Codec[*scenarios.Damage] {
	s := &table.Section[*scenarios.Damage]{
		Name: "corrupt", About: "Bytes are changed.", Check: allFrames,
		Fields: []table.Field[*scenarios.Damage]{
			framesField(),
			table.Key("bytes", "How many bytes. Default: 1.", table.IntCodec("a number of bytes", 1, table.MaxCount), func(v *scenarios.Damage) *int { return &v.Bytes }),
		},
	}
	frames := table.ReadOnly(table.As(selectorsCodec(), func(v *scenarios.Damage) *scenarios.Selector { return &v.Frames }))
	return table.AnyOf(frames, s.Codec("{frames, bytes}"))
}
