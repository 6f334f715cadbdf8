package yamlfile

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// itemCodec reads an output item of the Responses API. The members that each type of
// item has are checked by the server, not here.
func itemCodec() table.Codec {
	const noun = "a mapping such as {type: web_search_call}"
	members := table.MappingCodec(noun, table.AnyJSON(), func(d *table.Decoder, p node.Pair, v ojson.Value) (scenarios.ItemMember, bool) {
		return scenarios.ItemMember{Name: p.Name, Value: v, Pos: d.Pos(p.Key)}, true
	}, func(m scenarios.ItemMember) table.NamedValue[ojson.Value] {
		return table.NamedValue[ojson.Value]{Name: m.Name, Value: m.Value}
	})
	members.Schema = func(w *table.Writer) ojson.Value {
		itemType := table.SchemaOf("string")(w)
		if w.Editor != nil {
			itemType.Set("examples", ojson.Array(w.Editor.Examples["item.type"]...))
		}
		return ojson.Object(
			ojson.M("type", ojson.String("object")), ojson.M("required", ojson.Array(ojson.String("type"))),
			ojson.M("properties", ojson.Object(ojson.M("type", itemType), ojson.M("extra", table.SchemaOf("object")(w)))),
		)
	}
	item := table.Mapped(members, func(list []scenarios.ItemMember, p diag.Pos) scenarios.Item {
		return scenarios.Item{Members: withoutExtra(list), Pos: p}
	}, func(i scenarios.Item) ([]scenarios.ItemMember, bool) { return withExtra(i.Members), true })
	item = table.Refusing(item, func(i *scenarios.Item) bool { return i.Type() == "" },
		"write it with a type, as in item: { type: web_search_call }", "an item needs a type, which is a text")
	return table.Shortly(item, node.Text, func(n *yaml.Node) *yaml.Node { return mappingOf("type", n) })
}

// withoutExtra returns the members of an item with those of extra in its place.
func withoutExtra(written []scenarios.ItemMember) (list []scenarios.ItemMember) {
	for _, m := range written {
		if m.Name != "extra" || m.Value.Kind() != ojson.ObjectKind {
			list = append(list, m)
			continue
		}
		for _, foreign := range m.Value.Members() {
			list = append(list, scenarios.ItemMember{Name: foreign.Name, Value: foreign.Value, Foreign: true, Pos: m.Pos})
		}
	}
	return list
}

// withExtra returns the members of an item as they are written: the foreign ones under
// extra.
func withExtra(members []scenarios.ItemMember) (written []scenarios.ItemMember) {
	var extra []ojson.Member
	for _, m := range members {
		if m.Foreign {
			extra = append(extra, ojson.M(m.Name, m.Value))
		} else {
			written = append(written, m)
		}
	}
	if len(extra) > 0 {
		written = append(written, scenarios.ItemMember{Name: "extra", Value: ojson.Object(extra...)})
	}
	return written
}

// checkItemAlone reports other parts of a chunk beside an item.
func checkItemAlone(d *table.Decoder, m table.Members) bool {
	ok := true
	if item := m.Key("item"); item == nil {
		return ok
	}
	for i, p := range m.Pairs {
		part := m.Kinds[i]&(deltaKey|wholeKey) != 0 && m.Kinds[i]&itemKey == 0
		if part || slices.Contains([]string{"finish", "usage", "logprobs", "choice"}, p.Name) {
			d.Report(p.Key, "give it a step of its own", "%s cannot stand beside item", p.Name)
			ok = false
		}
	}
	return ok
}
