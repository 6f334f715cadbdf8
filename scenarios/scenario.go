package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Scenario is a name, conditions on requests, and one or more replies to the
// requests that match. In YAML it is one document. It is plain data; a [Set] is
// what a server plays.
type Scenario struct {
	Name        string
	Description string
	Tags        []string
	Extends     string    // Extends is the name of the scenario whose replies this one takes over.
	ExtendsPos  *diag.Pos // ExtendsPos is the place of extends in the file; nil if it is not known.
	When        When
	// Replies are tried in order: the first that matches and is not used up
	// answers.
	Replies []Reply
	Seed    *int64 // Seed is the seed of everything drawn by chance; nil takes the server's seed.
	// Strict checks requests as api.openai.com does; nil takes the server's
	// setting.
	Strict *bool
	// CheckHistory refuses requests whose messages cannot be the history of a
	// conversation. Nil takes the server's setting.
	CheckHistory    *bool
	CheckHistoryPos diag.Pos // CheckHistoryPos is the place of check_history in the file.
	Limits          Limits   // Limits are the rate limits of the scenario for each API key.
	Quirks          []Quirk
	// Expect is what a healthy client comes to, in one of several ways; nil says nothing of it.
	Expect []Expectation
	// Faults are laid over the answers of other scenarios. A scenario with faults is a document of
	// faults: it has no replies, and can do without a name.
	Faults   []Fault
	NoFaults bool // NoFaults keeps faults away from all replies.
	Manner
	Pos diag.Pos
}

// Quirk is the name of a lint rule that a scenario breaks on purpose.
type Quirk struct {
	Rule string
	Pos  diag.Pos
}

// Reply is one answer of a scenario: a condition, and exactly one of Message,
// Stream, Error, Embeddings and Moderations.
type Reply struct {
	When    When
	Times   int       // Times is how often the reply is given to each API key; 0 is without limit.
	Chance  *float64  // Chance is how likely the reply is for each request that it fits; nil is always.
	Message *Message  // Message is the finished answer; its stream is derived.
	Stream  *[]Step   // Stream is every chunk, as written.
	Error   *APIError // Error is an HTTP error instead of an answer.
	// Embeddings and Moderations are answers of the two APIs of these names. No other API can
	// send them, and these can send no message and no stream.
	Embeddings  *Embeddings
	Moderations *Moderations
	// Transcript is what the sound that a request brings says, on the Realtime API: the conversation has it from then on.
	Transcript Text
	NoFaults   bool // NoFaults keeps faults away from the reply.
	Manner          // Manner is laid over the scenario's.
	Pos        diag.Pos

	// RefusedOn is filled by the check of the server: by the name of an API, the rule that the
	// reply breaks on it, though not on another.
	RefusedOn map[string]diag.Problem
	// Notes is filled by the check of the server: what is right in the reply and may surprise its author.
	Notes diag.List
	found *found // found is kept by a set, whose replies do not change.
}

// Whole is the name of the one API that can send the reply, because each of its answers is one
// JSON object; "" for none.
func (r *Reply) Whole() string {
	switch {
	case r.Embeddings != nil:
		return SurfaceEmbeddings
	case r.Moderations != nil:
		return SurfaceModerations
	}
	return ""
}

// API is the name of the only API on which the scenario gives the reply; "" if there are several.
func (s *Scenario) API(r *Reply) string { return cmp.Or(r.Whole(), r.When.API(), s.When.API()) }

// AnswersElsewhere reports whether the scenario has a reply for paths that are those of no API.
func (s *Scenario) AnswersElsewhere() bool {
	return slices.ContainsFunc(s.Replies, func(r Reply) bool { return s.API(&r) == SurfaceOther })
}

// IsLeftToChance reports whether each reply has a chance, so that the scenario may answer no
// request at all.
func (s *Scenario) IsLeftToChance() bool {
	return !slices.ContainsFunc(s.Replies, func(r Reply) bool { return r.Chance == nil })
}

// NeedsItems reports whether the reply has items, or several parts of a text, which only
// the Responses API can send.
func (r *Reply) NeedsItems() bool {
	if m := r.Message; m != nil {
		return m.Parts != nil || slices.ContainsFunc(m.Choices, func(c Message) bool { return c.Parts != nil })
	}
	return r.Stream != nil && slices.ContainsFunc(*r.Stream, func(st Step) bool { return st.Item != nil || st.Next != "" })
}

// Limits are rate limits that hold for each API key, counted in a sliding window:
// a request leaves the window when it is older than the window is long. A field
// that is zero sets no limit.
type Limits struct {
	RPM        int // RPM is the number of requests that are answered in one window.
	TPM        int // TPM is the number of tokens that can be spent in one window.
	Concurrent int // Concurrent is the number of answers that can be open at the same time.
	// Window is the length of the window of RPM and TPM; zero is a minute. With a
	// shorter one a test waits less.
	Window time.Duration
	Pos    diag.Pos
}

// IsZero reports whether there are no limits.
func (l Limits) IsZero() bool { return l.RPM == 0 && l.TPM == 0 && l.Concurrent == 0 && l.Window == 0 }

// Period is the length of the window, with its default.
func (l Limits) Period() time.Duration { return cmp.Or(l.Window, time.Minute) }

// Check returns an error for a negative number, and for a window beside neither
// RPM nor TPM, in which nothing would be counted.
func (l Limits) Check() error {
	var problems []error
	for _, n := range []struct {
		name  string
		value int64
	}{{"rpm", int64(l.RPM)}, {"tpm", int64(l.TPM)}, {"concurrent", int64(l.Concurrent)}, {"window", int64(l.Window)}} {
		if n.value < 0 {
			problems = append(problems, fmt.Errorf("%s is negative", n.name))
		}
	}
	if l.Window != 0 && l.RPM == 0 && l.TPM == 0 {
		problems = append(problems, errors.New("a window needs an rpm or a tpm that is counted in it"))
	}
	return errors.Join(problems...)
}

// Embeddings is the answer to a request for embeddings: a vector for each input. The first rule
// whose condition holds for an input says its vector. Without such a rule the vector follows from the words
// of the input: texts that have words in common are near each other.
type Embeddings struct {
	Rules []EmbeddingRule
	Pos   diag.Pos
}

// EmbeddingRule says the vector of some inputs.
type EmbeddingRule struct {
	Input  *TextMatch // Input must hold for the text of an input; nil holds for each.
	Vector []float64  // Vector is sent as it is, whatever its length.
	Pos    diag.Pos
}

// Rule is the first rule that holds for the text of an input, or nil.
func (e *Embeddings) Rule(text string) *EmbeddingRule {
	for i := range e.Rules {
		if r := &e.Rules[i]; r.Input == nil || r.Input.holds(text, nil) {
			return r
		}
	}
	return nil
}

// Moderations is the answer to a request for moderation: a result for each input. Without a rule
// that holds for it, an input is not flagged.
type Moderations struct {
	Rules []ModerationRule
	Pos   diag.Pos
}

// ModerationRule says which categories are found in the inputs for which Input holds. The
// rules of an input count together.
type ModerationRule struct {
	Input  *TextMatch      // Input must hold for the text of an input; nil holds for each.
	Scores []CategoryScore // Scores are the scores of the categories that differ from those of harmless inputs.
	Pos    diag.Pos
}

// CategoryScore is how sure the service is of a category, from 0 to 1. From [FlaggedScore] the
// category, and with it the input, is flagged.
type CategoryScore struct {
	Category string
	Score    float64
}

// FlaggedScore is the least score with which a category is flagged.
const FlaggedScore = 0.5

// Scores returns the scores of an input, by categories.
func (m *Moderations) Scores(text string) map[string]float64 {
	scores := map[string]float64{}
	for i := range m.Rules {
		r := &m.Rules[i]
		if r.Input != nil && !r.Input.holds(text, nil) {
			continue
		}
		for _, s := range r.Scores {
			scores[s.Category] = max(scores[s.Category], s.Score)
		}
	}
	return scores
}

// ModerationCategories returns the names of the categories of omni-moderation models, in the
// order of their answers.
func ModerationCategories() []string {
	return []string{
		"hate", "hate/threatening", "harassment", "harassment/threatening", "illicit", "illicit/violent", "self-harm",
		"self-harm/intent", "self-harm/instructions", "sexual", "sexual/minors", "violence", "violence/graphic",
	}
}
