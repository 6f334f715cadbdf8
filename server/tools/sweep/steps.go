package sweep

import (
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

type steps = []scenarios.Step

// inSteps is a change in the steps of the stream, at one of the steps for which where holds; it
// may look at those after it. The first number of the change is that place, and the others have
// the limits sizes. The edit gets the steps, which it may change, and returns nil if the change
// cannot be made.
func inSteps(name, about string, where func(after steps) bool, edit func(list steps, i int, n []int) steps, sizes ...int) *kind {
	places := func(d *draft) (at []int) {
		for i := range *d.reply.Stream {
			if where((*d.reply.Stream)[i:]) {
				at = append(at, i)
			}
		}
		return at
	}
	return &kind{
		name: name, about: about,
		limits: func(d *draft) []int { return slices.Concat([]int{len(places(d))}, sizes) },
		apply: func(d *draft, n []int) bool {
			list := edit(*d.reply.Stream, places(d)[n[0]], n[1:])
			if list != nil {
				*d.reply.Stream = list
			}
			return list != nil
		},
	}
}

// textIn is the piece of the answer's text, of a refusal or of a summary that a step says; nil if
// it says none that can be cut.
func textIn(st *scenarios.Step) *scenarios.Text {
	for _, text := range []*scenarios.Opt[scenarios.Text]{&st.Content, &st.Refusal, summaryIn(st)} {
		if t := &text.Value; text.Present && !text.Null && t.Source != "" && !t.IsTemplate() && st.Logprobs == nil && st.Repeat == 0 && st.Set == nil {
			return t
		}
	}
	return nil
}

// summaryIn is the piece of a summary of reasoning that a step says; one that is not present if
// it says none, or more than that.
func summaryIn(st *scenarios.Step) *scenarios.Opt[scenarios.Text] {
	if r := st.Reasoning; r != nil && len(r.Summary) == 1 && r.Next == "" && !r.Text.Present {
		return &r.Summary[0]
	}
	return new(scenarios.Opt[scenarios.Text])
}

// saying returns a copy of the step that says another text, of the same kind.
func saying(st *scenarios.Step, text string) scenarios.Step {
	c := *st
	if r := st.Reasoning; r != nil {
		own := *r
		own.Summary, c.Reasoning = slices.Clone(r.Summary), &own
	}
	t := textIn(&c)
	t.Source, t.Literal = text, true
	return c
}

// begins and continues make of a copy of a step its first and its later pieces.
func begins(st scenarios.Step) scenarios.Step {
	st.Finish, st.Usage, st.WhenAsked = scenarios.Opt[scenarios.Text]{}, nil, false
	return st
}

func continues(st scenarios.Step) scenarios.Step {
	st.Role, st.After = scenarios.Opt[scenarios.Text]{}, nil
	return st
}

func saysText(after steps) bool { return textIn(&after[0]) != nil }

func saysTextLater(after steps) bool { return opened(after) && saysText(after) }

func textBeforeFinish(after steps) bool { return saysText(after) && !after[0].Finish.Present }

func canBeCut(after steps) bool {
	return saysText(after) && utf8.RuneCountInString(textIn(&after[0]).Source) > 1
}

// next returns the distance to the next step of the same choice; 0 if there is none.
func next(after steps) int {
	for i := 1; i < len(after); i++ {
		if after[i].Choice == after[0].Choice {
			return i
		}
	}
	return 0
}

// saysMore holds where two texts of the same kind and choice follow each other.
func saysMore(after steps) bool {
	a, b := &after[0], &after[next(after)]
	return a != b && textIn(a) != nil && textIn(b) != nil && a.Content.Present == b.Content.Present && a.Refusal.Present == b.Refusal.Present &&
		!a.Finish.Present && !b.Role.Present && a.Usage == nil
}

func isCall(after steps) bool {
	call := after[0].Call()
	return call != nil && len(arguments(&after[0])) > 0 && !call.Arguments.Fake && !call.Arguments.Text.Value.IsTemplate()
}

// arguments are the arguments of the call that a step makes.
func arguments(st *scenarios.Step) string {
	call, whole := st.Call(), ""
	for _, piece := range st.Pieces.Texts {
		whole += piece.Source
	}
	if whole == "" && call.Arguments.Value != nil {
		return call.Arguments.Value.String()
	}
	if whole == "" {
		return call.Arguments.Text.Value.Source
	}
	return whole
}

// isChunk holds for the steps that are sent as chunks of a choice.
func isChunk(after steps) bool {
	st := &after[0]
	return textIn(st) != nil || st.Role.Present || st.Finish.Present || st.Call() != nil
}

// opened holds for the chunks of a choice after its first.
func opened(after steps) bool {
	return isChunk(after) && !after[0].Role.Present && !after[0].Finish.Null
}

func anyStep(steps) bool { return true }

// runeEnd is the place in a text after its rune n, counted from 0, or before its last rune.
func runeEnd(text string, n int) int {
	end := 0
	for range n + 1 {
		_, size := utf8.DecodeRuneInString(text[end:])
		if end+size >= len(text) {
			break
		}
		end += size
	}
	return end
}

// cutArguments cuts the arguments of a call at places in bytes, which are moved to where a rune
// begins.
func cutArguments(list steps, i int, at ...int) steps {
	whole, st := arguments(&list[i]), &list[i]
	st.Pieces = scenarios.Pieces{Present: true}
	begin := 0
	for _, end := range append(at, len(whole)) {
		for end = min(end, len(whole)); end < len(whole) && !utf8.RuneStart(whole[end]); {
			end++
		}
		if end > begin {
			st.Pieces.Texts = append(st.Pieces.Texts, scenarios.Text{Source: whole[begin:end], Literal: true})
			begin = end
		}
	}
	return list
}

// joinNext puts the text of the next step of the same choice into the one at i.
func joinNext(list steps, i int) steps {
	k := i + next(list[i:])
	whole := saying(&list[k], textIn(&list[i]).Source+textIn(&list[k]).Source)
	whole.Role, whole.After = list[i].Role, list[i].After
	list[i] = whole
	return slices.Delete(list, k, k+1)
}

// insert adds a step before the one at i, for the same choice.
func insert(list steps, i int, st scenarios.Step) steps {
	st.Choice = list[i].Choice
	return slices.Insert(list, i, st)
}

// inStep is the edit of the step at a place.
func inStep(edit func(*scenarios.Step)) func(list steps, i int, _ []int) steps {
	return func(list steps, i int, _ []int) steps {
		edit(&list[i])
		return list
	}
}

// insertBefore returns the edit that adds a step before the step at i.
func insertBefore(st scenarios.Step) func(list steps, i int, _ []int) steps {
	return func(list steps, i int, _ []int) steps { return slices.Insert(list, i, st) }
}

func text(s string) scenarios.Opt[scenarios.Text] {
	return scenarios.Some(scenarios.Text{Source: s, Literal: true})
}

// stepKinds are the changes of what the chunks of an answer hold.
func stepKinds() []*kind {
	return []*kind{
		inSteps("comment", "comments between two events", anyStep, func(list steps, i int, n []int) steps {
			text := []string{"ping", "", "data: [DONE]"}[n[0]]
			return slices.Insert(list, i, scenarios.Step{Comment: &scenarios.Text{Source: text}, Repeat: n[1]})
		}, 3, 32),
		inSteps("idle-line", "a blank line or an unknown field between two events", anyStep, func(list steps, i int, n []int) steps {
			return slices.Insert(list, i, scenarios.Step{Raw: &scenarios.Text{Source: []string{"\n", "trace: 1\n"}[n[0]]}})
		}, 2),
		inSteps("heartbeat", "chunks with an empty delta", opened, func(list steps, i int, n []int) steps {
			return insert(list, i, scenarios.Step{Heartbeat: 1 << (5 * n[0])})
		}, 3),
		inSteps("empty-text", "a chunk with an empty text", saysTextLater, func(list steps, i int, _ []int) steps {
			return slices.Insert(list, i, saying(&list[i], ""))
		}),
		inSteps("pause", "a pause before a chunk", isChunk, func(list steps, i int, n []int) steps {
			pause := time.Millisecond << n[0]
			list[i].After = &pause
			return list
		}, 5),
		inSteps("cut-text", "a text is cut at any character", canBeCut, func(list steps, i int, n []int) steps {
			whole := textIn(&list[i]).Source
			at := runeEnd(whole, n[0])
			rest := continues(saying(&list[i], whole[at:]))
			list[i] = begins(saying(&list[i], whole[:at]))
			return slices.Insert(list, i+1, rest)
		}, 40),
		inSteps("characters", "texts and arguments come character by character", func(after steps) bool { return onlyText(&after[0]) || isCall(after) }, byCharacter),
		inSteps("join-texts", "texts come in one piece", saysMore, func(list steps, i int, n []int) steps {
			for range n[0] + 1 {
				if !saysMore(list[i:]) {
					break
				}
				list = joinNext(list, i)
			}
			return list
		}, 20),
		inSteps("text-with-role", "the first text comes in the chunk with the role", roleThenText, func(list steps, i int, _ []int) steps {
			list[i+next(list[i:])].Role = list[i].Role
			return slices.Delete(list, i, i+1)
		}),
		inSteps("text-with-finish", "the last text comes in the chunk with the finish reason", textThenFinish, func(list steps, i int, _ []int) steps {
			k := i + next(list[i:])
			list[i].Finish = list[k].Finish
			return slices.Delete(list, k, k+1)
		}),
		withChunk("chunk-without-choices", "a first chunk without choices, as from Azure", 0,
			`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[]}`),
		inSteps("null-content", "the first chunk has content: null", func(after steps) bool { return onlyRole(&after[0]) }, inStep(func(st *scenarios.Step) {
			st.Content = scenarios.NullOf[scenarios.Text]()
		})),
		onChunks(inSteps("null-member", "an optional member of a delta is null", opened, func(list steps, i int, _ []int) steps {
			if textIn(&list[i]) != nil {
				return set(list, i, "delta.refusal", ojson.Null())
			}
			return set(list, i, "delta.content", ojson.Null())
		})),
		onItems(inSteps("next-part", "a text goes on in the next part of its message", saysMore, func(list steps, i int, _ []int) steps {
			list[i+next(list[i:])].Next = "part"
			return list
		})),
		onItems(inSteps("next-message", "a text goes on in another message", saysMore, func(list steps, i int, _ []int) steps {
			return slices.Insert(list, i+next(list[i:]), itemOf("message"))
		})),
		onItems(inSteps("other-item", "an item of reasoning comes before a text or call", opened, insertBefore(itemOf("reasoning")))),
		onItems(inSteps("web-search", "a web search comes before a text or call, if the request offers it", opened, insertBefore(itemOf("web_search_call")))).onlyWhere(func(d *draft) bool { return d.offers("web_search") }),
		inSteps("cut-arguments", "the arguments of a call are cut at any character", isCall, func(list steps, i int, n []int) steps {
			return cutArguments(list, i, n[0]+1, n[0]+n[1]+2)
		}, 60, 20),
		inSteps("whole-arguments", "the arguments of a call come in one piece", isCall, func(list steps, i int, _ []int) steps {
			return cutArguments(list, i)
		}),
		inSteps("call-in-one", "a call comes in one chunk", isCall, inStep(func(st *scenarios.Step) { st.Pieces = scenarios.Pieces{Present: true} })),
		inSteps("choices-interleaved", "chunks of the choices come by turns, and so do the pieces of their calls", otherChoices, byTurns, 3),
		inSteps("comment-inside", "a comment among the lines of an event", anyStep, insertBefore(scenarios.Step{Raw: &scenarios.Text{Source: ": ping\n"}})),
	}
}

// byTurns sends the chunks from the step at i on by turns, some of each choice at a time, those of the last choice first.
func byTurns(list steps, i int, n []int) steps {
	var turns []steps
	sent, k := map[int]int{}, i
	for ; k < len(list) && isChunk(list[k:]); k++ {
		pieces := steps{list[k]}
		if isToolCall(list[k:]) && !list[k].Finish.Present {
			pieces = piecesOf(list, k, 0)
		}
		for _, st := range pieces {
			turn := sent[st.Choice] / (n[0] + 1)
			if sent[st.Choice]++; turn == len(turns) {
				turns = append(turns, nil)
			}
			turns[turn] = append(turns[turn], st)
		}
	}
	for _, turn := range turns {
		slices.SortStableFunc(turn, func(a, b scenarios.Step) int { return b.Choice - a.Choice })
	}
	return slices.Replace(list, i, k, slices.Concat(turns...)...)
}

// byCharacter sends each character of the texts and arguments from the step at i on by itself.
func byCharacter(list steps, i int, _ []int) steps {
	for ; i < len(list); i++ {
		switch st := &list[i]; {
		case onlyText(st):
			st.Text, st.Content = &scenarios.CutText{Text: st.Content.Value, By: scenarios.Cut{Unit: "rune"}}, scenarios.Opt[scenarios.Text]{}
		case isCall(list[i:]):
			st.Pieces = scenarios.Pieces{Present: true, Count: utf8.RuneCountInString(arguments(st))}
		}
	}
	return list
}

// withChunk is a change that adds a chunk, given as JSON, before the step at a place or at the end.
func withChunk(name, about string, at int, json string) *kind {
	return onChunks(&kind{name: name, about: about, apply: func(d *draft, _ []int) bool {
		chunk, err := ojson.Parse([]byte(json))
		*d.reply.Stream = slices.Insert(*d.reply.Stream, min(at, len(*d.reply.Stream)), scenarios.Step{Chunk: &chunk})
		return err == nil
	}})
}

// itemOf is a step that begins an item of a type.
func itemOf(name string) scenarios.Step {
	return scenarios.Step{Item: &scenarios.Item{Members: []scenarios.ItemMember{{Name: "type", Value: ojson.String(name)}}}}
}

// omit leaves a place out of the chunks of a step.
func omit(list steps, i int, path string) steps {
	at, err := ojson.ParsePath(path)
	if err != nil {
		return nil
	}
	list[i].Omit = append(slices.Clip(list[i].Omit), scenarios.Path{Path: at})
	return list
}

// set overwrites a place in the chunks of a step.
func set(list steps, i int, path string, to ojson.Value) steps {
	at, err := ojson.ParsePath(path)
	if err != nil {
		return nil
	}
	list[i].Set = append(slices.Clip(list[i].Set), scenarios.Assignment{Path: scenarios.Path{Path: at}, Value: to})
	return list
}

// onChunks is a change that only answers in chunks have.
func onChunks(k *kind) *kind {
	return k.onlyWhere(func(d *draft) bool { return d.surface() == scenarios.DefaultSurface })
}

func onItems(k *kind) *kind {
	return k.onlyWhere(func(d *draft) bool { return d.surface() != scenarios.DefaultSurface })
}

func onlyRole(st *scenarios.Step) bool {
	return st.Role.Present && !st.Content.Present && !st.Refusal.Present && st.Call() == nil && st.Reasoning == nil && !st.Finish.Present
}

// onlyText reports whether a step says a piece of the answer's text that can be cut, and nothing else.
func onlyText(st *scenarios.Step) bool {
	return canBeCut(steps{*st}) && st.Content.Present && !st.Role.Present && !st.Finish.Present && st.Usage == nil
}

func roleThenText(after steps) bool {
	text := &after[next(after)]
	return onlyRole(&after[0]) && textIn(text) != nil && !text.Role.Present
}

func textThenFinish(after steps) bool {
	return textBeforeFinish(after) && onlyFinish(&after[next(after)])
}

func textThenCall(after steps) bool {
	return textBeforeFinish(after) && isToolCall(after[next(after):])
}

func onlyFinish(st *scenarios.Step) bool {
	return st.Finish.Present && textIn(st) == nil && st.Call() == nil && st.Usage == nil && !st.Role.Present
}

// otherChoices holds for the chunks behind which one of another choice comes.
func otherChoices(after steps) bool {
	return isChunk(after) && slices.ContainsFunc(after, func(st scenarios.Step) bool { return isChunk(steps{st}) && st.Choice != after[0].Choice })
}

// dialectKinds are changes that compatible servers make, and most clients read alike.
func dialectKinds() []*kind {
	list := []*kind{
		inSteps("calls-interleaved", "the pieces of two calls come by turns", twoCalls, interleave),
		inSteps("calls-in-one-chunk", "two calls come in one chunk", twoCalls, func(list steps, i int, _ []int) steps {
			first, second := fragmentsOf(list, i, 0), fragmentsOf(list, i+1, 1)
			list[i].ToolCall, list[i].Pieces = nil, scenarios.Pieces{}
			list[i].Fragments = slices.Concat(first, second)
			return slices.Delete(list, i+1, i+2)
		}),
		inSteps("call-repeated", "each piece of a call has its id and name again", isToolCall, inStep(func(st *scenarios.Step) {
			st.ToolCall.Later = &scenarios.LaterMembers{Repeat: []string{"id", "type", "name"}}
		})),
		inSteps("call-blank", "later pieces of a call have an empty id and name", isToolCall, inStep(func(st *scenarios.Step) {
			st.ToolCall.Later = &scenarios.LaterMembers{ID: text(""), Name: text("")}
		})),
		inSteps("role-repeated", "a later chunk has the role again", saysTextLater, inStep(func(st *scenarios.Step) { st.Role = text("assistant") })),
		inSteps("empty-finish", "a chunk before the last has an empty finish reason", textBeforeFinish, inStep(func(st *scenarios.Step) { st.Finish = text("") })),
		inSteps("usage-with-finish", "usage comes in the chunk with the finish reason", finishThenUsage, func(list steps, i int, _ []int) steps {
			list[i].Usage, list[i].WhenAsked = list[i+1].Usage, list[i+1].WhenAsked
			return slices.Delete(list, i+1, i+2)
		}),
		inSteps("usage-twice", "a chunk before the last has usage, too", textBeforeUsage, func(list steps, i int, _ []int) steps {
			last := list[i+slices.IndexFunc(list[i:], hasUsage)]
			list[i].Usage, list[i].WhenAsked = last.Usage, last.WhenAsked
			return list
		}),
		onChunks(inSteps("no-finish-member", "a chunk before the last has no finish_reason", textBeforeFinish, func(list steps, i int, _ []int) steps {
			return omit(list, i, "choices[0].finish_reason")
		})),
		onChunks(oneOf("error-null", "each chunk has error: null", "envelope: { extra: { error: null } }")),
		inSteps("text-with-call", "the text before a call comes in its first chunk", textThenCall, func(list steps, i int, _ []int) steps {
			k := i + next(list[i:])
			list[k].Role, list[k].Content, list[k].After = list[i].Role, list[i].Content, list[i].After
			return slices.Delete(list, i, i+1)
		}),
		inSteps("unknown-event", "an event of a type that OpenAI does not send", opened, insertBefore(scenarios.Step{
			Event: &scenarios.Event{Event: text("vendor.progress"), Data: text(`{"type":"vendor.progress","status":"running"}`)},
		})),
		onChunks(inSteps("event-behind-data", "an event of another type has its event: line behind its data", opened, insertBefore(scenarios.Step{
			Raw: &scenarios.Text{Source: "data: {\"choices\":[]}\nevent: ping\n\n"},
		}))),
		inSteps("event-without-data", "an event without data", anyStep, insertBefore(scenarios.Step{Raw: &scenarios.Text{Source: "event: ping\n\n"}})),
		withChunk("chunk-at-the-end", "a last chunk with something else than a choice or usage", math.MaxInt, `{"choices":[],"cost":"0.00001"}`),
		onItems(inSteps("other-item-id", "an event has another item_id than its item", saysText, func(list steps, i int, _ []int) steps {
			return set(list, i, "item_id", ojson.String("msg_other"))
		})),
		onItems(oneOf("sequence-number", "events are not numbered from 0, one by one", "envelope: { sequence_number: { start: 1 } }", "envelope: { sequence_number: { step: 2 } }")),
	}
	for _, k := range list {
		k.dialect = true
	}
	return list
}

func isToolCall(after steps) bool { return isCall(after) && after[0].ToolCall != nil }

func twoCalls(after steps) bool {
	return len(after) > 1 && isToolCall(after) && isToolCall(after[1:]) && after[0].Choice == after[1].Choice && !after[1].Finish.Present &&
		after[0].ToolCall.ID.Present && after[1].ToolCall.ID.Present
}

func hasUsage(st scenarios.Step) bool { return st.Usage != nil }

func textBeforeUsage(after steps) bool {
	return saysText(after) && after[0].Usage == nil && slices.ContainsFunc(after, hasUsage)
}

func finishThenUsage(after steps) bool {
	return len(after) > 1 && onlyFinish(&after[0]) && after[1].Usage != nil && !after[1].Finish.Present
}

// fragmentsOf are the chunks of the call that the step at i makes: one that opens it, and one for
// each half of its arguments. Without an index of its own the call is that at the given position
// among the two.
func fragmentsOf(list steps, i, position int) []scenarios.CallFragment {
	call, whole := list[i].ToolCall, arguments(&list[i])
	index := position
	for j := range i - position {
		if list[j].ToolCall != nil && list[j].Choice == list[i].Choice {
			index++
		}
	}
	if call.Index != nil {
		index = *call.Index
	}
	fragments := []scenarios.CallFragment{{Index: scenarios.Some(index), ID: call.ID, Type: text("function"), Name: call.Name, Arguments: scenarios.Arguments{Text: text("")}}}
	half := runeEnd(whole, len(whole)/2-1)
	if whole == "{}" {
		half = len(whole) // a line less of the scenario that shows it
	}
	for _, piece := range []string{whole[:half], whole[half:]} {
		if piece != "" {
			fragments = append(fragments, scenarios.CallFragment{Index: scenarios.Some(index), Arguments: scenarios.Arguments{Text: text(piece)}})
		}
	}
	return fragments
}

// piecesOf are steps with a fragment of the call each, as [fragmentsOf] divides it.
func piecesOf(list steps, i, position int) (pieces steps) {
	for _, f := range fragmentsOf(list, i, position) {
		pieces = append(pieces, scenarios.Step{Fragments: []scenarios.CallFragment{f}, Choice: list[i].Choice})
	}
	pieces[0].Role, pieces[0].Content, pieces[0].After = list[i].Role, list[i].Content, list[i].After
	return pieces
}

func interleave(list steps, i int, _ []int) steps {
	first, second := piecesOf(list, i, 0), piecesOf(list, i+1, 1)
	var turns steps
	for k := range max(len(first), len(second)) {
		for _, pieces := range []steps{first, second} {
			turns = append(turns, pieces[min(k, len(pieces)):min(k+1, len(pieces))]...)
		}
	}
	return slices.Replace(list, i, i+2, turns...)
}

// faultKinds are the ways in which an answer can fail before its finish.
func faultKinds() []*kind {
	list := []*kind{
		fault("ends-early", "the answer ends too early, in order", "end: close"),
		fault("cut", "the connection breaks inside an event", "end: cut"),
		fault("reset", "the connection is reset", "end: reset"),
		fault("stall", "the answer stands still, and then the connection closes", "end: { stall: { for: 1s } }"),
		inSteps("error", "an error comes in mid-stream, and the answer ends or goes on", opened, func(list steps, i int, n []int) steps {
			failed := scenarios.Step{Error: &scenarios.ErrorStep{APIError: scenarios.APIError{Message: text("The server had an error.")}}}
			if n[0] == 0 {
				list = list[:i]
			}
			return slices.Insert(list, i, failed)
		}, 2),
		inSteps("damaged", "an event holds half a JSON text", saysText, inStep(func(st *scenarios.Step) {
			*st = scenarios.Step{Raw: &scenarios.Text{Source: "data: {\"choices\":[{\"index\":0,\n\n"}}
		})),
		{name: "refused", about: "an error comes in place of the answer", apply: func(d *draft, _ []int) bool {
			d.reply.Error = &scenarios.APIError{Status: 400, Message: text("Refused.")}
			d.reply.Stream, d.reply.Manner = nil, scenarios.Manner{}
			return true
		}},
	}
	for _, k := range list {
		k.fault = true
	}
	return list
}

// fault is an end after one of the steps before the last finish.
func fault(name, about, end string) *kind {
	lastFinish := func(d *draft) int {
		for i, st := range slices.Backward(*d.reply.Stream) {
			if st.Finish.Present && !st.Finish.Null && st.Finish.Value.Source != "" {
				return i
			}
		}
		return 0
	}
	return &kind{
		name: name, about: about,
		limits: func(d *draft) []int { return []int{lastFinish(d)} },
		apply: func(d *draft, n []int) bool {
			*d.reply.Stream = (*d.reply.Stream)[:n[0]+1]
			return d.layOver(end)
		},
	}
}
