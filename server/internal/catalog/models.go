package catalog

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
)

// owner is who made the models that the real service does not have.
const owner = "fakeopenai"

// ownModelsCreated is when the models were made that the real service does not
// have.
const ownModelsCreated = 1735689600 // the first second of 2025

// Models are the known models, those that conditions of scenarios name, and
// for each scenario the model fake:NAME by which it can be asked for.
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
	for _, id := range c.models() {
		add(id)
	}
	for _, s := range c.Set.Scenarios() {
		add("fake:" + s.Name)
	}
	return list
}

// Model is a model by its id, if there is one: one that a request could be answered
// for. Strict says that requests are checked strictly by scenarios that do not say
// whether they are.
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

// HasModel reports whether a model is there for requests that are checked
// strictly: one of OpenAI's, one that conditions name, or a scenario as fake:NAME.
func (c *Catalog) HasModel(id string) bool {
	if name, ok := strings.CutPrefix(id, "fake:"); ok {
		return c.Set.Lookup(name) != nil
	}
	return model.Known(id) || slices.ContainsFunc(c.Set.Scenarios(), func(s *scenarios.Scenario) bool {
		return s.When.NamesModel(id) || slices.ContainsFunc(s.Replies, func(r scenarios.Reply) bool { return r.When.NamesModel(id) })
	})
}

// takesModel reports whether there is a reply for a model that is not there: one
// without a condition on it, in a scenario that does not check requests strictly.
func (c *Catalog) takesModel(id string, strict bool) bool {
	return !strings.HasPrefix(id, "fake:") && slices.ContainsFunc(c.Set.Scenarios(), func(s *scenarios.Scenario) bool {
		return !(s.Strict != nil && *s.Strict || s.Strict == nil && strict) && s.When.Model == "" &&
			slices.ContainsFunc(s.Replies, func(r scenarios.Reply) bool { return r.When.Model == "" })
	})
}
