package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/recording/internal/condition"
	"github.com/fakeopenai/fakeopenai/server/recording/internal/spot"
)

// Redactor replaces secrets in exchanges by placeholders, so that no file contains them:
// keys, cookies, ids of organisations and projects, e-mail addresses, and the matches of
// Patterns, in headers, URLs and bodies, even if a text is streamed in pieces. Equal
// secrets get equal placeholders, such as redacted-email-3f9c0d. A Redactor is safe for
// concurrent use.
type Redactor struct {
	// Patterns match further secrets.
	Patterns []*regexp.Regexp

	mu     sync.Mutex
	finder spot.Finder    // finder knows the secrets that were found in fields such as Authorization.
	count  map[string]int // count is how many secrets of each kind were replaced.
}

// Replaced is how often secrets of a kind were replaced.
type Replaced struct {
	Kind  string
	Times int
}

// Summary returns how many secrets were replaced so far, in the order of their kinds.
func (r *Redactor) Summary() []Replaced {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Replaced
	for kind, n := range r.count {
		list = append(list, Replaced{kind, n})
	}
	slices.SortFunc(list, func(a, b Replaced) int { return strings.Compare(a.Kind, b.Kind) })
	return list
}

// Redact replaces the secrets in an exchange.
func (r *Redactor) Redact(x *Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.learn(x)
	x.Path = r.text(r.query(x.Path))
	x.Header, x.AnswerHeader = r.header(x.Header), r.header(x.AnswerHeader)
	x.Body = r.body(x.Body)
	if strings.HasPrefix(x.AnswerHeader.Get("Content-Type"), "text/event-stream") {
		r.stream(x)
		return
	}
	if body := x.bodyBytes(); len(body) > 0 {
		x.Pieces = []Piece{{At: x.cameAt(len(body) - 1), Data: r.body(body)}}
	}
}

// learn adds the secrets in fields and parameters for secrets to the finder.
func (r *Redactor) learn(x *Exchange) {
	if r.count == nil {
		r.count = map[string]int{}
	}
	for _, h := range []http.Header{x.Header, x.AnswerHeader} {
		for name, values := range h {
			kind, secret := spot.Header(name)
			if !secret {
				continue
			}
			for _, value := range values {
				for _, part := range secretParts(name, value) {
					r.finder.Know(kind, part)
				}
			}
		}
	}
	_, query, _ := strings.Cut(x.Path, "?")
	values, _ := url.ParseQuery(query) // A part that cannot be parsed is no parameter.
	for name, list := range values {
		if secret.IsParameter(name) {
			for _, value := range list {
				r.finder.Know("key", value)
			}
		}
	}
	for _, text := range []string{x.Path, string(x.Body), string(x.bodyBytes())} {
		for _, s := range spot.Named(text) {
			r.finder.Know(s.Kind, text[s.From:s.To])
		}
	}
}

// secretParts are the secrets in a field's value: the credentials after a scheme,
// the values of cookies.
func secretParts(name, value string) []string {
	if strings.HasSuffix(http.CanonicalHeaderKey(name), "Cookie") {
		var parts []string
		for pair := range strings.SplitSeq(value, ";") {
			_, part, _ := strings.Cut(pair, "=")
			parts = append(parts, strings.Trim(part, `" `))
		}
		return parts
	}
	_, credentials, ok := strings.Cut(value, " ")
	if !ok {
		return []string{value}
	}
	credentials = strings.TrimSpace(credentials)
	_, password, _ := strings.Cut(spot.Password(credentials), ":")
	return []string{credentials, password}
}

// query is a path with the secrets of its query replaced.
func (r *Redactor) query(path string) string {
	before, query, ok := strings.Cut(path, "?")
	if !ok {
		return path
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err == nil && secret.IsParameter(plain) && value != "" {
			parts[i] = name + "=" + r.placeholder("key", value)
		}
	}
	return before + "?" + strings.Join(parts, "&")
}

// header is a header with its secrets replaced.
func (r *Redactor) header(h http.Header) http.Header {
	redacted := make(http.Header, len(h))
	for name, values := range h {
		kind, secret := spot.Header(name)
		for _, value := range values {
			if secret {
				value = r.placeholder(kind, value)
			} else {
				value = r.text(value)
			}
			redacted[name] = append(redacted[name], value)
		}
	}
	return redacted
}

// placeholder stands in for a secret: its kind and the beginning of its hash.
func (r *Redactor) placeholder(kind, secret string) string {
	if condition.Placeholder().MatchString(secret) {
		return secret // It is a placeholder already.
	}
	r.count[kind]++
	sum := sha256.Sum256([]byte(secret))
	return "redacted-" + kind + "-" + hex.EncodeToString(sum[:3])
}

// text is a text with its secrets replaced.
func (r *Redactor) text(text string) string {
	var b strings.Builder
	at := 0
	for _, s := range r.finder.Spans(text, r.Patterns) {
		b.WriteString(text[at:s.From])
		b.WriteString(r.placeholder(s.Kind, text[s.From:s.To]))
		at = s.To
	}
	if at == 0 {
		return text
	}
	b.WriteString(text[at:])
	return b.String()
}

// body is a body with its secrets replaced, even those that JSON escapes.
func (r *Redactor) body(body []byte) []byte {
	body = []byte(r.text(string(body)))
	v, err := ojson.Parse(body)
	if err != nil {
		return body
	}
	if redacted := r.value(v); !ojson.Equal(redacted, v) {
		return redacted.Append(nil)
	}
	return body
}

// value is a JSON value with the secrets in its strings and names replaced.
func (r *Redactor) value(v ojson.Value) ojson.Value {
	switch v.Kind() {
	case ojson.StringKind:
		if text := r.text(v.Text()); text != v.Text() {
			return ojson.String(text)
		}
	case ojson.ArrayKind:
		var items []ojson.Value
		for _, item := range v.Items() {
			items = append(items, r.value(item))
		}
		return ojson.Array(items...)
	case ojson.ObjectKind:
		var members []ojson.Member
		for _, m := range v.Members() {
			members = append(members, ojson.M(r.text(m.Name), r.value(m.Value)))
		}
		return ojson.Object(members...)
	}
	return v
}

// stream replaces the secrets in the events of a stream. Those that span several events
// come first, because a part of such a secret may look like a secret, too.
func (r *Redactor) stream(x *Exchange) {
	frames := framesOf(x)
	before := make([][]byte, len(frames))
	for i := range frames {
		before[i] = frames[i].raw
	}
	r.acrossEvents(frames)
	for i := range frames {
		f := &frames[i]
		if text := r.text(string(f.raw)); text != string(f.raw) {
			f.rewrite(text)
		}
	}
	x.rewriteFrames(before, frames)
}
