package lint

import (
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

func logprobsDoNotSpell(t *Transcript, report func(Finding)) {
	for _, refusal := range []bool{false, true} {
		byChoice := map[int][]Said{}
		for _, p := range t.Said {
			if p.logprobs(refusal).Kind() == ojson.ArrayKind {
				byChoice[p.Choice] = append(byChoice[p.Choice], p)
			}
		}
		for _, choice := range t.choices() {
			if b, ok := misspelt(byChoice[choice], refusal); ok {
				report(b)
			}
		}
	}
}

// misspelt compares the text of a choice with its tokens. Tokens can end elsewhere than
// chunks, so only the whole must be equal. The finding is at the first chunk that
// differs.
func misspelt(said []Said, refusal bool) (b Finding, differs bool) {
	var texts, tokens strings.Builder
	for _, p := range said {
		if p.Templated {
			return Finding{}, false
		}
		text, spelt := p.text(refusal), spell(p.logprobs(refusal))
		if text != spelt && !differs {
			b, differs = At(p.Group, "the tokens of logprobs spell %s, the %s is %s", diag.Quote(spelt), textName(refusal), diag.Quote(text)), true
		}
		texts.WriteString(text)
		tokens.WriteString(spelt)
	}
	return b, differs && texts.String() != tokens.String()
}

// textName names a text for messages.
func textName(refusal bool) string {
	if refusal {
		return "refusal"
	}
	return "content"
}

// spell joins tokens. The bytes of a token count rather than its text, because a token
// can hold a part of a character.
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

// eachEntry calls visit for the token entries of a reply. Alternative is true for the
// entries of top_logprobs.
func (t *Transcript) eachEntry(visit func(l *script.Group, entry ojson.Value, alternative bool)) {
	for _, p := range t.Said {
		if p.Templated {
			continue
		}
		for _, refusal := range []bool{false, true} {
			for _, entry := range p.logprobs(refusal).Items() {
				visit(p.Group, entry, false)
				for _, other := range entry.Get("top_logprobs").Items() {
					visit(p.Group, other, true)
				}
			}
		}
	}
}

func logprobEntryIncomplete(t *Transcript, report func(Finding)) {
	t.eachEntry(func(l *script.Group, entry ojson.Value, _ bool) {
		for _, name := range []string{"token", "logprob"} {
			if entry.Get(name).IsNullOrAbsent() {
				report(At(l, "an entry of logprobs has no %s: %s", name, diag.Shorten(entry.String())))
			}
		}
	})
}

func logprobBytesMismatch(t *Transcript, report func(Finding)) {
	t.eachEntry(func(l *script.Group, entry ojson.Value, _ bool) {
		token, list := entry.Get("token").Text(), entry.Get("bytes")
		if list.Kind() != ojson.ArrayKind || isPieceOfCharacter(token) || bytesOf(list) == token {
			return
		}
		report(At(l, "the bytes of token %s spell %s", diag.Quote(token), diag.Quote(bytesOf(list))).
			Saying("leave bytes out, or write null, or list logprob-bytes-mismatch under quirks"))
	})
}

// isPieceOfCharacter reports whether a token is a part of a character. The real service
// writes such tokens as bytes:\xf0\x9f, or with a replacement character.
func isPieceOfCharacter(token string) bool {
	return strings.Contains(token, `\x`) || strings.Contains(token, "\uFFFD")
}

func logprobPositive(t *Transcript, report func(Finding)) {
	t.eachEntry(func(l *script.Group, entry ojson.Value, _ bool) {
		if n, err := strconv.ParseFloat(entry.Get("logprob").Text(), 64); err == nil && n > 0 {
			report(At(l, "the logprob of %s is %s, larger than 0", diag.Quote(entry.Get("token").Text()), entry.Get("logprob")))
		}
	})
}

func tooManyTopLogprobs(t *Transcript, report func(Finding)) {
	t.eachEntry(func(l *script.Group, entry ojson.Value, _ bool) {
		if n := len(entry.Get("top_logprobs").Items()); n > request.MaxTopLogprobs {
			report(At(l, "token %s has %d top_logprobs, more than %d", diag.Quote(entry.Get("token").Text()), n, request.MaxTopLogprobs))
		}
	})
}
