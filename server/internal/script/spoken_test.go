package script_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// ask is a want; the zero value wants a stream in the layout of gpt-4o.
type ask struct {
	N           int
	Usage       bool
	Fold        bool // the answer is not streamed
	Logprobs    bool
	TopLogprobs int
	Layout      scenarios.Layout
}

// asking returns a selection of a scenario's first reply, and this want.
func asking(t testing.TB, s *scenarios.Scenario, a ask) (*scenarios.Selection, script.Want) {
	t.Helper()
	body, err := os.ReadFile("../../../scenarios/testdata/request.json")
	if err != nil {
		t.Fatal(err)
	}
	req, err := chat.Surface{}.Read(map[string][]string{"X-Trace": {"t1"}}, body)
	if err != nil {
		t.Fatal(err)
	}
	req.N, req.IncludeUsage, req.Stream = a.N, a.Usage, !a.Fold
	req.Logprobs, req.TopLogprobs = a.Logprobs, a.TopLogprobs
	sel := &scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: req, Seed: 7, Manner: s.Manner.Overlay(&s.Replies[0].Manner)}
	switch a.Layout {
	case "":
	case scenarios.LayoutReasoning:
		req.Model = "o3"
	default:
		sel.Manner.Envelope.Layout = a.Layout
	}
	sel.Match = map[string]string{}
	for _, name := range s.When.GroupNames() {
		sel.Match[name] = "Oslo"
	}
	return sel, chat.Surface{}.Want(sel, false)
}

// spoken returns a script as text, one line for each group: the kind of the chunk, the choice,
// the delta, and what else the chunk has except for what the layout adds.
func spoken(t testing.TB, s *script.Script, want script.Want) string {
	t.Helper()
	var out strings.Builder
	for i := range s.Groups {
		fmt.Fprintln(&out, spokenGroup(t, s, &s.Groups[i], want))
	}
	return out.String()
}

func spokenGroup(t testing.TB, s *script.Script, g *script.Group, want script.Want) string {
	t.Helper()
	bare := *g
	bare.Edit = nil
	units, err := chat.Surface{}.Speak(&script.Script{Groups: []script.Group{bare}, OwnDone: true}, &surface.Options{Want: want})
	if err != nil {
		t.Fatal(err)
	}
	u := &units[0]
	parts := []string{u.Kind}
	add := func(name string, v ojson.Value) {
		if !v.IsAbsent() {
			parts = append(parts, name+shown(s, v))
		}
	}
	if g.Choice > 0 {
		parts = append(parts, fmt.Sprintf("choice=%d", g.Choice))
	}
	if g.IsChunk() {
		spokenChunk(g, u, add)
	}
	add("error=", u.JSON.Get("error"))
	if g.Edit != nil {
		add("extra=", g.Edit.Extra)
		for _, p := range g.Edit.Omit {
			parts = append(parts, "omit="+p.String())
		}
		for _, a := range g.Edit.Set {
			add("set="+a.Path.String()+"=", a.Value)
		}
	}
	for _, text := range []*string{u.Event.Comment, u.Raw} {
		if text != nil {
			parts = append(parts, fmt.Sprintf("%q", *text))
		}
	}
	if g.Gap != nil {
		parts = append(parts, "gap="+g.Gap.String())
	}
	if g.Jitter != 0 {
		parts = append(parts, "jitter="+g.Jitter.String())
	}
	if g.Series != 0 {
		parts = append(parts, "series="+shown(s, hole.Value(g.Series)))
	}
	return strings.Join(parts, " ")
}

// spokenChunk adds the content of a group.
func spokenChunk(g *script.Group, u *compile.Unit, add func(string, ojson.Value)) {
	said := chat.Surface{}.Hear(g, &surface.Options{}).Said
	for _, beat := range g.Beats {
		if l, ok := beat.(script.Literal); ok && l.Member == "chunk" {
			add("chunk=", l.Value)
			return
		}
	}
	for i := range said {
		add("", said[i].JSON)
	}
	choices := u.JSON.Get("choices").Items()
	for _, beat := range g.Beats {
		switch beat.(type) {
		case script.Logprobs:
			add("logprobs=", choices[0].Get("logprobs"))
		case script.Finish:
			add("finish=", choices[0].Get("finish_reason"))
		case script.Usage:
			add("usage=", u.JSON.Get("usage"))
		}
	}
}

// shown returns JSON with its holes in angle brackets: the template that fills it, or the
// number of the hole in the script.
func shown(s *script.Script, v ojson.Value) string {
	text := v.String()
	for {
		at, id := hole.Next([]byte(text))
		if at < 0 {
			return text
		}
		text = text[:at] + "<" + nameOf(s, id) + ">" + text[at+hole.Len:]
	}
}

func nameOf(s *script.Script, id hole.ID) string {
	switch id {
	case script.PromptTokens:
		return "prompt"
	case hole.Piece:
		return "piece"
	}
	if text := s.Text(hole.Value(id)); text != "" {
		return text
	}
	return fmt.Sprint(id - hole.Script)
}
