package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
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
	With        string       `json:"with,omitempty"` // With is the name of the second scenario if the names differ.
	Differences []difference `json:"differences"`
}

// difference is one difference between the answers of two replies.
type difference struct {
	Reply int `json:"reply,omitempty"` // Reply counts from 1; 0 if both scenarios have a single reply.
	server.Difference
}

// compareScenarios returns the differences of the answers of scenarios b from those of scenarios
// a. Names are the names of the two sides in the report.
func compareScenarios(ctx context.Context, a, b []*scenarios.Scenario, names []string, o diffOptions) *diffReport {
	found := &diffReport{Scenarios: []scenarioDifferences{}, Unmatched: []unpaired{}}
	for _, p := range pairsOf(a, b) {
		switch {
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
		result.Differences = append(result.Differences, difference{0, server.Difference{Where: "replies", What: fmt.Sprintf("are %d, were %d", is, was)}})
	}
	for i := range min(len(p.a.Replies), len(p.b.Replies)) {
		reply := 0
		if len(p.a.Replies) > 1 || len(p.b.Replies) > 1 {
			reply = i + 1
		}
		list, err := p.compareReply(ctx, i, o)
		if err != nil {
			list = []server.Difference{{Where: "the request", What: "gets no answer to compare: " + err.Error() + "; --request sends another"}}
		}
		for _, d := range list {
			result.Differences = append(result.Differences, difference{reply, d})
		}
	}
	return result
}

// compareReply compares the answers of two replies. If both are messages and their
// streams do not differ, it also compares the answers in one piece.
func (p pair) compareReply(ctx context.Context, i int, o diffOptions) ([]server.Difference, error) {
	request := o.request
	if request == nil {
		request = requestFor(p.a, i)
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

func (p pair) compareFor(ctx context.Context, i int, request []byte, o diffOptions) ([]server.Difference, error) {
	was, problem := planReply(ctx, p.a, i, request)
	is, otherProblem := planReply(ctx, p.b, i, request)
	if err := cmp.Or(problem, otherProblem); err != nil {
		return nil, err
	}
	return server.Compare(was, is, o.text), nil
}

// Count returns the number of differences and scenarios without counterpart.
func (r *diffReport) Count() int {
	n := len(r.Unmatched)
	for _, s := range r.Scenarios {
		n += len(s.Differences)
	}
	return n
}

// Text returns the report for people: each difference once, with the scenarios that have it.
func (r *diffReport) Text() string {
	var text strings.Builder
	table := console.Table(&text)
	for _, u := range r.Unmatched {
		fmt.Fprintf(table, "%s\tonly in %s\n", u.Name, u.In)
	}
	var order []difference
	having := map[difference][]string{}
	for _, s := range r.Scenarios {
		for _, d := range s.Differences {
			if having[d] == nil {
				order = append(order, d)
			}
			having[d] = append(having[d], strings.TrimSuffix(s.Name+" and "+s.With, " and "))
		}
	}
	for _, d := range order {
		where := d.Where
		if d.Reply > 0 {
			where = fmt.Sprintf("reply %d, %s", d.Reply, where)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", shownNames(having[d]), where, d.What)
	}
	table.Flush()
	summary := "no differences"
	if n := r.Count(); n > 0 {
		summary = console.Count(n, "difference")
	}
	fmt.Fprintf(&text, "%s, %s compared", summary, console.Count(len(r.Scenarios), "scenario"))
	if n := len(r.Unmatched); n > 0 {
		fmt.Fprintf(&text, ", %d on one side alone", n)
	}
	return text.String() + "\n"
}

// shownNames returns the first names of scenarios, each once, and how many others there are.
func shownNames(all []string) string {
	names := slices.Compact(slices.Sorted(slices.Values(all)))
	if rest := len(names) - 3; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), rest)
	}
	return strings.Join(names, ", ")
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
	pairs, taken, when := make([]pair, len(a)), map[*scenarios.Scenario]bool{}, map[*scenarios.Scenario]string{}
	for _, s := range slices.Concat(a, b) {
		when[s] = conditions(s)
	}
	for _, same := range []func(x, y *scenarios.Scenario) bool{
		func(x, y *scenarios.Scenario) bool { return x.Name == y.Name && when[x] == when[y] },
		func(x, y *scenarios.Scenario) bool { return when[x] == when[y] && when[x] != "" },
		func(x, y *scenarios.Scenario) bool { return x.Name == y.Name },
	} {
		for i, x := range a {
			at := slices.IndexFunc(b, func(y *scenarios.Scenario) bool { return pairs[i].b == nil && !taken[y] && same(x, y) })
			if at >= 0 {
				pairs[i].b, taken[b[at]] = b[at], true
			}
		}
	}
	for i, x := range a {
		pairs[i].a = x
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
