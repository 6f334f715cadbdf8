package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/compare"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Check finds problems that loading a set does not find: templates that fail whatever the
// request, and streams that OpenAI would never send although no quirk lists the rule. The
// result is kept with the set, so that further calls, and [New], cost nothing.
func Check(set *scenarios.Set) diag.List { return set.CheckOnce(answer.Check) }

// CheckFiles parses files and checks all their scenarios together. The list has what
// [yamlfile.Check] and [Check] find, sorted, each problem once. If there are problems, the
// set is nil.
func CheckFiles(files ...yamlfile.Source) (*scenarios.Set, diag.List) {
	return yamlfile.Check(answer.Check, files...)
}

// Rule is a rule of the protocol that streams are checked for when they are
// loaded. A scenario that breaks it on purpose lists its name under quirks.
type Rule struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`               // Doc says what is reported, and what OpenAI does instead.
	Clients string `json:"clients,omitempty"` // Clients says what clients do with such a stream; "" where that is not known, or nothing.
	Example string `json:"example"`           // Example is a scenario that breaks the rule and no other.
}

// Rules returns all rules, in the order in which they are checked.
func Rules() []Rule {
	var list []Rule
	for _, r := range lint.Rules() {
		list = append(list, Rule(r))
	}
	return list
}

// Surface is an API that scenarios are played on.
type Surface struct {
	Name    string // Name is the name of the API in when.surface.
	Path    string // Path is the path of its requests, such as /v1/chat/completions.
	Method  string // Method is their HTTP method: POST, or what a condition on another path asks for.
	Example string // Example is the body of a request for a stream with usage.
	// Operation is OpenTelemetry's name for a request to the API.
	Operation string
	Items     bool // Items says that requests and answers of the API are lists of items.
	// Tool is a function without parameters, as a request offers it; nil for an API without tools.
	Tool func(name string) ojson.Value
}

// Surfaces returns the APIs that the server streams on. The first is the default.
func Surfaces() []Surface { return slices.Clone(surfaces[:len(answer.Surfaces())]) }

var surfaces = func() (list []Surface) {
	for _, on := range answer.All() {
		of := on.Info()
		list = append(list, Surface{Name: of.Name, Path: "/v1" + of.Path, Method: http.MethodPost, Example: of.Example, Operation: of.Operation, Items: of.Items, Tool: of.Tool})
	}
	return list
}()

// SurfaceNamed returns the API of that name, or the default if there is none.
func SurfaceNamed(name string) Surface {
	for i := range surfaces {
		if surfaces[i].Name == name {
			return surfaces[i]
		}
	}
	return surfaces[0]
}

// SurfaceOf returns the API on which the first reply of a scenario is played: the one that
// its conditions name or, if they name none, the first that can express the reply. For a condition on
// another path, the result has a path and a method for which it holds.
func SurfaceOf(s *scenarios.Scenario) Surface { return surfaceOf(s, &s.Replies[0]) }

func surfaceOf(s *scenarios.Scenario, r *scenarios.Reply) Surface {
	on := answer.SurfaceOf(s, r)
	if on != answer.Other {
		return SurfaceNamed(on.Info().Name)
	}
	of := Surface{Name: on.Info().Name, Operation: on.Info().Operation, Example: on.Info().Example}
	of.Path = (&scenarios.When{Path: slices.Concat(r.When.Path, s.When.Path)}).ExamplePath()
	of.Method = slices.Concat(r.When.Method, s.When.Method, []string{http.MethodGet})[0]
	return of
}

// SurfaceThatSent returns the API whose answer, chunk or event v says that it is; ok says
// that there is one.
func SurfaceThatSent(v ojson.Value) (_ Surface, ok bool) {
	on := answer.Sender(v)
	if on == nil {
		return Surface{}, false
	}
	return SurfaceNamed(on.Info().Name), true
}

// Said is one thing that a chunk or an answer says.
type Said = surface.Said

// The kinds of what is said about a call.
const (
	SaidCall      = surface.SaidCall
	SaidArguments = surface.SaidArguments
)

// Hear lists what a chunk or an answer of an API says, by choices, its usage last.
func Hear(v ojson.Value) []Said { return surface.SaidIn(answer.Hear(v)) }

// Speaks returns, by the name of each scenario of a set, the names of the surfaces on which
// it answers, in the order of [Surfaces].
func Speaks(set *scenarios.Set) map[string][]string { return answer.Spoken(set) }

// Notes returns remarks on a correct scenario of a checked set that may surprise its author: replies that an API
// refuses, although no condition keeps its requests from them, cuts that tear an event, raw bytes that end none, expectations that are not compared, and names of events that several items have.
func Notes(s *scenarios.Scenario) diag.List {
	var list diag.List
	for i := range s.Replies {
		for _, p := range s.Replies[i].RefusedOn {
			p.Message = fmt.Sprintf("scenario %q is refused %s", s.Name, p.Message)
			list = append(list, p)
		}
		list = append(list, waits(s, i)...)
		list = append(list, openEvents(s, &s.Replies[i])...)
		for _, e := range []scenarios.End{s.End, s.Replies[i].End} {
			if e.Kind == scenarios.EndCut && e.After != nil && *e.After > 0 && e.Byte == nil && e.Inside == nil && !e.InsideRune {
				list = append(list, diag.Problem{
					Pos: e.Pos, Message: fmt.Sprintf("scenario %q sends %d whole events and tears the next", s.Name, *e.After),
					Hint: fmt.Sprintf("write end: { cut: %d } for whole events alone, or inside: true beside after to say that this is meant", *e.After),
				})
			}
		}
		list = append(list, s.Replies[i].Notes...)
	}
	list.Sort()
	return list.Unique()
}

// openEvents returns a note on the last raw step of a stream if it begins an event that nothing ends.
func openEvents(s *scenarios.Scenario, r *scenarios.Reply) (list diag.List) {
	for k := 0; r.Stream != nil && k < len(*r.Stream); k++ {
		raw, pos := (*r.Stream)[k].Raw, (*r.Stream)[k].Pos
		if raw == nil {
			continue
		}
		list = nil // what is raw can go on with the event before it
		ends := k == len(*r.Stream)-1 && cmp.Or(r.End.Kind, s.End.Kind) != "" || strings.HasSuffix(strings.ReplaceAll(raw.Source, "\r", ""), "\n\n")
		if strings.HasPrefix(raw.Source, "data:") && !ends {
			hint := "write raw: " + strconv.Quote(strings.TrimRight(raw.Source, "\r\n")+"\n\n")
			list = diag.List{{Pos: pos, Message: fmt.Sprintf("scenario %q sends bytes that are no event, since no blank line ends them", s.Name), Hint: hint}}
		}
	}
	return list
}

// waits returns notes on the steps of a reply that wait for what a client does.
func waits(s *scenarios.Scenario, i int) (list diag.List) {
	r := &s.Replies[i]
	r.Waits(func(u *scenarios.Until) bool {
		list = append(list, diag.Problem{Pos: u.Pos, Message: fmt.Sprintf("scenario %q waits here for %s, which no check and no play has: they pass it", s.Name, u)})
		return false
	})
	if r.Listens() && s.API(r) == "" {
		list = append(list, diag.Problem{
			Pos: r.Pos, Message: fmt.Sprintf("scenario %q waits for a message, which only clients of responses and realtime send, over WebSocket: other requests get a 400", s.Name),
			Hint: "a scenario for responses alone says when: { surface: responses }",
		})
	}
	return list
}

// AsStream returns a scenario file: the scenario that answers the request, with its message
// written as the stream that it becomes on the named surface. To the same request it gives
// the same bytes. The seed is for scenarios that have none. The error says what is wrong
// with the request, or why no scenario of the set answers it.
func AsStream(set *scenarios.Set, on string, header http.Header, body []byte, seed int64) ([]byte, error) {
	sel, err := selectFor(set, on, header, body, seed)
	if err != nil {
		return nil, err
	}
	return answer.AsStream(answer.Ask(answer.SurfaceNamed(on), sel, false))
}

// Outcomes returns the outcomes of clients that read the answer to a request on the named surface to its end. The
// error is one of [AsStream], or says why the answer cannot be made.
func Outcomes(set *scenarios.Set, on string, header http.Header, body []byte, seed int64) (scenarios.Outcomes, error) {
	sel, err := selectFor(set, on, header, body, seed)
	if err != nil {
		return scenarios.Outcomes{}, err
	}
	asked := answer.Ask(answer.SurfaceNamed(on), sel, false)
	made, err := answer.NewMaker().Make(asked)
	if err != nil {
		return scenarios.Outcomes{}, err
	}
	defer made.Release()
	return made.Outcomes(asked), nil
}

// EmptyCaptures returns the places in the reply to a request that use a capture which no
// condition made: a scenario that is asked for by name answers although its conditions do
// not hold. The list is empty if no scenario answers.
func EmptyCaptures(set *scenarios.Set, on string, header http.Header, body []byte) diag.List {
	sel, err := selectFor(set, on, header, body, 1)
	if err != nil {
		return nil
	}
	return answer.EmptyCaptures(sel)
}

// unlimited is a [scenarios.Counter] for which no reply is used up.
type unlimited struct{}

func (unlimited) Available(string, int, int) bool     { return true }
func (unlimited) Drawn(sel *scenarios.Selection) bool { return isDrawn(sel) }

// selectFor selects the reply that a set gives to a request on the named surface.
func selectFor(set *scenarios.Set, on string, header http.Header, body []byte, seed int64) (*scenarios.Selection, error) {
	req, err := answer.SurfaceNamed(on).Read(header, body)
	if err != nil {
		return nil, fmt.Errorf("the request: %w", err)
	}
	req.Time = time.Now()
	if named := set.Lookup(req.Scenario); on == scenarios.SurfaceOther && named != nil {
		of := SurfaceOf(named)
		_ = request.SetPath(req, of.Method, of.Path) // an example of a path can be decoded
	}
	sel, none := set.Match(context.Background(), req, unlimited{}, "", seed)
	if none != nil {
		return nil, fmt.Errorf("no scenario answers the request: %s", whyUnmatched(none))
	}
	return sel, nil
}

// Block is one block of a stream of server-sent events that was read: an event, comments, or a
// blank line alone.
type Block = sse.Block

// Line is one line of a [Block].
type Line = sse.Line

// Blocks returns the blocks of the body of a stream.
func Blocks(body []byte) []Block { return sse.Blocks(body) }

// Plan is what an answer would send, and when.
type Plan = journal.Plan

// PlannedFrame is bytes that are due at one time, or a hold.
type PlannedFrame = journal.PlannedFrame

// Difference is one difference of an answer from another one.
type Difference = compare.Difference

// Compare returns how answer b differs from answer a in the terms of the protocol: in status and headers, in the kinds of
// events and their order, in the members of their JSON, and in framing. Ids, times, counts of tokens and the cuts of texts
// do not count; texts do if they are asked for.
func Compare(a, b Plan, texts bool) []Difference { return compare.Plans(a, b, texts) }

// WithPlan returns a context for requests whose answers are planned and not played. Such an
// answer is selected, counted and made as any other; its plan is passed to take, and the
// body is empty. Requests that are refused are answered as usual.
func WithPlan(ctx context.Context, take func(Plan)) context.Context {
	return context.WithValue(ctx, planKey{}, take)
}

type planKey struct{}

// takePlan passes the plan of an answer to the function of [WithPlan]. It returns false if ctx has
// none, and the answer must be played.
func takePlan(ctx context.Context, a *answer.Answer) bool {
	take, ok := ctx.Value(planKey{}).(func(Plan))
	if !ok {
		return false
	}
	take(planOf(a))
	return true
}

func planOf(a *answer.Answer) Plan {
	p := Plan{Status: a.Status, Header: a.Header.Clone(), Start: a.Program.HeaderDelay, End: a.Program.Ending.Kind.String()}
	start := p.Start
	for f, due := range a.Program.All() {
		frame := PlannedFrame{At: start + due, Kind: f.Kind, Hold: f.Hold, More: f.More}
		if f.Hold != "" {
			start = frame.At
		} else {
			frame.Bytes = f.Append(nil, a.Values)
		}
		p.Frames = append(p.Frames, frame)
	}
	p.EndAt = start + a.Program.Ending.Due
	if n := len(p.Frames); n > 0 {
		p.EndAt = max(p.EndAt, p.Frames[n-1].At) // the ending of a body in one piece may be due before the body
	}
	if kind := a.Program.Ending.Kind; kind == player.EndStall || kind == player.EndLinger {
		p.EndAt += a.Program.Ending.For
	}
	if a.Program.Ending.Refuses() {
		p.Status = 0
	}
	return p
}

// Sends says in a sentence each, by name, what the scenarios of a set send: which requests they answer on which APIs and, to
// a plain request, how many events in which time, and how the answer ends. Scenarios without a reply are left out. Plain says
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
