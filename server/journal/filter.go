package journal

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Filter selects entries of a journal: those that fit all fields. A field that is empty fits
// all. Path, Status, Scenario and Model are patterns, in which * stands for any text and ? for
// one character.
type Filter struct {
	Path     string // Path is that of the URL, without the query.
	Status   string // Status is that of the answer, such as 429 or 5??.
	Scenario string // Scenario is the name of the scenario that answered.
	Model    string // Model is the model of the request.
	Key      string // Key is the API key, or the mask of it that the endpoints show.
	Since    time.Time
}

// Selects reports whether the filter selects an entry.
func (f Filter) Selects(e *Entry) bool {
	path, _, _ := strings.Cut(e.Path, "?")
	model := ""
	if e.Request != nil {
		model = e.Request.Model
	}
	for _, of := range []struct{ pattern, text string }{
		{f.Path, path}, {f.Status, strconv.Itoa(e.Status)}, {f.Scenario, e.Scenario}, {f.Model, model},
	} {
		if of.pattern != "" && !scenarios.MatchesModel(of.pattern, of.text) {
			return false
		}
	}
	return (f.Key == "" || f.Key == e.APIKey || f.Key == MaskKey(e.APIKey)) && !e.Time.Before(f.Since)
}

// Select returns the entries that all filters select, in the memory of the list.
func Select(entries []Entry, filters ...Filter) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool {
		return slices.ContainsFunc(filters, func(f Filter) bool { return !f.Selects(&e) })
	})
}
