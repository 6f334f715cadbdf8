package scenarios

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// TemplateFunctions are the names of the functions of templates.
func TemplateFunctions() []string { return slices.Clone(render.Functions) }

// TemplateNames are the names of what templates see.
func TemplateNames() []string { return slices.Clone(render.Names) }
