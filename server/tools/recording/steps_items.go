package recording

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// itemOf is the item with these members, for a step.
func itemOf(members ojson.Value) *scenarios.Item {
	item := new(scenarios.Item)
	t := responses.ItemNamed(members.Get("type").Text())
	for _, m := range members.Members() {
		item.Members = append(item.Members, scenarios.ItemMember{Name: m.Name, Value: m.Value, Foreign: !t.Has(m.Name)})
	}
	return item
}

// hostedItem is the step for an item with these events, of which the first adds it and
// the last closes it. Members that the server sends by itself are left out.
func hostedItem(t *responses.ItemType, events []ojson.Value) (st scenarios.Step) {
	done := events[len(events)-1].Get("item")
	members := ojson.Object(ojson.M("type", done.Get("type")))
	for _, m := range done.Members() {
		if m.Name != "id" && (m.Name != "status" || !t.IsKnown() || m.Value.Text() != "completed") {
			members.Set(m.Name, m.Value)
		}
	}
	var images []ojson.Value
	var pieces []string
	for _, e := range events {
		if image := e.Get("partial_image_b64"); !image.IsAbsent() {
			images = append(images, image)
		}
		switch delta := e.Get("delta"); delta.Kind() {
		case ojson.StringKind:
			pieces = append(pieces, delta.Text())
		case ojson.ObjectKind: // The texts have names.
			pieces = append(pieces, delta.Members()[0].Value.Text())
		}
	}
	if len(images) > 0 {
		members.Set("partial_images", ojson.Array(images...))
	}
	st.Item = itemOf(members)
	if !cutByDefault(pieces, t.Streamed(members)) {
		st.Pieces = piecesAsWritten(pieces)
	}
	return st
}

// cutByDefault reports whether the service cuts the texts of an item into these pieces.
func cutByDefault(pieces []string, texts []responses.StreamedText) bool {
	var want []string
	for _, text := range texts {
		if text.Whole {
			want = append(want, text.Value.Text())
		} else {
			want = append(want, script.Cut(text.Value.Text(), scenarios.Cut{})...)
		}
	}
	return slices.Equal(want, pieces)
}

func piecesAsWritten(pieces []string) scenarios.Pieces {
	p := scenarios.Pieces{Present: true}
	for _, piece := range pieces {
		p.Texts = append(p.Texts, literal(piece))
	}
	return p
}

// cutInto sets the arguments of a call from their pieces, and returns how they are cut.
func cutInto(call *scenarios.ToolCall, pieces []string) scenarios.Pieces {
	whole := strings.Join(pieces, "")
	if len(pieces) == 0 {
		return scenarios.Pieces{}
	}
	call.Arguments.Text = scenarios.Some(literal(whole))
	if slices.Equal(pieces, script.CutArguments(whole)) {
		return scenarios.Pieces{}
	}
	if slices.Equal(pieces, script.CutEvenly(whole, len(pieces))) {
		return scenarios.Pieces{Present: true, Count: len(pieces)}
	}
	call.Arguments.Text = scenarios.Opt[scenarios.Text]{} // The pieces contain the arguments.
	return piecesAsWritten(pieces)
}
