package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func reasoningSection() *table.Section {
	return &table.Section{
		Name:  "reasoning",
		About: "What the model thinks before it answers.",
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			says := len(m.Among("summary", "text", "encrypted_content", "next")) > 0
			if !says && m.Complete {
				d.Report(m.Node, "add summary or text; for reasoning without a text, write { summary: [] } in a message or { next: item } in a step", "the reasoning is empty")
			}
			return says
		},
		Fields: []table.Field{
			table.Key("summary", "The summary of the reasoning; a list has its parts, in a message.", summaryCodec()),
			table.Key("text", "The reasoning itself: reasoning_text on responses.", optSizedText()),
			table.Key("encrypted_content", "What a client sends back in place of the texts; only on responses, for a request that includes it. Default: drawn from the seed."),
			table.Key("next", "In a step, on responses: begins the next part of the summary or of the text, or the next item.",
				table.WordCodec("part", "item")),
			table.Key("field", "The member's name on chat completions. Default: reasoning_content.", table.NameCodec("a name")),
			table.Key("by", "In a message, how the texts are cut into chunks. Default: as the content.", byCodec()),
		},
	}
}

// reasoningCodec reads the reasoning of a message or a step; a text alone is the
// summary.
func reasoningCodec() table.Codec {
	text := table.As[scenarios.Reasoning](table.Single(partial(optText())), "Summary")
	return table.AnyOf(text, table.Later[scenarios.Reasoning]("{summary, text}", reasoningSection))
}

// summaryCodec reads the parts of a summary; one alone needs no list.
func summaryCodec() table.Codec {
	return table.AnyOf(table.Single(partial(optSizedText())), table.ListOf("a list of texts", optSizedText()))
}

// messageReasoningCodec reads the whole reasoning of a message.
func messageReasoningCodec() table.Codec {
	return table.Refusing(reasoningCodec(), func(r *scenarios.Reasoning) bool { return r.Next != "" },
		"write the parts as a list, summary: [..., ...]; several items need a stream", "the reasoning of a message is one item: next has no meaning here")
}

// stepReasoningCodec reads the reasoning of a step, which is the piece of one chunk.
func stepReasoningCodec() table.Codec {
	return table.Validated(reasoningCodec(), func(d *table.Decoder, n *yaml.Node, r *scenarios.Reasoning) bool {
		texts := len(r.Summary)
		if r.Text.Present {
			texts++
		}
		switch {
		case r.By != scenarios.Cut{}:
			d.Report(n, "write a step for each piece, or a message, whose reasoning is cut", "the reasoning of a step is not cut: by has no meaning here")
		case texts > 1:
			d.Report(n, "write a step for each; next: part begins the next part", "the reasoning of a step is one piece, and there are %d", texts)
		case r.Summary != nil && len(r.Summary) == 0:
			d.Report(n, "for reasoning without a text, write { next: item }", "the summary of a step is a piece of text, and this list is empty")
		case r.Next == "part" && texts == 0:
			d.Report(n, "add summary or text", "the next part of the reasoning has no text")
		default:
			return true
		}
		return false
	})
}
