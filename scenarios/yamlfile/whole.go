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
func embeddingsCodec() table.Codec {
	rule := table.Later[scenarios.EmbeddingRule]("a rule such as {input: Hi, vector: [0.6, 0.8]}", embeddingSection)
	rule = table.Shortly(rule, node.List, func(n *yaml.Node) *yaml.Node { return mappingOf("vector", n) })
	rules := table.Shortly(withoutRules(table.ListOf("a list of rules", rule)), node.Mapping|node.List, func(n *yaml.Node) *yaml.Node {
		if len(n.Content) > 1 && n.Kind == yaml.MappingNode && n.Content[1].Kind == yaml.SequenceNode && node.ShapeOf(n.Content[1]) == node.List && !slices.Contains([]string{"vector", "embedding", "data"}, n.Content[0].Value) {
			rules := &yaml.Node{Kind: yaml.SequenceNode}
			for _, p := range node.Members(n) {
				rule := mappingOf("input", node.Quoted(p.Name))
				node.Add(rule, "vector", p.Value)
				rules.Content = append(rules.Content, rule)
			}
			return rules
		}
		if len(n.Content) > 0 && (n.Kind == yaml.MappingNode || node.ShapeOf(n.Content[0]) == node.Number) {
			return listOf(n) // one rule, or one vector
		}
		return nil
	})
	return table.As[scenarios.Embeddings](rules, "Rules")
}

// listOf is a list of one item.
func listOf(item *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{item}}
}

// withoutRules adds the hint for what says nothing, or no rule: such an answer has an empty list.
func withoutRules(c table.Codec) table.Codec {
	return table.OrRather(c, func(_ *table.Decoder, n *yaml.Node) string {
		if len(n.Content) == 0 {
			return "write [] for an answer without rules"
		}
		text, _ := table.InLine(n, table.MostInLine)
		return "write [" + text + "]"
	})
}

func embeddingSection() *table.Section {
	return &table.Section{
		Name:  "embedding",
		About: "The vector of the inputs for which a condition holds.",
		Fields: []table.Field{
			inputField(),
			table.Required(table.Key("vector", "The vector. It is sent as it is, whatever its length.",
				table.NonEmpty(table.ListOf("a list of numbers", table.NumberCodec("a number", -1e6, 1e6))))),
		},
		Short: map[string]table.Shorthand{"embedding": {As: "vector"}, "object": {Only: "embedding"}},
	}
}

// inputField is the key input of a rule.
func inputField() table.Field {
	const doc = "The text of the input, for a moderation also the URL of an image. Default: any."
	return table.Listed("embedding", table.Key("input", doc, textMatchCodec()))[0]
}

// moderationsCodec reads the rules of the answer to a request for moderation; the empty list has
// none.
func moderationsCodec() table.Codec {
	rule := table.Later[scenarios.ModerationRule]("a rule such as {input: {contains: kill}, categories: {violence: 0.9}}", moderationSection)
	rules := table.Shortly(withoutRules(table.ListOf("a list of rules", rule)), node.Mapping, func(n *yaml.Node) *yaml.Node {
		switch {
		case len(n.Content) == 0:
			return nil
		case slices.Contains(scenarios.ModerationCategories(), n.Content[0].Value):
			n = mappingOf("categories", n)
		}
		return listOf(n)
	})
	return table.As[scenarios.Moderations](rules, "Rules")
}

func moderationSection() *table.Section {
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
	return &table.Section{
		Name:  "moderation",
		About: "What is found in the inputs for which a condition holds.",
		Fields: []table.Field{
			inputField(),
			table.Required(table.Key("categories", "How sure the service is of each category, from 0 to 1, or true for 0.99. From 0.5 it is flagged, and the input with it.",
				table.NonEmpty(categories)).In("Scores")),
		},
	}
}

// sureScore is the score of a category that is true.
const sureScore = 0.99
