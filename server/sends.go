package server

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
)

// Sends says in a sentence each, by name, what the scenarios of a set send: which requests they answer on which APIs and, to
// a plain request, how many events in which time, and how the answer ends. Those without a reply are left out. Plain says
// who answers a plain request of each API.
func Sends(set *scenarios.Set) (said map[string]string, plain string) {
	said = map[string]string{}
	maker, speaks := answer.NewMaker(), Speaks(set)
	for _, s := range set.Scenarios() {
		if len(s.Replies) > 0 {
			on := SurfaceOf(s)
			asked := cmp.Or(strings.Join(s.When.Conditions(), ", "), "any request")
			if on.Name != scenarios.SurfaceOther { // its conditions have the path
				asked += " on " + cmp.Or(strings.Join(speaks[s.Name], ", "), on.Name)
			}
			said[s.Name] = asked + ": " + sentTo(set, s.Name, on, maker)
		}
	}
	var list []string
	for _, on := range append(Surfaces(), SurfaceNamed("embeddings"), SurfaceNamed("moderations")) {
		by := "none"
		if sel, err := selectFor(set, on.Name, http.Header{}, []byte(on.Example), 1); err == nil {
			by = sel.Scenario.Name
		}
		list = append(list, on.Name+" "+by)
	}
	return said, strings.Join(list, ", ")
}

// sentTo says what a scenario sends to a plain request that asks for it by its name.
func sentTo(set *scenarios.Set, name string, on Surface, maker *answer.Maker) string {
	sel, err := selectFor(set, on.Name, http.Header{"X-Fakeopenai-Scenario": {name}}, []byte(on.Example), 1)
	if err != nil {
		return "its first reply is for other requests"
	}
	plan, err := planAsked(maker, answer.Ask(answer.SurfaceNamed(on.Name), sel, false))
	if err != nil {
		return "its first reply needs more than a plain request has"
	}
	return inShort(&plan)
}

// inShort is what a plan sends: events, time, ending, and what is torn.
func inShort(p *Plan) string {
	events, torn, holds := 0, false, 0
	for _, f := range p.Frames {
		switch {
		case f.Hold != "":
			holds++
		case !f.More:
			events++
			blocks := Blocks(f.Bytes)
			torn = len(blocks) > 0 && !blocks[len(blocks)-1].Whole
		}
	}
	counted := func(n int, noun string) string {
		if n == 1 {
			return "1 " + noun
		}
		return fmt.Sprintf("%d %ss", n, noun)
	}
	said := []string{counted(events, "event")}
	switch {
	case p.Status == 0:
		said = nil
	case !strings.HasPrefix(p.Header.Get("Content-Type"), "text/event-stream"):
		said = []string{fmt.Sprintf("%d %s", p.Status, p.Header.Get("Content-Type"))}
	case torn:
		said = append(said, "of which the last is torn")
	}
	if p.EndAt > 0 {
		said = append(said, "in "+p.EndAt.String())
	}
	if holds > 0 {
		said = append(said, "waiting at "+counted(holds, "hold"))
	}
	if p.End != "" {
		said = append(said, "then "+p.End)
	}
	return strings.Join(said, ", ")
}
