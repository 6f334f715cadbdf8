// Package spot finds secrets in texts: by their form, by the name that they stand
// behind, and those that it was told of.
package spot

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Span is the place of a secret in a text.
type Span struct {
	From, To int
	Kind     string
}

// Finder finds secrets. Its zero value knows those that have a form or a name. It is
// for one goroutine at a time.
type Finder struct {
	kinds map[string]string   // kinds are those of the secrets that it was told of.
	heads map[string][]string // heads are these secrets by their first bytes.
}

// Shortest is the length from which on a text that is a secret in its own place is
// looked for in other places, too: a shorter one may be a word.
const Shortest = 8

// Know tells of a secret. One that is shorter than [Shortest] is forgotten.
func (f *Finder) Know(kind, secret string) {
	if len(secret) < Shortest {
		return
	}
	if f.kinds == nil {
		f.kinds, f.heads = map[string]string{}, map[string][]string{}
	}
	if _, known := f.kinds[secret]; !known {
		head := secret[:Shortest]
		f.heads[head] = append(f.heads[head], secret)
	}
	f.kinds[secret] = kind
}

// Spans are the secrets in a text, in their order; none overlaps another. What more
// expressions match is of the kind pattern.
func (f *Finder) Spans(text string, more []*regexp.Regexp) []Span {
	all := append(f.told(text), Named(text)...)
	for _, f := range forms() {
		all = f.find(all, text)
	}
	for _, p := range more {
		for _, m := range p.FindAllStringIndex(text, -1) {
			if m[1] > m[0] {
				all = append(all, Span{m[0], m[1], "pattern"})
			}
		}
	}
	slices.SortFunc(all, func(a, b Span) int {
		return cmp.Or(a.From-b.From, b.To-a.To, strings.Compare(a.Kind, b.Kind))
	})
	return merged(all)
}

// told are the secrets in a text that the finder was told of. However many these are,
// the text is gone through once.
func (f *Finder) told(text string) []Span {
	var list []Span
	if len(f.heads) == 0 {
		return nil
	}
	for at := 0; at+Shortest <= len(text); at++ {
		for _, secret := range f.heads[text[at:at+Shortest]] {
			if strings.HasPrefix(text[at:], secret) {
				list = append(list, Span{at, at + len(secret), f.kinds[secret]})
			}
		}
	}
	return list
}

// merged are spans of which each that overlaps the one before is a part of it.
func merged(all []Span) []Span {
	var list []Span
	for _, s := range all {
		if n := len(list); n > 0 && s.From < list[n-1].To {
			list[n-1].To = max(list[n-1].To, s.To)
			continue
		}
		list = append(list, s)
	}
	return list
}
