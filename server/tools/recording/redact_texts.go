package recording

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
)

// texts are the texts of bodies and events, in their order. Those at the same place are
// the pieces of one text, such as the strings at the same path of several events.
type texts struct {
	list   []string
	places []string         // places are the places in the order of their first pieces.
	pieces map[string][]int // pieces are the positions in list, by their place.
	rows   map[string][]int // rows are the positions of texts that a reader may join, such as the parts of a message.
	lists  map[string][]int // lists are the positions of the texts in other lists.
	files  []int            // files are the positions of bytes in base64.
	named  []string         // named are the values of JSON members whose names say that they are secret.

	numbers   strings.Builder // numbers are all numbers, to be searched at once: an embedding has thousands.
	inNumbers bool            // inNumbers says that one of them may hold a secret.
}

// addText adds the strings in a text of JSON; a text that is no JSON is added whole.
func (t *texts) addText(text, place string) {
	if v, err := ojson.Parse([]byte(text)); err == nil {
		t.addValue(v, place+v.Get("item_id").Text()+v.Get("type").Text())
	} else {
		if place == "data" && text != "[DONE]" {
			t.rows[place] = append(t.rows[place], len(t.list))
		}
		t.add(text, strconv.Itoa(len(t.list)))
	}
}

// inParts matches the place of a text that is in a list in a list, such as the parts of a message, around its
// position there. Messages themselves, and texts that are embedded, are not joined by those who read them.
var inParts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*\].*\[)[^]]*(\][^][]*)$`) })

func (t *texts) add(text, place string) {
	if _, bytes := secret.Binary(text); bytes != nil { // It is no part of another text, and to search it as one takes long.
		t.files, t.list = append(t.files, len(t.list)), append(t.list, text)
		return
	}
	if row := inParts().FindStringSubmatch(place); row != nil && strings.HasPrefix(place, "request") {
		of := row[1] + row[2]
		t.rows[of] = append(t.rows[of], len(t.list))
	} else if strings.HasSuffix(place, "]") {
		of := place[:strings.LastIndexByte(place, '[')]
		t.lists[of] = append(t.lists[of], len(t.list))
	}
	if t.pieces[place] == nil {
		t.places = append(t.places, place)
	}
	t.pieces[place] = append(t.pieces[place], len(t.list))
	t.list = append(t.list, text)
}

func (t *texts) removeFirst() string {
	text := t.list[0]
	t.list = t.list[1:]
	return text
}

// addValue adds the strings in a JSON value. The place of one is its path, with the member
// index of an item instead of its position. The tokens of a list have one place.
func (t *texts) addValue(v ojson.Value, place string) {
	switch v.Kind() {
	case ojson.StringKind:
		t.add(v.Text(), place)
	case ojson.NumberKind:
		t.numbers.WriteString(v.Text() + " ")
	case ojson.ArrayKind:
		for i, item := range v.Items() {
			at := strconv.Itoa(i)
			if index := item.Get("index"); !index.IsAbsent() {
				at = index.Text()
			} else if !item.Get("logprob").IsAbsent() || strings.HasSuffix(place, ".tokens") {
				at = ""
			}
			t.addValue(item, place+"["+at+"]")
		}
	case ojson.ObjectKind:
		for _, m := range v.Members() {
			if isSecret(m) {
				t.named = append(t.named, m.Value.Text())
			}
			t.addValue(m.Value, place+"."+m.Name)
		}
	}
}

// isSecret reports whether the name of a member says that its value is a secret.
func isSecret(m ojson.Member) bool {
	isText := m.Value.Kind() == ojson.StringKind || m.Value.Kind() == ojson.NumberKind
	return isText && m.Value.Text() != "" && secret.IsName(m.Name)
}

func (t *texts) textAt(place string) string {
	var b strings.Builder
	for _, p := range t.pieces[place] {
		b.WriteString(t.list[p])
	}
	return b.String()
}

// redact replaces the secrets in texts. The placeholder of one that spans several pieces is
// put into the piece in which it begins, and its rest is cut from the others.
func (r *Redactor) redact(t *texts) {
	t.inNumbers = len(r.Patterns) > 0 || len(r.finder.Spans(t.numbers.String(), nil)) > 0
	for _, p := range t.files {
		t.list[p] = r.binary(t.list[p])
	}
	all := func(text string) []secret.Span { return r.finder.Spans(text, r.Patterns) }
	for _, row := range t.rows {
		r.redactRow(t, row, all)
	}
	for _, row := range t.lists {
		r.redactRow(t, row, r.finder.Known) // Names and forms over two texts are chance there.
	}
	for _, place := range t.places {
		joined := t.textAt(place)
		spans := r.finder.Spans(joined, r.Patterns)
		start := 0
		for _, p := range t.pieces[place] {
			end, text, at := start+len(t.list[p]), strings.Builder{}, start
			for len(spans) > 0 && spans[0].From < end {
				s := spans[0]
				text.WriteString(joined[at:max(at, s.From)])
				if s.From >= start {
					text.WriteString(r.placeholder(s.Kind, joined[s.From:s.To]))
				}
				if at = min(end, s.To); s.To > end {
					break // The next piece has the rest.
				}
				spans = spans[1:]
			}
			text.WriteString(joined[at:end])
			t.list[p], start = text.String(), end
		}
	}
}

// longestPart is how many bytes of a secret are looked for in each of two texts.
const longestPart = 512

// redactRow replaces the secrets that are found in two neighbours of a row of texts together.
func (r *Redactor) redactRow(t *texts, row []int, find func(text string) []secret.Span) {
	for i := range row[1:] {
		r.redactAcross(&t.list[row[i]], &t.list[row[i+1]], find)
	}
}

// redactAcross replaces secrets that can be found in two texts together. One that begins in the
// first and ends in the second gets a placeholder in both, so that conditions on them hold for it.
func (r *Redactor) redactAcross(first, second *string, find func(text string) []secret.Span) {
	before, head := len(*first)-min(len(*first), longestPart), min(len(*second), longestPart)
	border := len(*first) - before
	joined := (*first)[before:] + (*second)[:head]
	for _, s := range slices.Backward(find(joined)) {
		if s.From == 0 && before > 0 || s.To == len(joined) && head < len(*second) {
			continue // There may be more of it.
		}
		placeholder := r.placeholder(s.Kind, joined[s.From:s.To])
		if s.To > border {
			*second = (*second)[:max(0, s.From-border)] + placeholder + (*second)[s.To-border:]
		}
		if s.From < border {
			*first = (*first)[:before+s.From] + placeholder + (*first)[min(before+s.To, len(*first)):]
		}
	}
}
