package answer

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// faultKey identifies a reply with a fault laid over it, for requests that want the same of it.
type faultKey struct {
	fault any // fault names the fault: see [Maker.Strike].
	key
}

// faulty is a reply with a fault laid over it. Its own reply makes its programs differ from those of the
// reply below.
type faulty struct {
	once   sync.Once
	reply  *scenarios.Reply
	manner *scenarios.Manner
	why    string // why says why the answer cannot have the fault; "" if it can.
}

// faulty returns what is shared by all requests which want the same of a reply under a fault.
func (c *cache) faulty(k faultKey) *faulty {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.faults == nil || len(c.faults) >= maxPrograms {
		c.faults = map[faultKey]*faulty{}
	}
	if c.faults[k] == nil {
		c.faults[k] = new(faulty)
	}
	return c.faults[k]
}

// Strike returns what is asked, with the fault laid over the reply. Why says why the answer cannot have the
// fault; it is "" if it can. Ask reads what the request wants of a selection. Equal faults have the same
// name, which can be compared.
func (m *Maker) Strike(f *scenarios.Fault, name any, asked *Asked, ask func(*scenarios.Selection) *Asked) (struck *Asked, why string) {
	e := m.cache.faulty(faultKey{name, key{reply: asked.Reply, want: asked.Want}})
	e.once.Do(func() {
		sel := f.Over(asked.Selection)
		e.reply, e.manner, e.why = sel.Reply, sel.Manner, lacks(f, asked, ask(sel))
	})
	if e.why != "" {
		return nil, e.why
	}
	sel := *asked.Selection
	sel.Reply, sel.Manner = e.reply, e.manner
	struck = ask(&sel)
	struck.struck = true
	return struck, ""
}

// Forget drops the programs of scenarios that are played no more, and all that faults were laid over.
func (m *Maker) Forget(list []*scenarios.Scenario) {
	gone := map[*scenarios.Reply]bool{}
	for _, s := range list {
		for i := range s.Replies {
			gone[&s.Replies[i]] = true
		}
	}
	c := m.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = nil
	maps.DeleteFunc(c.entries, func(k key, e *entry) bool {
		drop := k.struck || gone[k.reply]
		if drop {
			c.bytes -= e.size
		}
		return drop
	})
}

// lacks returns why an answer cannot have the fault; "" if it can. Struck is asked with the fault laid over it.
func lacks(f *scenarios.Fault, asked, struck *Asked) string {
	if asked.Scenario.NoFaults || asked.Reply.NoFaults {
		return keptWhole
	}
	if f.Error != nil {
		return ""
	}
	if why := f.Lacks(struck.Selection, struck.Surface.Info().Name, struck.Want.Stream); why != "" {
		return why
	}
	known := missing(asked)
	for _, why := range missing(struck) {
		if !slices.Contains(known, why) {
			return why
		}
	}
	return ""
}

// missing returns the places that the reply names and that the answer does not have, in words.
func missing(a *Asked) (list []string) {
	if !namesPlaces(a.Selection) {
		return nil
	}
	p := placesSought{known: map[soughtKey]*compile.Place{}}
	p.form(a)
	for _, place := range p.list {
		if !place.Found {
			list = append(list, place.Missing)
		}
	}
	return list
}

// CheckFaults finds the problems of faults that are laid over the answers of a set: in their templates
// and errors, and faults that no answer of the set can have. Those that are for one answer have no set.
func CheckFaults(docs []*scenarios.Faults, set *scenarios.Set) (list diag.List) {
	for _, doc := range docs {
		list = append(list, render.Check(doc.AsScenario())...)
		for i := range doc.List {
			f := &doc.List[i]
			if f.Error != nil {
				list = append(list, script.ErrorProblems(f.Error)...)
			}
			if set == nil {
				continue
			}
			why := strikesNothing(f, doc, set)
			if f.Error != nil && f.Error.Status != 0 && f.Error.Status < http.StatusBadRequest {
				why = fmt.Sprintf("the status %d is no error", f.Error.Status)
			}
			for _, path := range slices.Concat(f.When.Path, doc.AsScenario().When.Path) {
				if near := nearAPI(path); near != "" && !set.AnswersPath(&scenarios.Request{Surface: scenarios.SurfaceOther, Path: path}) {
					why = fmt.Sprintf("nothing answers the path %s; did you mean %s?", path, near)
				}
			}
			if why == none && (couldBePlain(&f.When) && couldBePlain(&doc.AsScenario().When)) {
				why = strikesNothing(f, doc, plainScenarios())
			}
			if why != "" {
				list = append(list, diag.Problem{
					Pos:     f.Pos,
					Message: fmt.Sprintf("fault %d (%s) strikes nothing: %s", i+1, f.What(), why),
					Hint:    "change it so that an answer of the scenarios can have it, or leave it out",
				})
			}
		}
	}
	list.Sort()
	return list.Unique()
}

// What is said of an answer that stays whole, and of a fault for whose conditions there is no answer.
const (
	keptWhole = "the reply says faults: false"
	none      = "no scenario gives an answer for which its conditions hold"
)

// strikesNothing returns why no answer of the set can have the fault; "" if one can.
func strikesNothing(f *scenarios.Fault, doc *scenarios.Faults, set *scenarios.Set) string {
	why := none
	if set.Len() == 0 {
		why = "there is no scenario whose answers it could strike"
	}
	for sel := range set.Selections(1) {
		for _, form := range formsOf(sel) {
			if !couldBeFor(&f.When, form) || !couldBeFor(&doc.AsScenario().When, form) {
				continue
			}
			now := lacks(f, form, Ask(form.Surface, f.Over(form.Selection), false))
			if now == "" {
				return ""
			}
			if now != keptWhole || why == none {
				why = now
			}
		}
	}
	return why
}

// nearAPI is the path of an API for which another one was probably mistaken; "" for none.
func nearAPI(path string) string {
	var paths []string
	for _, on := range All() {
		paths = append(paths, "/v1"+on.Info().Path)
	}
	if near := diag.Nearest(path, paths); near != path {
		return near
	}
	return ""
}

// couldBeFor reports whether the conditions on the form of a request, and on its model, hold for one of
// this form.
func couldBeFor(w *scenarios.When, form *Asked) bool {
	return (w.Surface == "" || w.Surface == form.Request.Surface) && (w.Stream == nil || *w.Stream == form.Request.Stream) &&
		w.CanHoldWith(&form.Scenario.When) && w.CanHoldWith(&form.Reply.When)
}

// couldBePlain reports whether the condition on the model can hold for embeddings or moderations.
func couldBePlain(w *scenarios.When) bool {
	return w.Surface != "" || len(w.Model) == 0 || len(w.NamedModels()) < len(w.Model) ||
		slices.ContainsFunc(w.Model, func(name string) bool { return surface.ModelNamed(name).Elsewhere })
}

// plainScenarios are the scenarios that answer the requests to the APIs that are never streamed if no other scenario does:
// a program that embeds texts on its way needs no scenario for that.
var plainScenarios = sync.OnceValue(func() *scenarios.Set {
	set, _ := scenarios.Build(nil,
		&scenarios.Scenario{Name: "plain-embeddings", Replies: []scenarios.Reply{{Embeddings: &scenarios.Embeddings{}}}},
		&scenarios.Scenario{Name: "plain-moderations", Replies: []scenarios.Reply{{Moderations: &scenarios.Moderations{}}}},
	)
	return set
})

// PlainReply is the reply of the plain scenarios to a request; nil if they have none. A client names
// its scenario with all of its requests: one without a reply for the API leaves them to the plain
// scenarios.
func PlainReply(set *scenarios.Set, req *scenarios.Request, seed int64) *scenarios.Selection {
	if req.Scenario != "" {
		named := set.Lookup(req.Scenario)
		if named == nil || slices.ContainsFunc(named.Replies, func(r scenarios.Reply) bool { return r.Whole() == req.Surface }) {
			return nil
		}
	}
	unnamed := *req
	unnamed.Scenario = ""
	sel, _ := plainScenarios().Match(context.Background(), &unnamed, nil, "", seed)
	if sel != nil {
		sel.Request = req
	}
	return sel
}
