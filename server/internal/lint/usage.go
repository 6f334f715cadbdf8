package lint

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

func usageWithChoices(t *Transcript, report func(Finding)) {
	for _, u := range t.Usages {
		if !u.alone {
			report(At(u.Group, "the chunk has both usage and a choice").
				Saying("make usage a step of its own, after finish, or list usage-with-choices under quirks"))
		}
	}
}

func usageNotLast(t *Transcript, report func(Finding)) {
	last := -1
	for _, u := range t.Usages {
		if u.alone {
			last = u.at
			break
		}
	}
	if last < 0 {
		return
	}
	for _, p := range t.Said {
		if p.at > last && !p.isAudio() && p.saysSomething() {
			report(At(p.Group, "a chunk with choice %d comes after the usage", p.Choice))
			return
		}
	}
}

func twoUsages(t *Transcript, report func(Finding)) {
	for i, u := range t.Usages {
		if i > 0 {
			report(At(u.Group, "there is a usage before this one"))
		}
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

func usageTotalWrong(t *Transcript, report func(Finding)) {
	for _, u := range t.Usages {
		object := u.object()
		prompt, okP := object.Get("prompt_tokens").Int()
		completion, okC := object.Get("completion_tokens").Int()
		total, okT := object.Get("total_tokens").Int()
		if okP && okC && okT && total != prompt+completion {
			report(At(u.Group, "total_tokens is %d, the sum is %d", total, prompt+completion).
				Saying("leave total_tokens out to get the sum, or list usage-total-wrong under quirks"))
		}
	}
}

func usageNegative(t *Transcript, report func(Finding)) {
	for _, u := range t.Usages {
		eachNumber(u.object(), func(name string, n int64) {
			if n < 0 {
				report(At(u.Group, "%s is %d", name, n))
			}
		})
	}
}

// eachNumber calls visit for the numbers of a usage object and of its details.
func eachNumber(object ojson.Value, visit func(name string, n int64)) {
	for _, m := range object.Members() {
		if n, ok := m.Value.Int(); ok {
			visit(m.Name, n)
		}
		eachNumber(m.Value, visit)
	}
}

func usageDetailTooLarge(t *Transcript, report func(Finding)) {
	for _, u := range t.Usages {
		object := u.object()
		for _, sum := range []string{"prompt_tokens", "completion_tokens"} {
			limit, ok := object.Get(sum).Int()
			if !ok || limit < 0 {
				continue
			}
			eachNumber(object.Get(sum+"_details"), func(name string, n int64) {
				if n > limit {
					report(At(u.Group, "%s is %d, more than the %d %s that it is a part of", name, n, limit, sum))
				}
			})
		}
	}
}

// tokenCounts are the required members of usage.
var tokenCounts = []string{"prompt_tokens", "completion_tokens", "total_tokens"}

func usageIncomplete(t *Transcript, report func(Finding)) {
	for _, u := range t.Usages {
		object, lacking, wrong := u.object(), []string(nil), false
		for _, name := range tokenCounts {
			v := object.Get(name)
			if v.IsAbsent() {
				lacking = append(lacking, name)
			}
			wrong = wrong || isNoCount(v) // then the sum is unknown, too
		}
		if len(lacking) > 0 && !wrong && isObject(u.Usage.Written) {
			report(At(u.Group, "usage has no %s", strings.Join(lacking, ", ")))
		}
	}
}

func usageNotNumbers(t *Transcript, report func(Finding)) {
	for _, u := range t.Usages {
		if !isObject(u.Usage.Written) {
			report(At(u.Group, "usage is %s, not an object", InWords(u.Usage.Written)))
			continue
		}
		if !u.Templated {
			eachCount(u.object(), func(name string, v ojson.Value) {
				if isNoCount(v) {
					report(At(u.Group, "%s is %s, not a whole number", name, v.TypeInWords()))
				}
			})
		}
	}
}

func isObject(v ojson.Value) bool { return v.IsAbsent() || v.Kind() == ojson.ObjectKind }

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
