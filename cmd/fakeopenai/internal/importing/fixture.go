package importing

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// word reads the value of one member of a fixture into a reply.
type word func(r *scenarios.Reply, v ojson.Value) error

// eachWord reads the members of an object. One that no scenario can say is an
// error: nothing is left out in silence.
func eachWord(r *scenarios.Reply, object ojson.Value, words map[string]word) error {
	if object.Kind() != ojson.ObjectKind {
		return errors.New("it is no object")
	}
	for _, m := range object.Members() {
		read, known := words[m.Name]
		if !known {
			return fmt.Errorf("%s: scenarios have no counterpart of it; take it out and say it in YAML afterwards", m.Name)
		}
		if err := read(r, m.Value); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

// within reads an object that has such members.
func within(words map[string]word) word {
	return func(r *scenarios.Reply, v ojson.Value) error { return eachWord(r, v, words) }
}

// refuse reads nothing, and says why scenarios have no counterpart of a member, and
// what comes near to it.
func refuse(why string) word {
	return func(*scenarios.Reply, ojson.Value) error { return errors.New(why) }
}

// nothing reads a member that has no effect on answers of OpenAI's API, where it is
// from, either.
func nothing(*scenarios.Reply, ojson.Value) error { return nil }

// fixtures are the replies that fixtures become, in their order.
type fixtures struct {
	replies []scenarios.Reply
	adding  *adding
}

// add takes in a reply, if a server can play it.
func (f *fixtures) add(place string, r *scenarios.Reply, err error) {
	if err == nil {
		_, err = checked(scenarios.Scenario{Name: f.adding.name, Replies: []scenarios.Reply{*r}})
	}
	switch {
	case errors.Is(err, errSkipped):
		f.adding.Skipped = append(f.adding.Skipped, Remark{place, err.Error()})
	case err != nil:
		f.adding.unread(place, err)
	default:
		f.replies = append(f.replies, *r)
	}
}

// finish makes one scenario of the replies: there, as among fixtures, the first
// that fits answers.
func (f *fixtures) finish() {
	if len(f.replies) == 0 {
		if len(f.adding.Unread)+len(f.adding.Skipped) == 0 {
			f.adding.unread("fixtures", errors.New("there is no fixture"))
		}
		return
	}
	sc, err := checked(scenarios.Scenario{Name: f.adding.name, Replies: f.replies})
	if err != nil {
		f.adding.unread("", err)
		return
	}
	f.adding.addScenario(sc)
	f.adding.Imported += len(f.replies) - 1
}

// plainText is a text as it is, which a fixture's is, whatever it holds.
func plainText(v ojson.Value) (scenarios.Text, error) {
	if v.Kind() != ojson.StringKind {
		return scenarios.Text{}, errors.New("it is no text")
	}
	return scenarios.Text{Source: v.Text(), Literal: true}, nil
}

// into reads a text into a member of a reply.
func into(member func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text]) word {
	return func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		*member(r) = scenarios.Some(text)
		return err
	}
}

// message is the message of a reply.
func message(r *scenarios.Reply) *scenarios.Message {
	if r.Message == nil {
		r.Message = new(scenarios.Message)
	}
	return r.Message
}

// apiError is the error of a reply.
func apiError(r *scenarios.Reply) *scenarios.APIError {
	if r.Error == nil {
		r.Error = new(scenarios.APIError)
	}
	return r.Error
}

// content is a text, or JSON that becomes one.
func content(r *scenarios.Reply, v ojson.Value) error {
	text := v.Text()
	switch v.Kind() {
	case ojson.ObjectKind, ojson.ArrayKind:
		text = v.String()
	case ojson.StringKind:
	default:
		return errors.New("it is neither a text nor an object")
	}
	message(r).Content = scenarios.Some(scenarios.Text{Source: text, Literal: true})
	return nil
}

// toolCalls are calls of tools, with arguments as JSON or as its text.
func toolCalls(r *scenarios.Reply, v ojson.Value) error {
	if v.Kind() != ojson.ArrayKind {
		return errors.New("it is no list")
	}
	for i, item := range v.Items() {
		var call scenarios.ToolCall
		for _, m := range item.Members() {
			text := scenarios.Some(scenarios.Text{Source: m.Value.Text(), Literal: true})
			switch {
			case m.Name == "arguments" && m.Value.Kind() != ojson.StringKind:
				call.Arguments.Text = scenarios.Some(scenarios.Text{Source: m.Value.String(), Literal: true})
			case m.Value.Kind() != ojson.StringKind:
				return fmt.Errorf("[%d].%s is no text", i, m.Name)
			case m.Name == "arguments":
				call.Arguments.Text = text
			case m.Name == "name":
				call.Name = text
			case m.Name == "id":
				call.ID = text
			default:
				return fmt.Errorf("[%d].%s: scenarios have no counterpart of it", i, m.Name)
			}
		}
		if !call.Name.Present {
			return fmt.Errorf("[%d] has no name", i)
		}
		message(r).ToolCalls = append(message(r).ToolCalls, call)
	}
	return nil
}

// finishReasons are the reasons of other APIs in the words of chat completions.
var finishReasons = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls",
	"STOP": "stop", "MAX_TOKENS": "length", "completed": "stop",
}

func finishReason(r *scenarios.Reply, v ojson.Value) error {
	text, err := plainText(v)
	if ours, known := finishReasons[text.Source]; known {
		text.Source = ours
	}
	message(r).Finish = scenarios.Some(text)
	return err
}

func status(r *scenarios.Reply, v ojson.Value) error {
	n, err := count(v, 400, 599)
	apiError(r).Status = n
	return err
}

func chunkSize(r *scenarios.Reply, v ojson.Value) error {
	n, err := count(v, 1, math.MaxInt32)
	message(r).By = scenarios.Cut{Size: n}
	return err
}

// truncate is after how many events a stream breaks off.
func truncate(r *scenarios.Reply, v ojson.Value) error {
	n, err := count(v, 0, 1<<30)
	if err != nil {
		return err
	}
	no := false
	return endWith(r, scenarios.End{Kind: scenarios.EndCut, After: &n, Inside: &no})
}

// endWith gives a reply its ending, of which it has one.
func endWith(r *scenarios.Reply, end scenarios.End) error {
	if r.End.Kind != "" {
		return errors.New("the answer has another ending already; take one of them out")
	}
	r.End = end
	return nil
}

// count is a whole number within bounds.
func count(v ojson.Value, least, most int64) (int, error) {
	n, ok := v.Int()
	if !ok || n < least || n > most {
		return 0, fmt.Errorf("%s is no whole number from %d to %d", v, least, most)
	}
	return int(n), nil
}

// milliseconds reads a duration.
func milliseconds(set func(r *scenarios.Reply, d time.Duration)) word {
	return func(r *scenarios.Reply, v ojson.Value) error {
		ms, err := number(v)
		if err == nil {
			set(r, min(time.Duration(ms*float64(time.Millisecond)), longest))
		}
		return err
	}
}

// number is a number that is not negative and not beyond a day in milliseconds.
func number(v ojson.Value) (float64, error) {
	n, err := strconv.ParseFloat(v.String(), 64)
	if v.Kind() != ojson.NumberKind || err != nil || n < 0 || n > float64(longest/time.Millisecond) {
		return 0, fmt.Errorf("%s is no number from 0 to %d", v, longest/time.Millisecond)
	}
	return n, nil
}

// glob is a model's name as a pattern that fits it alone, as far as patterns can
// say that.
func glob(name string) string { return strings.NewReplacer("*", "?").Replace(name) }

// modelMatches is the condition that the model's name matches an expression.
func modelMatches(r *scenarios.Reply, pattern *regexp.Regexp) {
	bodyText(r, "model", &scenarios.TextMatch{Matches: pattern})
}

// bodyText adds a condition on a text in the request's body.
func bodyText(r *scenarios.Reply, path string, match *scenarios.TextMatch) {
	at, _ := ojson.ParsePath(path) // it is a constant
	r.When.Body = append(r.When.Body, scenarios.BodyMatch{Path: scenarios.Path{Path: at}, Match: match})
}

// contains reads a text that another one must contain.
func contains(set func(w *scenarios.When, m *scenarios.TextMatch)) word {
	return func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		if err == nil {
			set(&r.When, recording.Containing(text.Source))
		}
		return err
	}
}
