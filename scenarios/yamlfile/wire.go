package yamlfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func wireSection() *table.Section {
	return &table.Section{
		Name:    "wire",
		Lone:    []string{"newline", "format", "gzip"},
		InLines: true,
		About:   "How the stream is laid out in bytes.",
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			ok := headerSaidTwice(d, m, "content_type", "Content-Type")
			ok = headerSaidTwice(d, m, "connection", "Connection") && ok
			return ok
		},
		Fields: []table.Field{
			newlineField("The end of a line, or of the lines of an event and of its blank line. Default: lf."),
			table.Key("bom", "A byte order mark before the first byte."),
			table.Key("space", "false leaves out the space after a field's colon."),
			table.Key("split", "How the bytes are cut into separate writes.", splitCodec()),
			table.Key("coalesce", "This many events leave in one write.", table.IntCodec("a number of events", 2, table.MaxCount)),
			multilineField("Writes the JSON of an event over several data: lines: one for each member (true), or this many."),
			table.Key("comments_between", "A comment before each event.", sizedTextCodec()),
			table.Key("event_name", "An event: line with this name on each event. null leaves out the names that responses have.",
				table.Nullable[scenarios.Text](lineCodec())),
			table.Key("ids", "An id: line on each event: counted from 1 (true or count), or a hash of that number (hash).", idsCodec()),
			table.Key("retry", "A retry: line on the first event, in milliseconds.", table.IntCodec("a number of milliseconds", 0, table.MaxCount)),
			table.Key("final_blank", "false leaves out the blank line after the last event."),
			table.Key("done", "How many [DONE] events close the stream; false leaves [DONE] out.", doneCountCodec()),
			table.Key("json_style", "How JSON is laid out. Default: compact in a stream, pretty in an answer of one piece and in an error.", jsonStyleCodec()),
			table.Key("gzip", "Compresses the body: with a flush for each frame (flush), all at the end (buffer), or only its first half (truncate).",
				table.WordCodec("flush", "buffer", "truncate")),
			table.Key("gzip_forced", "Compresses even for a client that does not accept it."),
			table.Key("connection", "The connection after the answer. Default: keep-alive; null says that over an inherited word.",
				table.AnyOf(table.WordCodec("keep-alive", "close", "close_on_reuse"), table.Null(func() string { return "keep-alive" }, func(string) bool { return false }))),
			table.Key("length", "How the client learns where the body ends: by HTTP's last chunk (chunked, the default) or by the end of the connection (close).",
				table.WordCodec("chunked", "close")),
			table.Key("header_delay", "The pause before the status line."),
			table.Key("drip", "The body flows at this many bytes per second.", table.IntCodec("a number of bytes", 1, table.MaxCount)),
			table.Key("content_type", "The Content-Type header."),
			table.Key("headers", "Further headers of the response; null removes one that the server sends by itself.", headersCodec()),
			table.Key("status", "The HTTP status. Default: 200.", table.IntCodec("an HTTP status", 200, 599)),
			table.Key("format", "What is sent, whatever the request asks for. Default: sse to one that asks for a stream, json to others.",
				table.WordCodec("sse", "json", "ndjson")),
			table.Key("body", "Sent in place of the answer: a text, the bytes of a file, or YAML that becomes JSON. It needs no message or stream.",
				bodyCodec()),
			table.Key("on_shutdown", "The last steps of a stream that is open when the server shuts down: comment, raw, event, error or done. Default: it breaks off.",
				table.InLines(table.OneOrMore("a list of wire steps", shutdownStepCodec()))),
		},
	}
}

// shutdownStepCodec reads a wire step that takes no time.
func shutdownStepCodec() table.Codec {
	return table.Refusing(stepCodec(), func(st *scenarios.Step) bool { return !st.IsShutdownEvent() },
		"write done: true, or a comment, raw, event or error, without after, every, jitter and quirks", "this step cannot be sent on shutdown")
}

// doneCountCodec reads a number of [DONE] events; false is none, true is one.
func doneCountCodec() table.Codec {
	flag := table.ReadAs(table.BoolCodec(), func(on bool, _ diag.Pos) int {
		if on {
			return 1
		}
		return 0
	})
	return table.AnyOf(table.IntCodec("a number of events", 0, 1000), flag)
}

var splitWords = []string{"byte", "rune", "inside_rune", "crlf", "field", "inside_chunk", "random"}

// splitCodec reads how bytes are cut into writes: a way, a size, or a mapping.
func splitCodec() table.Codec {
	word := table.ReadOnly(table.As[scenarios.Split](table.WordCodec(splitWords...), "By"))
	bytes := table.IntCodec("a number of bytes", 1, 1<<30)
	size := table.ReadOnly(table.As[scenarios.Split](bytes, "Size"))
	s := &table.Section{
		Name:  "split",
		About: "How the bytes of a stream are cut into separate writes.",
		Fields: []table.Field{
			table.Key("by", "Where the cuts are.", table.WordCodec(splitWords...)),
			table.Key("size", "Or: pieces of this many bytes.", bytes),
			table.Key("at", "Or: after these numbers of bytes of the body.", risingCodec()),
			table.Key("seed", "With by: random, what the cuts are drawn from. Default: the scenario's seed.",
				table.IntCodec[int64]("a whole number", math.MinInt64, math.MaxInt64)),
			table.Key("gap", "The pause between two pieces. Default: 1ms."),
		},
		Check: table.Check(checkSplit),
	}
	return table.AnyOf(word, size, table.Mapping[scenarios.Split]("a mapping", s))
}

func checkSplit(d *table.Decoder, m table.Members, s *scenarios.Split) bool {
	if !d.ExactlyOne(m, "split", "by", "size", "at") {
		return false
	}
	if s.By != "random" && !d.Refuse(m, "seed", "write by: random, or leave seed out") {
		return false
	}
	if gap := m.Key("gap"); gap != nil && s.Gap == 0 {
		d.Report(gap, "write gap: 1us or more", "gap must be more than 0s: pieces without a pause between them arrive as one")
		return false
	}
	return true
}

// risingCodec reads one position or a list of them in rising order.
func risingCodec() table.Codec {
	positions := table.NonEmpty(table.OneOrMore("a list of numbers of bytes", table.IntCodec[int64]("a number of bytes", 1, 1<<40)))
	return table.Refusing(positions, func(list *[]int64) bool {
		return !slices.IsSorted(*list) || len(slices.Compact(slices.Clone(*list))) < len(*list)
	}, "count each position in bytes from the start of the body, as in at: [3, 9]", "the positions in at must increase")
}

// bodyCodec reads what is sent in place of an answer: a text, a generated text, the name of a file, or any
// other mapping or list, which is sent as JSON.
func bodyCodec() table.Codec {
	generated := table.As[scenarios.Body](table.Later[scenarios.Text](sizeOfText, generatedTextSection), "Text")
	generated.Takes = func(n *yaml.Node) bool { return valueOf(n, "repeat") != nil && valueOf(n, "bytes") != nil }
	file := table.Later[scenarios.Body]("{file}", bodyFileSection)
	file.Takes = func(n *yaml.Node) bool { return valueOf(n, "file") != nil && len(n.Content) == 2 }
	write := file.Write
	file.Write = func(from any) *yaml.Node {
		if from.(*scenarios.Body).File == "" {
			return nil
		}
		return write(from)
	}
	json := table.As[scenarios.Body](table.JSONCodec("JSON", node.Mapping|node.List), "JSON")
	return table.AnyOf(table.As[scenarios.Body](table.TextCodec(), "Text"), generated, file, json)
}

func bodyFileSection() *table.Section {
	return &table.Section{
		Name:  "body of a file",
		About: "The bytes of a file that are sent in place of an answer.",
		Fields: []table.Field{
			table.Required(table.Key("file", "The path of the file, beginning at the directory of the scenario's own file.", table.Refusing(table.NameCodec("a path"), func(name *string) bool { return !fs.ValidPath(*name) || *name == "." },
				"write the path with slashes, and without . and .., as in file: audio/speech.mp3", "a file lies beside the scenario or below"))),
		},
	}
}

// ReadBodies returns the scenarios, those that send the bytes of files with these bytes, which it reads from
// the directory beside. [Parse] does not read them. The scenarios themselves do not change.
func ReadBodies(list []*scenarios.Scenario, beside fs.FS) ([]*scenarios.Scenario, diag.List) {
	var problems diag.List
	list = slices.Clone(list)
	for i, s := range list {
		if !slices.ContainsFunc(bodies(s), func(b **scenarios.Body) bool { return !(*b).IsRead() }) {
			continue
		}
		c := *s
		c.Replies, c.Faults = slices.Clone(s.Replies), slices.Clone(s.Faults)
		list[i] = &c
		problems = append(problems, readBodies(&c, beside)...)
	}
	return list, problems
}

func bodies(s *scenarios.Scenario) (list []**scenarios.Body) {
	list = append(list, &s.Wire.Body)
	for i := range s.Replies {
		list = append(list, &s.Replies[i].Wire.Body)
	}
	for i := range s.Faults {
		list = append(list, &s.Faults[i].Wire.Body)
	}
	return slices.DeleteFunc(list, func(b **scenarios.Body) bool { return *b == nil })
}

func readBodies(s *scenarios.Scenario, beside fs.FS) (problems diag.List) {
	for _, at := range bodies(s) {
		b := **at
		if b.IsRead() {
			continue
		}
		data, err := readBody(b.File, beside)
		if err != nil {
			problems = append(problems, diag.Problem{
				Pos: b.Pos, Message: fmt.Sprintf("the file %s cannot be read: %v", diag.Quote(b.File), err),
				Hint: "name a file beside the scenario, or write the bytes as body: !!binary, in base64",
			})
		}
		b.Text = scenarios.Text{Source: string(data), Literal: true, Pos: b.Pos}
		*at = &b
	}
	return problems
}

func readBody(name string, beside fs.FS) ([]byte, error) {
	if beside == nil {
		return nil, errors.New("the scenario is not read from a directory")
	}
	data, err := node.ReadFile(beside, name, scenarios.MaxText)
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err // its path is that of this machine
	}
	if err == nil && len(data) > scenarios.MaxText {
		err = fmt.Errorf("it has more than %d bytes", scenarios.MaxText)
	}
	return data, err
}

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

var jsonStyles = []table.NamedValue[scenarios.JSONStyle]{
	{Name: "compact", Value: scenarios.JSONStyle{}},
	{Name: "spaced", Value: scenarios.JSONStyle{Spaces: true}},
	{Name: "ascii", Value: scenarios.JSONStyle{Spaces: true, Escapes: "ascii"}},
	{Name: "compact-ascii", Value: scenarios.JSONStyle{Escapes: "ascii"}},
	{Name: "html", Value: scenarios.JSONStyle{Escapes: "html"}},
	{Name: "pretty", Value: scenarios.JSONStyle{Indent: 2}},
	{Name: "pretty-4", Value: scenarios.JSONStyle{Indent: 4}},
}

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

func stepWireSection() *table.Section {
	text := table.Some[scenarios.Text](table.LooseTextCodec())
	return &table.Section{
		Name:  "wire of a step",
		About: "How the events of one step are laid out in bytes.",
		Check: table.Check(checkStepWire),
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

// headersCodec reads a mapping from header names to texts; a list of texts
// repeats the name, null takes the header away.
func headersCodec() table.Codec {
	isNull := func(list []scenarios.Text) bool { return list == nil }
	values := table.AnyOf(table.Null(func() []scenarios.Text { return nil }, isNull), table.NonEmpty(table.OneOrMore("a list of texts", table.LooseTextCodec())))
	byName := table.MappingCodec("a mapping of header names to texts", values, checkHeader, func(h namedTexts) table.NamedValue[[]scenarios.Text] { return h })
	headers := table.Mapped(byName, func(list []namedTexts, _ diag.Pos) (headers []scenarios.Header) {
		for _, h := range list {
			if h.Value == nil {
				headers = append(headers, scenarios.Header{Name: h.Name, Removed: true})
			}
			for _, text := range h.Value {
				headers = append(headers, scenarios.Header{Name: h.Name, Value: text})
			}
		}
		return headers
	}, func(list []scenarios.Header) ([]namedTexts, bool) { return groupByName(list), true })
	return table.InLines(table.Validated(headers, func(d *table.Decoder, n *yaml.Node, _ *[]scenarios.Header) bool { return headersSpelledTwice(d, n) }))
}

// namedTexts is the values of the header fields that have one name; nil takes them away.
type namedTexts = table.NamedValue[[]scenarios.Text]

func checkHeader(d *table.Decoder, p node.Pair, texts []scenarios.Text) (namedTexts, bool) {
	ok := isHeaderName(d, p) && (texts != nil || removable(d, p))
	for _, t := range texts {
		if ok && !t.IsTemplate() && strings.ContainsFunc(t.Source, isControl) {
			d.Report(p.Value, "write the value in one line, without control characters", "the header %s cannot have such a value", p.Name)
			ok = false
		}
	}
	return namedTexts{Name: p.Name, Value: texts}, ok
}

// isHeaderName reports a key that cannot be the name of a header field.
func isHeaderName(d *table.Decoder, p node.Pair) bool {
	ok := token().MatchString(p.Name)
	if !ok {
		d.Report(p.Key, "write letters, digits and hyphens, as in X-Request-Id", "%q is not the name of an HTTP header", node.Abbreviate(p.Name))
	}
	return ok
}

func groupByName(list []scenarios.Header) []namedTexts {
	var members []namedTexts
	for _, h := range list {
		i := slices.IndexFunc(members, func(m namedTexts) bool { return m.Name == h.Name })
		if i < 0 {
			i = len(members)
			members = append(members, namedTexts{Name: h.Name})
		}
		if !h.Removed {
			members[i].Value = append(members[i].Value, h.Value)
		}
	}
	return members
}

// removable reports the removal of header fields that HTTP needs.
func removable(d *table.Decoder, p node.Pair) bool {
	instead := map[string]string{
		"connection":        "write wire: { connection: close } to say what happens to the connection",
		"content-length":    "write wire: { length: close } for a body that ends with the connection",
		"transfer-encoding": "write wire: { length: close } for a body that ends with the connection",
	}[strings.ToLower(p.Name)]
	if instead != "" {
		d.Report(p.Key, instead, "the header %s is a part of HTTP itself and cannot be removed", p.Name)
	}
	return instead == ""
}

// isControl reports whether a character cannot stand in the value of an HTTP header.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// token matches what can be the name of an HTTP header.
var token = node.Lazily("^[0-9A-Za-z!#$%&'*+.^_`|~-]+$")

// headerSaidTwice reports a header field under headers that another key of the same mapping
// sets, too: retry_after sets Retry-After.
func headerSaidTwice(d *table.Decoder, m table.Members, key, field string) (ok bool) {
	if m.Key(key) == nil {
		return true
	}
	for _, p := range node.Members(valueOf(m.Node, "headers")) {
		if strings.EqualFold(p.Name, field) {
			d.Report(p.Key, "leave one of them out", "%s and the header %s exclude each other", key, p.Name)
			return false
		}
	}
	return true
}

// headersSpelledTwice reports header fields whose names differ only in case. They are the same
// field in HTTP.
func headersSpelledTwice(d *table.Decoder, n *yaml.Node) (ok bool) {
	pairs := node.Members(n)
	for i, p := range pairs {
		for _, earlier := range pairs[:i] {
			if strings.EqualFold(p.Name, earlier.Name) {
				d.Report(p.Key, "to send it several times, write a list of texts there", "the header %s is already set at line %d", p.Name, earlier.Key.Line)
				return false
			}
		}
	}
	return true
}
