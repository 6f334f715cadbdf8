package scenarios

import "github.com/fakeopenai/fakeopenai/scenarios/diag"

// Embeddings is the answer to a request for embeddings: a vector for each input. The first rule
// whose condition holds for an input says its vector. Without one it is that of the input's text:
// texts that have words in common are near each other.
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

// ModerationRule says what is found in the inputs for which Input holds. The rules of an input
// count together.
type ModerationRule struct {
	Input  *TextMatch      // Input must hold for the text of an input; nil holds for each.
	Scores []CategoryScore // Scores are those of the categories that are not as in harmless inputs.
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

// Scores are those of an input, by categories.
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
