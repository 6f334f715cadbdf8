package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// checkUsage checks the usage objects, and that they come last.
func checkUsage(t *Transcript, report Report) {
	last := len(t.groups()) // last is the index of the first usage that stands alone
	for i, u := range t.Usages {
		if i > 0 {
			report("two-usages", At(u.Group, "there is a usage before this one"))
		}
		if !u.alone {
			report("usage-with-choices", At(u.Group, "the chunk has both usage and a choice").
				Saying("make usage a step of its own, after finish, or list usage-with-choices under quirks"))
		} else {
			last = min(last, u.at)
		}
		u.checkMembers(report)
		u.checkSums(report)
	}
	late := func(s Said) bool { return s.at > last && !s.isAudio() && s.saysSomething() }
	if i := slices.IndexFunc(t.Said, late); i >= 0 {
		report("usage-not-last", At(t.Said[i].Group, "a chunk with choice %d comes after the usage", t.Said[i].Choice))
	}
}

// object is the usage object as a client reads it.
func (u UsageAt) object() ojson.Value {
	object := ojson.Object(
		ojson.M("prompt_tokens", u.Usage.Prompt),
		ojson.M("completion_tokens", u.Usage.Completion),
		ojson.M("total_tokens", u.Usage.Total),
	)
	object.SetAll(u.Usage.Written.Members())
	return object
}

// checkSums compares the numbers in a usage object with each other.
func (u UsageAt) checkSums(report Report) {
	object := u.object()
	prompt, okP := object.Get("prompt_tokens").Int()
	completion, okC := object.Get("completion_tokens").Int()
	total, okT := object.Get("total_tokens").Int()
	if okP && okC && okT && total != prompt+completion {
		report("usage-total-wrong", At(u.Group, "total_tokens is %d, the sum is %d", total, prompt+completion).
			Saying("leave total_tokens out to get the sum, or list usage-total-wrong under quirks"))
	}
	eachCount(object, func(name string, v ojson.Value) {
		if n, _ := v.Int(); n < 0 {
			report("usage-negative", At(u.Group, "%s is %d", name, n))
		}
	})
	for _, sum := range []string{"prompt_tokens", "completion_tokens"} {
		limit, ok := object.Get(sum).Int()
		if !ok || limit < 0 {
			continue
		}
		eachCount(object.Get(sum+"_details"), func(name string, v ojson.Value) {
			if n, _ := v.Int(); n > limit {
				report("usage-detail-too-large", At(u.Group, "%s is %d, more than the %d %s that it is a part of", name, n, limit, sum))
			}
		})
	}
}

// checkMembers checks that a usage is an object with the required members, which are whole
// numbers.
func (u UsageAt) checkMembers(report Report) {
	if written := u.Usage.Written; !written.IsAbsent() && written.Kind() != ojson.ObjectKind {
		report("usage-not-numbers", At(u.Group, "usage is %s, not an object", InWords(written)))
		return
	}
	object, lacking, wrong := u.object(), []string(nil), false
	for _, name := range []string{"prompt_tokens", "completion_tokens", "total_tokens"} {
		v := object.Get(name)
		if v.IsAbsent() {
			lacking = append(lacking, name)
		}
		wrong = wrong || isNoCount(v) // then the sum is unknown, too
	}
	if len(lacking) > 0 && !wrong {
		report("usage-incomplete", At(u.Group, "usage has no %s", strings.Join(lacking, ", ")))
	}
	if u.Templated {
		return
	}
	eachCount(object, func(name string, v ojson.Value) {
		if isNoCount(v) {
			report("usage-not-numbers", At(u.Group, "%s is %s, not a whole number", name, v.TypeInWords()))
		}
	})
}

// isNoCount reports whether a value is present and not a number of tokens.
func isNoCount(v ojson.Value) bool {
	return !v.IsAbsent() && v.Kind() != ojson.RawKind && !v.IsInteger()
}

// eachCount calls visit for the token counts in a usage object and its details, without
// the members that other providers add.
func eachCount(object ojson.Value, visit func(name string, v ojson.Value)) {
	for _, m := range object.Members() {
		switch {
		case m.Value.Kind() == ojson.ObjectKind:
			eachCount(m.Value, visit)
		case strings.HasSuffix(m.Name, "_tokens"):
			visit(m.Name, m.Value)
		}
	}
}

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
