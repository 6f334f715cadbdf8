package yamlfile

import (
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/hint"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

func envelopeSection() *section[scenarios.Envelope] {
	s := &section[scenarios.Envelope]{
		name:        "envelope",
		inLines:     true,
		lone:        []string{"layout"},
		about:       "The members that every chunk of an answer carries. Keys that are not known here are sent as they are.",
		unknownKeys: func(e *scenarios.Envelope) *ojson.Value { return &e.Extra },
		check: func(d *decoder, m members, _ *scenarios.Envelope) bool {
			ok := d.refuseKeys(m.node, "take it out: a message or a stream says the choices", "choices")
			for _, extra := range m.among("extra") {
				ok = d.refuseKeys(extra.Value, "write it beside extra, not in it", "id", "object", "created", "model") && ok
				ok = d.refuseKeys(extra.Value, "take it out: a message or a stream says the choices", "choices") && ok
			}
			return ok
		},
	}
	s.fields = []field[scenarios.Envelope]{
		key("id", "Default: chatcmpl- and 29 letters and digits drawn from the seed.", optText(), func(e *scenarios.Envelope) *scenarios.Opt[scenarios.Text] { return &e.ID }),
		key("object", "Default: chat.completion.chunk.", optText(), func(e *scenarios.Envelope) *scenarios.Opt[scenarios.Text] { return &e.Object }),
		storedField("created", "Seconds since 1970, or per_chunk for the time at which each chunk is sent. Other texts and fractions are sent as they are. Default: when the answer began.", createdCodec(),
			func(e *scenarios.Envelope, c createdAsWritten) {
				e.Created, e.CreatedPerChunk, e.CreatedAs = c.at, c.perChunk, c.as
			},
			func(e *scenarios.Envelope) (createdAsWritten, bool) {
				return createdAsWritten{e.Created, e.CreatedPerChunk, e.CreatedAs}, e.Created.Present || e.CreatedPerChunk || !e.CreatedAs.IsAbsent()
			}),
		key("model", "Default: the dated snapshot of the model that was asked for.", optText(), func(e *scenarios.Envelope) *scenarios.Opt[scenarios.Text] { return &e.Model }),
		key("system_fingerprint", "Default: fp_ and 10 hex digits, where the layout has it.", optText(), func(e *scenarios.Envelope) *scenarios.Opt[scenarios.Text] { return &e.SystemFingerprint }),
		key("service_tier", "Default: default, where the layout has it.", optText(), func(e *scenarios.Envelope) *scenarios.Opt[scenarios.Text] { return &e.ServiceTier }),
		key("layout", "Which of the real chunk layouts is sent. Default: by the model that was asked for.", layoutCodec(), func(e *scenarios.Envelope) *scenarios.Layout { return &e.Layout }),
		optional("obfuscation", "false leaves the obfuscation member out even where the layout has it.", boolCodec(), func(e *scenarios.Envelope) **bool { return &e.Obfuscation }),
		optional("usage_details", "false leaves out the details that are not written in usage; true fills them in. Default: by the layout.", boolCodec(), func(e *scenarios.Envelope) **bool { return &e.UsageDetails }),
		optional("usage_null", "Whether chunks without usage say usage: null. Default: if the request asks for usage.", boolCodec(), func(e *scenarios.Envelope) **bool { return &e.UsageNull }),
		key("omit", "Places taken out of every finished chunk and of the answer in one piece, such as usage.prompt_tokens_details.",
			nonEmpty(oneOrMore("a list of paths", pathCodec())), func(e *scenarios.Envelope) *[]scenarios.Path { return &e.Omit }),
		key("set", "Places overwritten in every finished chunk and in the answer in one piece, with any JSON value.", assignmentsCodec(), func(e *scenarios.Envelope) *[]scenarios.Assignment { return &e.Set }),
		storedField("extra", "Further members, for names that look like one of these keys.", objectJSON(), func(e *scenarios.Envelope, v ojson.Value) { mergeMembers(&e.Extra, v) },
			func(e *scenarios.Envelope) (ojson.Value, bool) { return e.Extra, !e.Extra.IsAbsent() }),
	}
	return s
}

// refuseKeys reports keys of a mapping of further members that are the names of
// members which each chunk has.
func (d *decoder) refuseKeys(n *yaml.Node, hint string, taken ...string) bool {
	if n.Kind != yaml.MappingNode {
		return true // It is reported as what it is.
	}
	ok := true
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; slices.Contains(taken, key.Value) {
			d.Report(key, hint, "%s is a chunk's own and no further member", key.Value)
			ok = false
		}
	}
	return ok
}

// createdAsWritten is the time in an envelope: fixed, null, of each chunk, or a value
// that is no number of seconds.
type createdAsWritten struct {
	at       scenarios.Opt[int64]
	perChunk bool
	as       ojson.Value
}

func createdCodec() codec[createdAsWritten] {
	const perChunk = "per_chunk"
	seconds := intCodec[int64]("a number of seconds", 0, maxSeconds)
	number := codec[createdAsWritten]{
		noun: seconds.noun, shapes: seconds.shapes, instead: seconds.instead, schema: schema.Of("number"),
		get: func(d *decoder, n *yaml.Node) (c createdAsWritten, complete bool) {
			if _, err := strconv.ParseInt(n.Value, 10, 64); err != nil && !node.IsOddNumber(n) {
				c.as, complete = d.JSON(n)
				return c, complete
			}
			at, complete := seconds.get(d, n)
			return createdAsWritten{at: scenarios.Some(at)}, complete
		},
		write: func(c createdAsWritten) *yaml.Node {
			switch {
			case c.as.Kind() == ojson.NumberKind:
				return node.FromJSON(c.as)
			case c.at.Present && !c.at.Null:
				return seconds.write(c.at.Value)
			}
			return nil
		},
	}
	text := mapped(sourceCodec("a text"), func(text string, _ diag.Pos) createdAsWritten {
		if text == perChunk {
			return createdAsWritten{perChunk: true}
		}
		return createdAsWritten{as: ojson.String(text)}
	}, func(c createdAsWritten) (string, bool) {
		if c.perChunk {
			return perChunk, true
		}
		return c.as.Text(), c.as.Kind() == ojson.StringKind
	})
	text = validated(text, func(d *decoder, n *yaml.Node, c *createdAsWritten) bool {
		near := !c.perChunk && diag.NearestLoosely(n.Value, []string{perChunk}) != ""
		if near {
			d.Report(n, hint.DidYouMean([]string{perChunk})+" To send it as it is, write set: {created: "+n.Value+"}", "expected %s, found %q", perChunk, node.Abbreviate(n.Value))
		}
		return !near
	})
	text.noun = "per_chunk, another text"
	text.schema = func(w *schema.Writer) ojson.Value {
		word := ojson.Object(ojson.M("enum", ojson.Array(ojson.String(perChunk))))
		return ojson.Object(ojson.M("anyOf", ojson.Array(word, schema.Of("string")(w))))
	}
	isNull := func(c createdAsWritten) bool { return c.at.Null }
	return anyOf(number, unquoted(text), null(func() createdAsWritten { return createdAsWritten{at: scenarios.NullOf[int64]()} }, isNull))
}

func layoutCodec() codec[scenarios.Layout] {
	var names []string
	for _, l := range scenarios.Layouts {
		names = append(names, string(l.Name))
	}
	return mapped(wordCodec(names...), func(name string, _ diag.Pos) scenarios.Layout { return scenarios.Layout(name) },
		func(l scenarios.Layout) (string, bool) { return string(l), true })
}
