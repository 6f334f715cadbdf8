package yamlfile

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/hint"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

func wireSection() *section[scenarios.Wire] {
	return &section[scenarios.Wire]{
		name:     "wire",
		lone:     []string{"newline", "format", "gzip"},
		inLines:  true,
		about:    "How the stream is laid out in bytes.",
		position: func(w *scenarios.Wire) *diag.Pos { return &w.Pos },
		check: func(d *decoder, m members, _ *scenarios.Wire) bool {
			if m.key("final_newline") != nil && !d.refuse(m, "final_blank", "final_newline says it") {
				return false
			}
			return m.key("gzip") != nil || d.refuse(m, "gzip_forced", "it goes with gzip")
		},
		fields: []field[scenarios.Wire]{
			newlineField("What ends a line, or the lines of each kind. Default: lf.",
				func(w *scenarios.Wire) *string { return &w.Newline }, func(w *scenarios.Wire) **scenarios.Newlines { return &w.Newlines }),
			optional("bom", "A byte order mark before the first byte.", boolCodec(), func(w *scenarios.Wire) **bool { return &w.BOM }),
			optional("space", "false leaves out the space after a field's colon.", boolCodec(), func(w *scenarios.Wire) **bool { return &w.Space }),
			optional("split", "How the bytes are cut into separate writes.", splitCodec(), func(w *scenarios.Wire) **scenarios.Split { return &w.Split }),
			key("coalesce", "This many events leave in one write.", intCodec("a number of events", 2, maxCount), func(w *scenarios.Wire) *int { return &w.Coalesce }),
			multilineField("Writes the JSON of an event over several data: lines: one for each member (true), or this many.",
				func(w *scenarios.Wire) **bool { return &w.MultilineData }, func(w *scenarios.Wire) *int { return &w.DataLines }),
			optional("comments_between", "A comment before each event.", sizedTextCodec(), func(w *scenarios.Wire) **scenarios.Text { return &w.CommentsBetween }),
			optional("event_name", "An event: line with this name on each event.", lineCodec(), func(w *scenarios.Wire) **scenarios.Text { return &w.EventName }),
			optional("ids", "An id: line on each event: counted from 1 (true or count), or a hash of that number (hash).", idsCodec(), func(w *scenarios.Wire) **scenarios.EventIDs { return &w.IDs }),
			optional("unknown_id", "An HTTP error for a request whose Last-Event-ID is none of the stream's. Default: the stream from its start.",
				apiErrorCodec(), func(w *scenarios.Wire) **scenarios.APIError { return &w.UnknownID }),
			optional("retry", "A retry: line on the first event, in milliseconds.", intCodec("a number of milliseconds", 0, maxCount), func(w *scenarios.Wire) **int { return &w.Retry }),
			optional("final_blank", "false leaves out the blank line after the last event.", boolCodec(), func(w *scenarios.Wire) **bool { return &w.FinalBlank }),
			optional("final_newline", "false leaves out that blank line and the end of the last line, too.", boolCodec(), func(w *scenarios.Wire) **bool { return &w.FinalNewline }),
			optional("done", "How many [DONE] events close the stream; false is none.", doneCountCodec(), func(w *scenarios.Wire) **int { return &w.Done }),
			optional("after_done", "Bytes sent after the last [DONE].", sizedTextCodec(), func(w *scenarios.Wire) **scenarios.Text { return &w.AfterDone }),
			optional("json_style", "How JSON is laid out. Default: compact in a stream, pretty in an answer of one piece and in an error.",
				jsonStyleCodec(), func(w *scenarios.Wire) **scenarios.JSONStyle { return &w.JSONStyle }),
			key("gzip", "Compresses the body: with a flush for each frame (flush), all at the end (buffer), or with an end that is missing (truncate).",
				orRather(wordCodec("flush", "buffer", "truncate"), func(_ *decoder, n *yaml.Node) string { return hint.Flag(n, "gzip: flush") }), func(w *scenarios.Wire) *string { return &w.Gzip }),
			key("gzip_forced", "Compresses even for a client that does not accept it.", boolCodec(), func(w *scenarios.Wire) *bool { return &w.GzipForced }),
			key("connection", "What becomes of the connection after the answer. Default: keep-alive.", wordCodec("keep-alive", "close", "close_on_reuse"), func(w *scenarios.Wire) *string { return &w.Connection }),
			key("length", "How the client learns where the body ends: by HTTP's last chunk (chunked, the default) or when the connection closes (close).",
				wordCodec("chunked", "close"), func(w *scenarios.Wire) *string { return &w.Length }),
			optional("header_delay", "The pause before the status line.", durationCodec(), func(w *scenarios.Wire) **time.Duration { return &w.HeaderDelay }),
			key("drip", "The body flows at this many bytes per second.", intCodec("a number of bytes", 1, maxCount), func(w *scenarios.Wire) *int { return &w.Drip }),
			optional("content_type", "The Content-Type header.", textCodec(), func(w *scenarios.Wire) **scenarios.Text { return &w.ContentType }),
			key("headers", "Further headers of the response; null takes away one that the server sends by itself.", headersCodec(), func(w *scenarios.Wire) *[]scenarios.Header { return &w.Headers }),
			key("status", "The HTTP status. Default: 200.", intCodec("an HTTP status", 200, 599), func(w *scenarios.Wire) *int { return &w.Status }),
			key("format", "What is sent, whatever the request asks for. Default: sse to one that asks for a stream, json to others.", wordCodec("sse", "json", "ndjson"), func(w *scenarios.Wire) *string { return &w.Format }),
			optional("body", "Sent in place of the answer, as it is; no message or stream is needed beside it.", sizedTextCodec(), func(w *scenarios.Wire) **scenarios.Text { return &w.Body }),
			key("on_shutdown", "What a stream that is open when the server shuts down gets last: comment, raw, event, error or done steps. Default: it breaks off.",
				inLines(oneOrMore("a list of wire steps", validated(stepCodec(), checkShutdownEvent))), func(w *scenarios.Wire) *[]scenarios.Step { return &w.OnShutdown }),
		},
	}
}

// newlineField reads what ends lines: one word for all, or one for each kind.
func newlineField[T any](doc string, all func(*T) *string, each func(*T) **scenarios.Newlines) field[T] {
	type form struct {
		all  string
		each *scenarios.Newlines
	}
	word := mapped(wordCodec("lf", "crlf", "cr", "mixed"), func(w string, _ diag.Pos) form { return form{all: w} },
		func(f form) (string, bool) { return f.all, f.each == nil })
	kinds := mapped(newlinesSection().codec("a mapping of kinds of lines"), func(n scenarios.Newlines, _ diag.Pos) form { return form{each: &n} },
		func(f form) (scenarios.Newlines, bool) { return *f.each, true })
	return storedField("newline", doc, anyOf(word, kinds), func(v *T, f form) { *all(v), *each(v) = f.all, f.each },
		func(v *T) (form, bool) { return form{*all(v), *each(v)}, *all(v) != "" || *each(v) != nil })
}

func newlinesSection() *section[scenarios.Newlines] {
	end := wordCodec("lf", "crlf", "cr")
	return &section[scenarios.Newlines]{
		name:     "newline",
		about:    "What ends the lines of each kind. Default: lf.",
		position: func(n *scenarios.Newlines) *diag.Pos { return &n.Pos },
		check: func(d *decoder, m members, _ *scenarios.Newlines) bool {
			if len(m.pairs) == 0 && m.complete {
				d.Report(m.node, "name a kind of line, such as { blank: lf }, or write one word for all", "newline says nothing")
				return false
			}
			return true
		},
		fields: []field[scenarios.Newlines]{
			key("comment", "Comments.", end, func(n *scenarios.Newlines) *string { return &n.Comment }),
			key("event", "The name of an event.", end, func(n *scenarios.Newlines) *string { return &n.Event }),
			key("id", "The id of an event.", end, func(n *scenarios.Newlines) *string { return &n.ID }),
			key("retry", "The reconnection time.", end, func(n *scenarios.Newlines) *string { return &n.Retry }),
			key("data", "The data.", end, func(n *scenarios.Newlines) *string { return &n.Data }),
			key("blank", "The blank line that ends an event.", end, func(n *scenarios.Newlines) *string { return &n.Blank }),
		},
	}
}

// multilineField reads over how many data lines JSON is written.
func multilineField[T any](doc string, flag func(*T) **bool, lines func(*T) *int) field[T] {
	type form struct {
		flag  *bool
		lines int
	}
	yes := mapped(boolCodec(), func(on bool, _ diag.Pos) form { return form{flag: &on} },
		func(f form) (on, ok bool) { return f.flag != nil && *f.flag, f.flag != nil })
	count := mapped(intCodec("a number of lines", 2, 100), func(n int, _ diag.Pos) form { return form{lines: n} },
		func(f form) (int, bool) { return f.lines, true })
	return storedField("multiline_data", doc, anyOf(yes, count), func(v *T, f form) { *flag(v), *lines(v) = f.flag, f.lines },
		func(v *T) (form, bool) { return form{*flag(v), *lines(v)}, *flag(v) != nil || *lines(v) != 0 })
}

// idsCodec reads how events get ids: true, false, a word, or a mapping.
func idsCodec() codec[scenarios.EventIDs] {
	words := wordCodec("count", "hash")
	flag := mapped(boolCodec(), func(on bool, p diag.Pos) scenarios.EventIDs {
		if on {
			return scenarios.EventIDs{Pos: p}
		}
		return scenarios.EventIDs{By: "none", Pos: p}
	}, func(v scenarios.EventIDs) (on, ok bool) {
		return v.By != "none", v.By == "none" || isZeroButPosition(v)
	})
	word := mapped(words, func(by string, p diag.Pos) scenarios.EventIDs { return scenarios.EventIDs{By: by, Pos: p} },
		func(v scenarios.EventIDs) (string, bool) { return v.By, isZeroButPosition(v.Prefix) })
	s := &section[scenarios.EventIDs]{
		name:     "ids",
		about:    "How the events of a stream get their ids.",
		position: func(v *scenarios.EventIDs) *diag.Pos { return &v.Pos },
		fields: []field[scenarios.EventIDs]{
			key("by", "What the id is: count (1, 2, 3 ..., the default) or hash (12 hexadecimal digits of a hash of that number).", words, func(v *scenarios.EventIDs) *string { return &v.By }),
			key("prefix", "What stands before each id.", textCodec(), func(v *scenarios.EventIDs) *scenarios.Text { return &v.Prefix }),
		},
	}
	return anyOf(flag, word, s.codec("a mapping"))
}

// namedStyles are the words for layouts of JSON.
var namedStyles = []namedValue[scenarios.JSONStyle]{
	{"compact", scenarios.JSONStyle{}},
	{"spaced", scenarios.JSONStyle{Spaces: true}},
	{"ascii", scenarios.JSONStyle{Spaces: true, Escapes: "ascii"}},
	{"pretty", scenarios.JSONStyle{Indent: 2}},
}

// jsonStyleCodec reads how JSON is laid out: a word, or part by part.
func jsonStyleCodec() codec[scenarios.JSONStyle] {
	var words []string
	for _, s := range namedStyles {
		words = append(words, s.name)
	}
	word := mapped(wordCodec(words...), func(name string, p diag.Pos) scenarios.JSONStyle {
		i := slices.IndexFunc(namedStyles, func(s namedValue[scenarios.JSONStyle]) bool { return s.name == name })
		if i < 0 {
			return scenarios.JSONStyle{Pos: p}
		}
		style := namedStyles[i].value
		style.Pos = p
		return style
	}, func(v scenarios.JSONStyle) (string, bool) {
		v.Pos = diag.Pos{}
		i := slices.IndexFunc(namedStyles, func(s namedValue[scenarios.JSONStyle]) bool { return s.value == v })
		if i < 0 {
			return "", false
		}
		return namedStyles[i].name, true
	})
	s := &section[scenarios.JSONStyle]{
		name:     "json style",
		about:    "How JSON is laid out, part by part. What is left out is as in compact.",
		position: func(v *scenarios.JSONStyle) *diag.Pos { return &v.Pos },
		check: func(d *decoder, m members, _ *scenarios.JSONStyle) bool {
			return d.atMostOne(m, "indented JSON has a space after each colon, and lines in place of the others", "indent", "spaces")
		},
		fields: []field[scenarios.JSONStyle]{
			key("spaces", "A space after commas and colons, as Python writes it.", boolCodec(), func(v *scenarios.JSONStyle) *bool { return &v.Spaces }),
			key("escapes", "What is written as a \\u escape: nothing that need not be (none, the default), all beyond ASCII (ascii), or <, > and & (html, as Go writes it).",
				wordCodec("none", "ascii", "html"), func(v *scenarios.JSONStyle) *string { return &v.Escapes }),
			key("indent", "Over several lines, indented by this many spaces for each level.", intCodec("a number of spaces", 1, 16), func(v *scenarios.JSONStyle) *int { return &v.Indent }),
		},
	}
	return anyOf(word, s.codec("a mapping"))
}

// stepWireSection is how the events of one step are laid out.
func stepWireSection() *section[scenarios.StepWire] {
	text := mapped(looseTextCodec(), func(t scenarios.Text, _ diag.Pos) scenarios.Opt[scenarios.Text] { return scenarios.Some(t) },
		func(o scenarios.Opt[scenarios.Text]) (scenarios.Text, bool) { return o.Value, !o.Null })
	return &section[scenarios.StepWire]{
		name:     "wire of a step",
		about:    "How the events of one step are laid out in bytes.",
		position: func(w *scenarios.StepWire) *diag.Pos { return &w.Pos },
		check:    checkStepWire,
		misplaced: map[string]string{
			"ids": "write id for the id of this step's events", "event_name": `did you mean "event"?`, "comments_between": `did you mean "comment"?`,
			"data": `did you mean "multiline_data"?`,
		},
		fields: []field[scenarios.StepWire]{
			key("comment", "A comment line before the event's fields, with no blank line between.", text, func(w *scenarios.StepWire) *scenarios.Opt[scenarios.Text] { return &w.Comment }),
			key("event", "The name of the event.", text, func(w *scenarios.StepWire) *scenarios.Opt[scenarios.Text] { return &w.Event }),
			key("id", "The id of the event.", text, func(w *scenarios.StepWire) *scenarios.Opt[scenarios.Text] { return &w.ID }),
			key("retry", "The reconnection time; any text can be sent.", text, func(w *scenarios.StepWire) *scenarios.Opt[scenarios.Text] { return &w.Retry }),
			newlineField("What ends a line, or the lines of each kind.",
				func(w *scenarios.StepWire) *string { return &w.Newline }, func(w *scenarios.StepWire) **scenarios.Newlines { return &w.Newlines }),
			optional("space", "false leaves out the space after a field's colon.", boolCodec(), func(w *scenarios.StepWire) **bool { return &w.Space }),
			multilineField("Writes the JSON over several data: lines: one for each member (true), or this many.",
				func(w *scenarios.StepWire) **bool { return &w.MultilineData }, func(w *scenarios.StepWire) *int { return &w.DataLines }),
		},
	}
}

// checkStepWire reports fields of an event that cannot be sent as they are written.
func checkStepWire(d *decoder, m members, w *scenarios.StepWire) bool {
	if len(m.pairs) == 0 && m.complete {
		d.Report(m.node, "say something of the step's events, such as { id: \"7\" }", "wire says nothing")
		return false
	}
	return d.checkOneLine(m, map[string]scenarios.Text{"event": w.Event.Value, "id": w.ID.Value, "retry": w.Retry.Value})
}

// checkShutdownEvent reports a step that is no wire step, or one that takes time.
func checkShutdownEvent(d *decoder, n *yaml.Node, st *scenarios.Step) bool {
	if st.IsShutdownEvent() {
		return true
	}
	d.Report(n, "write comment, raw, event, error or done: true, without after, every, jitter and quirks", "this step cannot be sent on shutdown")
	return false
}

// doneCountCodec reads a number of [DONE] events; false is none, true is one.
func doneCountCodec() codec[int] {
	flag := readAs(boolCodec(), func(on bool, _ diag.Pos) int {
		if on {
			return 1
		}
		return 0
	})
	return anyOf(intCodec("a number of events", 0, 1000), flag)
}

var splitWords = []string{"byte", "rune", "inside_rune", "crlf", "field", "random"}

// splitCodec reads how bytes are cut into writes: a way, a size, or a mapping.
func splitCodec() codec[scenarios.Split] {
	word := readAs(wordCodec(splitWords...), func(by string, p diag.Pos) scenarios.Split { return scenarios.Split{By: by, Pos: p} })
	bytes := intCodec("a number of bytes", 1, 1<<30)
	size := readAs(bytes, func(n int, p diag.Pos) scenarios.Split { return scenarios.Split{Size: n, Pos: p} })
	s := &section[scenarios.Split]{
		name:     "split",
		about:    "How the bytes of a stream are cut into separate writes.",
		position: func(s *scenarios.Split) *diag.Pos { return &s.Pos },
		fields: []field[scenarios.Split]{
			key("by", "Where the cuts are.", wordCodec(splitWords...), func(s *scenarios.Split) *string { return &s.By }),
			key("size", "Or: pieces of this many bytes.", bytes, func(s *scenarios.Split) *int { return &s.Size }),
			key("at", "Or: after these numbers of bytes of the body.", validated(nonEmpty(oneOrMore("a list of numbers of bytes", intCodec[int64]("a number of bytes", 1, 1<<40))), checkRising),
				func(s *scenarios.Split) *[]int64 { return &s.At }),
			key("rune", "With by: inside_rune, only inside this character.", nameCodec("a character"), func(s *scenarios.Split) *string { return &s.Rune }),
			optional("seed", "With by: random, what the cuts are drawn from. Default: the scenario's seed.",
				intCodec[int64]("a whole number", math.MinInt64, math.MaxInt64), func(s *scenarios.Split) **int64 { return &s.Seed }),
			key("gap", "The pause between two pieces. Default: 1ms.", durationCodec(), func(s *scenarios.Split) *time.Duration { return &s.Gap }),
		},
		check: checkSplit,
	}
	return anyOf(word, size, s.codec("a mapping"))
}

func checkSplit(d *decoder, m members, s *scenarios.Split) bool {
	if !d.exactlyOne(m, "split", "by", "size", "at") {
		return false
	}
	if s.By != "random" && !d.refuse(m, "seed", "it goes with by: random") {
		return false
	}
	if gap := m.key("gap"); gap != nil && s.Gap == 0 {
		d.Report(gap, "1us is hardly a pause, but enough", "without a pause pieces are not read apart: gap must be more than 0s")
		return false
	}
	rune := m.key("rune")
	switch {
	case rune == nil:
		return true
	case s.By != "inside_rune":
		return d.refuse(m, "rune", "it goes with by: inside_rune")
	case utf8.RuneCountInString(s.Rune) > 1 || len(s.Rune) == 1:
		d.Report(rune, "give one character beyond ASCII, such as é", "rune must be a single character of several bytes")
		return false
	}
	return true
}

// checkRising reports numbers that are not in rising order.
func checkRising(d *decoder, n *yaml.Node, list *[]int64) bool {
	if slices.IsSorted(*list) && len(slices.Compact(slices.Clone(*list))) == len(*list) {
		return true
	}
	d.Report(n, "the numbers count from the start of the body", "the places of a split must rise")
	return false
}

// headersCodec reads a mapping from header names to texts; a list of texts
// repeats the name, null takes the header away.
func headersCodec() codec[[]scenarios.Header] {
	isNull := func(list []scenarios.Text) bool { return list == nil }
	values := anyOf(null(func() []scenarios.Text { return nil }, isNull), nonEmpty(oneOrMore("a list of texts", looseTextCodec())))
	return inLines(mappingCodec("a mapping of header names to texts", values, func(d *decoder, p node.Pair, texts []scenarios.Text) ([]scenarios.Header, bool) {
		if !isToken(p.Name) {
			d.Report(p.Key, "", "%q is no name of an HTTP header", node.Abbreviate(p.Name))
			return nil, false
		}
		if texts == nil {
			return []scenarios.Header{{Name: p.Name, Removed: true}}, d.removable(p)
		}
		var headers []scenarios.Header
		for _, t := range texts {
			if !t.IsTemplate() && strings.ContainsFunc(t.Source, isControl) {
				d.Report(p.Value, "write the value in one line, without control characters", "the header %s cannot have such a value", p.Name)
				return nil, false
			}
			headers = append(headers, scenarios.Header{Name: p.Name, Value: t})
		}
		return headers, true
	}, byName))
}

// byName brings together the values of headers that have the same name.
func byName(list []scenarios.Header) []namedValue[[]scenarios.Text] {
	var members []namedValue[[]scenarios.Text]
	for _, h := range list {
		i := slices.IndexFunc(members, func(m namedValue[[]scenarios.Text]) bool { return m.name == h.Name })
		if i < 0 {
			i = len(members)
			members = append(members, namedValue[[]scenarios.Text]{name: h.Name})
		}
		if !h.Removed {
			members[i].value = append(members[i].value, h.Value)
		}
	}
	return members
}

// removable reports headers that HTTP cannot do without.
func (d *decoder) removable(p node.Pair) bool {
	instead := map[string]string{
		"connection":        "what becomes of the connection is said by wire: {connection: …}",
		"content-length":    "how the end of the body is told is said by wire: {length: …}",
		"transfer-encoding": "how the end of the body is told is said by wire: {length: …}",
	}[strings.ToLower(p.Name)]
	if instead != "" {
		d.Report(p.Key, instead, "the header %s belongs to HTTP itself and cannot be taken away", p.Name)
	}
	return instead == ""
}

// isControl reports whether a character cannot stand in the value of an HTTP header.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// isToken reports whether s can be the name of an HTTP header.
func isToken(s string) bool {
	const others = "!#$%&'*+-.^_`|~"
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune(others, r)
	}) < 0
}
