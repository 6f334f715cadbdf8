package invent

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// maxSteps limits the work of inventing one value, to about 200 milliseconds. Real
// schemas take some thousand steps; a malicious schema of a few kilobytes can ask for
// work without end.
const maxSteps = 250_000

// textPerStep is how many bytes of text count as one step.
const textPerStep = 16

// budget counts the work of inventing one value, and keeps the reason to stop. What is made
// after that is not used.
type budget struct {
	steps int
	done  <-chan struct{} // done is closed when the client leaves.
	err   error           // err is why the work must stop; nil while it may go on.
}

func (b *budget) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// spend counts steps of work, and reports whether the work may go on.
func (b *budget) spend(steps int) bool {
	if b.steps += max(1, steps); b.steps > maxSteps {
		b.fail("it takes more than %d steps to satisfy it; ask for fewer or smaller values, or write the value in the scenario", maxSteps)
	}
	select {
	case <-b.done:
		b.fail("nobody waits for it any more")
	default:
	}
	return b.err == nil
}

// sizeOf is the number of steps for reading the words of a schema.
func sizeOf(schema ojson.Value) (steps int) {
	for _, m := range schema.Members() {
		steps += 1 + (len(m.Name)+len(m.Value.Text()))/textPerStep + len(m.Value.Items()) + len(m.Value.Members())
	}
	return steps
}

// mergeCost is the number of steps for merging two schemas: each member of one is
// looked up in the other.
func mergeCost(a, b ojson.Value) int {
	const membersPerStep = 8
	product := func(a, b int) int { return a + b*(a+b) }
	cost := product(len(a.Members()), len(b.Members()))
	cost += product(len(a.Get("properties").Members()), len(b.Get("properties").Members()))
	cost += len(a.Get("required").Items()) + len(b.Get("required").Items())
	return 1 + cost/membersPerStep
}

// Limits of a pattern: the instructions it is compiled to, and the pieces of a matching
// text. Gofakeit repeats what a star applies to several times, and stars can be nested.
const (
	maxInstructions = 10_000
	maxPieces       = 100_000
)

// pattern is a compiled regular expression of a schema.
type pattern struct {
	*regexp.Regexp
	instructions, pieces int
}

// pattern compiles a regular expression, each once; nil stops the work.
func (s *satisfier) pattern(source string) *pattern {
	if p := s.patterns[source]; p != nil {
		return p
	}
	p := compiled(source)
	if p == nil {
		s.fail("its pattern %.100q is beyond what fake can do; write the value instead", source)
		return nil
	}
	s.patterns[source] = p
	s.spend(p.instructions)
	return p
}

// compiled returns a pattern, or nil for one that is not right or too large.
func compiled(source string) *pattern {
	if len(source) > maxInstructions {
		return nil
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil
	}
	p := &pattern{pieces: piecesOf(tree), instructions: instructionsOf(tree)}
	if p.pieces > maxPieces || p.instructions > maxInstructions {
		return nil
	}
	if p.Regexp, err = regexp.Compile(source); err != nil {
		return nil
	}
	return p
}

// matches reports whether a pattern matches a text; false stops the work if the pattern is not
// right.
func (s *satisfier) matches(source, text string) bool {
	p := s.pattern(source)
	return p != nil && s.spend(len(text)*p.instructions/textPerStep) && p.MatchString(text)
}

// piecesOf estimates how many pieces a text for an expression has. It stops counting
// beyond the limit.
func piecesOf(re *syntax.Regexp) int {
	const usual = 4 // how often gofakeit repeats what may come any number of times
	return weigh(re, func(re *syntax.Regexp) int {
		switch re.Op {
		case syntax.OpStar, syntax.OpPlus:
			return usual
		case syntax.OpRepeat:
			return max(re.Min, usual)
		}
		return 1
	})
}

// instructionsOf estimates how many instructions an expression is compiled to.
func instructionsOf(re *syntax.Regexp) int {
	return weigh(re, func(re *syntax.Regexp) int {
		if re.Op == syntax.OpRepeat {
			return max(re.Min, re.Max, 1)
		}
		return 1
	})
}

// weigh counts the parts of an expression, each multiplied by times.
func weigh(re *syntax.Regexp, times func(*syntax.Regexp) int) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		if n += weigh(sub, times); n > maxPieces {
			return maxPieces + 1
		}
	}
	return min(n*times(re), maxPieces+1)
}

// matching generates a text that a pattern matches, and reports whether it found one.
func (s *satisfier) matching(p *pattern) (string, bool) {
	const tries = 50
	for range tries {
		if !s.spend(1 + p.pieces/textPerStep) {
			return "", false
		}
		if text := s.gen.Regex(p.String()); s.matches(p.String(), text) {
			return text, true
		}
	}
	return "", false
}
