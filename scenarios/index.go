package scenarios

import (
	"iter"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// index finds the scenarios that may hold for a request, so that of thousands only a
// few have to be tried. It holds positions in [Set.conditional], each in one place, or in one
// for each item of a list, which follows from one of the scenario's conditions.
type index struct {
	values  map[value][]int
	headers []string // headers is the names of the header fields in values.
	grams   map[gram][]int
	texts   [len(indexedTexts)]bool // texts says which of the indexedTexts have grams.
	rest    []int                   // rest is the scenarios without such a condition, and the first few others.
}

// value is what a member of a request must be. Member is model, user or header, and name
// that of the header field.
type value struct{ member, name, value string }

// gram is four bytes that one of the indexedTexts must contain. The case of ASCII letters
// does not count, so a text that contains it need not satisfy the condition.
type gram struct {
	text    int // text is the position in indexedTexts.
	letters uint32
}

// gramSize is the length of a gram in bytes.
const gramSize = 4

// maxHeaders is the largest number of header fields in an index. It is small because
// each is looked up for each request.
const maxHeaders = 4

// few is the number of scenarios that may have the same value for it to be worth an entry
// in the index, and the number of conditions on texts that are faster tried than found.
const few = 16

// indexedTexts is the conditions that are found by grams. The function of returns the
// [required] texts of the condition, and texts the texts of a request that it is about.
var indexedTexts = [...]struct {
	of    func(*When) [][]string
	texts func(*Request) []string
}{
	{func(w *When) [][]string { return w.User.required() }, lastUserText},
	{func(w *When) [][]string { return w.System.required() }, func(r *Request) []string { return r.texts("system", "developer") }},
	{func(w *When) [][]string { return w.Messages.required() }, func(r *Request) []string { return r.texts() }},
	{partsOfModels, func(r *Request) []string { return []string{r.Model} }},
}

// add adds the scenario with the condition at a position: under a value that few others
// have, else under the gram that the fewest others are under.
func (x *index) add(w *When, position int) {
	asked := x.valuesOf(w)
	for _, values := range asked {
		if !slices.ContainsFunc(values, func(v value) bool { return len(x.values[v]) >= few }) {
			x.addUnder(values, position)
			return
		}
	}
	grams := x.rarest(w)
	switch {
	case len(grams) > 0 && (len(asked) > 0 || len(x.rest) >= few):
		for _, g := range grams {
			x.grams[g] = append(x.grams[g], position)
			x.texts[g.text] = true
		}
	case len(asked) > 0:
		x.addUnder(asked[0], position)
	default:
		x.rest = append(x.rest, position)
	}
}

func (x *index) addUnder(values []value, position int) {
	for _, v := range values {
		x.values[v] = append(x.values[v], position)
	}
}

// valuesOf returns, for each condition on the whole text of the last user message, the model
// or a header field, the values of which the request must have one.
func (x *index) valuesOf(w *When) [][]value {
	var list [][]value
	ask := func(member, name string, wanted []string) {
		var values []value
		for _, text := range wanted {
			values = append(values, value{member, name, text})
		}
		if len(values) > 0 {
			list = append(list, values)
		}
	}
	ask("user", "", w.User.equals())
	if models := w.NamedModels(); len(models) == len(w.Model) {
		ask("model", "", models)
	}
	for _, h := range w.Header {
		texts := h.Match.equals()
		if len(texts) == 0 {
			continue
		}
		i := slices.IndexFunc(x.headers, func(known string) bool { return strings.EqualFold(known, h.Name) })
		if i < 0 && len(x.headers) < maxHeaders {
			i = len(x.headers)
			x.headers = append(x.headers, h.Name)
		}
		if i >= 0 {
			ask("header", x.headers[i], texts)
		}
	}
	return list
}

// find returns the positions of the scenarios outside of rest that may hold for a
// request, in rising order. It appends them to found.
func (x *index) find(req *Request, found []int) []int {
	if len(x.values) > 0 {
		found = append(found, x.values[value{"model", "", req.Model}]...)
		for _, text := range lastUserText(req) {
			found = append(found, x.values[value{"user", "", text}]...)
		}
	}
	for _, name := range x.headers {
		for _, v := range req.HeaderValues(name) {
			found = append(found, x.values[value{"header", name, v}]...)
		}
	}
	for i, has := range x.texts {
		if has {
			found = append(found, x.findTexts(i, indexedTexts[i].texts(req))...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// findTexts returns the positions under the grams of the texts.
func (x *index) findTexts(of int, texts []string) (found []int) {
	seen := map[gram]bool{}
	for _, text := range texts {
		for ; len(text) >= gramSize; text = text[1:] {
			if g := gramAt(of, text); len(x.grams[g]) > 0 && !seen[g] {
				seen[g] = true
				found = append(found, x.grams[g]...)
			}
		}
	}
	return found
}

// candidates yields, in order, the scenarios with conditions that may hold for the
// request; the conditions of all others do not hold.
func (set *Set) candidates(req *Request) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		x := set.index()
		rest, found := x.rest, x.find(req, make([]int, 0, few)) // so that most requests allocate nothing
		for len(rest)+len(found) > 0 {
			next := &rest
			if len(rest) == 0 || len(found) > 0 && found[0] < rest[0] {
				next = &found
			}
			if !yield(set.conditional[(*next)[0]]) {
				return
			}
			*next = (*next)[1:]
		}
	}
}

// caseBit is the bit in which the cases of an ASCII letter differ.
const caseBit = 0x20

// gramAt is the gram at the beginning of one of the indexedTexts.
func gramAt(text int, s string) gram {
	return gram{text, uint32(s[0]|caseBit) | uint32(s[1]|caseBit)<<8 | uint32(s[2]|caseBit)<<16 | uint32(s[3]|caseBit)<<24}
}

// equals returns the texts of which a text must be one; nil if others satisfy the condition, too.
func (m *TextMatch) equals() []string {
	var texts []string
	for _, one := range m.alternatives() {
		if one.Equals == nil {
			return nil
		}
		texts = append(texts, *one.Equals)
	}
	return texts
}

// rarest returns grams of one of the indexedTexts, the one whose grams the fewest others are under: every
// request that satisfies the condition has one of them. There are none if the condition asks for fewer than
// four bytes, or for a regular expression without a literal part.
func (x *index) rarest(w *When) (best []gram) {
	least := math.MaxInt
	for i, indexed := range indexedTexts {
		var grams []gram
		most := 0
		lists := indexed.of(w)
		for _, texts := range lists {
			if all := gramsIn(i, texts); len(all) > 0 {
				g := slices.MinFunc(all, func(g, h gram) int { return len(x.grams[g]) - len(x.grams[h]) })
				grams, most = append(grams, g), max(most, len(x.grams[g]))
			}
		}
		if len(grams) > 0 && len(grams) == len(lists) && most < least {
			best, least = grams, most
		}
	}
	return best
}

// gramsIn are the grams of texts.
func gramsIn(of int, texts []string) (grams []gram) {
	for _, text := range texts {
		for ; len(text) >= gramSize; text = text[1:] {
			grams = append(grams, gramAt(of, text))
		}
	}
	return grams
}

// partsOfModels are the required texts of the patterns of models.
func partsOfModels(w *When) (lists [][]string) {
	for _, pattern := range w.Model {
		lists = append(lists, strings.FieldsFunc(pattern, func(r rune) bool { return r == '*' || r == '?' }))
	}
	return lists
}

// required are lists of texts: every text that satisfies the condition contains all texts of one of the
// lists, perhaps with another case of ASCII letters.
func (m *TextMatch) required() (lists [][]string) {
	for _, one := range m.alternatives() {
		switch {
		case one.Equals != nil:
			lists = append(lists, []string{*one.Equals})
		case one.Contains != nil:
			lists = append(lists, []string{*one.Contains})
		case one.Matches != nil:
			lists = append(lists, literalsIn(one.Matches.String())...)
		default:
			lists = append(lists, nil)
		}
	}
	return lists
}

// literalsIn are the [literals] of a regular expression. One that is invalid in Perl syntax was compiled with
// POSIX syntax, and has none.
func literalsIn(expression string) [][]string {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return [][]string{nil}
	}
	return literals(re)
}

// literals are lists of texts as in [TextMatch.required], for a regular expression.
func literals(re *syntax.Regexp) [][]string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return [][]string{strings.FieldsFunc(string(re.Rune), hasOtherCases)}
		}
		return [][]string{strings.FieldsFunc(string(re.Rune), isReplacement)}
	case syntax.OpAlternate:
		var lists [][]string
		for _, sub := range re.Sub {
			lists = append(lists, literals(sub)...)
		}
		return lists
	case syntax.OpConcat, syntax.OpCapture:
		return literalsOfAll(re.Sub)
	case syntax.OpPlus, syntax.OpRepeat:
		// In POSIX syntax, x+? means (x+)?, which also matches nothing.
		if re.Flags&syntax.NonGreedy == 0 && (re.Op == syntax.OpPlus || re.Min > 0) {
			return literals(re.Sub[0])
		}
	}
	return [][]string{nil}
}

// literalsOfAll are the literals of a sequence: of all parts without alternatives, or else of the first part
// with some.
func literalsOfAll(sequence []*syntax.Regexp) [][]string {
	var common []string
	var others [][]string
	for _, sub := range sequence {
		switch found := literals(sub); {
		case len(found) == 1:
			common = append(common, found[0]...)
		case others == nil:
			others = found
		}
	}
	if others == nil || slices.ContainsFunc(common, func(text string) bool { return len(text) >= gramSize }) {
		return [][]string{common}
	}
	return others
}

// hasOtherCases reports whether a character may fold to one that is not ASCII, as k does
// to the kelvin sign and s to the long s.
func hasOtherCases(r rune) bool { return r >= 0x80 || strings.ContainsRune("kKsS", r) }

// isReplacement reports whether a character is U+FFFD, which also matches invalid UTF-8.
func isReplacement(r rune) bool { return r == utf8.RuneError }
