package yamlfile

import (
	"cmp"
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func envelopeSection() *table.Section {
	return &table.Section{
		Name:    "envelope",
		InLines: true,
		Lone:    []string{"layout"},
		About:   "The members that every chunk of an answer carries.",
		Foreign: "Extra",
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			ok := true
			for _, extra := range m.Among("extra") {
				ok = refuseKeys(d, extra.Value, "write it in envelope, beside extra", "id", "object", "created", "model") && ok
				ok = refuseKeys(d, extra.Value, "leave it out: message or stream makes the choices", "choices") && ok
			}
			return ok
		},
		Fields: []table.Field{
			table.Key("id", "Default: chatcmpl- and 29 letters and digits drawn from the seed."),
			table.Key("object", "Default: chat.completion.chunk."),
			createdField(),
			table.Key("model", "Default: the dated snapshot of the model that was asked for."),
			table.Key("system_fingerprint", "Default: fp_ and 10 hex digits, where the layout has it."),
			table.Key("service_tier", "Default: default, where the layout has it."),
			table.Key("layout", "Which real layout is sent. Default: by the requested model and the path.", layoutCodec()),
			obfuscationField(),
			table.Key("usage_null", "Whether chunks without usage say usage: null. Default: if the request asks for usage."),
			table.Key("sequence_number", "How the events of responses are numbered. Default: from 0, one by one.",
				table.Later[scenarios.Numbering]("{start, step}", numberingSection)),
			table.Key("item_ids", "The ids of the items of an answer of the Responses API, in their order. Default: drawn from the seed.",
				table.NonEmpty(table.ListOf("a list of ids", table.NameCodec("an id")))),
			table.Key("order", "The order of the members of every chunk, its choices and their deltas; other members follow. Default: by the layout.",
				table.NonEmpty(table.ListOf("a list of names", table.NameCodec("a name")))),
			table.Key("omit", "Places taken out of every finished chunk and of the answer in one piece, such as usage.prompt_tokens_details."),
			table.Key("set", "Places overwritten in every finished chunk and in the answer in one piece, with any JSON value."),
			table.Key("response", "The status of an answer of the Responses API at its end. Default: by the finish.",
				responseCodec()),
			table.Extra("Further members, such as { provider: x }.", "Extra"),
		},
	}
}

// obfuscationField is the key obfuscation: whether the member is sent, or its values.
func obfuscationField() table.Field {
	const doc = "false leaves the member out; texts are its values, chunk after chunk. Default: drawn from the seed."
	return table.Either(
		table.Key("obfuscation", doc),
		table.Key("obfuscation", doc, table.NonEmpty(table.ListOf("a list of texts", table.StringCodec("a text")))).In("Obfuscations"),
	)
}

var responseStatuses = []string{scenarios.ResponseCompleted, scenarios.ResponseIncomplete, scenarios.ResponseFailed, scenarios.ResponseCancelled, scenarios.ResponseQueued}

// responseCodec reads how an answer of the Responses API ends: a status, or a mapping
// with the status and its details.
func responseCodec() table.Codec {
	statuses := table.WordCodec(responseStatuses...)
	s := &table.Section{
		Name:  "response",
		About: "How an answer of the Responses API stands in the end.",
		Fields: []table.Field{
			table.Key("status", "The status of the answer, which decides the last event. queued begins a stream, and is the whole answer in one piece. Default: incomplete beside incomplete_details, failed beside error.",
				statuses),
			table.Key("incomplete_details", "Why the answer is incomplete, such as { reason: content_filter }. Default: the reason that the finish gives, or max_output_tokens.",
				table.ObjectJSON()),
			table.Key("error", "Why the answer failed, such as { code: rate_limit_exceeded }. Default: the code server_error, and the message of the real service for the code.",
				table.ObjectJSON()),
		},
		Check: table.Check(checkResponse),
	}
	status := table.ReadOnly(table.As[scenarios.Response](statuses, "Status"))
	return table.AnyOf(status, table.Mapping[scenarios.Response]("a mapping", s))
}

// checkResponse reports keys that do not fit the status.
func checkResponse(d *table.Decoder, m table.Members, r *scenarios.Response) bool {
	ok := true
	if len(m.Node.Content) == 0 {
		d.Report(m.Node, "write a status, as in response: failed", "response is empty")
		return false
	}
	for _, p := range m.Among("incomplete_details", "error") {
		of := scenarios.ResponseIncomplete
		if p.Name == "error" {
			of = scenarios.ResponseFailed
		}
		if status := cmp.Or(r.Ends(), r.Status); status != of {
			d.Report(p.Key, "write status: "+of+"; to send it all the same, write it under set in envelope, as response."+p.Name, "an answer that is %s has no %s", status, p.Name)
			ok = false
		}
	}
	return ok
}

func numberingSection() *table.Section {
	return &table.Section{
		Name: "sequence number", About: "How the events of responses are numbered.",
		Check: table.Check(func(_ *table.Decoder, m table.Members, v *scenarios.Numbering) bool {
			if m.Key("step") == nil {
				v.Step = 1
			}
			return true
		}),
		Fields: []table.Field{
			table.Key("start", "The first number. Default: 0.", table.IntCodec("a number", -table.MaxCount, table.MaxCount)),
			table.Stored("step", "By how much each number is larger than the one before; 0 numbers all alike. Default: 1.", table.IntCodec("a number", -table.MaxCount, table.MaxCount),
				func(v *scenarios.Numbering, n int) { v.Step = n }, func(v *scenarios.Numbering) (int, bool) { return v.Step, v.Step != 1 }),
		},
	}
}

// refuseKeys reports further members of the envelope that have the name of a member
// which every chunk has anyway.
func refuseKeys(d *table.Decoder, n *yaml.Node, hint string, taken ...string) bool {
	further := func(p node.Pair) bool { return !slices.Contains(taken, p.Name) }
	return d.RefuseEach(slices.DeleteFunc(node.Members(n), further), hint, "%s is a standard member of a chunk and cannot be added to it")
}

// createdField is the key created: a fixed time, null, the time of each chunk, or a value
// that is no number of seconds.
func createdField() table.Field {
	const doc = "Seconds since 1970, or per_chunk for the time at which each chunk is sent. Other texts and fractions are sent as they are. Default: when the answer began."
	seconds := table.IntCodec[int64]("a number of seconds", 0, table.MaxSeconds)
	seconds.Schema = table.SchemaOf("number")
	seconds.Takes = func(n *yaml.Node) bool {
		_, err := strconv.ParseInt(n.Value, 10, 64)
		return err == nil || node.IsOddNumber(n)
	}
	perChunk := table.Constant("per_chunk", true)
	perChunk.Takes = func(n *yaml.Node) bool { return diag.NearestLoosely(n.Value, []string{"per_chunk"}) != "" }
	other := table.Unquoted(table.JSONCodec("another text", node.Text|node.Number))
	other.Schema = table.SchemaOf("string")
	isNull := func(o scenarios.Opt[int64]) bool { return o.Null }
	return table.Either(
		table.Key("created", doc, table.Some[int64](seconds)),
		table.Key("created", doc, perChunk).In("CreatedPerChunk"),
		table.Key("created", doc, other).In("CreatedAs"),
		table.Key("created", doc, table.Null(scenarios.NullOf[int64], isNull)),
	)
}

func layoutCodec() table.Codec {
	var names []string
	for _, l := range scenarios.Layouts() {
		names = append(names, string(l.Name))
	}
	return table.Mapped(table.WordCodec(names...), func(name string, _ diag.Pos) scenarios.Layout { return scenarios.Layout(name) },
		func(l scenarios.Layout) (string, bool) { return string(l), true })
}
