package catalog

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
)

// owner is the owned_by of models that the real service does not have.
const owner = "fakeopenai"

// ownModelsCreated is the created of models that the real service does not have.
const ownModelsCreated = 1735689600 // the first second of 2025

// Models lists OpenAI's models, those that conditions of scenarios name, and for each
// scenario the model fake:NAME, with which a request asks for it.
func (c *Catalog) Models() []model.Entry {
	list := model.Listed()
	listed := map[string]bool{}
	for _, m := range list {
		listed[m.ID] = true
	}
	add := func(id string) {
		if !listed[id] {
			listed[id] = true
			list = append(list, model.Entry{ID: id, Created: ownModelsCreated, Owner: owner})
		}
	}
	named := func(glob string) {
		if glob != "" && !strings.ContainsAny(glob, "*?") {
			add(glob)
		}
	}
	for _, s := range c.Set.Scenarios() {
		named(s.When.Model)
		for i := range s.Replies {
			named(s.Replies[i].When.Model)
		}
	}
	for _, s := range c.Set.Scenarios() {
		add("fake:" + s.Name)
	}
	return list
}

// Model returns the model with the id, or false if no request for it could be answered.
// Strict is the server's setting, for scenarios that have none.
func (c *Catalog) Model(id string, strict bool) (model.Entry, bool) {
	listed := c.Models()
	for _, m := range listed {
		if m.ID == id {
			return m, true
		}
	}
	for _, m := range listed {
		if model.Lookup(m.ID).Snapshot == id {
			return model.Entry{ID: id, Created: m.Created, Owner: m.Owner}, true
		}
	}
	return model.Entry{ID: id, Created: ownModelsCreated, Owner: owner}, c.HasModel(id) || c.takesModel(id, strict)
}

// HasModel reports whether requests that are checked strictly can use a model: one of
// OpenAI's, one that conditions name, or fake:NAME of a scenario.
func (c *Catalog) HasModel(id string) bool {
	if name, ok := strings.CutPrefix(id, "fake:"); ok {
		return c.Set.Lookup(name) != nil
	}
	return model.Known(id) || slices.ContainsFunc(c.Set.Scenarios(), func(s *scenarios.Scenario) bool {
		return s.When.NamesModel(id) || slices.ContainsFunc(s.Replies, func(r scenarios.Reply) bool { return r.When.NamesModel(id) })
	})
}

// takesModel reports whether a reply answers requests for a model that HasModel does not
// know: one without a condition on the model, in a scenario that is not strict.
func (c *Catalog) takesModel(id string, strict bool) bool {
	return !strings.HasPrefix(id, "fake:") && slices.ContainsFunc(c.Set.Scenarios(), func(s *scenarios.Scenario) bool {
		return !(s.Strict != nil && *s.Strict || s.Strict == nil && strict) && s.When.Model == "" &&
			slices.ContainsFunc(s.Replies, func(r scenarios.Reply) bool { return r.When.Model == "" })
	})
}
