// Package secret finds API keys, cookies, ids of organisations and other secrets, and masks them
// for readers who may see the rest of a request. Equal secrets have equal masks, and different
// secrets different ones.
package secret

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// shownFrom is the length in characters from which on a mask shows the last tail characters
// of a secret. Enough characters stay hidden then.
const shownFrom, tail = 20, 4

// Mask returns the mask of a secret, such as sk-…a1b2 (sha256:3f9c0d12): its prefix if that
// is a known one, its last four characters if it is long, and the beginning of its hash. An
// empty text stays empty.
func Mask(text string) string {
	if text == "" {
		return ""
	}
	mask := kind().FindString(text) + "…"
	if runes := []rune(text); len(runes) >= shownFrom {
		mask += string(runes[len(runes)-tail:])
	}
	sum := sha256.Sum256([]byte(text))
	return mask + " (sha256:" + hex.EncodeToString(sum[:4]) + ")"
}

// kind matches the prefixes of the real service's keys and ids.
var kind = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(sk|org|proj)[-_]`) })

// maskCredentials masks the value of a header field. The scheme of an Authorization stays,
// so that the mask of a bearer token equals that of the API key, and so do the names of
// protocols, such as openai-insecure-api-key, before their first dot.
func maskCredentials(name, value string) string {
	if name == "Sec-Websocket-Protocol" {
		protocols := strings.Split(value, ",")
		for i, text := range protocols {
			if before, key, ok := strings.Cut(text, "."); ok {
				protocols[i] = before + "." + Mask(strings.TrimSpace(key))
			}
		}
		return strings.Join(protocols, ",")
	}
	scheme, credentials, ok := strings.Cut(value, " ")
	if ok && slices.Contains(schemes, strings.ToLower(scheme)) {
		return scheme + " " + Mask(strings.TrimSpace(credentials))
	}
	return Mask(value)
}

var schemes = []string{"basic", "bearer", "digest", "negotiate"}

// Query returns a path in whose query the values of parameters for secrets are replaced.
func Query(path string, replaced func(value string) string) string {
	at := strings.IndexByte(path, '?')
	if at < 0 {
		return path
	}
	return path[:at] + parameter().ReplaceAllStringFunc(path[at:], func(text string) string {
		name, value, _ := strings.Cut(text, "=")
		if value == "" || !isSecretParameter(name[1:]) {
			return text
		}
		return name + "=" + replaced(unescaped(value))
	})
}

// unescaped is a value of a query as its client meant it.
func unescaped(value string) string {
	if plain, err := url.QueryUnescape(value); err == nil {
		return plain
	}
	return value
}

// parameter matches one parameter of a query, with the separator before it.
var parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[?&;][^=&;]*=[^&;]*`) })

func isSecretParameter(name string) bool {
	return slices.Contains(parameters, strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(unescaped(name))))
}

// parameters are the names of query parameters that hold secrets, in lower case and without
// hyphens and underscores.
var parameters = []string{
	"accesstoken", "apikey", "authorization", "clientsecret", "key", "password", "secret", "sig", "signature", "subscriptionkey", "token",
	"xamzcredential", "xamzsecuritytoken", "xamzsignature", "xgoogcredential", "xgoogsignature",
}

// encoding is a way to write text in other characters.
type encoding struct {
	needs  string         // needs is a text that each match of run contains; to search for it takes far less time.
	run    *regexp.Regexp // run matches what may be encoded.
	decode func(run string) (string, error)
}

// escapes matches how a character is escaped in JSON, even in JSON inside a string of JSON.
var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\+u`) })

// encodings are the ways in which a text can hide a secret.
var encodings = sync.OnceValue(func() []encoding {
	of := func(base *base64.Encoding) func(string) (string, error) {
		return func(run string) (string, error) {
			plain, err := base.DecodeString(strings.TrimRight(run, "="))
			return string(plain), err
		}
	}
	return []encoding{
		{"", regexp.MustCompile(`[A-Za-z0-9+/]{11,}={0,2}`), of(base64.RawStdEncoding)},
		{"", regexp.MustCompile(`[A-Za-z0-9_-]{11,}={0,2}`), of(base64.RawURLEncoding)},
		{"", regexp.MustCompile(`(?:[0-9A-Fa-f]{2}){8,}`), func(run string) (string, error) {
			plain, err := hex.DecodeString(run)
			return string(plain), err
		}},
		{"%", regexp.MustCompile(`[\w.~-]*(?:%[0-9A-Fa-f]{2}[\w.~-]*)+`), url.PathUnescape},
		{`\u`, regexp.MustCompile(`[\w.~-]*(?:\\+u[0-9A-Fa-f]{4}[\w.~-]*)+`), func(run string) (string, error) {
			v, err := ojson.Parse([]byte(`"` + escapes().ReplaceAllString(run, `\u`) + `"`))
			return v.Text(), err
		}},
		{"&", regexp.MustCompile(`[\w.~-]*(?:&#?\w+;[\w.~-]*)+`), func(run string) (string, error) { return html.UnescapeString(run), nil }},
	}
})

// encoded are the runs of a text in which there is a secret after decoding them, at most a number of times.
func (f *Finder) encoded(text string, more []*regexp.Regexp, times int) (list []Span) {
	for _, e := range encodings() {
		if !strings.Contains(text, e.needs) {
			continue
		}
		for _, m := range e.run.FindAllStringIndex(text, -1) {
			plain, err := e.decode(text[m[0]:m[1]])
			if err != nil || !isText(plain) {
				continue
			}
			if found := f.spans(plain, more, times-1); len(found) > 0 {
				list = append(list, Span{m[0], m[1], found[0].Kind})
			}
		}
	}
	return list
}

// shortestBinary is a length in bytes that no key has in base64.
const shortestBinary = 4096

// Binary returns the decoded bytes of a long text in base64, perhaps in a data URL, and the position
// at which the base64 begins. It returns nil if the bytes are a text, and for any other text.
func Binary(text string) (at int, plain []byte) {
	if head, _, ok := strings.Cut(text, ";base64,"); ok && strings.HasPrefix(head, "data:") {
		at = len(head) + len(";base64,")
	}
	if len(text)-at < shortestBinary {
		return 0, nil
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text[at:], "="))
	if err != nil || isText(string(plain)) {
		return 0, nil
	}
	return at, plain
}

// isText reports whether decoded bytes are a text, and not what decoding a word or an image gives.
func isText(plain string) bool {
	return utf8.ValidString(plain) && strings.IndexFunc(plain, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) < 0
}

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
