package recording

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// past are the items that an upstream keeps, as far as they were recorded. With them a request
// that goes on from a response or a conversation is read as the server will read it.
type past struct {
	of    map[string][]ojson.Value // of has all items up to the end of a response or conversation, by the id of that.
	items map[string]ojson.Value   // items are all items of all responses and conversations, by their own ids.
}

// add adds items to those of a response or conversation.
func (p *past) add(id string, items ...ojson.Value) {
	if p.of == nil {
		p.of, p.items = map[string][]ojson.Value{}, map[string]ojson.Value{}
	}
	p.of[id] = slices.Concat(p.of[id], items)
	for _, item := range items {
		p.items[item.Get("id").Text()] = item
	}
}

// follow adds to a request the items that came before it, and remembers what it and its answer
// add to them.
func (p *past) follow(req *scenarios.Request, x *Exchange) {
	keeper, keeps := answer.SurfaceNamed(req.Surface).(surface.Keeper)
	if !keeps {
		return
	}
	conversation := responses.Conversation(req)
	before := slices.Concat(p.of[responses.Previous(req)], p.of[conversation])
	keeper.Continue(req, before, p.items)
	response := responseIn(x)
	added := slices.Concat(inputIn(req.Body.Get("input")), response.Get("output").Items())
	if id := response.Get("id").Text(); id != "" {
		p.add(id, slices.Concat(before, added)...)
	}
	if conversation != "" && response.Get("status").Text() != scenarios.ResponseFailed {
		p.add(conversation, added...)
	}
}

// isElsewhere reports whether an exchange asks for a response or conversation that was not recorded, and so is
// unknown to the server that plays the recordings.
func (p *past) isElsewhere(x *Exchange) bool {
	at, _, _ := strings.Cut(x.Path, "?")
	asks := x.Method == http.MethodGet || x.Method == http.MethodDelete
	return asks && isKept(at) && !slices.ContainsFunc(strings.Split(at, "/"), p.knows)
}

// knows reports whether the response or conversation of an id was recorded.
func (p *past) knows(id string) bool {
	_, ok := p.of[id]
	return ok
}

// inputIn is the input of a request as items.
func inputIn(input ojson.Value) []ojson.Value {
	if input.Kind() == ojson.StringKind {
		return []ojson.Value{ojson.Object(ojson.M("role", ojson.String("user")), ojson.M("content", input))}
	}
	return input.Items()
}

// responseIn is the response in an answer: the whole answer, or that of its last event with one.
func responseIn(x *Exchange) ojson.Value {
	if !x.IsStream() {
		v, _ := ojson.Parse(x.bodyBytes())
		return v
	}
	for _, f := range slices.Backward(framesOf(x)) {
		if response := f.value.Get("response"); !response.IsAbsent() {
			return response
		}
	}
	return ojson.Value{}
}

// isBegun reports whether an exchange began a response in the background, whose id is then known.
func (p *past) isBegun(x *Exchange) bool {
	response := responseIn(x)
	begun := !x.IsStream() && slices.Contains([]string{scenarios.ResponseQueued, "in_progress"}, response.Get("status").Text())
	if begun {
		p.add(response.Get("id").Text())
	}
	return begun
}

// notice remembers the items with which a conversation is made, or that are added to it.
func (p *past) notice(x *Exchange) {
	asked, _ := ojson.Parse(x.Body)
	at, _, _ := strings.Cut(x.Path, "?")
	of, last := path.Split(at)
	switch of, parent := path.Split(strings.TrimSuffix(of, "/")); {
	case x.Method != http.MethodPost || x.Status != http.StatusOK:
	case last == "conversations":
		if made := responseIn(x); made.Get("id").Text() != "" {
			p.add(made.Get("id").Text(), asked.Get("items").Items()...)
		}
	case last == "items" && path.Base(of) == "conversations":
		p.add(parent, asked.Get("items").Items()...)
	}
}
