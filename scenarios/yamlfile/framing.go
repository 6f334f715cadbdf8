package yamlfile

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// newlineField is the key newline: one word for all lines, or one for each kind of line.
func newlineField(doc string) table.Field {
	return table.Either(
		table.Key("newline", doc, table.WordCodec("lf", "crlf", "cr", "mixed")),
		table.Key("newline", doc, table.Later[scenarios.Newlines]("a mapping of kinds of lines", newlinesSection)).In("Newlines"),
	)
}

func newlinesSection() *table.Section {
	end := table.WordCodec("lf", "crlf", "cr")
	return &table.Section{
		Name:  "newline",
		About: "What ends the lines of each kind. Default: lf.",
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			if len(m.Pairs) == 0 && m.Complete {
				d.Report(m.Node, "name a kind of line, as in newline: { blank: lf }, or write one word for all", "newline is empty")
				return false
			}
			return true
		},
		Fields: []table.Field{
			table.Key("comment", "Comments.", end),
			table.Key("event", "The name of an event.", end),
			table.Key("id", "The id of an event.", end),
			table.Key("retry", "The reconnection time.", end),
			table.Key("data", "The data.", end),
			table.Key("blank", "The blank line that ends an event.", end),
		},
	}
}

// multilineField is the key multiline_data: over how many data lines JSON is written.
func multilineField(doc string) table.Field {
	return table.Either(
		table.Key("multiline_data", doc),
		table.Key("multiline_data", doc, table.IntCodec("a number of lines", 2, 100)).In("DataLines"),
	)
}

// idsCodec reads how events get their ids: true, false, a word, or a mapping.
func idsCodec() table.Codec {
	words := table.WordCodec("count", "hash")
	flag := table.Mapped(table.BoolCodec(), func(on bool, p diag.Pos) scenarios.EventIDs {
		if on {
			return scenarios.EventIDs{Pos: p}
		}
		return scenarios.EventIDs{By: "none", Pos: p}
	}, func(v scenarios.EventIDs) (on, ok bool) {
		return v.By != "none", v.By == "none" || table.IsZeroButPosition(v)
	})
	word := table.As[scenarios.EventIDs](words, "By")
	s := &table.Section{
		Name:  "ids",
		About: "How the events of a stream get their ids.",
		Fields: []table.Field{
			table.Key("by", "What the id is: count (1, 2, 3 ..., the default) or hash (12 hexadecimal digits of a hash of that number).", words),
			table.Key("prefix", "What stands before each id."),
		},
	}
	return table.AnyOf(flag, word, table.Mapping[scenarios.EventIDs]("a mapping", s))
}

// namedStyles is the layouts of JSON that have a name.
var namedStyles = []table.NamedValue[scenarios.JSONStyle]{
	{Name: "compact", Value: scenarios.JSONStyle{}},
	{Name: "spaced", Value: scenarios.JSONStyle{Spaces: true}},
	{Name: "ascii", Value: scenarios.JSONStyle{Spaces: true, Escapes: "ascii"}},
	{Name: "pretty", Value: scenarios.JSONStyle{Indent: 2}},
}

// jsonStyleCodec reads how JSON is laid out: a word, or a mapping of single options.
func jsonStyleCodec() table.Codec {
	var words []string
	for _, s := range namedStyles {
		words = append(words, s.Name)
	}
	word := table.Mapped(table.WordCodec(words...), func(name string, p diag.Pos) scenarios.JSONStyle {
		i := slices.IndexFunc(namedStyles, func(s table.NamedValue[scenarios.JSONStyle]) bool { return s.Name == name })
		if i < 0 {
			return scenarios.JSONStyle{Pos: p}
		}
		style := namedStyles[i].Value
		style.Pos = p
		return style
	}, func(v scenarios.JSONStyle) (string, bool) {
		v.Pos = diag.Pos{}
		i := slices.IndexFunc(namedStyles, func(s table.NamedValue[scenarios.JSONStyle]) bool { return s.Value == v })
		if i < 0 {
			return "", false
		}
		return namedStyles[i].Name, true
	})
	s := &table.Section{
		Name:  "json style",
		About: "How JSON is laid out, part by part. What is left out is as in compact.",
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			return d.AtMostOne(m, "leave spaces out: indented JSON has a space after each colon and a line break after each comma", "indent", "spaces")
		},
		Fields: []table.Field{
			table.Key("spaces", "A space after commas and colons, as Python writes it."),
			table.Key("escapes", "Which characters are written as a \\u escape: only where JSON needs it (none, the default), all beyond ASCII (ascii), or <, > and & (html, as Go writes it).",
				table.WordCodec("none", "ascii", "html")),
			table.Key("indent", "Over several lines, indented by this many spaces for each level.", table.IntCodec("a number of spaces", 1, 16)),
		},
	}
	return table.AnyOf(word, table.Mapping[scenarios.JSONStyle]("a mapping", s))
}

// stepWireSection is how the events of one step are laid out.
func stepWireSection() *table.Section {
	text := table.Some[scenarios.Text](table.LooseTextCodec())
	return &table.Section{
		Name:  "wire of a step",
		About: "How the events of one step are laid out in bytes.",
		Check: table.Check(checkStepWire),
		Misplaced: map[string]string{
			"ids": "write id for the id of this step's events", "event_name": `did you mean "event"?`, "comments_between": `did you mean "comment"?`,
			"data": `did you mean "multiline_data"?`,
		},
		Fields: append([]table.Field{
			table.Key("frames", "Which of the step's events, by kind or name as in damage. Default: all.", kindCodec()),
			table.Key("comment", "A comment line before the event's fields, with no blank line between.", text),
			table.Key("event", "The name of the event. null leaves out the one that it has on responses.",
				table.Nullable[scenarios.Text](table.LooseTextCodec())),
			table.Key("id", "The id of the event.", text),
			table.Key("retry", "The reconnection time; any text can be sent.", text),
		}, table.Listed("wire",
			newlineField("The end of a line, or of the lines of each kind."),
			table.Key("space", "false leaves out the space after a field's colon."),
			multilineField("Writes the JSON over several data: lines: one for each member (true), or this many."),
			table.Key("json_style", "How the JSON is laid out.", jsonStyleCodec()),
		)...),
	}
}

// checkStepWire reports fields of an event that cannot be sent as they are written.
func checkStepWire(d *table.Decoder, m table.Members, w *scenarios.StepWire) bool {
	if len(m.Pairs) == 0 && m.Complete {
		d.Report(m.Node, "add a key, as in wire: { id: \"7\" }, or leave wire out", "wire is empty")
		return false
	}
	if len(m.Pairs) == 1 && w.Frames != "" {
		d.Report(m.Node, "add a key that changes the events, as in wire: { frames: "+w.Frames+", id: \"7\" }, or leave wire out", "frames alone changes nothing")
		return false
	}
	return checkOneLine(d, m, map[string]scenarios.Text{"event": w.Event.Value, "id": w.ID.Value, "retry": w.Retry.Value})
}
