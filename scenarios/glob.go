package scenarios

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// NamesModel reports whether w has a condition on the model and it holds for model.
func (w *When) NamesModel(model string) bool {
	return slices.ContainsFunc(w.Model, func(glob string) bool { return MatchesModel(glob, model) })
}

// NamedModels returns those of the models in the condition that are no patterns.
func (w *When) NamedModels() []string {
	return slices.DeleteFunc(slices.Clone(w.Model), func(glob string) bool { return strings.ContainsAny(glob, "*?") })
}

// CanShareModel reports whether a model can fit the conditions of both on it. Of two patterns it is not
// known which both fit.
func (w *When) CanShareModel(other *When) bool {
	isPattern := func(glob string) bool { return strings.ContainsAny(glob, "*?") }
	return len(w.Model) == 0 || len(other.Model) == 0 || slices.ContainsFunc(w.Model, func(glob string) bool {
		return other.NamesModel(glob) || isPattern(glob) && slices.ContainsFunc(other.Model, func(o string) bool {
			return isPattern(o) || MatchesModel(glob, o)
		})
	})
}

// CoversModel reports whether a pattern of the condition model fits every name that another one does.
func CoversModel(pattern, other *string) bool {
	fits := func(star string) bool { return MatchesModel(*pattern, strings.ReplaceAll(*other, "*", star)) }
	return fits("") && fits("\x00\x00") // names in which * of the other stands for nothing, and for what no ? fits
}

// MatchesModel reports whether a model's name fits the whole of a pattern of the condition
// model: * stands for any text, the empty one included, ? for one character, and no other
// character is special.
func MatchesModel(pattern, model string) bool {
	star, retry := -1, 0 // where to go on when the text after the last * fails
	p, i := 0, 0
	for i < len(model) {
		_, size := utf8.DecodeRuneInString(model[i:])
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, i
			p++
		case p < len(pattern) && pattern[p] == '?':
			p++
			i += size
		case p < len(pattern) && pattern[p] == model[i]:
			p++
			i++
		case star >= 0:
			_, size = utf8.DecodeRuneInString(model[retry:])
			retry += size
			p, i = star+1, retry
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
