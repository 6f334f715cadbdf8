// Package model says which of OpenAI's models is what: how it answers, what it
// refuses, on which API it lives, and as what it is listed. It is the one table
// of them; layouts, checks and lists ask it.
package model

import "strings"

// Default is the model that answers where a request names none.
const Default = "gpt-4o"

// Endpoint is the API that a model is for.
type Endpoint uint8

// The APIs of models.
const (
	// Chat is /v1/chat/completions, and is for every name that is not in the
	// table.
	Chat        Endpoint = iota
	Completions          // Completions is /v1/completions, the older API.
	Embeddings           // Embeddings is /v1/embeddings.
	Moderations          // Moderations is /v1/moderations.
	Images               // Images is /v1/images.
	Audio                // Audio is /v1/audio, for speech and transcriptions.
	Realtime             // Realtime is /v1/realtime.
)

// Facts are what is known about a model. Of a name that is not OpenAI's nothing
// is known but that it answers as itself.
type Facts struct {
	Endpoint Endpoint

	// Reasoning says that the model thinks before it answers, and so refuses what
	// only other models take. Plain says that it does not, and is known to refuse
	// what only reasoning models take. If neither holds, that is not known.
	Reasoning, Plain bool

	Search bool // The model searches the web.
	Audio  bool // The model speaks in chat completions.

	RefusesStop   bool // The model takes no stop sequences.
	RefusesSystem bool // The model takes no system and no developer messages.

	// MaxTokens is the most completion tokens that a request may ask for, or 0
	// if that is not known.
	MaxTokens int64

	// Snapshot is the name under which the model answers: the dated snapshot of
	// an alias, any other name as it is.
	Snapshot string
}

// Lookup is what is known about the model of this name. OpenAI's names are in
// small letters; no other spelling is known.
func Lookup(name string) Facts {
	var facts Facts
	for i := range families {
		if families[i].pattern.fits(name) {
			facts = families[i].facts
			break
		}
	}
	for i := range variants {
		if variants[i].pattern.fits(name) {
			facts = variants[i].of(facts)
		}
	}
	facts.Snapshot = Snapshot(name)
	return facts
}

// Known reports whether a name is one of OpenAI's, or of a model that was made of
// one of these by fine-tuning.
func Known(name string) bool {
	if tuned, ok := strings.CutPrefix(name, "ft:"); ok {
		name, _, _ = strings.Cut(tuned, ":")
	}
	facts := Lookup(name)
	facts.Snapshot = ""
	return facts != Facts{}
}

// pattern is what the names of some models have in common.
type pattern struct{ head, within string }

// like is the pattern of names that begin with a text. What comes after a star in it may
// stand anywhere in the rest of a name.
func like(text string) pattern {
	head, within, _ := strings.Cut(text, "*")
	return pattern{head, within}
}

func (p pattern) fits(name string) bool {
	rest, ok := strings.CutPrefix(name, p.head)
	return ok && (p.within == "" || strings.Contains(rest, p.within))
}

// Snapshot is the name under which a model answers: see [Facts].
func Snapshot(name string) string {
	for i := range known {
		if known[i].id == name {
			return known[i].snapshot
		}
	}
	return name
}

// Entry is a model as GET /v1/models lists it.
type Entry struct {
	ID      string
	Created int64 // Created is in Unix seconds.
	Owner   string
}

// Listed are a few models that programs look for, as the real service lists
// them.
func Listed() []Entry {
	var list []Entry
	for _, m := range known {
		if m.owner != "" {
			list = append(list, Entry{m.id, m.created, m.owner})
		}
	}
	return list
}
