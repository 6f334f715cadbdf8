package scenarios

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// checkScenario finds the problems of one scenario whose extends is resolved.
func checkScenario(s *Scenario) diag.List {
	diags := checkReplies(s)
	diags = append(diags, misplacedReplies(s)...)
	diags = append(diags, checkPaths(s)...)
	diags = append(diags, unreachableReplies(s)...)
	diags = append(diags, sharesOfAll(s)...)
	if err := s.Limits.Check(); err != nil && s.Pos.File == "" { // the reader sees to that in files
		diags = append(diags, diag.Problem{Message: fmt.Sprintf("the limits of scenario %q: %v", s.Name, err)})
	}
	diags = append(diags, unreadBodies(s)...)
	return append(diags, checkShutdownEvents(s)...)
}

// unreadBodies finds files that the scenario sends and that nobody has read.
func unreadBodies(s *Scenario) (diags diag.List) {
	check := func(b *Body) {
		if b != nil && !b.IsRead() {
			diags = append(diags, diag.Problem{
				Pos: b.Pos, Message: fmt.Sprintf("scenario %q: the file %s was not read: the scenario has no directory", s.Name, diag.Quote(b.File)),
				Hint: "write the bytes as body: !!binary, in base64",
			})
		}
	}
	check(s.Wire.Body)
	for i := range s.Replies {
		check(s.Replies[i].Wire.Body)
	}
	return diags
}

// checkReplies finds replies without an answer, or with more than one. Package yamlfile
// finds them in files, so only scenarios made in Go are checked.
func checkReplies(s *Scenario) diag.List {
	if s.Pos.File != "" {
		return nil
	}
	if len(s.Replies) == 0 {
		return diag.List{{Message: fmt.Sprintf("scenario %q has no replies", s.Name)}}
	}
	var diags diag.List
	for i, r := range s.Replies {
		if says := countTrue(r.Message != nil, r.Stream != nil, r.Error != nil, r.Embeddings != nil, r.Moderations != nil); r.Pos.File == "" && says != 1 {
			diags = append(diags, diag.Problem{Message: fmt.Sprintf("reply %d of scenario %q has %d of Message, Stream, Error, Embeddings and Moderations, it must have one", i+1, s.Name, says)})
		}
		if r.Chance != nil && (*r.Chance <= 0 || *r.Chance >= 1) {
			diags = append(diags, diag.Problem{Message: fmt.Sprintf("reply %d of scenario %q has the chance %v, it must be between 0 and 1", i+1, s.Name, *r.Chance)})
		}
	}
	return diags
}

func countTrue(conditions ...bool) int {
	n := 0
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// misplacedReplies finds replies that can never be given, because the API that their conditions ask
// for cannot send them.
func misplacedReplies(s *Scenario) (diags diag.List) {
	for i := range s.Replies {
		r := &s.Replies[i]
		on := ""
		for _, asked := range [...]string{s.When.API(), r.When.API()} {
			if asked != "" && !r.isSentOn(asked, s) {
				on = asked
			}
		}
		switch {
		case on == SurfaceOther:
			diags = append(diags, diag.Problem{
				Pos:     r.Pos,
				Message: fmt.Sprintf("reply %d of %q is never sent: %s cannot answer a request to a path that is that of no API", i+1, s.Name, cmp.Or(r.Whole(), "a message")),
				Hint:    "write what is sent in wire, such as wire: { body: { id: file-1 } }, or a stream of event and raw steps",
			})
		case on != "":
			diags = append(diags, diag.Problem{
				Pos:     r.Pos,
				Message: fmt.Sprintf("reply %d of %q is never sent: the surface %s of its conditions cannot send %s", i+1, s.Name, on, cmp.Or(r.Whole(), "a message or a stream")),
				Hint:    "leave the surface out of when, or write another reply",
			})
		}
	}
	return diags
}

func (r *Reply) isSentOn(api string, of *Scenario) bool {
	whole := r.Whole()
	switch {
	case isFaults(of) || r.Error != nil || r.Wire.Body != nil || of.Wire.Body != nil:
		return true
	case api == SurfaceOther:
		return r.Stream != nil
	case whole != "":
		return api == whole
	}
	return !slices.Contains(wholeSurfaces, api)
}

// unreachableReplies finds replies that can never be given, because all conditions of
// an earlier reply are among theirs: it takes every request that they would.
func unreachableReplies(s *Scenario) diag.List {
	var diags diag.List
	if len(s.Replies) < 2 {
		return nil
	}
	conditions, often := make([][]string, len(s.Replies)), map[string]int{}
	for i := range s.Replies {
		conditions[i] = s.Replies[i].When.Conditions()
		for _, form := range s.Replies[i].formConditions(s) {
			conditions[i] = append(conditions[i], string(form.description))
		}
		for _, c := range conditions[i] {
			often[c]++
		}
	}
	// before is the earlier replies without times and chance, by the rarest of their conditions, so
	// that each reply is compared with few others.
	before := map[string][]int{}
	for i, own := range conditions {
		if j := firstTaker(conditions, before, i); j >= 0 {
			diags = append(diags, diag.Problem{
				Pos:     s.Replies[i].Pos,
				Message: fmt.Sprintf("reply %d of %q is never sent: reply %d answers every request that reply %d could answer", i+1, s.Name, j+1, i+1),
				Hint:    reachedBy(s, i, j),
			})
		} else if s.Replies[i].Times == 0 && s.Replies[i].Chance == nil {
			rarest := ""
			if len(own) > 0 {
				rarest = slices.MinFunc(own, func(a, b string) int { return often[a] - often[b] })
			}
			before[rarest] = append(before[rarest], i)
		}
	}
	return diags
}

// sharesOfAll finds replies that share all requests, as 30 %, 30 % and 40 % do: since each chance is that of the requests
// which the replies before it left, others than these are given, and some requests get none.
func sharesOfAll(s *Scenario) diag.List {
	sum := 0.0
	for i := range s.Replies {
		r := &s.Replies[i]
		if r.Chance == nil || r.Times > 0 || isFaults(s) || r.Whole() != s.Replies[0].Whole() || !slices.Equal(r.When.Conditions(), s.Replies[0].When.Conditions()) {
			return nil
		}
		sum += *r.Chance
	}
	if len(s.Replies) < 2 || math.Abs(sum-1) > 0.011 { // thirds are 33 %
		return nil
	}
	hint, last := "write ", len(s.Replies)-1
	for i := range s.Replies[:last] {
		hint += fmt.Sprintf("chance: %.4g%% in reply %d, ", 100**s.Replies[i].Chance/sum, i+1)
		sum -= *s.Replies[i].Chance
	}
	return diag.List{{
		Pos: s.Replies[last].Pos, Message: fmt.Sprintf("the chances of the replies of %q add up to 100 %%, but each is that of the requests which the replies before it left", s.Name),
		Hint: fmt.Sprintf("%sand none in reply %d", hint, last+1),
	}}
}

// firstTaker returns the first reply before reply i that takes every request that reply
// i would take, or -1.
func firstTaker(conditions [][]string, before map[string][]int, i int) int {
	first := -1
	for _, c := range append([]string{""}, conditions[i]...) { // "" has the replies without conditions
		for _, j := range before[c] {
			if (first < 0 || j < first) && isSubset(conditions[j], conditions[i]) {
				first = j
			}
		}
	}
	return first
}

func isSubset(part, of []string) bool {
	return !slices.ContainsFunc(part, func(c string) bool { return !slices.Contains(of, c) })
}

// IsShutdownEvent reports whether a server that shuts down can send the step: a
// wire step that sends something and takes no time.
func (st *Step) IsShutdownEvent() bool {
	says := countTrue(st.Comment != nil, st.Raw != nil, st.Event != nil, st.Error != nil, st.Done != nil && *st.Done)
	return says == 1 && st.After == nil && st.Every == nil && st.Jitter == nil && len(st.Quirks) == 0
}

// checkShutdownEvents finds steps that are no shutdown events. Package yamlfile finds them
// in files, so only scenarios made in Go are checked.
func checkShutdownEvents(s *Scenario) diag.List {
	var diags diag.List
	for i := range s.Replies {
		steps := s.Manner.Overlay(&s.Replies[i].Manner).Wire.OnShutdown
		for j := range steps {
			if st := &steps[j]; st.Pos.File == "" && !st.IsShutdownEvent() {
				diags = append(diags, diag.Problem{Message: fmt.Sprintf("step %d of OnShutdown in scenario %q is no wire step, or takes time", j+1, s.Name)})
			}
		}
	}
	return diags
}
