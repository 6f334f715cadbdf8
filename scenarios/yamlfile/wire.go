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
			return m.key("gzip") != nil || d.refuse(m, "gzip_forced", "it goes with gzip")
		},
		fields: []field[scenarios.Wire]{
			key("newline", "What ends a line. Default: lf.", wordCodec("lf", "crlf", "cr", "mixed"), func(w *scenarios.Wire) *string { return &w.Newline }),
			optional("bom", "A byte order mark before the first byte.", boolCodec(), func(w *scenarios.Wire) **bool { return &w.BOM }),
			optional("space", "false leaves out the space after a field's colon.", boolCodec(), func(w *scenarios.Wire) **bool { return &w.Space }),
			optional("split", "How the bytes are cut into separate writes.", splitCodec(), func(w *scenarios.Wire) **scenarios.Split { return &w.Split }),
			key("coalesce", "This many events leave in one write.", intCodec("a number of events", 2, maxCount), func(w *scenarios.Wire) *int { return &w.Coalesce }),
			optional("multiline_data", "Writes the JSON of an event over several data: lines.", boolCodec(), func(w *scenarios.Wire) **bool { return &w.MultilineData }),
			optional("comments_between", "A comment before each event.", sizedTextCodec(), func(w *scenarios.Wire) **scenarios.Text { return &w.CommentsBetween }),
			optional("event_name", "An event: line with this name on each event.", textCodec(), func(w *scenarios.Wire) **scenarios.Text { return &w.EventName }),
			optional("ids", "An id: line on each event, counted from 1.", boolCodec(), func(w *scenarios.Wire) **bool { return &w.IDs }),
			optional("unknown_id", "An HTTP error for a request whose Last-Event-ID is none of the stream's. Default: the stream from its start.",
				apiErrorCodec(), func(w *scenarios.Wire) **scenarios.APIError { return &w.UnknownID }),
			optional("retry", "A retry: line on the first event, in milliseconds.", intCodec("a number of milliseconds", 0, maxCount), func(w *scenarios.Wire) **int { return &w.Retry }),
			optional("final_blank", "false leaves out the blank line after the last event.", boolCodec(), func(w *scenarios.Wire) **bool { return &w.FinalBlank }),
			optional("done", "How many [DONE] events close the stream; false is none.", doneCountCodec(), func(w *scenarios.Wire) **int { return &w.Done }),
			optional("after_done", "Bytes sent after the last [DONE].", sizedTextCodec(), func(w *scenarios.Wire) **scenarios.Text { return &w.AfterDone }),
			key("json_style", "How JSON is laid out. Default: compact.", wordCodec("compact", "spaced", "ascii", "pretty"), func(w *scenarios.Wire) *string { return &w.JSONStyle }),
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
			key("format", "What is sent to a request that asks for a stream. Default: sse.", wordCodec("sse", "json", "ndjson"), func(w *scenarios.Wire) *string { return &w.Format }),
			optional("body", "Sent in place of the stream, as it is.", sizedTextCodec(), func(w *scenarios.Wire) **scenarios.Text { return &w.Body }),
			key("on_shutdown", "What a stream that is open when the server shuts down gets last: comment, raw, event, error or done steps. Default: it breaks off.",
				inLines(oneOrMore("a list of wire steps", validated(stepCodec(), checkShutdownEvent))), func(w *scenarios.Wire) *[]scenarios.Step { return &w.OnShutdown }),
		},
	}
}

// checkShutdownEvent reports a step that is no wire step, or one that takes time.
func checkShutdownEvent(d *decoder, n *yaml.Node, st *scenarios.Step) bool {
	if st.IsShutdownEvent() {
		return true
	}
	d.Report(n, "write comment, raw, event, error or done: true, without after, every and jitter", "this step cannot be sent on shutdown")
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
	if !d.exactlyOne(m, "split", "by", "size") {
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
