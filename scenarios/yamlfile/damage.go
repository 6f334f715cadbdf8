package yamlfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

var damageOps = []string{"drop", "duplicate", "swap", "move", "rename", "retype", "replace", "keep", "corrupt"}

// What the options of several kinds of damage mean.
const (
	whichFrames  = "Which frames: by position (1 is the first, -1 the last), by kind (role, content, refusal, reasoning, tool, logprobs, heartbeat, finish, usage, error, comment, done, all) or by the name of an event (content[0] is the first of them, content[-1] the last). Default, except of move: all."
	placeOfValue = "The place of the value. replace passes over frames without one; of keep it is an object, by default the whole frame."
	becomes      = "The new name, type or value, which is any JSON without templates."
)

// damageSection is a change to the finished frames of a stream, as if they were damaged
// on the way.
func damageSection() *table.Section {
	s := &table.Section{
		Name:  "damage",
		About: "One thing that goes wrong on the way: one of drop, duplicate, swap, move, rename, retype, replace, keep and corrupt.",
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			return d.ExactlyOne(m, "a damage", damageOps...)
		},
	}
	framesAlone := table.ReadOnly(table.As[scenarios.Damage](selectorsCodec(), "Frames"))
	s.Fields = []table.Field{
		onFrames("drop", "These frames are not sent."),
		onFrames("duplicate", "These frames are sent twice."),
		table.Stored("swap", "These two frames change places.",
			twoOf[scenarios.Selector]("a list of two frames", "swap needs two frames", "write two frames, as in swap: [1, 2]", selectorCodec()), func(v *scenarios.Damage, f []scenarios.Selector) {
				if len(f) == 2 {
					v.Op, v.Frames, v.With = "swap", f[0], f[1]
				}
			}, func(v *scenarios.Damage) ([]scenarios.Selector, bool) {
				return []scenarios.Selector{v.Frames, v.With}, v.Op == "swap"
			}),
		withKeys("move", "Frames are sent later than they belong, behind another one.", "{frames, after}",
			table.Required(table.Key("frames", whichFrames, selectorsCodec())),
			table.Required(table.Key("after", "Behind which frame; the last of several.", selectorCodec()).In("With"))),
		withKeys("rename", "A member gets another name.", "{frames, from, to}",
			framesField(),
			table.Required(table.Key("from", "The place of the member.", table.PathCodec())),
			table.Required(table.Key("to", becomes, table.NameCodec("a name")))),
		withKeys("retype", "A value becomes one of another type.", "{frames, at, to}",
			framesField(),
			table.Required(table.Key("at", placeOfValue, table.PathCodec()).In("From")),
			table.Required(table.Key("to", becomes, table.WordCodec("string", "number", "bool", "null", "array", "object", "absent")))),
		withKeys("replace", "A value becomes another.", "{frames, at, to}",
			framesField(),
			table.Required(table.Key("at", placeOfValue, table.PathCodec()).In("From")),
			table.Required(table.Key("to", becomes).In("Value"))),
		withKeys("keep", "Of an object only some members are left.", "{frames, at, members}",
			framesField(),
			table.Key("at", placeOfValue, table.PathCodec()).In("From"),
			table.Required(table.Key("members", "The members that keep leaves.", table.NonEmpty(table.OneOrMore("a list of names", table.NameCodec("a name")))))),
		ofKind("corrupt", "Bytes are changed.", table.AnyOf(framesAlone, damageCodec("corrupt", "Bytes are changed.", "{frames, bytes}",
			framesField(),
			table.Key("bytes", "How many bytes are changed. Default: 1.", table.IntCodec("a number of bytes", 1, table.MaxCount))))),
		chanceField(),
	}
	return s
}

// onFrames is the key of a kind of damage whose value is the frames.
func onFrames(op, doc string) table.Field {
	return table.Stored(op, doc, selectorsCodec(),
		func(v *scenarios.Damage, f scenarios.Selector) { v.Op, v.Frames = op, f },
		func(v *scenarios.Damage) (scenarios.Selector, bool) { return v.Frames, v.Op == op })
}

// withKeys is the key of a kind of damage whose value is a mapping.
func withKeys(op, doc, noun string, fields ...table.Field) table.Field {
	return ofKind(op, doc, damageCodec(op, doc, noun, fields...))
}

// damageCodec reads the mapping of a kind of damage. Frames that are left out are all.
func damageCodec(op, doc, noun string, fields ...table.Field) table.Codec {
	s := &table.Section{
		Name: op, About: doc, Fields: table.Listed("options of damage", fields...),
		Check: table.Check(func(_ *table.Decoder, m table.Members, v *scenarios.Damage) bool {
			if m.Key("frames") == nil {
				v.Frames = scenarios.Selector{Kind: "all"}
			}
			return true
		}),
	}
	return table.Mapping[scenarios.Damage](noun, s)
}

// ofKind is the key of a kind of damage whose value c reads.
func ofKind(op, doc string, c table.Codec) table.Field {
	return table.Stored(op, doc, c, func(v *scenarios.Damage, from scenarios.Damage) {
		from.Op, from.Chance, from.Pos = op, v.Chance, v.Pos
		*v = from
	}, func(v *scenarios.Damage) (scenarios.Damage, bool) { return *v, v.Op == op })
}

func twoOf[T any](noun, what, hint string, each table.Codec) table.Codec {
	c := table.Validated(table.ListOf(noun, each), func(d *table.Decoder, n *yaml.Node, _ *[]T) bool {
		if len(n.Content) != 2 {
			d.Report(n, hint, "%s, found %d", what, len(n.Content))
		}
		return len(n.Content) == 2
	})
	items := c.Schema
	c.Schema = func(w *table.Writer) ojson.Value {
		s := items(w)
		s.Set("minItems", ojson.Int(2))
		s.Set("maxItems", ojson.Int(2))
		return s
	}
	return c
}

var selectorKinds = []string{"role", "content", "refusal", "reasoning", "tool", "logprobs", "heartbeat", "finish", "usage", "error", "comment", "done", "all"}

const eventNamePrefix = "response."

// isEventName reports whether a text is the name of an event: on responses, or one of those that realtime has besides.
func isEventName(text string) bool {
	of, name, _ := strings.Cut(text, ".")
	return name != "" && (of+"." == eventNamePrefix || of == "conversation" || of == "rate_limits")
}

func eventNameCodec() table.Codec {
	c := table.Validated(table.StringCodec("the name of an event such as response.created"), func(d *table.Decoder, n *yaml.Node, v *string) bool {
		ok := isEventName(*v)
		if !ok {
			d.Report(n, frameHint(*v), "expected a kind of frames, or the name of an event such as response.created, found %q", *v)
		}
		return ok
	})
	c.AnyText = false
	c.Schema = table.SchemaOf("string", ojson.M("pattern", ojson.String(`^(response|conversation|rate_limits)\..`)))
	return c
}

// kindCodec reads a kind of frames, or the name of an event.
func kindCodec() table.Codec {
	event := eventNameCodec()
	event.Takes = func(n *yaml.Node) bool { return strings.Contains(n.Value, ".") }
	c := table.AnyOf(oneOfKindCodec(), table.WordCodec(selectorKinds...), event)
	c.Noun = "a kind such as finish, or the name of an event"
	return c
}

// looseFrame is a name of frames with a position behind it, as people write it.
var looseFrame = node.Lazily(`^(.*?)(?:\.?\[(.*?)\]?|[.:#](-?\d+))?$`)

// frameHint returns the hint for a text that names no frames: the name that was probably meant.
func frameHint(text string) string {
	m := looseFrame().FindStringSubmatch(text)
	kind, at := m[1], cmp.Or(m[2], m[3])
	if strings.Trim(kind, "-0123456789") == "" {
		return "1 is the first frame, -1 the last"
	}
	if !strings.HasPrefix(kind, eventNamePrefix) {
		near := diag.NearestLoosely(kind, selectorKinds)
		if near == "" && strings.Contains(kind, ".") {
			near = eventNamePrefix + kind
		}
		kind = near
	}
	_, err := strconv.Atoi(at)
	switch {
	case kind == "", kind == eventNamePrefix:
		return ""
	case err == nil:
		return fmt.Sprintf("write %q", kind+"["+at+"]")
	case m[1] == text:
		return "write " + kind
	}
	return fmt.Sprintf("write %q for the first, %q for the last", kind+"[0]", kind+"[-1]")
}

// oneOfKindCodec reads the name of one of several frames of a kind or with the name of an event.
func oneOfKindCodec() table.Codec {
	c := table.Validated(table.StringCodec("one of several frames such as content[0]"), func(d *table.Decoder, n *yaml.Node, v *string) bool {
		kind, at, ok := scenarios.OneOfKind(*v)
		event := isEventName(kind)
		hint := frameHint(*v)
		switch {
		case ok && kind == "all" && at >= 0:
			hint = fmt.Sprintf("write %d: among all frames the first is 1", at+1)
		case ok && kind == "all":
			hint = fmt.Sprintf("write %d", at)
		case ok && (event || slices.Contains(selectorKinds, kind)):
			return true
		}
		d.Report(n, hint, "expected a kind or the name of an event, and a position among its frames, found %q", *v)
		return false
	})
	c.AnyText = false
	write := c.Write
	c.Write = func(from any) *yaml.Node {
		if _, _, ok := scenarios.OneOfKind(*from.(*string)); !ok {
			return nil
		}
		return write(from)
	}
	c.Takes = func(n *yaml.Node) bool { return strings.HasSuffix(n.Value, "]") }
	pattern := `^(` + strings.Join(selectorKinds[:len(selectorKinds)-1], "|") + `|(response|conversation|rate_limits)\..+)\[-?[0-9]{1,9}\]$`
	c.Schema = table.SchemaOf("string", ojson.M("pattern", ojson.String(pattern)))
	return c
}

// selectorCodec reads a selector of frames: a position, a kind or the name of an event.
func selectorCodec() table.Codec {
	position := table.Refusing(table.IntCodec("a position", -table.MaxCount, table.MaxCount), func(v *int) bool { return *v == 0 },
		"1 is the first frame, -1 the last", "there is no frame 0")
	c := table.AnyOf(
		table.As[scenarios.Selector](position, "Position"),
		table.As[scenarios.Selector](kindCodec(), "Kind"),
	)
	c.Noun = "frames such as 2, -1 or finish"
	return c
}

func selectorsCodec() table.Codec {
	several := table.Mapped(table.NonEmpty(table.ListOf("a list of those", selectorCodec())), func(list []scenarios.Selector, p diag.Pos) scenarios.Selector {
		all := scenarios.Selector{Pos: p}
		for _, s := range list {
			all.Any = append(all.Any, scenarios.FrameName{Position: s.Position, Kind: s.Kind, Pos: s.Pos})
		}
		return all
	}, func(s scenarios.Selector) ([]scenarios.Selector, bool) { return s.Each(), len(s.Any) > 0 })
	return table.AnyOf(selectorCodec(), several)
}

// framesField is the key frames of a kind of damage that has further keys.
func framesField() table.Field {
	return table.Key("frames", whichFrames, selectorsCodec())
}
