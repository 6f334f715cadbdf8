package secret

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// encoding is a way to write text in other characters.
type encoding struct {
	needs  string         // needs is in each match of run; to look for it takes far less time.
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

// encoded are the runs of a text that have a secret when they are decoded so many times at most.
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

// Binary returns the bytes that a long text is in base64, and where in the text that begins, if they are no text,
// such as an image, perhaps in a data URL; nil for any other text.
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

// isText reports whether a decoded text is one, and not what comes of a word or an image.
func isText(plain string) bool {
	return utf8.ValidString(plain) && strings.IndexFunc(plain, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) < 0
}
