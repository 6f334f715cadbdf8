package script

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// defaultReasoning is the member in which most providers stream reasoning.
const defaultReasoning = "reasoning_content"

func (b *Builder) chunkStep(st *scenarios.Step) {
	if st.Usage != nil && !b.sendsUsage(st) {
		defer b.spendUnsaid(st.Usage)
		if onlyUsage(st) {
			return
		}
	}
	opening := b.opening(st)
	pieces, open := b.pieces(st)
	if open != nil && (len(pieces) == 0 && len(opening) > 0 || carriesMore(st)) {
		// The other parts of the step are sent with the first or the last piece.
		pieces, open = append(pieces, b.withoutSeries(open)), nil
	}
	count := max(len(pieces), st.Heartbeat)
	if count == 0 && open == nil {
		if onlyExpands(st) {
			return
		}
		count = 1
	}
	if !b.fits(count) {
		return
	}
	b.script.Groups = slices.Grow(b.script.Groups, count)
	for i := range count {
		var beats []Beat
		if i == 0 {
			beats = opening
		}
		if i < len(pieces) {
			beats = replaceText(beats, pieces[i])
		}
		b.chunk(st, beats, i == 0, i == count-1 && open == nil)
		if b.stopped() {
			return
		}
	}
	if open != nil {
		b.addGroup(Group{Choice: st.Choice, Edit: b.edit(st), Beats: []Beat{open.beat}, Series: open.id})
	}
}

// replaceText returns the beats with a piece added. A piece of text replaces the text among the
// beats.
func replaceText(beats []Beat, piece Beat) []Beat {
	if _, isText := piece.(Text); isText {
		beats = slices.DeleteFunc(slices.Clone(beats), func(b Beat) bool { _, same := b.(Text); return same })
	}
	return append(slices.Clip(beats), piece)
}

// carriesMore reports whether a step has parts that are sent with its last chunk, or made anew
// for each.
func carriesMore(st *scenarios.Step) bool {
	return st.Finish.Present || st.Usage != nil || st.Logprobs != nil || st.Heartbeat > 0 || st.Delta != nil || st.Chunk != nil || editsByTemplate(st)
}

func editsByTemplate(st *scenarios.Step) bool {
	return render.ValueIsTemplate(st.Extra) ||
		slices.ContainsFunc(st.Set, func(a scenarios.Assignment) bool { return render.ValueIsTemplate(a.Value) })
}

// onlyUsage reports whether a step is a chunk with usage and nothing else.
func onlyUsage(st *scenarios.Step) bool {
	return st.Usage != nil && !hasOpening(st) && !st.Finish.Present && st.Heartbeat == 0 && st.Logprobs == nil &&
		st.Text == nil && st.Fake == nil && st.Call() == nil && st.Delta == nil && st.Chunk == nil
}

// sendsUsage reports whether requests with this want get the usage of the step.
func (b *Builder) sendsUsage(st *scenarios.Step) bool {
	return st.Usage != nil && (!st.WhenAsked || b.Want.Usage || !b.Want.Stream)
}

// onlyExpands reports whether a step has nothing to send if its text is empty.
func onlyExpands(st *scenarios.Step) bool {
	return (st.Text != nil || st.Fake != nil) && !st.Finish.Present && st.Usage == nil && !hasOpening(st) && st.Delta == nil
}

func (b *Builder) chunk(st *scenarios.Step, beats []Beat, first, last bool) {
	g := Group{Choice: st.Choice, Edit: b.edit(st)}
	switch {
	case st.Chunk != nil:
		g.Beats = []Beat{Literal{b.literalSurface(), "chunk", b.Value(*st.Chunk)}}
		b.addGroup(g)
		return
	case st.Delta != nil:
		g.Beats = append(g.Beats, Literal{b.literalSurface(), "delta", b.Value(*st.Delta)})
	}
	g.Beats = append(g.Beats, beats...)
	if l, ok := b.logprobsBeat(st, beats, first); ok {
		g.Beats = append(g.Beats, l)
	}
	if last {
		if st.Finish.Present {
			g.Beats = append(g.Beats, Finish{b.Member(st.Finish)})
		}
		if b.sendsUsage(st) {
			g.Beats = append(g.Beats, b.usage(st))
		}
	}
	b.addGroup(g)
}

func (b *Builder) edit(st *scenarios.Step) *Edit {
	if st.Extra.IsAbsent() && len(st.Omit) == 0 && len(st.Set) == 0 {
		return nil
	}
	e := &Edit{Extra: b.Value(st.Extra), Omit: st.Omit}
	for _, a := range st.Set {
		e.Set = append(e.Set, scenarios.Assignment{Path: a.Path, Value: b.Value(a.Value)})
	}
	return e
}

// withoutSeries gives up a series: its text becomes one piece, and the script PerRequest.
func (b *Builder) withoutSeries(s *series) Beat {
	b.script.PerRequest = true
	text := ojson.String(s.shown)
	switch beat := s.beat.(type) {
	case CallArguments:
		beat.Arguments = text
		return beat
	case CallFragment:
		beat.Arguments = text
		return beat
	}
	return Text{text}
}

// pieces returns the beats of the text or call in a step, one for each chunk, and the series after
// them if their number depends on the request.
func (b *Builder) pieces(st *scenarios.Step) ([]Beat, *series) {
	switch {
	case st.Text != nil:
		return b.textStep(st)
	case st.Fake != nil:
		return b.fakeStep(st)
	case st.ToolCall != nil:
		return b.callStep(st, st.ToolCall, FunctionCall)
	case st.CustomTool != nil:
		return b.callStep(st, st.CustomTool, CustomCall)
	case st.FunctionCall != nil:
		return b.callStep(st, st.FunctionCall, LegacyCall)
	}
	return nil, nil
}

func (b *Builder) textStep(st *scenarios.Step) ([]Beat, *series) {
	text, by := st.Text.Text, b.cutOf(st, st.Text.By)
	if b.leavesOpen(text) {
		return b.openPieces(b.template(text), by, text.Source)
	}
	if by.Unit == "all" {
		text = b.sketched(text)
	}
	return b.textPieces(b.wholeText(text), by), nil
}

// cutOf returns how the text of a step is cut: as it asks for, or not at all in an answer of one
// piece, where pieces matter only for the time that they take.
func (b *Builder) cutOf(st *scenarios.Step, by scenarios.Cut) scenarios.Cut {
	pace := &b.sel.Manner.Pace
	timed := st.Every != nil || pace.Every != nil || pace.Jitter != nil || len(pace.Recorded) > 0
	if b.Want.Stream || timed || st.Logprobs != nil {
		return by
	}
	return scenarios.Cut{Unit: "all"}
}

// openPieces returns the series of a text that depends on the request.
func (b *Builder) openPieces(source textSource, by scenarios.Cut, shown string) ([]Beat, *series) {
	text := openText{source: source, cut: cutBy(by), byToken: isByToken(by), shown: shown}
	return nil, b.series(text, Text{hole.Value(hole.Piece)})
}

func (b *Builder) textPieces(text string, by scenarios.Cut) []Beat {
	b.tokens.add(Tokens(text), false)
	var list []Beat
	for _, piece := range Cut(text, by) {
		list = append(list, Text{ojson.String(piece)})
	}
	return list
}

// InventLogprobs returns invented entries for a text that is given as tokens.
func (b *Builder) InventLogprobs(tokens []string) ojson.Value { return b.logprobs.Entries(tokens) }

// logprobsBeat returns the log-probabilities of one chunk of a step, if it has any. Invented
// log-probabilities and null are in each chunk, authored ones only in the first.
func (b *Builder) logprobsBeat(st *scenarios.Step, beats []Beat, first bool) (l Logprobs, ok bool) {
	written := st.Logprobs
	switch {
	case written == nil, written.Off, st.WhenAsked && !b.Want.Logprobs:
		return Logprobs{}, false
	case written.Null:
		return Logprobs{Null: true}, true
	case written.Generate:
		return b.generated(beats), true
	case !first:
		return Logprobs{}, false
	}
	if b.tokens.open || isTemplate(written.Content) || isTemplate(written.Refusal) {
		// Some surfaces send the position of each token in the text.
		b.script.PerRequest = true
	}
	return Logprobs{Content: completed(b.literal(written.Content), false), Refusal: completed(b.literal(written.Refusal), false)}, true
}

// completed returns entries that the author wrote with the members that all have: their bytes and, unless they
// are alternatives themselves, their alternatives.
func completed(entries ojson.Value, areAlternatives bool) ojson.Value {
	if entries.Kind() != ojson.ArrayKind {
		return entries
	}
	list := ojson.Array()
	for _, entry := range entries.Items() {
		members := slices.Clone(entry.Members())
		at := slices.IndexFunc(members, func(m ojson.Member) bool { return m.Name == "top_logprobs" })
		switch {
		case at >= 0:
			members[at].Value = completed(members[at].Value, true)
		case !areAlternatives:
			members = append(members, ojson.M("top_logprobs", ojson.Array()))
			at = len(members) - 1
		default:
			at = len(members)
		}
		if _, open := hole.In(entry.Get("token")); !open && entry.Get("bytes").IsAbsent() {
			members = slices.Insert(members, at, ojson.M("bytes", invent.BytesOf(entry.Get("token").Text())))
		}
		list.Push(ojson.Object(members...))
	}
	return list
}

func isTemplate(v *ojson.Value) bool { return v != nil && render.ValueIsTemplate(*v) }

// generated returns invented log-probabilities for the text of a chunk; null for a chunk
// without a text.
func (b *Builder) generated(beats []Beat) Logprobs {
	for _, beat := range beats {
		if t, ok := beat.(Text); ok && b.isSaid(t.Text) {
			return Logprobs{Content: b.inventedFor(t.Text.Text())}
		}
	}
	for _, beat := range beats {
		if r, ok := beat.(Refusal); ok && b.isSaid(r.Text) {
			return Logprobs{Refusal: b.inventedFor(r.Text.Text())}
		}
	}
	return Logprobs{Null: true}
}

func (b *Builder) inventedFor(text string) ojson.Value {
	return b.InventLogprobs(Cut(text, scenarios.Cut{}))
}

// isSaid reports whether there is a text for which log-probabilities can be invented. For a
// text that depends on the request, that makes the script PerRequest.
func (b *Builder) isSaid(v ojson.Value) bool {
	if _, open := hole.In(v); open {
		b.script.PerRequest = true
		return false
	}
	return Says(v)
}

// Says reports whether a value is present, not null and not an empty text.
func Says(v ojson.Value) bool {
	return !v.IsNullOrAbsent() && (v.Kind() != ojson.StringKind || v.Text() != "")
}

// tokenSteps returns the steps of a text that is cut along the tokens in the author's
// log-probabilities, one token to a chunk; step makes a step of a piece and its entries. If the
// entries do not spell the text, each chunk gets one entry, and the last chunk all further entries.
func (b *Builder) tokenSteps(text scenarios.Text, by scenarios.Cut, entries []ojson.Value, step func(scenarios.Text, *ojson.Value) scenarios.Step) []scenarios.Step {
	if b.leavesOpen(text) {
		b.templated, b.script.PerRequest = true, true
		all := ojson.Array(entries...)
		return []scenarios.Step{step(text, &all)}
	}
	rendered := b.uncountedText(text)
	pieces, counts := cutAlongTokens(rendered, b.Value(ojson.Array(entries...)).Items())
	if pieces == nil {
		pieces = Cut(rendered, by)
		counts = entriesPerChunk(len(entries), len(pieces))
	}
	steps := make([]scenarios.Step, len(pieces))
	for i, piece := range literalTexts(pieces, text.Pos) {
		list := ojson.Array(entries[:counts[i]]...)
		entries = entries[counts[i]:]
		steps[i] = step(piece, &list)
	}
	return steps
}

// cutAlongTokens cuts a text along the tokens of the entries, and returns how many of them
// spell each piece: tokens that are parts of one character make one piece. Both results are nil
// if the entries do not spell the text.
func cutAlongTokens(text string, entries []ojson.Value) (pieces []string, counts []int) {
	rest, piece, count := text, "", 0
	for _, entry := range entries {
		piece += tokenText(entry)
		count++
		if !utf8.ValidString(piece) {
			continue
		}
		if !strings.HasPrefix(rest, piece) {
			return nil, nil
		}
		pieces, counts = append(pieces, piece), append(counts, count)
		rest, piece, count = rest[len(piece):], "", 0
	}
	if rest != "" || count > 0 {
		return nil, nil
	}
	return pieces, counts
}

// tokenText returns the text of a token: of its bytes, if the entry has them.
func tokenText(entry ojson.Value) string {
	list := entry.Get("bytes")
	if list.Kind() != ojson.ArrayKind {
		return entry.Get("token").Text()
	}
	text := make([]byte, 0, len(list.Items()))
	for _, item := range list.Items() {
		n, _ := item.Int()
		text = append(text, byte(n))
	}
	return string(text)
}

// entriesPerChunk returns how many of the entries each of n chunks gets.
func entriesPerChunk(entries, n int) []int {
	counts := make([]int, n)
	for i := range counts {
		counts[i] = min(1, entries)
		entries -= counts[i]
	}
	if n > 0 {
		counts[n-1] += entries
	}
	return counts
}
