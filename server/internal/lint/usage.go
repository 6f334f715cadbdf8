package lint

import "github.com/fakeopenai/fakeopenai/scenarios/ojson"

// usageRules are about the usage object.
var usageRules = []rule{
	{"usage-with-choices", "A chunk has both usage and a choice. OpenAI sends usage alone, in a chunk with empty choices.", usageWithChoices},
	{"usage-not-last", "A chunk with a choice comes after the usage chunk. OpenAI sends usage last, apart from audio.", usageNotLast},
	{"two-usages", "There is a second usage object. OpenAI sends one, for all choices.", twoUsages},
	{"usage-total-wrong", "total_tokens is not the sum of prompt_tokens and completion_tokens.", usageTotalWrong},
	{"usage-negative", "A number of tokens is negative.", usageNegative},
	{"usage-detail-too-large", "A number in the details is larger than the number that it is a part of.", usageDetailTooLarge},
}

func usageWithChoices(t *talk, report func(breach)) {
	for _, u := range t.usages {
		if !u.alone {
			report(at(u.Line, "the chunk has both usage and a choice").
				saying("make usage a step of its own, after finish, or list usage-with-choices under quirks"))
		}
	}
}

func usageNotLast(t *talk, report func(breach)) {
	last := -1
	for _, u := range t.usages {
		if u.alone {
			last = u.at
			break
		}
	}
	if last < 0 {
		return
	}
	for _, p := range t.parts {
		if p.Line != &t.lines[last] && p.at > last && !p.isAudio() && p.saysSomething() {
			report(at(p.Line, "a chunk with choice %d comes after the usage", p.choice))
			return
		}
	}
}

func twoUsages(t *talk, report func(breach)) {
	for i, u := range t.usages {
		if i > 0 {
			report(at(u.Line, "there was a usage already"))
		}
	}
}

func usageTotalWrong(t *talk, report func(breach)) {
	for _, u := range t.usages {
		prompt, okP := u.object.Get("prompt_tokens").Int()
		completion, okC := u.object.Get("completion_tokens").Int()
		total, okT := u.object.Get("total_tokens").Int()
		if okP && okC && okT && total != prompt+completion {
			report(at(u.Line, "total_tokens is %d, the sum is %d", total, prompt+completion).
				saying("leave total_tokens out to get the sum, or list usage-total-wrong under quirks"))
		}
	}
}

func usageNegative(t *talk, report func(breach)) {
	for _, u := range t.usages {
		eachNumber(u.object, func(name string, n int64) {
			if n < 0 {
				report(at(u.Line, "%s is %d", name, n))
			}
		})
	}
}

// eachNumber visits the numbers of a usage object, also those in its details.
func eachNumber(object ojson.Value, visit func(name string, n int64)) {
	for _, m := range object.Members() {
		if n, ok := m.Value.Int(); ok {
			visit(m.Name, n)
		}
		eachNumber(m.Value, visit)
	}
}

func usageDetailTooLarge(t *talk, report func(breach)) {
	for _, u := range t.usages {
		for _, whole := range []string{"prompt_tokens", "completion_tokens"} {
			limit, ok := u.object.Get(whole).Int()
			if !ok || limit < 0 {
				continue
			}
			eachNumber(u.object.Get(whole+"_details"), func(name string, n int64) {
				if n > limit {
					report(at(u.Line, "%s is %d, more than the %d %s that it is a part of", name, n, limit, whole))
				}
			})
		}
	}
}
