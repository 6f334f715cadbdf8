package yamlfile

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// endings are the endings in the order of the reference, each with its meaning and the options that it can have.
var endings = []struct {
	kind    scenarios.EndKind
	about   string
	options []string
}{
	{scenarios.EndClose, "Orderly, but without [DONE]; a message also without its finish.", []string{"after", "byte", "inside", "code", "reason", "chance"}},
	{scenarios.EndCut, "Inside an event; the connection closes without HTTP's final chunk.", []string{"after", "byte", "inside", "chance"}},
	{scenarios.EndReset, "The connection is reset.", []string{"after", "byte", "inside", "chance"}},
	{scenarios.EndStall, "Silence, then the connection closes. A duration alone is how long.", []string{"for", "after", "byte", "inside", "chance"}},
	{scenarios.EndLinger, "All is sent, but the connection stays open. A duration alone is how long.", []string{"for", "after", "byte", "inside", "chance"}},
	{scenarios.EndRefuse, "The connection closes before any answer.", []string{"reset", "chance"}},
}

// endKinds returns the words for the endings. It makes no fields: those are made when the first ending is read.
func endKinds() (words []string) {
	for _, e := range endings {
		words = append(words, string(e.kind))
	}
	return words
}

// endCodec reads how a stream ends: a word such as cut, or a mapping from that word to
// its options.
func endCodec() table.Codec {
	kinds := table.WordCodec(endKinds()...)
	word := table.Mapped(kinds, func(kind string, p diag.Pos) scenarios.End {
		return scenarios.End{Kind: scenarios.EndKind(kind), Pos: p}
	}, func(e scenarios.End) (string, bool) {
		kind := e.Kind
		e.Kind = ""
		return string(kind), table.IsZeroButPosition(e)
	})
	return table.AnyOf(word, table.Pasted(table.Later[scenarios.End]("a mapping such as {cut: {after: 3}}", endSection), node.Mapping, byType))
}

func endSection() *table.Section {
	return &table.Section{
		Name:  "end",
		About: "How a stream ends: one of close, cut, reset, stall, linger and refuse.",
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			return d.ExactlyOne(m, "end", endKinds()...)
		},
		Fields: endFields(),
	}
}

func endFields() (fields []table.Field) {
	for _, e := range endings {
		fields = append(fields, endField(e.kind, e.about, e.options...))
	}
	return fields
}

// endField is the key of one kind of ending, with its options.
func endField(kind scenarios.EndKind, doc string, options ...string) table.Field {
	s := &table.Section{
		Name:  string(kind),
		About: doc,
		Lone:  []string{"after", "byte"},
		Check: table.Check(func(d *table.Decoder, m table.Members, e *scenarios.End) bool { return checkEnd(d, m, e, kind) }),
	}
	for _, f := range endOptions() {
		for _, name := range options {
			if f.Name == name {
				s.Fields = append(s.Fields, f)
			}
		}
	}
	c := table.Mapping[scenarios.End]("a mapping", s)
	if options[0] == "for" {
		c = table.AnyOf(table.ReadOnly(table.As[scenarios.End](table.DurationCodec(), "For")), c)
	}
	c = table.Shortly(c, node.Number|node.Text|node.Bool, func(n *yaml.Node) *yaml.Node { return longEnd(n, kind) })
	return table.Stored(string(kind), doc, c, func(e *scenarios.End, from scenarios.End) {
		from.Kind, from.Pos = kind, e.Pos
		*e = from
	}, func(e *scenarios.End) (scenarios.End, bool) { return *e, e.Kind == kind })
}

// longEnd returns what a short form of an ending stands for: true, or a number of whole events that are sent before it.
func longEnd(n *yaml.Node, kind scenarios.EndKind) *yaml.Node {
	long := node.NewMapping(yaml.FlowStyle)
	count, err := strconv.Atoi(n.Value)
	timed := kind == scenarios.EndStall || kind == scenarios.EndLinger
	switch {
	case node.ShapeOf(n) == node.Bool && strings.EqualFold(n.Value, "true"):
	case err != nil || kind == scenarios.EndRefuse || timed: // a number may be one of seconds
		return nil
	default:
		node.Add(long, "after", node.Plain(strconv.Itoa(count)))
		if kind == scenarios.EndCut {
			node.Add(long, "inside", node.Plain("false"))
		}
	}
	return long
}

func endOptions() []table.Field {
	return table.Listed("options of end",
		table.Key("for", "How long a stall or linger is. Default: 60s."),
		afterField(),
		table.Key("byte", "How many bytes are sent before: of the body or, beside after, of the frame that follows.",
			table.IntCodec[int64]("a number of bytes", 0, 1<<40)),
		insideField(),
		table.Key("reset", "Of refuse: by a reset in place of an ordinary close."),
		closeCodeField(),
		table.Key("reason", "Of close: what the close frame says over WebSocket, in at most 123 bytes.",
			table.Refusing(table.NameCodec("a text"), func(s *string) bool { return len(*s) > 123 }, "write at most 123 bytes", "the reason is too long for a close frame")),
		chanceField(),
	)
}

func chanceField() table.Field {
	const doc = "How likely it is, of a damage for each frame, drawn from the seed. Default: always."
	return table.Listed("options of end", table.Key("chance", doc, table.ChanceCodec()))[0]
}

// checkEnd reports an ending with two places.
func checkEnd(d *table.Decoder, m table.Members, e *scenarios.End, kind scenarios.EndKind) bool {
	switch {
	case e.Code == scenarios.NoCloseCode && e.Reason != "":
		d.Report(m.Key("reason"), "leave it out, or write a code", "a close frame without a code has no reason")
		return false
	case e.All && kind == scenarios.EndClose && !e.SaysCode():
		d.Report(m.Key("after"), "leave end out", "every stream is closed after all is sent")
		return false
	case e.All:
		return d.AtMostOne(m, "leave one of them out: after all is sent, nothing is left to end inside of", "after", "byte") && d.AtMostOne(m, "leave one of them out: after all is sent, nothing is left to end inside of", "after", "inside")
	}
	return d.AtMostOne(m, "leave inside out: byte is the exact place, inside of a frame or not", "byte", "inside")
}

// afterField is the key after: a number of frames, or all.
func afterField() table.Field {
	const doc = "How many whole frames are sent before; negative counts from the last; all is everything, [DONE] included."
	return table.Either(
		table.Key("after", doc, table.IntCodec("a number of frames", -table.MaxCount, table.MaxCount)),
		table.Key("after", doc, table.Constant("all", true)).In("All"),
	)
}

// insideField is the key inside: whether a stream ends inside a frame, or rune for
// inside a character.
func insideField() table.Field {
	const doc = "Whether it falls into the middle of the next frame. Default: true for cut, else false. With rune it falls inside the next character of several bytes."
	return table.Either(
		table.Key("inside", doc),
		table.Key("inside", doc, table.Constant("rune", true)).In("InsideRune"),
	)
}

// neverSent are the codes of RFC 6455 that no close frame has, with the hints that say what to write instead.
var neverSent = map[int]string{
	1004:                  "it is reserved; write code: 1000",
	scenarios.NoCloseCode: "clients report it for a close frame without a code; write code: none",
	1006:                  "clients report it for a connection that ends without a close frame; write end: cut",
	1015:                  "clients report it for a failed TLS handshake; let the client connect with wss:// to a server without TLS, or write end: cut",
}

// closeCodeField is the key code: a code that a close frame can have, or none.
func closeCodeField() table.Field {
	const doc = "Of close: the code of the close frame over WebSocket, such as 1012; none sends one without a code. Default: 1000."
	code := table.Validated(table.IntCodec("a close code", 1000, 4999), func(d *table.Decoder, n *yaml.Node, code *int) bool {
		hint := neverSent[*code]
		if hint == "" && *code > 1014 && *code < 3000 {
			hint = "RFC 6455 has 1000 to 1014, and leaves 3000 to 4999 to applications"
		}
		if hint != "" {
			d.Report(n, hint, "no close frame has the code %d", *code)
		}
		return hint == ""
	})
	return table.Key("code", doc, table.AnyOf(table.Constant("none", scenarios.NoCloseCode), code))
}
