package recording

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// shape is what answers in one piece have in common whose JSON differs in texts and numbers alone. It tells which
// scenario to try: each trial takes a server and a plan.
type shape struct {
	saying int  // saying is the place of the scenario in [sayings]; -1 if none gives such answers.
	edited bool // edited says that the scenario needs edits of its envelope.
	style  *scenarios.JSONStyle
	own    http.Header // own is the header that the server sends by itself.
}

// shapes are the shapes of the answers that were written before. They are safe for concurrent use.
type shapes struct {
	mu   sync.Mutex
	list map[shapeKey]shape
}

type shapeKey [sha256.Size]byte

// mostShapes is how many shapes are remembered.
const mostShapes = 4096

func (s *shapes) get(key shapeKey) (shape, bool) {
	if s == nil {
		return shape{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.list[key]
	return known, ok
}

func (s *shapes) put(key shapeKey, known shape) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list = map[shapeKey]shape{}
	}
	if len(s.list) < mostShapes {
		s.list[key] = known
	}
}

// shapeOf is the key of the shape of an answer with the value v, which has so many sayings. Beside the members of
// the answer it has all else that layouts depend on, and how the JSON is spelled.
func shapeOf(x *Exchange, v ojson.Value, sayings int) shapeKey {
	req, body := asked(x), string(x.bodyBytes())
	plain := strings.TrimSpace(body)
	style := slices.IndexFunc(bodyStyles(), func(s *scenarios.JSONStyle) bool { return string(encoder(s).Append(nil, v)) == plain })
	_, after, _ := strings.Cut(body, plain)
	key := strconv.AppendQuote(nil, x.Method+x.Path)
	key = strconv.AppendQuote(append(key, req.Model...), after)
	key = strconv.AppendInt(key, int64(style), 10)
	key = strconv.AppendInt(append(key, ' '), int64(sayings), 10)
	for _, m := range req.Body.Members() {
		if m.Value.Kind() != ojson.ArrayKind && m.Value.Kind() != ojson.StringKind {
			key = append(strconv.AppendQuote(key, m.Name), m.Value.String()...)
		}
	}
	return sha256.Sum256(appendShape(append(key, strconv.Itoa(x.Status)...), "", v))
}

// telling are the members whose texts decide which others there are.
var telling = []string{"finish_reason", "object", "role", "status", "type"}

// appendShape appends a value without its texts and numbers. An empty text and zero can be left out where others
// cannot.
func appendShape(b []byte, name string, v ojson.Value) []byte {
	switch v.Kind() {
	case ojson.StringKind:
		if v.Text() == "" || slices.Contains(telling, name) {
			return strconv.AppendQuote(b, v.Text())
		}
		return append(b, 's')
	case ojson.NumberKind:
		if v.Text() == "0" {
			return append(b, '0')
		}
		return append(b, '1')
	case ojson.ArrayKind:
		b = append(b, '[')
		for _, item := range v.Items() {
			b = append(appendShape(b, "", item), ',')
		}
		return append(b, ']')
	case ojson.ObjectKind:
		b = append(b, '{')
		for _, m := range v.Members() {
			b = append(appendShape(strconv.AppendQuote(b, m.Name), m.Name, m.Value), ',')
		}
		return append(b, '}')
	}
	return append(b, v.String()...)
}
