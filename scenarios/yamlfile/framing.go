package yamlfile

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// newlineField is the key newline: one word for all lines, or two for the lines of an event and its blank line.
func newlineField(doc string) table.Field {
	two := twoOf[string]("a list of two", "newline needs two line ends", "write that of the lines and that of the blank line, as in newline: [lf, crlf]",
		table.WordCodec("lf", "crlf", "cr"))
	return table.Either(
		table.Key("newline", doc, table.WordCodec("lf", "crlf", "cr", "mixed")),
		table.Key("newline", doc, table.Mapped(two, func(list []string, _ diag.Pos) (two [2]string) {
			copy(two[:], list)
			return two
		},
			func(two [2]string) ([]string, bool) { return two[:], two[0] != "" })).In("Newlines"),
	)
}

// multilineField is the key multiline_data: over how many data lines JSON is written.
func multilineField(doc string) table.Field {
	return table.Either(
		table.Key("multiline_data", doc),
		table.Key("multiline_data", doc, table.IntCodec("a number of lines", 2, 100)).In("DataLines"),
	)
}

// idsCodec reads how events get their ids: true, false or a word.
func idsCodec() table.Codec {
	flag := table.Mapped(table.BoolCodec(), func(on bool, p diag.Pos) scenarios.EventIDs {
		if on {
			return scenarios.EventIDs{Pos: p}
		}
		return scenarios.EventIDs{By: "none", Pos: p}
	}, func(v scenarios.EventIDs) (on, ok bool) {
		return v.By != "none", v.By == "none" || table.IsZeroButPosition(v)
	})
	return table.AnyOf(flag, table.As[scenarios.EventIDs](table.WordCodec("count", "hash"), "By"))
}

// jsonStyles are the layouts of JSON.
var jsonStyles = []table.NamedValue[scenarios.JSONStyle]{
	{Name: "compact", Value: scenarios.JSONStyle{}},
	{Name: "spaced", Value: scenarios.JSONStyle{Spaces: true}},
	{Name: "ascii", Value: scenarios.JSONStyle{Spaces: true, Escapes: "ascii"}},
	{Name: "compact-ascii", Value: scenarios.JSONStyle{Escapes: "ascii"}},
	{Name: "html", Value: scenarios.JSONStyle{Escapes: "html"}},
	{Name: "pretty", Value: scenarios.JSONStyle{Indent: 2}},
	{Name: "pretty-4", Value: scenarios.JSONStyle{Indent: 4}},
}

// jsonStyleCodec reads how JSON is laid out.
func jsonStyleCodec() table.Codec {
	var names []string
	for _, s := range jsonStyles {
		names = append(names, s.Name)
	}
	return table.Mapped(table.WordCodec(names...), func(name string, p diag.Pos) scenarios.JSONStyle {
		var style scenarios.JSONStyle
		for _, s := range jsonStyles {
			if s.Name == name {
				style = s.Value
			}
		}
		style.Pos = p
		return style
	}, func(v scenarios.JSONStyle) (string, bool) {
		v.Pos = diag.Pos{}
		for _, s := range jsonStyles {
			if s.Value == v {
				return s.Name, true
			}
		}
		return "", false
	})
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
		}, slices.Concat(table.Listed("event",
			table.Key("id", "The id of the event.", text),
			table.Key("retry", "The reconnection time; any text can be sent.", text),
		), table.Listed("wire",
			newlineField("The end of a line, or of the lines of an event and of its blank line."),
			table.Key("space", "false leaves out the space after a field's colon."),
			multilineField("Writes the JSON over several data: lines: one for each member (true), or this many."),
			table.Key("json_style", "How the JSON is laid out.", jsonStyleCodec()),
		))...),
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
