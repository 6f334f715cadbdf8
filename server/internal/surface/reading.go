package surface

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Reading is what a client puts together of an answer: of the events of a stream, one after the other, or
// of an answer in one piece. The zero Reading has read nothing.
type Reading struct {
	Failure  string   // Failure is the error that the API's own events tell; "" for none.
	Code     string   // Code is the code of Failure.
	Named    string   // Named is the id by which a later request can go on from the answer; "" for none.
	Repeated *Reading // Repeated is what the last event repeats of the whole answer; nil if none does.
	Renamed  bool     // Renamed says that chunks have different ids.

	id      string
	choices []*ChoiceReading
	usage   ojson.Value
}

// ChoiceReading is the text, the calls and the finish that were read of one choice.
type ChoiceReading struct {
	index         int
	text, refusal []string // text and refusal are the pieces.
	calls         []*callReading
	finishes      []string
	finished      int // finished is how many pieces the text had at the first finish.
}

type callReading struct {
	place     int // place is the number that its pieces have.
	id, name  string
	arguments []string
}

// ID notes the id of a chunk.
func (r *Reading) ID(id ojson.Value) {
	if text := id.Text(); text != "" {
		r.Renamed = r.Renamed || r.id != "" && r.id != text
		r.id = text
	}
}

// Usage notes a usage object. One without numbers tells nothing.
func (r *Reading) Usage(v ojson.Value) {
	if slices.ContainsFunc(v.Members(), func(m ojson.Member) bool { return m.Value.Kind() == ojson.NumberKind }) {
		r.usage = v
	}
}

// Choice returns what was read of the choice with an index.
func (r *Reading) Choice(index int) *ChoiceReading {
	i, known := slices.BinarySearchFunc(r.choices, index, func(c *ChoiceReading, index int) int { return cmp.Compare(c.index, index) })
	if !known {
		r.choices = slices.Insert(r.choices, i, &ChoiceReading{index: index})
	}
	return r.choices[i]
}

// IsWhole reports whether each choice that began has ended.
func (r *Reading) IsWhole() bool {
	open := func(c *ChoiceReading) bool { return len(c.finishes) == 0 }
	return len(r.choices) > 0 && !slices.ContainsFunc(r.choices, open)
}

// Choices returns how many choices began.
func (r *Reading) Choices() int { return len(r.choices) }

// Says reports whether anything was read for a choice.
func (r *Reading) Says() bool { return len(r.choices) > 0 }

// Text adds a piece of the text: a string, or a list of parts of which those that are texts count.
func (c *ChoiceReading) Text(v ojson.Value) {
	if v.Kind() == ojson.ArrayKind {
		for _, part := range v.Items() {
			if part.Get("type").Text() == "text" {
				c.Text(part.Get("text"))
			}
		}
		return
	}
	c.text = withText(c.text, v)
}

// Refusal adds a piece of the refusal.
func (c *ChoiceReading) Refusal(v ojson.Value) { c.refusal = withText(c.refusal, v) }

func withText(pieces []string, v ojson.Value) []string {
	if v.Kind() == ojson.StringKind && v.Text() != "" {
		return append(pieces, v.Text())
	}
	return pieces
}

// Call adds a piece of a call. Place is the number of the call; without a number the piece belongs to the call that
// was opened last. A piece with a name and another id opens another call.
func (c *ChoiceReading) Call(place, id, name, arguments ojson.Value) {
	var call *callReading
	n, placed := place.Int()
	if !placed && len(c.calls) > 0 {
		n = int64(c.calls[len(c.calls)-1].place)
	}
	for _, known := range c.calls {
		if known.place == int(n) {
			call = known
		}
	}
	if call == nil || id.Text() != "" && name.Text() != "" && call.id != "" && id.Text() != call.id {
		call = &callReading{place: int(n)}
		c.calls = append(c.calls, call)
	}
	call.id, call.name = cmp.Or(call.id, id.Text()), cmp.Or(call.name, name.Text())
	if arguments.Kind() == ojson.ObjectKind {
		arguments = ojson.String(arguments.String())
	}
	call.arguments = withText(call.arguments, arguments)
}

// Calls returns how many calls there are.
func (c *ChoiceReading) Calls() int { return len(c.calls) }

// Finish adds a reason why the choice ended. One that is null or empty is none.
func (c *ChoiceReading) Finish(v ojson.Value) {
	if len(c.finishes) == 0 {
		c.finished = len(c.text)
	}
	c.finishes = withText(c.finishes, v)
}

// Outcomes are the outcomes of clients that read the whole answer: of careful clients, and of clients that
// clean up after a model or a server, or leave out what they cannot use.
func (r *Reading) Outcomes() (careful, others []scenarios.Outcome) {
	careful = []scenarios.Outcome{r.outcome(joinPieces, firstOf)}
	if r.Repeated != nil {
		careful = append(careful, r.Repeated.outcome(joinPieces, firstOf))
	}
	if r.any(func(c *ChoiceReading) bool {
		return len(c.finishes) > 1 || c.finished < len(c.text) && len(c.finishes) > 0
	}) {
		careful = append(careful, r.outcome(joinPieces, lastOf), r.untilFinish().outcome(joinPieces, firstOf))
	}
	if r.any(func(c *ChoiceReading) bool { return slices.ContainsFunc(c.text, ojson.HasSurrogate) }) {
		careful = append(careful, r.outcome(replaced, firstOf))
	}
	for _, of := range careful {
		others = append(others, cleaned(of)...)
	}
	if r.any(func(c *ChoiceReading) bool {
		return isCumulative(c.text) || slices.ContainsFunc(c.calls, (*callReading).isCumulative)
	}) {
		others = append(others, r.outcome(lastIfCumulative, firstOf))
	}
	careful = distinct(careful, nil)
	return careful, distinct(others, careful)
}

func (r *Reading) any(is func(*ChoiceReading) bool) bool { return slices.ContainsFunc(r.choices, is) }

// untilFinish is what was read without the texts behind the finish of their choice.
func (r *Reading) untilFinish() *Reading {
	cut := Reading{usage: r.usage}
	for _, c := range r.choices {
		own := *c
		if len(c.finishes) > 0 {
			own.text = c.text[:c.finished]
		}
		cut.choices = append(cut.choices, &own)
	}
	return &cut
}

// distinct are the outcomes that differ from each other, and from those that are known.
func distinct(list, known []scenarios.Outcome) (kept []scenarios.Outcome) {
	for _, o := range list {
		same := func(other scenarios.Outcome) bool { return reflect.DeepEqual(o, other) }
		if !slices.ContainsFunc(known, same) && !slices.ContainsFunc(kept, same) {
			kept = append(kept, o)
		}
	}
	return kept
}

// outcome is the outcome for a client that joins the pieces of a text with join, and chooses among several
// finish reasons with pick.
func (r *Reading) outcome(join, pick func([]string) string) (o scenarios.Outcome) {
	for i, c := range r.choices {
		of := scenarios.Outcome{Text: join(c.text), Refusal: join(c.refusal), Finish: pick(c.finishes)}
		for _, call := range c.calls {
			of.Calls = append(of.Calls, scenarios.OutcomeCall{ID: call.id, Name: call.name, Arguments: join(call.arguments)})
		}
		if i == 0 {
			o = of
		} else {
			o.Choices = append(o.Choices, of)
		}
	}
	o.Usage = r.usage
	return o
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func lastOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// joinPieces joins pieces; the halves of a surrogate pair in two pieces become a character, and others are
// replaced.
func joinPieces(pieces []string) string {
	text := strings.Join(pieces, "")
	if !utf8.ValidString(text) {
		if whole, err := ojson.Unquote(string(ojson.AppendString(nil, text))); err == nil {
			text = whole
		}
	}
	return replaced([]string{text})
}

// replaced joins pieces of which each half of a surrogate pair is replaced.
func replaced(pieces []string) string {
	var b strings.Builder
	for _, piece := range pieces {
		b.WriteString(strings.ToValidUTF8(piece, "\ufffd"))
	}
	return b.String()
}

// isCumulative reports whether each piece repeats all before it.
func isCumulative(pieces []string) bool {
	for i := 1; i < len(pieces); i++ {
		if !strings.HasPrefix(pieces[i], pieces[i-1]) {
			return false
		}
	}
	return len(pieces) > 1
}

func (c *callReading) isCumulative() bool { return isCumulative(c.arguments) }

func lastIfCumulative(pieces []string) string {
	if isCumulative(pieces) {
		return lastOf(pieces)
	}
	return joinPieces(pieces)
}

var (
	thought    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<think>.*?</think>`) })
	callInText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<tool_call>(.*?)</tool_call>`) })
)

// cleaned are the forms of an outcome with the refusal as its text, without thoughts in its text, with calls
// that its text has, without arguments that are no JSON, and with arguments where there are none.
func cleaned(o scenarios.Outcome) (list []scenarios.Outcome) {
	if o.Refusal != "" {
		other := o
		other.Text, other.Refusal = o.Text+o.Refusal, ""
		list = append(list, other)
	}
	if text := thought().ReplaceAllString(o.Text, ""); text != o.Text {
		other := o
		other.Text = text
		list = append(list, other)
	}
	if found := callInText().FindAllStringSubmatch(o.Text, -1); found != nil {
		other := o
		other.Text, other.Calls = callInText().ReplaceAllString(o.Text, ""), nil
		for _, call := range found {
			v, _ := ojson.Parse([]byte(call[1]))
			other.Calls = append(other.Calls, scenarios.OutcomeCall{Name: v.Get("name").Text(), Arguments: v.Get("arguments").String()})
		}
		list = append(list, other)
	}
	sound := slices.DeleteFunc(slices.Clone(o.Calls), func(c scenarios.OutcomeCall) bool { return !json.Valid([]byte(c.Arguments)) })
	if len(sound) < len(o.Calls) {
		without, with := o, o
		without.Calls, with.Calls = sound, slices.Clone(o.Calls)
		for i := range with.Calls {
			with.Calls[i].Arguments = cmp.Or(with.Calls[i].Arguments, "{}")
		}
		list = append(list, without, with)
	}
	return list
}
