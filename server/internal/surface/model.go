// OpenAI's models: how each answers, what it refuses, which API it belongs to, and how it is listed.
// Layouts, checks and lists use this table.

package surface

import "strings"

// DefaultModel is the model of answers to requests that name none.
const DefaultModel = "gpt-4o"

// ModelFacts are what is known about a model. Nothing is known of a name that is not OpenAI's.
type ModelFacts struct {
	// Elsewhere says that the model belongs to another API than chat completions. Names that are
	// not in the table belong to these.
	Elsewhere bool

	// Reasoning says that the model reasons, and refuses members that only other models
	// accept. Plain says that it does not, and refuses members that only reasoning
	// models accept. If neither is set, it is unknown.
	Reasoning, Plain bool
	Effort           string // Effort is the effort with which a model reasons if the request names none; "" is medium.
	Efforts          string // Efforts are the words for the effort that a request can have, with spaces between them; "" if they are unknown.

	Search bool // Search says that the model searches the web.
	Audio  bool // Audio says that the model speaks in chat completions.

	RefusesStop   bool // RefusesStop says that the model accepts no stop sequences.
	RefusesSystem bool // RefusesSystem says that the model accepts no system and no developer messages.

	// MaxTokens is the largest number of completion tokens that a request may ask for;
	// 0 if unknown.
	MaxTokens int64
}

// OnlyExtendedCaching is the real service's message for prompts that a model that reasons should keep in memory.
const OnlyExtendedCaching = "This model is compatible only with 24h extended prompt caching"

// ModelNamed returns what is known about a model. OpenAI's names are in lower case; other
// spellings are unknown.
func ModelNamed(name string) ModelFacts {
	var facts ModelFacts
	for i := range families {
		if strings.HasPrefix(name, families[i].prefix) {
			facts = families[i].facts
			break
		}
	}
	for i := range variants {
		if strings.Contains(name, variants[i].part) {
			facts = variants[i].of(facts)
		}
	}
	return facts
}

// IsKnownModel reports whether a name is one of OpenAI's, or of a fine-tuned model of theirs.
func IsKnownModel(name string) bool {
	if tuned, ok := strings.CutPrefix(name, "ft:"); ok {
		name, _, _ = strings.Cut(tuned, ":")
	}
	return ModelNamed(name) != ModelFacts{}
}

// Snapshot is the name of a model in answers: the dated snapshot of an alias, any other name as it
// is.
func Snapshot(name string) string {
	for i := range known {
		if known[i].id == name {
			return known[i].snapshot
		}
	}
	return name
}

// ListedModel is a model as GET /v1/models lists it.
type ListedModel struct {
	ID      string
	Created int64 // Created is in Unix seconds.
	Owner   string
}

// ListedModels are the models of GET /v1/models: a few that programs look for.
func ListedModels() []ListedModel {
	var list []ListedModel
	for _, m := range known {
		if m.owner != "" {
			list = append(list, ListedModel{m.id, m.created, m.owner})
		}
	}
	return list
}
