package lint

import (
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// checkLogprobs checks the token entries of a reply, and that they spell its texts.
func checkLogprobs(t *Transcript, report Report) {
	for _, refusal := range []bool{false, true} {
		byChoice := map[int][]Said{}
		for _, p := range t.Said {
			entries := p.logprobs(refusal)
			if entries.Kind() == ojson.ArrayKind {
				byChoice[p.Choice] = append(byChoice[p.Choice], p)
			}
			if p.Templated {
				continue
			}
			for _, entry := range entries.Items() {
				checkEntry(p.Group, entry, report)
				for _, other := range entry.Get("top_logprobs").Items() {
					checkEntry(p.Group, other, report)
				}
			}
		}
		for _, choice := range t.choices() {
			if f, ok := misspelt(byChoice[choice], refusal); ok {
				report("logprobs-do-not-spell-content", f)
			}
		}
	}
}

// misspelt compares the text of a choice with its tokens. Tokens can end elsewhere than
// chunks, so only the whole must be equal. The finding is at the first chunk that
// differs.
func misspelt(said []Said, refusal bool) (f Finding, differs bool) {
	var texts, tokens strings.Builder
	for _, p := range said {
		if p.Templated {
			return Finding{}, false
		}
		text, spelt := p.text(refusal), spell(p.logprobs(refusal))
		if text != spelt && !differs {
			f, differs = At(p.Group, "the tokens of logprobs spell %s, the %s is %s", diag.Quote(spelt), textName(refusal), diag.Quote(text)), true
		}
		texts.WriteString(text)
		tokens.WriteString(spelt)
	}
	return f, differs && texts.String() != tokens.String()
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

// checkEntry checks a token entry, which can be one of top_logprobs.
func checkEntry(g *script.Group, entry ojson.Value, report Report) {
	token, list := entry.Get("token").Text(), entry.Get("bytes")
	for _, name := range []string{"token", "logprob"} {
		if entry.Get(name).IsNullOrAbsent() {
			report("logprob-entry-incomplete", At(g, "an entry of logprobs has no %s: %s", name, diag.Shorten(entry.String())))
		}
	}
	if list.Kind() == ojson.ArrayKind && !invent.IsPieceOfCharacter(token) && bytesOf(list) != token {
		report("logprob-bytes-mismatch", At(g, "the bytes of token %s spell %s", diag.Quote(token), diag.Quote(bytesOf(list))).
			Saying("leave bytes out, or write null, or list logprob-bytes-mismatch under quirks"))
	}
	if n, err := strconv.ParseFloat(entry.Get("logprob").Text(), 64); err == nil && n > 0 {
		report("logprob-positive", At(g, "the logprob of %s is %s, larger than 0", diag.Quote(token), entry.Get("logprob")))
	}
	if n := len(entry.Get("top_logprobs").Items()); n > request.MaxTopLogprobs {
		report("too-many-top-logprobs", At(g, "token %s has %d top_logprobs, more than %d", diag.Quote(token), n, request.MaxTopLogprobs))
	}
}
