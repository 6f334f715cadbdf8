package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// Item is an output item as the author wrote it, with rendered templates. Pieces are the pieces
// of its texts that are streamed, in order.
type Item struct {
	Members ojson.Value
	Pieces  [][]ojson.Value
}

// Itemizer is a surface with output items.
type Itemizer interface {
	// CheckItem finds the mistakes in an item.
	CheckItem(item *scenarios.Item) diag.List
	// Streamed returns the texts of an item that are sent in pieces.
	Streamed(members ojson.Value) []StreamedText
}

// StreamedText is a text of an item that is sent in pieces. Whole says that the real service
// sends it in one piece.
type StreamedText struct {
	Value ojson.Value
	Whole bool
}

var errItemAlone = errors.New("an item stands alone in its step, on the first choice: give the other parts a step of their own")

// itemStep adds the group of an item.
func (b *Builder) itemStep(st *scenarios.Step) {
	item := st.Item
	if hasOpening(st) || carriesMore(st) || st.Text != nil || st.Fake != nil || st.Call() != nil || st.Choice != 0 {
		b.fail(item.Pos, errItemAlone)
	}
	var members []ojson.Member
	for _, m := range item.Members {
		members = append(members, ojson.M(m.Name, b.itemValue(m.Value)))
	}
	beat := Item{Members: ojson.Object()}
	beat.Members.SetAll(members)
	b.fail(item.Pos, b.grow(beat.Members.Size()))
	if b.items != nil {
		b.problems = append(b.problems, b.items.CheckItem(item)...)
		beat.Pieces = b.itemPieces(st, b.items.Streamed(beat.Members))
	}
	b.addGroup(Group{Choice: st.Choice, Edit: b.edit(st), Beats: []Beat{beat}})
}

// itemValue returns a value in an item with rendered templates. Without a request it stays as
// it is, and the script becomes PerRequest, as more depends on an item than its texts.
func (b *Builder) itemValue(v ojson.Value) ojson.Value {
	if b.renderer == nil && render.ValueIsTemplate(v) {
		b.templated, b.script.PerRequest = true, true
		return v
	}
	return b.Value(v)
}

// itemPieces cuts the texts of an item. Each piece counts as a group.
func (b *Builder) itemPieces(st *scenarios.Step, texts []StreamedText) [][]ojson.Value {
	item := st.Item
	if (len(texts) == 0 && item.By != scenarios.Cut{}) {
		b.problem(item.Pos, "the item streams no text that could be cut", "leave by out")
	}
	if st.Pieces.Present {
		if list := b.writtenPieces(st.Pieces, texts); list != nil {
			return list
		}
	}
	list := make([][]ojson.Value, len(texts))
	for i, text := range texts {
		b.tokens.add(Tokens(text.Value.Text()), false)
		if (text.Whole && item.By == scenarios.Cut{}) {
			list[i] = []ojson.Value{text.Value}
			continue
		}
		for _, piece := range Cut(text.Value.Text(), item.By) {
			list[i] = append(list[i], ojson.String(piece))
		}
		if !b.fits(len(list[i])) {
			return nil
		}
		b.events += len(list[i])
	}
	return list
}

// writtenPieces returns the pieces that the author wrote for the texts of an item, one text
// after the other; nil, with a problem, if they do not fit. If there is a template, only a
// request tells whether they spell the texts.
func (b *Builder) writtenPieces(p scenarios.Pieces, texts []StreamedText) [][]ojson.Value {
	switch {
	case len(texts) == 0:
		b.problem(p.Pos, "the item streams no text that could be cut", "leave pieces out")
		return nil
	case p.Texts == nil:
		b.problem(p.Pos, "the texts of an item are not cut into a number of pieces", "write the pieces: a list of texts; or by, as in by: { size: 4 }")
		return nil
	}
	list, wanted := make([][]ojson.Value, len(texts)), ""
	var spelled strings.Builder
	at := -1
	for _, t := range p.Texts {
		if spelled.Len() >= len(wanted) && at+1 < len(texts) {
			at++
			wanted += texts[at].Value.Text()
		}
		piece := b.Text(t)
		spelled.WriteString(piece)
		list[at] = append(list[at], ojson.String(piece))
	}
	for _, text := range texts[at+1:] {
		wanted += text.Value.Text()
	}
	b.tokens.add(Tokens(spelled.String()), false)
	if !b.fits(len(p.Texts)) {
		return nil
	}
	b.events += len(p.Texts)
	if open := b.templated && b.renderer == nil; !open && spelled.String() != wanted {
		b.problem(p.Pos, fmt.Sprintf("pieces spell %s, and the item streams %s", diag.Quote(spelled.String()), diag.Quote(wanted)), "write pieces that spell it, or leave them out")
		return nil
	}
	return list
}
