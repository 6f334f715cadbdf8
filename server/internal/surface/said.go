package surface

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Said is one thing that a chunk says.
type Said struct {
	Choice int
	Kind   string // Kind is the word of the language for what was said; of a call, "tool call" or "arguments"; "empty" for a choice that says nothing.
	Text   string // Text is the text, the reason, the role, the arguments of a call, or the numbers of tokens.
	Call   int    // Call is the index of a call.
	Name   string // Name is the name of a function that is called.
}

// The kinds of what is said that have no word in the language.
const (
	SaidCall      = "tool call"
	SaidArguments = "arguments"
	SaidNothing   = "empty"
)

// SaidIn lists what was heard in a chunk, by choices, and its usage last.
func SaidIn(heard lint.Heard) []Said {
	var list []Said
	for _, choice := range heard.Said {
		before := len(list)
		for _, beat := range choice.Beats {
			if said := saidBy(beat); said.Kind != "" {
				said.Choice = choice.Choice
				list = append(list, said)
			}
		}
		if len(list) == before {
			list = append(list, Said{Choice: choice.Choice, Kind: SaidNothing})
		}
	}
	if u := heard.Usage; u != nil {
		prompt, _ := u.Prompt.Int()
		completion, _ := u.Completion.Int()
		list = append(list, Said{Kind: script.Word(u), Text: fmt.Sprintf("%d + %d tokens", prompt, completion)})
	}
	return list
}

// saidBy returns the Said of a beat; the zero value for null, and for a beat that says nothing by itself.
func saidBy(beat script.Beat) Said {
	said := Said{Kind: script.Word(beat)}
	switch beat := beat.(type) {
	case script.Start:
		said.Text = beat.Role.Text()
		return unlessNull(said, beat.Role)
	case script.Text:
		said.Text = beat.Text.Text()
		return unlessNull(said, beat.Text)
	case script.Refusal:
		said.Text = beat.Text.Text()
		return unlessNull(said, beat.Text)
	case script.Reasoning:
		said.Text = beat.Text.Text()
		return unlessNull(said, beat.Text)
	case script.Finish:
		said.Text = beat.Reason.Text()
	case script.Literal:
		return unlessNull(said, beat.Value)
	case script.CallStart:
		said.Call, said.Name, said.Text = beat.Index, beat.Name.Text(), beat.Arguments.Text()
		if beat.Type != script.LegacyCall {
			said.Kind = SaidCall
		}
	case script.CallArguments:
		said.Call, said.Text = beat.Index, beat.Arguments.Text()
		if beat.Type != script.LegacyCall {
			said.Kind = SaidArguments
		}
	case script.Logprobs:
		return Said{}
	}
	return said
}

func unlessNull(said Said, v ojson.Value) Said {
	if v.IsNullOrAbsent() {
		return Said{}
	}
	return said
}

// Unsayable is the error for a reply that holds something which the surface's API
// cannot express.
type Unsayable struct {
	Surface string
	Step    int    // Step is the index of the step in the reply's stream; -1 for a message.
	What    string // What names the thing in the words of the scenario language.
	// Pos is the position in the envelope; the zero value for a step or a message.
	Pos diag.Pos
	// InEnvelope says that the thing stands in the envelope.
	InEnvelope bool
}

// Error names the step and the thing that cannot be said.
func (u *Unsayable) Error() string {
	where := fmt.Sprintf("step %d is", u.Step+1)
	switch {
	case u.InEnvelope:
		where = "the envelope holds"
	case u.Step < 0:
		where = "the message holds"
	}
	return fmt.Sprintf("%s %s, which %s cannot express", where, u.What, u.Surface)
}

// Sayable returns the [*Unsayable] for the first thing in a script or in the envelope that the API
// cannot express; nil if there is none.
func (i *Info) Sayable(s *script.Script, o *Options) error {
	if r := o.Envelope.Response; r != nil && !i.Items {
		return &Unsayable{Surface: i.Title, Step: -1, What: "a response", Pos: r.Pos, InEnvelope: true}
	}
	for at := range s.Groups {
		g := &s.Groups[at]
		if what := i.foreign(g, o); what != "" {
			u := &Unsayable{Surface: i.Title, Step: g.Step, What: what}
			if o.FromMessage {
				u.Step = -1
			}
			return u
		}
	}
	return nil
}

// foreign names something in a group that the API cannot express; "" for nothing.
func (i *Info) foreign(g *script.Group, o *Options) string {
	if !g.IsChunk() {
		if h, ok := g.Beats[0].(script.Hold); ok && h.Message && !i.Hears {
			return "a wait for a message of the client"
		}
		_, isError := g.Beats[0].(script.Error)
		if status := o.Envelope.Response.Ends(); isError && status != "" && status != scenarios.ResponseFailed {
			return "an error in an answer that envelope.response calls " + status
		}
		return ""
	}
	if i.Items && g.Choice != 0 {
		return "a choice beyond the first"
	}
	if len(g.Beats) == 0 && !i.Says(nil) {
		return "a heartbeat"
	}
	for _, beat := range g.Beats {
		if l, ok := beat.(script.Literal); ok {
			if what := i.foreignLiteral(l); what != "" {
				return what
			}
		} else if !i.Says(beat) {
			return script.InWords(beat)
		}
	}
	if g.Edit == nil || i.IsElsewhere == nil {
		return ""
	}
	for _, p := range g.Edit.Omit {
		if i.IsElsewhere(g, p.Path) {
			return "an omit of " + p.String() + ", a place in chat completions"
		}
	}
	for _, a := range g.Edit.Set {
		if i.IsElsewhere(g, a.Path.Path) {
			return "a set of " + a.Path.String() + ", a place in chat completions"
		}
	}
	return ""
}

// foreignLiteral names JSON of another API; "" for JSON of this one. Without the name of an API,
// JSON that is no whole chunk is a part of a delta.
func (i *Info) foreignLiteral(l script.Literal) string {
	of := l.Surface
	switch {
	case of == i.Name && (l.Member == "chunk" || i.HasDeltas):
		return ""
	case of == i.Name || of == scenarios.DefaultSurface:
		of = "chat completions"
	}
	return fmt.Sprintf("a literal %s of %s", l.Member, of)
}
