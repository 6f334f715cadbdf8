package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

var filledWishes = []wish{
	{},
	{Usage: true, Logprobs: true, TopLogprobs: 2},
	{N: 2, Usage: true},
	{Fold: true},
	{N: 3, Fold: true, Logprobs: true},
	{Layout: scenarios.LayoutAzure, Usage: true},
	{Surface: chat.Completions, Usage: true},
	{Surface: chat.Completions, Fold: true, Logprobs: true},
	{Surface: responses.Surface{}},
	{Surface: responses.Surface{}, Fold: true, Logprobs: true},
}

// A program that is built once and filled for a request gives the same bytes at the
// same times as one that is built for that request alone.
func TestHolesThatAreFilledGiveWhatIsBuiltForTheRequest(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for _, files := range []string{scenarioFiles + "/ok/*.yaml", scenarioFiles + "/messages/*.yaml", "../../../fixtures"} {
		for _, s := range loadEach(t, files) {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				for i := range s.Replies {
					for n, w := range filledWishes {
						if !testing.Short() || n%3 == 0 { // streamed, in one piece, completions, responses
							sameFilled(t, selected(t, s, i, w))
						}
					}
				}
			})
		}
	}
}

// sameFilled compares both ways for a request. It returns false for replies that are
// always built for the request, so that there is nothing to compare.
func sameFilled(t *testing.T, a *Asked) bool {
	t.Helper()
	if a.Reply.Error != nil || a.Manner.Wire.Body != nil {
		return false
	}
	shared, sharedErr := build(a)
	if sharedErr == nil && shared.perRequest {
		return false
	}
	own, ownErr := buildFor(a)
	got, want := playedFrom(shared, sharedErr, a), playedFrom(own, ownErr, a)
	if _, isUnsayable := errors.AsType[*surface.Unsayable](sharedErr); isUnsayable && ownErr != nil {
		return true // rendering can fail before the surface sees the reply
	}
	if got != want {
		f, b := differ(got, want)
		t.Errorf("%+v: filled in\n%q\nbuilt for the request\n%q", a.Want, f, b)
	}
	return true
}

// differ returns the first line of each text that the other does not have in the same
// place.
func differ(a, b string) (inA, inB string) {
	for a != b {
		var restA, restB string
		inA, restA, _ = strings.Cut(a, "\n")
		inB, restB, _ = strings.Cut(b, "\n")
		if inA != inB {
			break
		}
		a, b = restA, restB
	}
	return inA, inB
}

// playedFrom prints everything that a client and the journal see of a program, or the
// error.
func playedFrom(p *program, err error, a *Asked) string {
	if err != nil {
		return "error: " + err.Error()
	}
	m := builder{Asked: a, createdAt: 1_790_000_000}
	p, values, err := m.filled(p)
	if err != nil {
		return "error: " + err.Error()
	}
	if p.failure != nil {
		return fmt.Sprint("failure: ", p.failure.Status, compile.FillHoles(p.failure.Object, values))
	}
	played, err := p.forRequest(m.request(values, p.drawsPauses), ojson.Value{})
	if err != nil {
		return "error: " + err.Error()
	}
	var out strings.Builder
	fmt.Fprintln(&out, played.HeaderDelay, played.Ending, played.Chance)
	for f, due := range played.All() {
		fmt.Fprintf(&out, "%v %v %q step %d %s %q %t %s\n", due, f.MinGap, f.Hold, f.Step, f.Kind, f.ID, f.More, f.Append(nil, values))
	}
	return out.String()
}

// filledCases are replies with templates in all places. The request is
// that of scenarios/testdata/request.json.
var filledCases = []struct{ name, src string }{
	{"a role", "stream: [{ role: '{{ .request.user }}' }, { content: a, finish: stop }]"},
	{"a content", "stream: [{ role: assistant }, { content: 'You said {{ .last_user }}' }, { finish: stop }]"},
	{"a content beside a finish and usage", "stream: [{ role: assistant, content: '{{ .last_user }}', finish: stop, usage: {} }]"},
	{"a text", "stream: [{ role: assistant }, { text: 'You said {{ .last_user }}' }, { finish: stop }, { usage: {} }]"},
	{"a text beside its role", "stream: [{ role: assistant, text: 'You said {{ .last_user }}' }, { finish: stop }]"},
	{"a text beside its finish", "stream: [{ role: assistant }, { text: 'You said {{ .last_user }}', finish: stop, usage: {} }]"},
	{"a text with log-probabilities", "stream: [{ role: assistant }, { text: 'You said {{ .last_user }}', logprobs: true }, { finish: stop }]"},
	{"a content with log-probabilities", "stream: [{ role: assistant }, { content: 'You said {{ .last_user }}', logprobs: true }, { finish: stop }]"},
	{"a text by the rune", "stream: [{ role: assistant }, { text: 'é {{ .last_user }}', by: rune }, { finish: stop }]"},
	{"a text by the word", "stream: [{ role: assistant }, { text: 'é {{ .last_user }}', by: word }, { finish: stop }]"},
	{"a text by the line", "stream: [{ role: assistant }, { text: \"Oh\\n{{ .last_user }}\\nSo\", by: line }, { finish: stop }]"},
	{"a text by size", "stream: [{ role: assistant }, { text: 'é {{ .last_user }}', by: { size: 3 } }, { finish: stop }]"},
	{"a whole text", "stream: [{ role: assistant }, { text: 'é {{ .last_user }}', by: all }, { finish: stop }]"},
	{"an empty text", "stream: [{ role: assistant }, { text: '{{ .match.none }}' }, { finish: stop }]\nwhen: { user: { matches: '(?P<none>zzz)?' } }"},
	{"a text that comes to nothing", "stream: [{ role: assistant }, { text: '{{ if false }}x{{ end }}' }, { text: '{{ if false }}x{{ end }}', finish: stop }, { usage: {} }]"},
	{"a content that comes to nothing", "stream: [{ role: assistant, content: '{{ if false }}x{{ end }}' }, { content: '{{ if false }}x{{ end }}' }, { finish: stop }, { usage: {} }]\ndamage: [{ drop: content }]"},
	{"pauses in a text", "stream: [{ role: assistant }, { text: '{{ .last_user }}', after: 1s, every: 20ms, jitter: 3ms }, { content: b, after: 5ms }, { finish: stop }]\npace: { first: 1s, every: 100ms, jitter: 9ms }"},
	{"a text again and again", "stream: [{ role: assistant }, { text: '{{ hex 4 }} {{ .turn }}', repeat: 3, every: 5ms }, { finish: stop }, { usage: {} }]"},
	{"the same template twice", "stream: [{ role: assistant }, { content: '{{ hex 4 }}' }, { content: '{{ hex 4 }}' }, { text: '{{ hex 4 }}' }, { delta: { content: '{{ hex 4 }}' } }, { finish: stop }]"},
	{"a refusal", "stream: [{ role: assistant }, { refusal: 'no {{ .last_user }}' }, { finish: stop }, { usage: {} }]"},
	{"a refusal of a message", "message: { refusal: 'no {{ .last_user }}' }"},
	{"reasoning", "stream: [{ role: assistant }, { reasoning: 'hm {{ .last_user }}' }, { content: 'x {{ .turn }}' }, { finish: stop }, { usage: {} }]"},
	{"reasoning of a message", "message: { reasoning: 'hm {{ .last_user }}', content: So }"},
	{"reasoning in another field", "stream: [{ role: assistant }, { reasoning: { field: reasoning, text: '{{ .turn }}' } }, { finish: stop }, { usage: {} }]"},
	{"a call", "stream: [{ role: assistant }, { tool_call: { id: 'c{{ .turn }}', name: 'get_{{ .turn }}', arguments: '{\"q\":{{ json .last_user }}}' } }, { finish: tool_calls }, { usage: {} }]"},
	{"a call in one piece", "stream: [{ role: assistant }, { tool_call: { name: f, arguments: '{\"q\":{{ json .last_user }}}' }, pieces: 0 }, { finish: tool_calls }, { usage: {} }]"},
	{"a call in three pieces", "stream: [{ role: assistant }, { tool_call: { name: f, arguments: '{\"q\":{{ json .last_user }}}' }, pieces: 3 }, { finish: tool_calls }, { usage: {} }]"},
	{"a call in the author's pieces", "stream: [{ role: assistant }, { tool_call: { name: f, arguments: '{\"q\":{{ json .last_user }}}' }, pieces: ['{\"q\":', '{{ json .last_user }}', '}'] }, { finish: tool_calls }, { usage: {} }]"},
	{"a call beside its finish", "stream: [{ role: assistant }, { tool_call: { name: f, arguments: '{\"q\":{{ json .last_user }}}' }, finish: tool_calls }, { usage: {} }]"},
	{"arguments that are a value", "stream: [{ role: assistant }, { tool_call: { name: f, arguments: { q: ['{{ .last_user }}', 1.0, { 'é': '{{ hex 4 }}{{ hex 4 }}' }] } } }, { finish: tool_calls }, { usage: {} }]"},
	{"arguments that are a value, in one piece", "stream: [{ role: assistant }, { tool_call: { name: f, arguments: { q: '{{ .last_user }}' } }, pieces: 0 }, { finish: tool_calls }, { usage: {} }]"},
	{"fake arguments", "message: { tool_calls: [{ name: get_weather, arguments: fake }, { name: search, arguments: fake }] }"},
	{"arguments that break a schema", "message: { tool_calls: [{ name: get_weather, arguments: fake, break: missing_required }, { name: get_weather, arguments: fake, break: empty }] }"},
	{"content that breaks a schema", "message: { fake: { json_schema: request, break: cut_off } }"},
	{"fake arguments of a tool that a template names", "message: { tool_calls: [{ name: 'get_{{ if true }}weather{{ end }}', arguments: fake }] }"},
	{"fake arguments of a tool that is not there", "message: { tool_calls: [{ name: 'fly_{{ .turn }}', arguments: fake }] }"},
	{"several calls", "message: { content: 'a {{ .turn }}', tool_calls: [{ name: f, arguments: '{{ json .last_user }}' }, { name: g, arguments: { a: '{{ .turn }}' } }], custom_tool_calls: [{ name: sh, input: 'ls {{ .turn }} and so on' }] }"},
	{"a legacy call", "message: { function_call: { name: 'f{{ .turn }}', arguments: { a: '{{ .last_user }}' } } }"},
	{"a fake that the request describes", "message: { fake: { json_schema: request } }"},
	{"a fake step that the request describes", "stream: [{ role: assistant }, { fake: { json_schema: request }, by: rune }, { finish: stop }, { usage: {} }]"},
	{"a fake beside one", "stream: [{ role: assistant }, { fake: { words: 3 } }, { fake: { json_schema: request } }, { fake: { words: 3 } }, { finish: stop }]"},
	{"a message", "message: 'You said {{ .last_user }} in {{ hex 8 }}.'"},
	{"a message of choices", "message: { choices: ['One {{ .turn }}', { content: 'Two {{ .last_user }}', finish: length }] }"},
	{"authored log-probabilities", "message: { content: 'a{{ .turn }}', logprobs: [{ token: 'a', logprob: -1 }, { token: '{{ .turn }}', logprob: -2 }] }"},
	{"a spoken message", "message: { audio: { transcript: 'You said {{ .last_user }}' } }"},
	{"annotations", "message: { content: 'a {{ .turn }}', annotations: [{ type: url_citation, title: '{{ .last_user }}' }] }"},
	{"literal members", "stream: [{ role: assistant }, { tool_calls: [{ index: 0, id: '{{ hex 3 }}', type: function, function: { name: f, arguments: '{{ .last_user }}' } }] }, { audio: { id: a, transcript: '{{ .last_user }}' } }, { finish: stop }, { usage: {} }]"},
	{"a delta", "stream: [{ role: assistant }, { delta: { content: 'x {{ .last_user }}', n: [null, '{{ .turn }}'] } }, { finish: stop }, { usage: {} }]"},
	{"a chunk", "stream: [{ chunk: { id: '{{ hex 3 }}', choices: [{ index: 0, delta: { content: '{{ .last_user }}' } }], usage: { completion_tokens: 1 } } }, { finish: stop }]"},
	{"extra and set", "stream: [{ role: assistant, extra: { a: '{{ .last_user }}' } }, { content: a, set: { delta.content: '{{ .last_user }}', 'x.y': ['{{ hex 3 }}'] }, omit: [created] }, { finish: '{{ if true }}stop{{ end }}' }]"},
	{"extra and set beside a text", "stream: [{ role: assistant }, { text: 'x {{ .last_user }}', extra: { a: '{{ hex 3 }}' }, set: { delta.x: '{{ hex 3 }}' } }, { finish: stop }]"},
	{"a finish", "stream: [{ role: assistant, content: a }, { finish: '{{ .request.user }}' }, { usage: {} }]"},
	{"logprobs as they are", "stream: [{ role: assistant, content: a, logprobs: [{ token: '{{ .turn }}', logprob: -1 }] }, { finish: stop }]"},
	{"an error", "stream: [{ role: assistant }, { content: '{{ hex 4 }}' }, { error: { message: 'slow {{ .request.user }}', code: 'c{{ .turn }}', extra: { a: '{{ .last_user }}' } } }]"},
	{"a comment", "stream: [{ role: assistant }, { comment: 'for {{ .request.user }}' }, { raw: 'data: {{ .turn }}' }, { event: { event: 'e{{ .turn }}', id: '{{ hex 2 }}', data: '{{ .last_user }}' } }, { finish: stop }]"},
	{"usage after a text", "stream: [{ role: assistant }, { content: 'a b c {{ .last_user }}' }, { usage: {} }, { text: '{{ .last_user }} d' }, { finish: stop }, { usage: {} }]"},
	{"usage with a written prompt", "stream: [{ role: assistant }, { text: 'a {{ .last_user }}' }, { finish: stop }, { usage: { prompt_tokens: 7 } }]"},
	{"usage with a written completion", "stream: [{ role: assistant }, { text: 'a {{ .last_user }}' }, { usage: { completion_tokens: 7 } }, { text: 'b {{ .last_user }}' }, { finish: stop }, { usage: {} }]"},
	{"usage all written", "stream: [{ role: assistant }, { text: 'a {{ .last_user }}' }, { usage: { prompt_tokens: 5, completion_tokens: 7 } }, { reasoning: 'b {{ .last_user }}' }, { finish: stop }, { usage: {} }]"},
	{"usage without numbers", "stream: [{ role: assistant }, { text: 'a {{ .last_user }}' }, { finish: stop }, { usage: { prompt_tokens: null } }]"},
	{"usage with null", "stream: [{ role: assistant }, { text: 'a {{ .last_user }}' }, { finish: stop }, { usage: { completion_tokens: null } }]"},
	{"ASCII", "message: 'é {{ .last_user }} ü 北京'\nwire: { json_style: ascii }"},
	{"pretty", "message: 'é {{ .last_user }} ü'\nwire: { json_style: pretty, multiline_data: true }"},
	{"numbered events", "message: 'é {{ .last_user }}'\nwire: { ids: true, retry: 30, bom: true, event_name: e }"},
	{"bytes apart", "message: 'é {{ .last_user }}'\nwire: { split: { by: inside_rune } }"},
	{"compressed", "message: 'é {{ .last_user }}'\nwire: { gzip: flush }"},
	{"lines of JSON", "message: 'é {{ .last_user }}'\nwire: { format: ndjson }"},
	{"mixed newlines", "message: 'é {{ .last_user }}'\nwire: { newline: mixed }"},
	{"coalesced", "message: 'é {{ .last_user }} and more'\npace: { every: 1s }\nwire: { coalesce: 3 }"},
	{"damage", "message: 'é {{ .last_user }} and more'\ndamage: [{ drop: 2 }, { duplicate: content, chance: 0.5 }, { rename: { frames: all, from: delta.content, to: text } }, { corrupt: -2 }]"},
	{"damage by position", "message: 'é {{ .last_user }} and more'\ndamage: [{ drop: 2 }, { duplicate: all, chance: 0.5 }, { rename: { frames: all, from: delta.content, to: text } }, { retype: { frames: 3, at: id, to: array } }, { corrupt: -2 }]"},
	{"a cut", "message: 'é {{ .last_user }} and more'\nend: { cut: { after: 3 } }"},
	{"an early close", "message: 'é {{ .last_user }} and more'\nend: close"},
	{"another envelope", "message: 'é {{ .last_user }}'\nenvelope: { id: 'id-{{ .turn }}', model: 'm {{ .request.model }}', obfuscation: false }"},
	{"a template that fails", "stream: [{ role: assistant }, { content: 'x {{ .tool_results.other }}' }, { finish: stop }]"},
	{"a value that fails", "stream: [{ role: assistant }, { delta: { a: '{{ .tool_results.other }}' } }, { finish: stop }]"},
	{"a text that fails", "message: 'x {{ .tool_results.other }}'"},
	{"arguments that fail", "message: { tool_calls: [{ name: f, arguments: { a: '{{ .tool_results.other }}' } }] }"},
}

func TestTemplatesInAllPlacesAreFilledAsIfBuilt(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	for _, tt := range filledCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, problems := yamlfile.Parse("x.yaml", []byte("name: x\n"+tt.src+"\n"))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if problems := render.Check(list[0]); len(problems) > 0 {
				t.Fatal(problems)
			}
			for _, w := range filledWishes {
				sameFilled(t, selected(t, list[0], 0, w))
			}
		})
	}
}

// A reply is built for each request only if a hole cannot hold what depends on the
// request: see [script.Script].
func TestFewRepliesAreBuiltForEachRequest(t *testing.T) {
	t.Parallel()
	perRequest := []string{
		// Other parts of the step belong to the first piece or the last one, or differ
		// for each.
		"a text beside its role", "a text beside its finish",
		"a text with log-probabilities", "a content with log-probabilities",
		"a text that comes to nothing",
		// The selectors of damage depend on whether a text is empty.
		"a content that comes to nothing",
		// The pieces become steps of their own.
		"a refusal of a message", "reasoning of a message",
		"a call beside its finish",
		"authored log-probabilities", "a spoken message",
		"extra and set beside a text",
		"logprobs as they are", // the place of each token depends on the text
		"a comment",            // it is not JSON, so it has no holes
		"damage",
	}
	sameList(t, casesWith(t, wish{}, func(p *program) bool { return p.script.PerRequest }), perRequest)
}

// On Responses, closing events repeat the texts, and an answer in one piece is put together of all pieces:
// holes for whole texts do for both, unless more than texts, calls and numbers of tokens depends on the request.
func TestTextsAreRepeatedAndFoldedOnce(t *testing.T) {
	t.Parallel()
	sameList(t, casesWith(t, wish{Surface: responses.Surface{}}, func(p *program) bool { return p.perRequest }), []string{
		"a role", "a text beside its role", "a text beside its finish",
		"a text with log-probabilities", "a content with log-probabilities", "a text that comes to nothing",
		"a refusal of a message", "reasoning of a message", "a call beside its finish", "authored log-probabilities",
		"annotations", "a finish", "logprobs as they are", "an error", "a comment",
	})
	for _, on := range []surface.Surface{chat.Surface{}, responses.Surface{}} {
		folded := casesWith(t, wish{Surface: on, Fold: true}, func(p *program) bool { return p.shared != nil })
		for _, name := range []string{
			"a content", "a content beside a finish and usage", "a text", "a text by the rune", "an empty text", "a refusal", "reasoning", "a call",
			"a call in three pieces", "arguments that are a value", "fake arguments", "a fake beside one", "a message", "ASCII", "another envelope",
		} {
			if !slices.Contains(folded, name) {
				t.Errorf("%s: %s is folded for each request", on.Info().Title, name)
			}
		}
	}
}

// casesWith lists the cases whose program for a request is like that.
func casesWith(t *testing.T, w wish, is func(*program) bool) (names []string) {
	t.Helper()
	for _, tt := range filledCases {
		list, problems := yamlfile.Parse("x.yaml", []byte("name: x\n"+tt.src+"\n"))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if p, err := build(selected(t, list[0], 0, w)); err == nil && is(p) {
			names = append(names, tt.name)
		}
	}
	return names
}

func sameList(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("built for each request:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// buildFor makes the program of a selected reply for its own request.
func buildFor(a *Asked) (*program, error) {
	p, err := scripted(a, script.NewFor(a.Selection, a.Want))
	if err != nil {
		return nil, err
	}
	return p, p.finish(context.Background(), a)
}
