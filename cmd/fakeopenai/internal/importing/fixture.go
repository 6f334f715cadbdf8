package importing

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// word reads the value of one member of a fixture into a reply.
type word func(r *scenarios.Reply, v ojson.Value) error

// eachWord reads the members of an object by the words. An unknown member is an error,
// so that nothing is ignored.
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

// within returns a word that reads an object with these members.
func within(words map[string]word) word {
	return func(r *scenarios.Reply, v ojson.Value) error { return eachWord(r, v, words) }
}

// refuse returns a word that always fails. Why says that scenarios have no counterpart
// of the member, and what to write instead.
func refuse(why string) word {
	return func(*scenarios.Reply, ojson.Value) error { return errors.New(why) }
}

// nothing is a word that ignores a member without effect on answers of OpenAI's API.
func nothing(*scenarios.Reply, ojson.Value) error { return nil }

// fixtures collects the replies made of a file's fixtures, in order.
type fixtures struct {
	replies []scenarios.Reply
	adding  *adding
}

// add adds a reply or, if err is not nil or a server would refuse the reply, a remark.
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

// finish makes one scenario of the replies. As with fixtures, the first match answers.
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

// plainText reads a text literally: fixtures have no templates.
func plainText(v ojson.Value) (scenarios.Text, error) {
	if v.Kind() != ojson.StringKind {
		return scenarios.Text{}, errors.New("it is no text")
	}
	return scenarios.Text{Source: v.Text(), Literal: true}, nil
}

// into returns a word that reads a text into a member of a reply.
func into(member func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text]) word {
	return func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		*member(r) = scenarios.Some(text)
		return err
	}
}

// message returns the message of a reply, and adds it if needed.
func message(r *scenarios.Reply) *scenarios.Message {
	if r.Message == nil {
		r.Message = new(scenarios.Message)
	}
	return r.Message
}

// apiError returns the error of a reply, and adds it if needed.
func apiError(r *scenarios.Reply) *scenarios.APIError {
	if r.Error == nil {
		r.Error = new(scenarios.APIError)
	}
	return r.Error
}

// content reads a text, or an object or list that becomes its JSON text.
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

// toolCalls reads calls of tools. Arguments are JSON, or its text in a string.
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

// finishReasons maps finish reasons of other APIs to those of chat completions.
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

// truncate reads the number of events after which a stream breaks off.
func truncate(r *scenarios.Reply, v ojson.Value) error {
	n, err := count(v, 0, 1<<30)
	if err != nil {
		return err
	}
	no := false
	return endWith(r, scenarios.End{Kind: scenarios.EndCut, After: &n, Inside: &no})
}

// endWith sets the ending of a reply. A second ending is an error.
func endWith(r *scenarios.Reply, end scenarios.End) error {
	if r.End.Kind != "" {
		return errors.New("the answer has another ending already; take one of them out")
	}
	r.End = end
	return nil
}

// count reads a whole number between bounds.
func count(v ojson.Value, least, most int64) (int, error) {
	n, ok := v.Int()
	if !ok || n < least || n > most {
		return 0, fmt.Errorf("%s is no whole number from %d to %d", v, least, most)
	}
	return int(n), nil
}

// milliseconds returns a word that reads a duration in milliseconds.
func milliseconds(set func(r *scenarios.Reply, d time.Duration)) word {
	return func(r *scenarios.Reply, v ojson.Value) error {
		ms, err := number(v)
		if err == nil {
			set(r, min(time.Duration(ms*float64(time.Millisecond)), longest))
		}
		return err
	}
}

// number reads a number from 0 to the milliseconds of a day.
func number(v ojson.Value) (float64, error) {
	n, err := strconv.ParseFloat(v.String(), 64)
	if v.Kind() != ojson.NumberKind || err != nil || n < 0 || n > float64(longest/time.Millisecond) {
		return 0, fmt.Errorf("%s is no number from 0 to %d", v, longest/time.Millisecond)
	}
	return n, nil
}

// glob returns a pattern for a model's name. It has ? for *, so that it may match a few
// other names.
func glob(name string) string { return strings.NewReplacer("*", "?").Replace(name) }

// bodyText adds a condition on a text in the request's body.
func bodyText(r *scenarios.Reply, path string, match *scenarios.TextMatch) {
	at, _ := ojson.ParsePath(path) // no error: the paths are constants
	r.When.Body = append(r.When.Body, scenarios.BodyMatch{Path: scenarios.Path{Path: at}, Match: match})
}

// contains returns a word that reads a text that must be contained.
func contains(set func(w *scenarios.When, m *scenarios.TextMatch)) word {
	return func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		if err == nil {
			set(&r.When, recording.Containing(text.Source))
		}
		return err
	}
}
