package recording

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// deriveConditions derives a condition for each request in own. The condition matches its request
// and, as far as conditions can tell them apart, no other request in own and none in
// others. How is one of [MatchTurn], [MatchLast] and [MatchExact].
func deriveConditions(how Matching, own, others []*scenarios.Request) []scenarios.When {
	rivalsOf := rivals(slices.Concat(own, others))
	list := make([]scenarios.When, len(own))
	for i, req := range own {
		list[i] = basic(req, how)
		holds := list[i].Test()
		for _, other := range rivalsOf(req) {
			if other != req && holds(other) {
				list[i], holds = narrowed(list[i], req, other)
			}
		}
	}
	return list
}

// rivals returns a function that finds the requests which the condition of a request may match. Each
// condition asks for the path, and for the beginning and the end of the text of the last user message, if there
// are any: so these are the requests that agree in these, and all if there is neither, or one with
// placeholders, which stand for any text.
func rivals(all []*scenarios.Request) func(*scenarios.Request) []*scenarios.Request {
	alike := map[string][]*scenarios.Request{}
	asked := func(req *scenarios.Request) string {
		text := req.LastUser
		return req.Path + text[:min(partOfText/2, len(text))] + text[max(0, len(text)-partOfText/2):]
	}
	for _, req := range all {
		of := asked(req)
		alike[of] = append(alike[of], req)
	}
	return func(req *scenarios.Request) []*scenarios.Request {
		if of := req.Path + req.LastUser; of == "" || placeholderPattern().MatchString(of) {
			return all
		}
		return alike[asked(req)]
	}
}

// narrowed is a condition with the first refinement with which it no longer matches the other
// request, if there is one.
func narrowed(w scenarios.When, req, other *scenarios.Request) (scenarios.When, func(*scenarios.Request) bool) {
	for _, narrower := range slices.Concat(refinements, bodyRefinements(req, other)) {
		refined := w
		narrower(&refined, req)
		if holds := refined.Test(); !holds(other) {
			return refined, holds
		}
	}
	return w, w.Test()
}

// longText is the length, in bytes, from which a condition has only parts of a text or a value: of a text
// partOfText bytes of the beginning, and of that of the user as many of the end.
const longText, partOfText = 128 << 10, 256

// excerpts are how many bytes around the place where two long texts differ a condition has, in the order in
// which they are tried: the shorter one may be somewhere in the other text, too.
var excerpts = []int{64, 512, 4096}

// wholeBefore is the last place, up to the given one, that cuts neither a character nor a placeholder.
func wholeBefore(text string, at int) int {
	at = min(max(at, 0), len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	const longestPlaceholder = 64
	from := max(0, at-longestPlaceholder)
	for _, m := range placeholderPattern().FindAllStringIndex(text[from:min(len(text), at+longestPlaceholder)], -1) {
		if from+m[0] < at && at < from+m[1] {
			return from + m[0]
		}
	}
	return at
}

// differenceAt is a condition on the first part of a value at a path that another value has not; none if they
// are equal. Of a text it has some bytes around the place.
func differenceAt(at ojson.Path, v, other ojson.Value, around int) []scenarios.BodyMatch {
	switch {
	case ojson.Equal(v, other):
		return nil
	case v.Kind() == ojson.StringKind && other.Kind() == ojson.StringKind:
		return []scenarios.BodyMatch{{Path: scenarios.Path{Path: at}, Match: differing(v.Text(), other.Text(), around)}}
	case v.Kind() == ojson.ArrayKind && other.Kind() == ojson.ArrayKind:
		others := other.Items()
		for i, item := range v.Items() {
			if i == len(others) {
				break
			}
			if list := differenceAt(below(at, i), item, others[i], around); list != nil {
				return list
			}
		}
	case v.Kind() == ojson.ObjectKind && other.Kind() == ojson.ObjectKind:
		for _, m := range v.Members() {
			isThere := !other.Get(m.Name).IsAbsent()
			if list := differenceAt(append(slices.Clip(at), ojson.PathElement{Name: m.Name}), m.Value, other.Get(m.Name), around); isThere && list != nil {
				return list
			}
		}
		for _, m := range other.Members() {
			if no := false; v.Get(m.Name).IsAbsent() {
				return []scenarios.BodyMatch{{Path: scenarios.Path{Path: append(slices.Clip(at), ojson.PathElement{Name: m.Name})}, Exists: &no}}
			}
		}
	}
	return equalAt(at, v)
}

// replaced are conditions with others, in place of those on the same paths.
func replaced(list, with []scenarios.BodyMatch) []scenarios.BodyMatch {
	isReplaced := func(have scenarios.BodyMatch) bool {
		return slices.ContainsFunc(with, func(m scenarios.BodyMatch) bool { return m.Path.String() == have.Path.String() })
	}
	return append(slices.DeleteFunc(slices.Clone(list), isReplaced), with...)
}

// differing is the condition that a text contains what the given one has around the first byte in which another
// one differs; if the other one only goes on, that it has the same end.
func differing(text, other string, around int) *scenarios.TextMatch {
	if strings.HasPrefix(other, text) {
		return &scenarios.TextMatch{Matches: regexp.MustCompile(pattern(text[wholeBefore(text, len(text)-around):]) + "$")}
	}
	at := 0
	for at < len(other) && text[at] == other[at] {
		at++
	}
	return Containing(text[wholeBefore(text, at-around):wholeBefore(text, at+around)])
}
