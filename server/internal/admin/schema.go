package admin

import (
	"reflect"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// schemas has the JSON Schemas of structs, by name. They are made from the Go types that are
// encoded.
type schemas map[string]any

// names has the schema names of structs whose names in Go say too little, or too much.
var names = map[reflect.Type]string{
	reflect.TypeFor[holds.State]():    "Hold",
	reflect.TypeFor[holds.Stream]():   "WaitingStream",
	reflect.TypeFor[description]():    "OpenAPI",
	reflect.TypeFor[journal.Unread](): "Unread",
}

// words has the values that strings of these types can have.
var words = map[reflect.Type][]any{
	reflect.TypeFor[journal.Ending](): {
		journal.EndedComplete, journal.EndedAsAuthored, journal.EndedByClient, journal.EndedByShutdown, journal.EndedOpen,
	},
	reflect.TypeFor[journal.Departure](): {
		journal.LeftFIN, journal.LeftRST, journal.LeftHTTP2Cancel, journal.LeftContext, journal.LeftDeadline,
	},
	reflect.TypeFor[journal.Outcome](): {journal.OutcomeOpen, journal.OutcomeSucceeded, journal.OutcomeFailed},
	reflect.TypeFor[journal.Verdict](): {
		journal.VerdictEarly, journal.VerdictInTime, journal.VerdictLate, journal.VerdictForbidden,
	},
}

// of returns the schema of a value's type.
func (s schemas) of(v any) map[string]any { return s.ofType(reflect.TypeOf(v)) }

func (s schemas) ofType(t reflect.Type) map[string]any {
	if t == reflect.TypeFor[time.Time]() {
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.String:
		if values := words[t]; values != nil {
			return map[string]any{"type": "string", "enum": values}
		}
		return text()
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Pointer:
		return s.ofType(t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.ofType(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.ofType(t.Elem())}
	case reflect.Struct:
		return s.ofStruct(t)
	}
	return map[string]any{} // any value
}

// ofStruct adds the schema of a struct, and returns a reference to it.
func (s schemas) ofStruct(t reflect.Type) map[string]any {
	name := names[t]
	if name == "" {
		name = strings.TrimSuffix(strings.ToUpper(t.Name()[:1])+t.Name()[1:], "Info")
	}
	if s[name] == nil {
		s[name] = true // ends the recursion of a struct that contains itself
		members, required := map[string]any{}, []string{}
		if t != reflect.TypeFor[description]() { // OpenAPI describes itself elsewhere
			required = s.addMembers(members, nil, t)
		}
		schema := map[string]any{"type": "object", "properties": members}
		if len(required) > 0 {
			schema["required"] = required
		}
		s[name] = schema
	}
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// addMembers adds the members of a struct to members, after those of the structs that it
// embeds, whose members it can hide. It returns required with the names of required members.
func (s schemas) addMembers(members map[string]any, required []string, t reflect.Type) []string {
	for f := range t.Fields() {
		if f.Anonymous {
			required = s.addMembers(members, required, f.Type)
		}
	}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" || !f.IsExported() {
			continue
		}
		members[name] = s.ofType(f.Type)
		if options == "" {
			required = append(required, name)
		}
	}
	return required
}
