package yamlfile

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// newlineField is the key newline: one word for all lines, or one for each kind of line.
func newlineField[P any](doc string, all func(P) *string, each func(P) **scenarios.Newlines) table.Field[P] {
	return table.Either(
		table.Key("newline", doc, table.WordCodec("lf", "crlf", "cr", "mixed"), all),
		table.Optional("newline", doc, newlinesSection().Codec("a mapping of kinds of lines"), each),
	)
}

func newlinesSection() *table.Section[*scenarios.Newlines] {
	end := table.WordCodec("lf", "crlf", "cr")
	return &table.Section[*scenarios.Newlines]{
		Name:  "newline",
		About: "What ends the lines of each kind. Default: lf.",
		Check: func(d *table.Decoder, m table.Members, _ *scenarios.Newlines) bool {
			if len(m.Pairs) == 0 && m.Complete {
				d.Report(m.Node, "name a kind of line, as in newline: { blank: lf }, or write one word for all", "newline is empty")
				return false
			}
			return true
		},
		Fields: []table.Field[*scenarios.Newlines]{
			table.Key("comment", "Comments.", end, func(n *scenarios.Newlines) *string { return &n.Comment }),
			table.Key("event", "The name of an event.", end, func(n *scenarios.Newlines) *string { return &n.Event }),
			table.Key("id", "The id of an event.", end, func(n *scenarios.Newlines) *string { return &n.ID }),
			table.Key("retry", "The reconnection time.", end, func(n *scenarios.Newlines) *string { return &n.Retry }),
			table.Key("data", "The data.", end, func(n *scenarios.Newlines) *string { return &n.Data }),
			table.Key("blank", "The blank line that ends an event.", end, func(n *scenarios.Newlines) *string { return &n.Blank }),
		},
	}
}

// multilineField is the key multiline_data: over how many data lines JSON is written.
func multilineField[P any](doc string, flag func(P) **bool, lines func(P) *int) table.Field[P] {
	return table.Either(
		table.Optional("multiline_data", doc, table.BoolCodec(), flag),
		table.Key("multiline_data", doc, table.IntCodec("a number of lines", 2, 100), lines),
	)
}

// idsCodec reads how events get their ids: true, false, a word, or a mapping.
func idsCodec() table.Codec[*scenarios.EventIDs] {
	words := table.WordCodec("count", "hash")
	flag := table.Mapped(table.BoolCodec(), func(on bool, p diag.Pos) scenarios.EventIDs {
		if on {
			return scenarios.EventIDs{Pos: p}
		}
		return scenarios.EventIDs{By: "none", Pos: p}
	}, func(v scenarios.EventIDs) (on, ok bool) {
		return v.By != "none", v.By == "none" || table.IsZeroButPosition(v)
	})
	word := table.As(words, func(v *scenarios.EventIDs) *string { return &v.By })
	s := &table.Section[*scenarios.EventIDs]{
		Name:  "ids",
		About: "How the events of a stream get their ids.",
		Fields: []table.Field[*scenarios.EventIDs]{
			table.Key("by", "What the id is: count (1, 2, 3 ..., the default) or hash (12 hexadecimal digits of a hash of that number).", words, func(v *scenarios.EventIDs) *string { return &v.By }),
			table.Key("prefix", "What stands before each id.", textCodec(), func(v *scenarios.EventIDs) *scenarios.Text { return &v.Prefix }),
		},
	}
	return table.AnyOf(flag, word, s.Codec("a mapping"))
}

// namedStyles is the layouts of JSON that have a name.
var namedStyles = []table.NamedValue[scenarios.JSONStyle]{
	{Name: "compact", Value: scenarios.JSONStyle{}},
	{Name: "spaced", Value: scenarios.JSONStyle{Spaces: true}},
	{Name: "ascii", Value: scenarios.JSONStyle{Spaces: true, Escapes: "ascii"}},
	{Name: "pretty", Value: scenarios.JSONStyle{Indent: 2}},
}

// jsonStyleCodec reads how JSON is laid out: a word, or a mapping of single options.
func jsonStyleCodec() table.Codec[*scenarios.JSONStyle] {
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
	s := &table.Section[*scenarios.JSONStyle]{
		Name:  "json style",
		About: "How JSON is laid out, part by part. What is left out is as in compact.",
		Check: func(d *table.Decoder, m table.Members, _ *scenarios.JSONStyle) bool {
			return d.AtMostOne(m, "leave spaces out: indented JSON has a space after each colon and a line break after each comma", "indent", "spaces")
		},
		Fields: []table.Field[*scenarios.JSONStyle]{
			table.Key("spaces", "A space after commas and colons, as Python writes it.", table.BoolCodec(), func(v *scenarios.JSONStyle) *bool { return &v.Spaces }),
			table.Key("escapes", "What is written as a \\u escape: nothing that need not be (none, the default), all beyond ASCII (ascii), or <, > and & (html, as Go writes it).",
				table.WordCodec("none", "ascii", "html"), func(v *scenarios.JSONStyle) *string { return &v.Escapes }),
			table.Key("indent", "Over several lines, indented by this many spaces for each level.", table.IntCodec("a number of spaces", 1, 16), func(v *scenarios.JSONStyle) *int { return &v.Indent }),
		},
	}
	return table.AnyOf(word, s.Codec("a mapping"))
}

// stepWireSection is how the events of one step are laid out.
func stepWireSection() *table.Section[*scenarios.StepWire] {
	text := table.Some(looseTextCodec())
	return &table.Section[*scenarios.StepWire]{
		Name:  "wire of a step",
		About: "How the events of one step are laid out in bytes.",
		Check: checkStepWire,
		Misplaced: map[string]string{
			"ids": "write id for the id of this step's events", "event_name": `did you mean "event"?`, "comments_between": `did you mean "comment"?`,
			"data": `did you mean "multiline_data"?`,
		},
		Fields: []table.Field[*scenarios.StepWire]{
			table.Key("frames", "Which of the step's events: those of a kind or a name, as in damage. Default: all.", kindCodec(), func(w *scenarios.StepWire) *string { return &w.Frames }),
			table.Key("comment", "A comment line before the event's fields, with no blank line between.", text, func(w *scenarios.StepWire) *scenarios.Opt[scenarios.Text] { return &w.Comment }),
			table.Key("event", "The name of the event. null leaves out the one that it has on responses.", table.Nullable(looseTextCodec()), func(w *scenarios.StepWire) *scenarios.Opt[scenarios.Text] { return &w.Event }),
			table.Key("id", "The id of the event.", text, func(w *scenarios.StepWire) *scenarios.Opt[scenarios.Text] { return &w.ID }),
			table.Key("retry", "The reconnection time; any text can be sent.", text, func(w *scenarios.StepWire) *scenarios.Opt[scenarios.Text] { return &w.Retry }),
			newlineField("What ends a line, or the lines of each kind.",
				func(w *scenarios.StepWire) *string { return &w.Newline }, func(w *scenarios.StepWire) **scenarios.Newlines { return &w.Newlines }),
			table.Optional("space", "false leaves out the space after a field's colon.", table.BoolCodec(), func(w *scenarios.StepWire) **bool { return &w.Space }),
			multilineField("Writes the JSON over several data: lines: one for each member (true), or this many.",
				func(w *scenarios.StepWire) **bool { return &w.MultilineData }, func(w *scenarios.StepWire) *int { return &w.DataLines }),
			table.Optional("json_style", "How the JSON is laid out.", jsonStyleCodec(), func(w *scenarios.StepWire) **scenarios.JSONStyle { return &w.JSONStyle }),
		},
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
