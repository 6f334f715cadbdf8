package secret

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Span is the kind of a secret and its place in a text.
type Span struct {
	From, To int
	Kind     string
}

// Finder finds secrets. The zero Finder finds those with a known form or a name. It is
// not safe for concurrent use.
type Finder struct {
	kinds    map[string]string   // kinds are the kinds of the secrets of Know.
	heads    map[string][]string // heads are the secrets of Know by their first bytes.
	unsorted bool                // unsorted says that these lists are not in their order.
}

// Shortest is the least length, in bytes, of a secret that is searched for everywhere. A
// shorter one may be a word of the text.
const Shortest = 8

// Know adds a secret that is searched for everywhere, unless it is shorter than
// [Shortest].
func (f *Finder) Know(kind, secret string) {
	if len(secret) < Shortest {
		return
	}
	if f.kinds == nil {
		f.kinds, f.heads = map[string]string{}, map[string][]string{}
	}
	if _, known := f.kinds[secret]; !known {
		head := secret[:Shortest]
		f.heads[head], f.unsorted = append(f.heads[head], secret), true
	}
	f.kinds[secret] = kind
}

// deepest is how often a secret that is found can be encoded.
const deepest = 4

// Spans returns the secrets in a text, in their order and without overlaps. The matches
// of more have the kind pattern. Of an encoded text with a secret, the whole is one.
func (f *Finder) Spans(text string, more []*regexp.Regexp) []Span {
	return f.spans(text, more, deepest)
}

// spans are the secrets of a text, which may be encoded up to a number of times, one encoding inside another.
func (f *Finder) spans(text string, more []*regexp.Regexp, times int) []Span {
	all := slices.Concat(f.Known(text), Named(text), forms(text))
	if times > 0 {
		all = append(all, f.encoded(text, more, times)...)
	}
	for _, p := range more {
		for _, m := range p.FindAllStringIndex(text, -1) {
			if m[1] > m[0] {
				all = append(all, Span{m[0], m[1], "pattern"})
			}
		}
	}
	return merged(all)
}

// forms are the secrets of a known form in a text. They may overlap.
func forms(text string) (list []Span) {
	lower := lowered(text)
	for _, f := range patterns() {
		list = f.find(list, text, lower)
	}
	return list
}

// Replace returns a text with others in place of its secrets: see [Finder.Spans].
func (f *Finder) Replace(text string, more []*regexp.Regexp, by func(kind, secret string) string) string {
	return replace(text, f.Spans(text, more), by)
}

func replace(text string, spans []Span, by func(kind, secret string) string) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.From])
		b.WriteString(by(s.Kind, text[s.From:s.To]))
		at = s.To
	}
	if at == 0 {
		return text
	}
	b.WriteString(text[at:])
	return b.String()
}

// Known returns the secrets of Know in a text or in any bytes, found in one pass. Of those that begin at
// the same place it is the longest one.
func (f *Finder) Known(text string) []Span {
	var list []Span
	if len(f.heads) == 0 {
		return nil
	}
	if f.unsorted {
		for _, known := range f.heads {
			slices.Sort(known)
		}
		f.unsorted = false
	}
	for at := 0; at+Shortest <= len(text); at++ {
		if secret := longest(f.heads[text[at:at+Shortest]], text[at:]); secret != "" {
			list = append(list, Span{at, at + len(secret), f.kinds[secret]})
		}
	}
	return list
}

// longest is the longest text of a sorted list with which another text begins; "" if there is none.
func longest(sorted []string, text string) string {
	for len(sorted) > 0 {
		i, found := slices.BinarySearch(sorted, text)
		if found {
			return sorted[i]
		}
		if i == 0 {
			return ""
		}
		// What text begins with comes before text, and the one before text begins with it, too.
		sorted = sorted[:i]
		n := 0
		for last := sorted[i-1]; n < min(len(last), len(text)) && last[n] == text[n]; n++ {
		}
		text = text[:n]
	}
	return ""
}

// merged are the spans in their order, with those that overlap joined.
func merged(all []Span) []Span {
	slices.SortFunc(all, func(a, b Span) int {
		return cmp.Or(a.From-b.From, b.To-a.To, strings.Compare(a.Kind, b.Kind))
	})
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
