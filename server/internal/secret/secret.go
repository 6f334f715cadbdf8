// Package secret finds API keys, cookies, ids of organisations and other secrets, and masks them
// for readers who may see the rest of a request. Equal secrets have equal masks, and different
// secrets different ones.
package secret

import (
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

// isSecretParameter reports whether a query parameter of this name, as in the URL, holds a secret.
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
