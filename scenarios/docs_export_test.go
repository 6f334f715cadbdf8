package scenarios

import "slices"

// TemplateFunctions are the names of the functions of templates.
func TemplateFunctions() []string { return slices.Clone(templateFunctions) }

// TemplateNames are the names of what templates see.
func TemplateNames() []string { return slices.Clone(templateNames) }
