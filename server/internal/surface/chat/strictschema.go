package chat

import (
	"fmt"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// strictSchemas checks the schemas of tools and of response_format. Their top level
// must be an object; strict schemas must have only closed objects that require all of
// their properties.
func strictSchemas(r *scenarios.Request) *request.Error {
	for i, t := range r.Body.Get("tools").Items() {
		f := t.Get("function")
		if problem := schemaProblem(f.Get("parameters"), isTrue(f.Get("strict"))); problem != "" {
			path := fmt.Sprintf("tools[%d].function.parameters", i)
			return request.Bad(path, "invalid_function_parameters", "Invalid schema for function '%s': %s", f.Get("name").Text(), problem)
		}
	}
	format := r.Body.Get("response_format").Get("json_schema")
	if problem := schemaProblem(format.Get("schema"), isTrue(format.Get("strict"))); problem != "" {
		return request.Bad("response_format", "", "Invalid schema for response_format '%s': %s", format.Get("name").Text(), problem)
	}
	return nil
}

func isTrue(v ojson.Value) bool { return v.Text() == "true" && v.Kind() == ojson.BoolKind }

// schemaProblem describes what is wrong with a schema, in the real service's words; ""
// if nothing is.
func schemaProblem(schema ojson.Value, strict bool) string {
	if schema.IsAbsent() {
		return ""
	}
	if kind := schema.Get("type"); kind.Text() != "object" && (strict || !kind.IsAbsent()) {
		got := "None"
		if kind.Text() != "" {
			got = kind.Text()
		}
		return fmt.Sprintf(`schema must be a JSON Schema of 'type: "object"', got 'type: "%s"'.`, got)
	}
	if !strict {
		return ""
	}
	const deepest = 1000 // as many levels as a body can have
	return strictProblem(schema, make([]string, 0, deepest))
}

// strictProblem checks a schema and all schemas inside it. Parsing has limited the
// depth. All contexts share the memory of the first: they are read only to describe a
// problem.
func strictProblem(schema ojson.Value, context []string) string {
	if schema.Kind() != ojson.ObjectKind {
		return ""
	}
	if problem := openObject(schema, context); problem != "" {
		return problem
	}
	for _, m := range schema.Members() {
		at, inner := append(context, m.Name), []ojson.Member(nil)
		switch m.Name {
		case "properties", "$defs", "definitions":
			inner = m.Value.Members()
		case "anyOf":
			for i, item := range m.Value.Items() {
				inner = append(inner, ojson.M(fmt.Sprint(i), item))
			}
		case "items":
			at, inner = context, []ojson.Member{m}
		}
		for _, schema := range inner {
			if problem := strictProblem(schema.Value, append(at, schema.Name)); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// openObject describes why an object schema is not strict; "" if it is.
func openObject(schema ojson.Value, context []string) string {
	properties := schema.Get("properties")
	if schema.Get("type").Text() != "object" && properties.IsAbsent() {
		return ""
	}
	if more := schema.Get("additionalProperties"); more.Text() != "false" {
		return fmt.Sprintf("In context=%s, 'additionalProperties' is required to be supplied and to be false.", tuple(context))
	}
	required := map[string]bool{}
	for _, name := range schema.Get("required").Items() {
		required[name.Text()] = true
	}
	for _, p := range properties.Members() {
		if !required[p.Name] {
			return fmt.Sprintf("In context=%s, 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", tuple(context), p.Name)
		}
	}
	return ""
}

// tuple writes a place in a schema as the real service does, as a Python tuple.
func tuple(context []string) string {
	switch len(context) {
	case 0:
		return "()"
	case 1:
		return "('" + context[0] + "',)"
	}
	return "('" + strings.Join(context, "', '") + "')"
}
