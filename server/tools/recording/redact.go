package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
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
	finder secret.Finder  // finder knows the secrets that were found in fields such as Authorization.
	count  map[string]int // count is how many secrets of each kind were replaced.
	// asBytes is how many files, as bodies or in base64, are no text.
	asBytes int
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

// Files counts the files so far, as bodies or in base64, that are no text. In these only the secrets that headers have
// and secrets behind names are found, as bytes.
func (r *Redactor) Files() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asBytes
}

// mostEvents is how many events a stream that is recorded has at most, because it is played several
// times.
const mostEvents = 100_000

// Redact replaces the secrets in an exchange; an answer of too many events or bytes becomes too long. The
// pieces of a stream are then its events, at the times of their last bytes.
func (r *Redactor) Redact(x *Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil {
		r.count = map[string]int{}
	}
	x.withoutForm()
	body, frames := x.bodyBytes(), framesOf(x)
	switch isStream := x.IsStream(); {
	case isStream && len(frames) > mostEvents, !isStream && len(body) > DefaultLimit && x.Status != 0: // Other text than an answer has no status.
		x.TooLong, x.Pieces, frames = true, nil, nil
	case isBytes(body):
		frames = nil
	case !isStream && len(body) > 0:
		frames = []frame{{Block: sse.Block{Raw: body[len(markOf(body)):]}, at: x.cameAt(len(body) - 1)}} // It is redacted as one event.
	}
	t := &texts{pieces: map[string][]int{}, rows: map[string][]int{}, lists: map[string][]int{}}
	t.add(secret.Query(x.Path, func(value string) string { return r.placeholder("key", value) }), "path")
	t.addText(string(x.Body), "request")
	for i := range frames {
		for n, part := range frames[i].parts() {
			t.addText(part, []string{"answer", "data"}[n%2])
		}
	}
	r.learn(x, t)
	r.redact(t)
	x.Header, x.AnswerHeader = r.header(x.Header), r.header(x.AnswerHeader)
	x.Path = t.removeFirst()
	x.Body = []byte(r.next(string(x.Body), t))
	mark, pieces := markOf(x.bodyBytes()), make([]Piece, len(frames))
	for i := range frames {
		for _, part := range frames[i].parts() {
			pieces[i].Data = append(pieces[i].Data, r.next(part, t)...)
		}
		pieces[i].At = frames[i].at
	}
	if len(pieces) > 0 {
		pieces[0].Data = append(slices.Clip(mark), pieces[0].Data...)
		x.Pieces = pieces
	} else if len(x.Pieces) > 0 {
		x.Pieces = []Piece{{At: x.cameAt(len(body) - 1), Data: r.bytes(body)}}
	}
}

// parts are the bytes of an event by turns: those before a data line, and a data line.
func (f *frame) parts() (list []string) {
	begin, at := 0, 0
	for l := range f.Lines() {
		end := at + l.Length()
		if l.Name == "data" && l.Value != "" {
			value := end - len(l.End) - len(l.Value)
			list = append(list, string(f.Raw[begin:value]), l.Value)
			begin = end - len(l.End)
		}
		at = end
	}
	return append(list, string(f.Raw[begin:]))
}

// Line is a text for a terminal: in one line, without secrets and control characters. It
// knows secrets by their form alone, because it does not wait for an exchange that is being
// redacted. The summary does not count what it replaces.
func (r *Redactor) Line(text string) string {
	line := Redactor{Patterns: r.Patterns, count: map[string]int{}}
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, line.text(text))
}

// learn adds to the finder the secrets in fields and parameters for secrets, and those
// behind their names.
func (r *Redactor) learn(x *Exchange, t *texts) {
	for _, h := range []http.Header{x.Header, x.AnswerHeader} {
		for name, values := range h {
			kind, isSecret := secret.KindOfHeader(name)
			if !isSecret {
				continue
			}
			for _, value := range values {
				for _, part := range secret.Parts(name, value) {
					r.know(kind, part)
				}
			}
		}
	}
	secret.Query(x.Path, func(value string) string {
		r.know("key", value)
		return value
	})
	for _, value := range t.named {
		r.know("key", value)
	}
	for _, place := range t.places {
		text := t.textAt(place)
		for _, s := range secret.Named(text) {
			r.know(s.Kind, text[s.From:s.To])
		}
	}
}

// header is a header with its secrets replaced.
func (r *Redactor) header(h http.Header) http.Header {
	redacted := make(http.Header, len(h))
	for name, values := range h {
		kind, isSecret := secret.KindOfHeader(name)
		for _, value := range values {
			if isSecret {
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
	if placeholderPattern().MatchString(secret) {
		return secret // It is a placeholder already.
	}
	r.count[kind]++
	sum := sha256.Sum256([]byte(secret))
	return "redacted-" + kind + "-" + hex.EncodeToString(sum[:3])
}

// text is a text with its secrets replaced.
func (r *Redactor) text(text string) string {
	return r.finder.Replace(text, r.Patterns, r.placeholder)
}

// name is the name of a JSON member with its secrets replaced. One that is shorter than any secret is not searched.
func (r *Redactor) name(name string) string {
	if len(name) < secret.Shortest && len(r.Patterns) == 0 {
		return name
	}
	return r.text(name)
}

// next is a text that was added to t, with the texts that are left in t. JSON keeps the
// style in which it was written, if that is a known one.
func (r *Redactor) next(text string, t *texts) string {
	v, err := ojson.Parse([]byte(text))
	if err != nil {
		return t.removeFirst()
	}
	redacted := r.value(v, t)
	if ojson.Equal(redacted, v) {
		return text
	}
	for _, style := range bodyStyles() {
		if before := string(encoder(style).Append(nil, v)); before == strings.TrimSpace(text) {
			return strings.Replace(text, before, string(encoder(style).Append(nil, redacted)), 1)
		}
	}
	return redacted.String()
}

// value is a JSON value with the texts that are left in t, and without the secrets in its
// names and numbers. It has no log-probabilities of replaced tokens, whose bytes and
// alternatives would spell the secret.
func (r *Redactor) value(v ojson.Value, t *texts) ojson.Value {
	switch v.Kind() {
	case ojson.StringKind:
		return ojson.String(t.removeFirst())
	case ojson.NumberKind:
		if !t.inNumbers {
			return v
		}
		if text := r.text(v.Text()); text != v.Text() {
			return ojson.String(text)
		}
	case ojson.ArrayKind:
		var items []ojson.Value
		for _, item := range v.Items() {
			redacted := r.value(item, t)
			if item.Get("logprob").IsAbsent() || redacted.Get("token").Text() == item.Get("token").Text() {
				items = append(items, redacted)
			}
		}
		return ojson.Array(items...)
	case ojson.ObjectKind:
		var members []ojson.Member
		for _, m := range v.Members() {
			value := r.value(m.Value, t)
			if isSecret(m) {
				value = ojson.String(r.placeholder("key", m.Value.Text()))
			}
			members = append(members, ojson.M(r.name(m.Name), value))
		}
		redacted := ojson.Object(members...)
		if !ojson.Equal(v.Get("tokens"), redacted.Get("tokens")) {
			redacted.Set("top_logprobs", ojson.Null())
		}
		return redacted
	}
	return v
}
