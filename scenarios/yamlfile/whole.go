package yamlfile

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// embeddingsCodec reads the rules of the answer to a request for embeddings; the empty list has
// none.
func embeddingsCodec() table.Codec[*scenarios.Embeddings] {
	rules := withoutRules(table.ListOf("a list of rules", table.Later("a rule such as {input: Hi, near: {text: Hello, by: 0.9}}", embeddingSection)))
	return table.As(rules, func(e *scenarios.Embeddings) *[]scenarios.EmbeddingRule { return &e.Rules })
}

// withoutRules adds the hint for what says nothing, or no rule: such an answer has an empty list.
func withoutRules[P any](c table.Codec[P]) table.Codec[P] {
	return table.OrRather(c, func(_ *table.Decoder, n *yaml.Node) string {
		if len(n.Content) == 0 {
			return "write [] for an answer without rules"
		}
		text, _ := table.InLine(n, table.MostInLine)
		return "write [" + text + "]"
	})
}

func embeddingSection() *table.Section[*scenarios.EmbeddingRule] {
	return &table.Section[*scenarios.EmbeddingRule]{
		Name:  "embedding",
		About: "The vector of the inputs for which a condition holds.",
		Fields: []table.Field[*scenarios.EmbeddingRule]{
			table.Optional("input", "The text of the input. Default: any.", textMatchCodec(), func(r *scenarios.EmbeddingRule) **scenarios.TextMatch { return &r.Input }),
			table.Optional("near", "A text, and how similar the vector is to that of the text.",
				table.Later("{text, by}", nearSection), func(r *scenarios.EmbeddingRule) **scenarios.NearText { return &r.Near }),
			table.Key("vector", "The vector itself. It is sent as it is, whatever its length.",
				table.NonEmpty(table.ListOf("a list of numbers", table.NumberCodec("a number", -1e6, 1e6))), func(r *scenarios.EmbeddingRule) *[]float64 { return &r.Vector }),
		},
		Misplaced: map[string]string{"text": "write input: $", "user": "write input: $", "embedding": "write vector: $"},
		Check: func(d *table.Decoder, m table.Members, _ *scenarios.EmbeddingRule) bool {
			return d.ExactlyOne(m, "a rule", "near", "vector")
		},
	}
}

func nearSection() *table.Section[*scenarios.NearText] {
	return &table.Section[*scenarios.NearText]{
		Name:  "near",
		About: "A text, and how similar a vector is to that of the text.",
		Fields: []table.Field[*scenarios.NearText]{
			table.Required(table.Key("text", "The other text.", table.StringCodec("a text"), func(n *scenarios.NearText) *string { return &n.Text })),
			table.Required(table.Key("by", "The cosine of the two vectors, which is the similarity that vector databases compute: 1 is the same direction, 0 is unrelated.",
				table.NumberCodec("a cosine", -1, 1), func(n *scenarios.NearText) *float64 { return &n.By })),
		},
	}
}

// moderationsCodec reads the rules of the answer to a request for moderation; the empty list has
// none.
func moderationsCodec() table.Codec[*scenarios.Moderations] {
	rules := withoutRules(table.ListOf("a list of rules", table.Later("a rule such as {input: {contains: kill}, categories: {violence: 0.9}}", moderationSection)))
	return table.As(rules, func(m *scenarios.Moderations) *[]scenarios.ModerationRule { return &m.Rules })
}

func moderationSection() *table.Section[*scenarios.ModerationRule] {
	score := table.AnyOf(
		table.Mapped(table.TrueCodec(), func(bool, diag.Pos) float64 { return sureScore }, func(v float64) (bool, bool) { return true, v == sureScore }),
		table.NumberCodec("a score", 0, 1),
	)
	categories := table.MappingCodec("a mapping of categories to scores", score, func(d *table.Decoder, p node.Pair, v float64) (scenarios.CategoryScore, bool) {
		known := scenarios.ModerationCategories()
		if slices.Contains(known, p.Name) {
			return scenarios.CategoryScore{Category: p.Name, Score: v}, true
		}
		d.Report(p.Key, diag.DidYouMean(p.Name, known), "there is no category %q; there are %s", p.Name, table.OneOf(known))
		return scenarios.CategoryScore{}, false
	}, func(s scenarios.CategoryScore) table.NamedValue[float64] {
		return table.NamedValue[float64]{Name: s.Category, Value: s.Score}
	})
	return &table.Section[*scenarios.ModerationRule]{
		Name:  "moderation",
		About: "What is found in the inputs for which a condition holds.",
		Fields: []table.Field[*scenarios.ModerationRule]{
			table.Optional("input", "The text of the input, or the URL of an image. Default: any.", textMatchCodec(), func(r *scenarios.ModerationRule) **scenarios.TextMatch { return &r.Input }),
			table.Required(table.Key("categories", "How sure the service is of each category, from 0 to 1, or true for 0.99. From 0.5 it is flagged, and the input with it.",
				table.NonEmpty(categories), func(r *scenarios.ModerationRule) *[]scenarios.CategoryScore { return &r.Scores })),
		},
		Misplaced: map[string]string{"text": "write input: $", "user": "write input: $", "flagged": "write categories: { violence: true }", "scores": "write categories: $", "category_scores": "write categories: $"},
	}
}

// sureScore is the score of a category that is true.
const sureScore = 0.99
