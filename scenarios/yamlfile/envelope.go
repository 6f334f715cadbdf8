package yamlfile

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
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
		storedField("created", "Seconds since 1970, or per_chunk for the time at which each chunk is sent. Default: when the answer began.", createdCodec(),
			func(e *scenarios.Envelope, c createdAsWritten) { e.Created, e.CreatedPerChunk = c.at, c.perChunk },
			func(e *scenarios.Envelope) (createdAsWritten, bool) {
				return createdAsWritten{e.Created, e.CreatedPerChunk}, e.Created.Present || e.CreatedPerChunk
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

// createdAsWritten is the time in an envelope: fixed, null, or of each chunk.
type createdAsWritten struct {
	at       scenarios.Opt[int64]
	perChunk bool
}

func createdCodec() codec[createdAsWritten] {
	at := mapped(nullable(intCodec[int64]("a number of seconds", 0, maxSeconds)), func(n scenarios.Opt[int64], _ diag.Pos) createdAsWritten { return createdAsWritten{at: n} },
		func(c createdAsWritten) (scenarios.Opt[int64], bool) { return c.at, !c.perChunk })
	each := mapped(wordCodec("per_chunk"), func(string, diag.Pos) createdAsWritten { return createdAsWritten{perChunk: true} },
		func(c createdAsWritten) (string, bool) { return "per_chunk", c.perChunk })
	return anyOf(at, each)
}

func layoutCodec() codec[scenarios.Layout] {
	var names []string
	for _, l := range scenarios.Layouts {
		names = append(names, string(l.Name))
	}
	return mapped(wordCodec(names...), func(name string, _ diag.Pos) scenarios.Layout { return scenarios.Layout(name) },
		func(l scenarios.Layout) (string, bool) { return string(l), true })
}
