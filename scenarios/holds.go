package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Until is what a stream waits for at a step. As at a hold, the stream also goes on when the test releases it. Exactly
// one of Message and Request is set.
type Until struct {
	// Name is the name by which tests await and release the step: see [Step.HoldName].
	Name string
	// Message is conditions on a message that the client sends over WebSocket, all of which must hold. What it sent
	// since the answer began counts, unless an earlier step waited for it.
	Message []BodyMatch
	// Request is the name of a scenario: the stream waits until that has answered a request of the same API key, whose
	// answer began after this stream.
	Request string
	Within  time.Duration // Within is how long the stream waits, at any speed; 0 is without an end.
	Pos     diag.Pos
}

// Hears reports whether a message is what the stream waits for.
func (u *Until) Hears(message ojson.Value) bool {
	return len(u.Message) > 0 && (&When{Body: u.Message}).Test()(&Request{Body: message})
}

// MessageType is the type of the messages that the stream waits for; "" for any, and if it waits for a request.
func (u *Until) MessageType() string {
	for _, m := range u.Message {
		if m.Equals != nil && m.Path.String() == "type" {
			return m.Equals.Text()
		}
	}
	return ""
}

// String says what the stream waits for.
func (u *Until) String() string {
	text := fmt.Sprintf("an answer of the scenario %q", u.Request)
	if u.Request == "" {
		text = "a message"
		if t := u.MessageType(); t != "" {
			text += " " + t
		}
	}
	if u.Within > 0 {
		text += fmt.Sprintf(" within %s", u.Within)
	}
	return text
}

// HoldName is the name by which tests await and release the step: the name of the hold or of the [Until]. An Until without
// a name has that of the scenario or type of message, or "message". It is "" for a step that waits for nothing.
func (st *Step) HoldName() string {
	if u := st.Until; u != nil {
		return cmp.Or(u.Name, u.Request, u.MessageType(), "message")
	}
	return st.Hold
}

// Waits reports whether a step of the reply waits for something and so, unless it is nil, holds for that.
func (r *Reply) Waits(so func(*Until) bool) bool {
	return slices.ContainsFunc(r.find().waits, func(u *Until) bool { return so == nil || so(u) })
}

// Listens reports whether a step of the reply waits for a message, which only clients of WebSocket connections send.
func (r *Reply) Listens() bool {
	return r.Waits(func(u *Until) bool { return len(u.Message) > 0 })
}

// checkWaits returns the problems of steps that wait for an answer of a scenario which is none of the names.
func (s *Scenario) checkWaits(names []string) (list diag.List) {
	for i := range s.Replies {
		s.Replies[i].Waits(func(u *Until) bool {
			if u.Request != "" && !slices.Contains(names, u.Request) {
				list = append(list, diag.Problem{
					Pos: u.Pos, Message: fmt.Sprintf("until waits for the scenario %q, but there is no scenario of that name", u.Request),
					Hint: diag.DidYouMean(u.Request, names),
				})
			}
			return false
		})
	}
	return list
}

// Holds returns the names of the steps that wait in the scenario's streams: see [Step.HoldName]. They are in order of
// appearance. A name that several steps use appears several times.
func (s *Scenario) Holds() []string {
	var names []string
	for i := range s.Replies {
		if s.Replies[i].Stream == nil {
			continue
		}
		for _, step := range *s.Replies[i].Stream {
			if name := step.HoldName(); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// Holds returns the names of all holds in the set, each once, in order of appearance.
func (set *Set) Holds() []string {
	var names []string
	known := map[string]bool{}
	for _, s := range set.Scenarios() {
		for _, name := range s.Holds() {
			if !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
