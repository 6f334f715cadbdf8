package secret

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Request masks what is shown of a request: its URL, its header, and every text that may repeat them.
// It finds the secrets that the request itself brought, and in texts those of a known form. A nil Request
// masks nothing. It is not safe for concurrent use.
type Request struct {
	header    http.Header
	path, key string
	brought   []string // brought are the secrets of the request, in no order; nil until they are needed.
}

// Of returns the masks of a request with a header, a path with its query, and an API key. Each can be
// missing.
func Of(header http.Header, path, key string) *Request {
	return &Request{header: header, path: path, key: key}
}

// Key returns an API key masked.
func (r *Request) Key(key string) string {
	if r == nil {
		return key
	}
	return Mask(key)
}

// Header returns a copy of a header of the request, or of its answer, with its secrets masked.
func (r *Request) Header(h http.Header) http.Header {
	if h == nil || r == nil {
		return h
	}
	masked := make(http.Header, len(h))
	for name, values := range h {
		values = slices.Clone(values)
		for i, value := range values {
			if scenarios.IsSecretHeader(name) {
				values[i] = maskCredentials(name, value)
			} else {
				values[i] = r.Text(value)
			}
		}
		masked[name] = values
	}
	return masked
}

// Path returns a path with masks in place of its secrets, also where these are escaped.
func (r *Request) Path(path string) string {
	if r == nil {
		return path
	}
	before, query, asks := strings.Cut(path, "?")
	if hasLongPart(before) {
		before = r.escaped(before, url.PathUnescape)
	}
	if !asks {
		return before
	}
	return before + parameter().ReplaceAllStringFunc("?"+query, func(text string) string {
		name, value, _ := strings.Cut(text, "=")
		if isSecretParameter(name[1:]) {
			return name + "=" + Mask(unescaped(value))
		}
		return name + "=" + r.escaped(value, url.QueryUnescape)
	})
}

// escaped masks the secrets in a part of a URL, which stays as it is if it has none.
func (r *Request) escaped(part string, unescape func(string) (string, error)) string {
	plain, err := unescape(part)
	if err != nil {
		plain = part
	}
	if masked := r.Text(plain); masked != plain {
		return masked
	}
	return part
}

// hasLongPart reports whether a part of a path, between slashes, may be a secret. The paths of most
// requests have none, and it takes far longer to look for secrets.
func hasLongPart(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if len(part) >= Shortest && !slices.Contains([]string{"completions", "responses", "embeddings", "moderations", "deployments"}, part) {
			return true
		}
	}
	return false
}

// Text returns a text with masks in place of its secrets: those of the request, those of a known form, and
// in URLs the values of parameters for secrets. E-mail addresses stay.
func (r *Request) Text(text string) string {
	if r == nil || len(text) < Shortest {
		return text
	}
	found := slices.DeleteFunc(forms(text), func(s Span) bool { return s.Kind == "email" })
	for _, m := range parameterInText().FindAllStringSubmatchIndex(text, -1) {
		if isMask := strings.Contains(text[m[4]:m[5]], "…"); !isMask && isSecretParameter(text[m[2]:m[3]]) {
			found = append(found, Span{m[4], m[5], "key"})
		}
	}
	return replace(text, merged(append(found, r.spans(text)...)), func(_, text string) string { return Mask(text) })
}

var parameterInText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[?&]([^\s=&?"'<>]+)=([^\s&"'<>]+)`) })

// Body returns a body with masks in place of the secrets that the request brought in its header and its
// query. Others stay.
func (r *Request) Body(body []byte) []byte {
	return r.replaceOwn(body, Mask)
}

// Bytes is [Request.Body] for bytes whose number must not change: each byte of a secret is an asterisk.
func (r *Request) Bytes(b []byte) []byte {
	return r.replaceOwn(b, func(text string) string { return strings.Repeat("*", len(text)) })
}

func (r *Request) replaceOwn(b []byte, by func(string) string) []byte {
	if r == nil || len(b) < Shortest {
		return b
	}
	text := string(b)
	if found := r.spans(text); len(found) > 0 {
		return []byte(replace(text, merged(found), func(_, text string) string { return by(text) }))
	}
	return b
}

// spans are the places in a text of the secrets that the request brought.
func (r *Request) spans(text string) (list []Span) {
	if r.brought == nil {
		r.learn()
	}
	for _, known := range r.brought {
		for at := 0; ; {
			next := strings.Index(text[at:], known)
			if next < 0 {
				break
			}
			list = append(list, Span{at + next, at + next + len(known), "key"})
			at += next + len(known)
		}
	}
	return list
}

// learn sets the secrets that the request brought: keys and cookies, but not the ids of organisations and
// projects, which may be words.
func (r *Request) learn() {
	r.brought = []string{}
	know := func(text string) string {
		if len(text) >= Shortest && utf8.ValidString(text) && !slices.Contains(r.brought, text) {
			r.brought = append(r.brought, text)
		}
		return text
	}
	know(r.key)
	for name, values := range r.header {
		kind, ok := KindOfHeader(name)
		if !ok || kind == "organization" || kind == "project" {
			continue
		}
		for _, value := range values {
			for _, part := range Parts(name, value) {
				know(part)
			}
		}
	}
	Query(r.path, know)
}

// Parts are the secrets in the value of a header field for secrets: the credentials after a scheme, the
// values of cookies, what follows the names of protocols.
func Parts(name, value string) []string {
	lists := map[string][2]string{"cookie": {";", "="}, "set-cookie": {";", "="}, "sec-websocket-protocol": {",", "."}}
	if marks, ok := lists[strings.ToLower(name)]; ok {
		var parts []string
		for pair := range strings.SplitSeq(value, marks[0]) {
			_, part, _ := strings.Cut(pair, marks[1])
			parts = append(parts, strings.Trim(part, `" `))
		}
		return parts
	}
	_, credentials, ok := strings.Cut(value, " ")
	if !ok {
		return []string{value}
	}
	credentials = strings.TrimSpace(credentials)
	_, password, _ := strings.Cut(Password(credentials), ":")
	return []string{credentials, password}
}
