package lint

import (
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// logprobRules are about log-probabilities.
var logprobRules = []rule{
	{"logprobs-do-not-spell-content", "The tokens of the log-probabilities, put together, are not the text beside them. OpenAI sends an entry for each token of the text.", logprobsDoNotSpell},
	{"logprob-entry-incomplete", "An entry has no token or no logprob. OpenAI sends both.", logprobEntryIncomplete},
	{"logprob-bytes-mismatch", "The bytes of an entry are not the UTF-8 of its token.", logprobBytesMismatch},
	{"logprob-positive", "A logprob is larger than 0. The logarithm of a probability is not.", logprobPositive},
	{"too-many-top-logprobs", "An entry has more than 20 top_logprobs. OpenAI sends at most that many.", tooManyTopLogprobs},
}

func logprobsDoNotSpell(t *talk, report func(breach)) {
	for _, member := range []string{"content", "refusal"} {
		for _, choice := range t.choices() {
			if b, ok := t.misspelt(choice, member); ok {
				report(b)
			}
		}
	}
}

// misspelt compares the texts of a choice with their tokens. Tokens may end
// elsewhere than chunks do, so that only the whole has to be equal; what is
// reported is the first chunk in which they differ.
func (t *talk) misspelt(choice int, member string) (b breach, differs bool) {
	var texts, tokens strings.Builder
	for _, p := range t.parts {
		list := p.probs.Get(member)
		if p.choice != choice || list.Kind() != ojson.ArrayKind {
			continue
		}
		if p.Templated {
			return breach{}, false
		}
		text, spelt := p.delta.Get(member).Text(), spell(list)
		if text != spelt && !differs {
			b, differs = at(p.Line, "the tokens of logprobs spell %s, the %s is %s", diag.Quote(spelt), member, diag.Quote(text)), true
		}
		texts.WriteString(text)
		tokens.WriteString(spelt)
	}
	return b, differs && texts.String() != tokens.String()
}

// spell puts tokens together. Where there are bytes they count: the token of a
// piece of a character is not its text.
func spell(entries ojson.Value) string {
	var b strings.Builder
	for _, e := range entries.Items() {
		list := e.Get("bytes")
		if list.Kind() != ojson.ArrayKind {
			b.WriteString(e.Get("token").Text())
			continue
		}
		b.WriteString(bytesOf(list))
	}
	return b.String()
}

func bytesOf(list ojson.Value) string {
	bytes := make([]byte, 0, len(list.Items()))
	for _, item := range list.Items() {
		n, _ := item.Int()
		bytes = append(bytes, byte(n))
	}
	return string(bytes)
}

// eachEntry visits the token entries of a reply; alternative is true for those
// of top_logprobs.
func (t *talk) eachEntry(visit func(l *script.Line, entry ojson.Value, alternative bool)) {
	for _, p := range t.parts {
		if p.Templated {
			continue
		}
		for _, member := range []string{"content", "refusal"} {
			for _, entry := range p.probs.Get(member).Items() {
				visit(p.Line, entry, false)
				for _, other := range entry.Get("top_logprobs").Items() {
					visit(p.Line, other, true)
				}
			}
		}
	}
}

func logprobEntryIncomplete(t *talk, report func(breach)) {
	t.eachEntry(func(l *script.Line, entry ojson.Value, _ bool) {
		for _, name := range []string{"token", "logprob"} {
			if entry.Get(name).IsNullOrAbsent() {
				report(at(l, "an entry of logprobs has no %s: %s", name, diag.Shorten(entry.String())))
			}
		}
	})
}

func logprobBytesMismatch(t *talk, report func(breach)) {
	t.eachEntry(func(l *script.Line, entry ojson.Value, _ bool) {
		token, list := entry.Get("token").Text(), entry.Get("bytes")
		if list.Kind() != ojson.ArrayKind || isPieceOfCharacter(token) || bytesOf(list) == token {
			return
		}
		report(at(l, "the bytes of token %s spell %s", diag.Quote(token), diag.Quote(bytesOf(list))).
			saying("leave bytes out, or write null, or list logprob-bytes-mismatch under quirks"))
	})
}

// isPieceOfCharacter reports whether a token stands for bytes that are no whole
// character: the service then writes bytes:\xf0\x9f or a replacement character.
func isPieceOfCharacter(token string) bool {
	return strings.Contains(token, `\x`) || strings.Contains(token, "\uFFFD")
}

func logprobPositive(t *talk, report func(breach)) {
	t.eachEntry(func(l *script.Line, entry ojson.Value, _ bool) {
		if n, err := strconv.ParseFloat(entry.Get("logprob").Text(), 64); err == nil && n > 0 {
			report(at(l, "the logprob of %s is %s, larger than 0", diag.Quote(entry.Get("token").Text()), entry.Get("logprob")))
		}
	})
}

func tooManyTopLogprobs(t *talk, report func(breach)) {
	t.eachEntry(func(l *script.Line, entry ojson.Value, _ bool) {
		if n := len(entry.Get("top_logprobs").Items()); n > request.MaxTopLogprobs {
			report(at(l, "token %s has %d top_logprobs, more than %d", diag.Quote(entry.Get("token").Text()), n, request.MaxTopLogprobs))
		}
	})
}
