package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// diffReport holds the differences of two lists of scenarios.
type diffReport struct {
	Scenarios []scenarioDifferences `json:"scenarios"`
	Unmatched []unpaired            `json:"unmatched"` // Unmatched are the scenarios without counterpart.
}

// unpaired is a scenario that only one side has.
type unpaired struct {
	Name string `json:"name"`
	In   string `json:"in"` // In is the name of that side.
}

// scenarioDifferences holds the differences of one pair of scenarios.
type scenarioDifferences struct {
	Name        string       `json:"name"`
	With        string       `json:"with,omitempty"` // With is the name of the other scenario if it differs.
	Differences []difference `json:"differences"`
}

// difference is one difference between two answers. What describes the change from the
// first answer to the second.
type difference struct {
	Reply int    `json:"reply,omitempty"` // Reply counts from 1; 0 if both scenarios have a single reply.
	Kind  string `json:"kind"`
	Where string `json:"where"` // Where is a header, or a kind of event and a place in its JSON.
	What  string `json:"what"`

	place string // place is the place in the JSON, without the kind of event; "" outside of JSON.
}

// compareScenarios returns the differences of the answers of scenarios b from those of scenarios
// a. Names are the names of the two sides in the report.
func compareScenarios(ctx context.Context, a, b []*scenarios.Scenario, names []string, o diffOptions) *diffReport {
	found := &diffReport{Scenarios: []scenarioDifferences{}, Unmatched: []unpaired{}}
	for _, p := range pairsOf(a, b) {
		switch {
		case o.byDefault:
			p.b = p.a
			found.Scenarios = append(found.Scenarios, p.compare(ctx, o))
		case p.b == nil:
			found.Unmatched = append(found.Unmatched, unpaired{p.a.Name, names[0]})
		case p.a == nil:
			found.Unmatched = append(found.Unmatched, unpaired{p.b.Name, names[1]})
		default:
			found.Scenarios = append(found.Scenarios, p.compare(ctx, o))
		}
	}
	return found
}

// compare compares the replies of two scenarios, one by one.
func (p pair) compare(ctx context.Context, o diffOptions) scenarioDifferences {
	result := scenarioDifferences{Name: p.a.Name, Differences: []difference{}}
	if p.b.Name != p.a.Name {
		result.With = p.b.Name
	}
	if was, is := len(p.a.Replies), len(p.b.Replies); was != is {
		result.Differences = append(result.Differences, difference{
			Kind: kindOrder, Where: "replies", What: fmt.Sprintf("are %d, were %d", is, was)})
	}
	for i := range min(len(p.a.Replies), len(p.b.Replies)) {
		reply := 0
		if len(p.a.Replies) > 1 || len(p.b.Replies) > 1 {
			reply = i + 1
		}
		list, err := p.compareReply(ctx, i, o)
		if err != nil {
			list = []difference{{Kind: kindHTTP, Where: "the request", What: "gets no answer to compare: " + err.Error() + "; --request sends another"}}
		}
		for _, d := range list {
			d.Reply = reply
			result.Differences = append(result.Differences, d)
		}
	}
	return result
}

// compareReply compares the answers of two replies. If both are messages and their
// streams do not differ, it also compares the answers in one piece.
func (p pair) compareReply(ctx context.Context, i int, o diffOptions) ([]difference, error) {
	request := o.request
	if request == nil {
		request = requestFor(p.a, i)
	}
	if o.byDefault {
		var err error
		if p.b, err = withDefaultReply(ctx, p.a, i, request); err == nil && o.request == nil {
			request, err = withoutUsage(ctx, p.a, i, request)
		}
		if errors.Is(err, errNoMessage) {
			return []difference{{Kind: kindOrder, Where: "the answer", What: "has no default: " + err.Error()}}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	list, err := p.compareFor(ctx, i, request, o)
	if err != nil || len(list) > 0 || o.request != nil || p.a.When.Stream != nil || p.a.Replies[i].When.Stream != nil || p.a.Replies[i].Message == nil || p.b.Replies[i].Message == nil {
		return list, err
	}
	if request = askedInOnePiece(request); request == nil {
		return nil, nil
	}
	list, err = p.compareFor(ctx, i, request, o)
	if err != nil {
		return nil, nil // the reply answers streamed requests only
	}
	for i := range list {
		list[i].Where = "in one piece: " + list[i].Where
	}
	return list, nil
}

func (p pair) compareFor(ctx context.Context, i int, request []byte, o diffOptions) ([]difference, error) {
	was, problem := planReply(ctx, p.a, i, request)
	is, otherProblem := planReply(ctx, p.b, i, request)
	if err := cmp.Or(problem, otherProblem); err != nil {
		return nil, err
	}
	return comparePlans(was, is, o), nil
}

// Differences returns the number of differences and scenarios without counterpart.
func (r *diffReport) Differences() int {
	n := len(r.Unmatched)
	for _, s := range r.Scenarios {
		n += len(s.Differences)
	}
	return n
}

// title returns the name of a scenario, with that of the other if it differs.
func (s *scenarioDifferences) title() string {
	if s.With == "" {
		return s.Name
	}
	return s.Name + " and " + s.With
}

// where returns the place of a difference, with the number of the reply.
func (d *difference) where() string {
	if d.Reply == 0 {
		return d.Where
	}
	return fmt.Sprintf("reply %d, %s", d.Reply, d.Where)
}

// pair is two scenarios to compare; one is nil if it has no counterpart.
type pair struct{ a, b *scenarios.Scenario }

// pairsOf finds the counterpart of each scenario on the other side: the one with the same
// name and conditions, else with the same conditions, which stand for the request, else
// with the same name. If both sides have one scenario, these are a pair.
func pairsOf(a, b []*scenarios.Scenario) []pair {
	if len(a) == 1 && len(b) == 1 {
		return []pair{{a[0], b[0]}}
	}
	partner, taken := map[*scenarios.Scenario]*scenarios.Scenario{}, map[*scenarios.Scenario]bool{}
	when := map[*scenarios.Scenario]string{}
	for _, list := range [][]*scenarios.Scenario{a, b} {
		for _, s := range list {
			when[s] = conditions(s)
		}
	}
	for _, key := range []func(s *scenarios.Scenario) string{
		func(s *scenarios.Scenario) string { return s.Name + "\n" + when[s] },
		func(s *scenarios.Scenario) string { return when[s] },
		func(s *scenarios.Scenario) string { return s.Name },
	} {
		waiting := map[string][]*scenarios.Scenario{}
		for _, y := range b {
			if k := key(y); k != "" && !taken[y] {
				waiting[k] = append(waiting[k], y)
			}
		}
		for _, x := range a {
			if list := waiting[key(x)]; len(list) > 0 && partner[x] == nil {
				partner[x], taken[list[0]], waiting[key(x)] = list[0], true, list[1:]
			}
		}
	}
	var pairs []pair
	for _, x := range a {
		pairs = append(pairs, pair{x, partner[x]})
	}
	for _, y := range b {
		if !taken[y] {
			pairs = append(pairs, pair{nil, y})
		}
	}
	return pairs
}

// conditions returns the conditions of a scenario as a text; "" for none.
func conditions(s *scenarios.Scenario) string {
	text, err := yamlfile.FormatLine(&scenarios.Scenario{Name: "x", When: s.When})
	_, when, found := strings.Cut(string(text), "when:")
	if err != nil || !found {
		return ""
	}
	return when
}
