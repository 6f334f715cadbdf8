package script

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// leastLoop is the fewest groups that become a loop. Fewer are written out.
const leastLoop = 32

// built is the state of a builder, by which to see what a repetition of a step adds.
type built struct {
	groups, texts, fillers int
	requests               bool // requests is [Script.PerRequest].
	problems               int
	size                   int64
	tokens                 tokenCount
}

func (b *Builder) built() built {
	return built{
		groups: len(b.script.Groups), texts: len(b.script.texts), fillers: len(b.script.fillers),
		requests: b.script.PerRequest, problems: len(b.problems), size: b.size, tokens: b.tokens,
	}
}

// repeatsItself reports whether the groups added since from can be sent again as they are: they
// have no template, no hole, nothing drawn and nothing that is counted.
func (b *Builder) repeatsItself(st *scenarios.Step, from built) bool {
	now := b.built()
	if !b.Want.Loops || b.templated || st.Usage != nil || st.Logprobs != nil || st.Fake != nil || st.Call() != nil || st.Hold != "" || st.Done != nil {
		return false
	}
	if now.texts != from.texts || now.fillers != from.fillers || now.requests != from.requests || now.problems != from.problems {
		return false
	}
	groups := b.script.Groups[from.groups:]
	for i := range groups {
		if groups[i].Times > 1 || len(groups) > 1 && holdsFragments(&groups[i]) {
			return false
		}
	}
	return len(groups) > 0
}

// holdsFragments reports whether a group may have parts of calls, which the rules of the
// protocol put together in order.
func holdsFragments(g *Group) bool {
	for _, beat := range g.Beats {
		switch beat.(type) {
		case CallStart, CallArguments, CallFragment, Literal:
			return true
		}
	}
	return false
}

// loop turns the groups added since from into a loop with more repetitions after this one. It
// reports whether it did; few groups are better written out.
func (b *Builder) loop(from built, more int) bool {
	groups := b.script.Groups[from.groups:]
	if (more+1)*len(groups) < leastLoop {
		return false
	}
	if more > (b.limit-b.lines)/len(groups) {
		b.lines = b.limit
		b.fail(diag.Pos{}, tooManyGroups(b.limit))
		return true
	}
	b.lines += more * len(groups)
	for i := range groups {
		groups[i].Times = more + 1
	}
	groups[len(groups)-1].Loop = len(groups)
	b.tokens.completion += more * (b.tokens.completion - from.tokens.completion)
	b.tokens.reasoning += more * (b.tokens.reasoning - from.tokens.reasoning)
	b.tokens.audio += more * (b.tokens.audio - from.tokens.audio)
	b.fail(diag.Pos{}, b.grow(int64(more)*(b.size-from.size)))
	return true
}

// Lines returns how many groups the script sends, with the repetitions of loops. A run counts
// as one.
func (s *Script) Lines() int { return s.lines }

// HasLoops reports whether the script has loops.
func (s *Script) HasLoops() bool {
	return slices.ContainsFunc(s.Groups, func(g Group) bool { return g.Loop > 0 })
}

// WithoutLoops returns the script with all loops written out.
func (s *Script) WithoutLoops() *Script {
	if !s.HasLoops() {
		return s
	}
	out := *s
	out.Groups = make([]Group, 0, s.lines)
	for i := range s.Groups {
		out.Groups = append(out.Groups, s.Groups[i])
		if n := s.Groups[i].Loop; n > 0 {
			for range s.Groups[i].Times - 1 {
				out.Groups = append(out.Groups, s.Groups[i+1-n:i+1]...)
			}
		}
	}
	for i := range out.Groups {
		out.Groups[i].Times, out.Groups[i].Loop = 0, 0
	}
	return &out
}
