package yamlfile

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// usageCodec reads a usage object, or null.
func usageCodec() table.Codec {
	count := table.JSONCodec("a number or null", node.Number|node.Null)
	details := table.JSONCodec("a mapping or null", node.Mapping|node.Null)
	prompt, completion := table.Shorthand{Below: "prompt_tokens_details"}, table.Shorthand{Below: "completion_tokens_details"}
	s := &table.Section{
		Name:    "usage",
		About:   "The token counts. What is left out is filled in as the real service would.",
		Foreign: "Object",
		Short: map[string]table.Shorthand{
			"cached_tokens": prompt, "cache_write_tokens": prompt,
			"reasoning_tokens": completion, "accepted_prediction_tokens": completion, "rejected_prediction_tokens": completion,
		},
		Fields: []table.Field{
			table.Member("prompt_tokens", "Tokens of the request.", count, "Object"),
			table.Member("completion_tokens", "Tokens of the answer.", count, "Object"),
			table.Member("total_tokens", "Default: the sum.", count, "Object"),
			table.Member("prompt_tokens_details", "Such as { cached_tokens: 1024 }, which can stand beside it, too. Default: zeros.", details, "Object"),
			table.Member("completion_tokens_details", "Such as { reasoning_tokens: 64 }, which can stand beside it, too, and counts as a part of completion_tokens. Default: zeros.", details, "Object"),
			table.Extra("Further members, such as { cost: 0.1 }, which are sent in the place where extra stands.", "Object"),
		},
		Check: table.Check(func(d *table.Decoder, m table.Members, u *scenarios.Usage) bool {
			if u.Object.IsAbsent() {
				u.Object = ojson.Object()
			}
			return d.OnlyOnce(m, "prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details")
		}),
	}
	members := table.Mapping[scenarios.Usage]("a mapping", s)
	members.Write = func(from any) *yaml.Node {
		u := from.(*scenarios.Usage)
		if u.Null {
			return nil
		}
		return writtenUsage(u.Object.Members(), members.Keys())
	}
	none := table.As[scenarios.Usage](table.NullCodec(), "Null")
	return table.AnyOf(members, none)
}

// writtenUsage returns the YAML of a usage with these members. Those from the first to the
// last that is no word of the language stand under extra, so that all keep their order.
func writtenUsage(members []ojson.Member, words []string) *yaml.Node {
	foreign := func(m ojson.Member) bool { return !slices.Contains(words, m.Name) || m.Name == "extra" }
	from, to := max(slices.IndexFunc(members, foreign), 0), 0
	for i, m := range members {
		if foreign(m) {
			to = i + 1
		}
	}
	if to > 0 {
		extra := ojson.M("extra", ojson.Object(members[from:to]...))
		members = slices.Concat(members[:from], []ojson.Member{extra}, members[to:])
	}
	return node.FromJSON(ojson.Object(members...))
}
