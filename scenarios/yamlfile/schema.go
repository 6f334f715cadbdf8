package yamlfile

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Schema is the JSON Schema (draft-07) of a scenario, for editors: it completes
// keys and shows what they mean. It is made from the table that [Parse] reads
// with. What several keys together must fulfil is left to [Parse] and
// [scenarios.NewSet].
func Schema() []byte {
	w := &schemaWriter{definitions: ojson.Object()}
	root := ojson.Object(
		ojson.M("$schema", ojson.String("http://json-schema.org/draft-07/schema#")),
		ojson.M("title", ojson.String("fakeopenai scenario")),
		ojson.M("$ref", language().schema(w).Get("$ref")),
	)
	root.Set("definitions", w.definitions)
	return append(ojson.Style{Indent: "  "}.Append(nil, root), '\n')
}

// schemaWriter collects the definitions of sections and, on the way, the words
// of the language.
type schemaWriter struct {
	definitions ojson.Value
	words       []Word

	atlas        *atlas // atlas collects where words stand; nil if nobody asks.
	at           link   // at has the parent and the key whose value is being described.
	inList, free bool   // inList and free say that it is a list, or a mapping whose keys are free.
}

// described is what the schema writer needs to know about a section.
type described interface {
	title() (name, about string)
	open() bool
	describe(yield func(name, doc, word string, must bool, schema func(*schemaWriter) ojson.Value, takes func(*yaml.Node) bool))
}

func (s *section[T]) title() (name, about string) { return s.name, s.about }
func (s *section[T]) open() bool                  { return s.unknownKeys != nil }

func (s *section[T]) describe(yield func(name, doc, word string, must bool, schema func(*schemaWriter) ojson.Value, takes func(*yaml.Node) bool)) {
	for _, f := range s.fields {
		yield(f.name, f.doc, f.noun, f.required, f.schema, func(n *yaml.Node) bool {
			var v T
			return f.set(&decoder{Reader: &node.Reader{}}, n, &v)
		})
	}
}

// section is a reference to a section's definition, which is written when it is
// met for the first time.
func (w *schemaWriter) section(s described) ojson.Value {
	name, about := s.title()
	w.addLink(name)
	id := strings.ReplaceAll(name, " ", "_")
	if w.definitions.Get(id).IsAbsent() {
		w.definitions.Set(id, ojson.Object()) // it may hold itself
		at, inList, free := w.at, w.inList, w.free
		w.definitions.Set(id, w.definition(s, name, about))
		w.at, w.inList, w.free = at, inList, free
	}
	return ojson.Object(ojson.M("$ref", ojson.String("#/definitions/"+id)))
}

func (w *schemaWriter) definition(s described, name, about string) ojson.Value {
	properties, must := ojson.Object(), ojson.Array()
	var inner []func()
	s.describe(func(key, doc, word string, needed bool, schema func(*schemaWriter) ojson.Value, takes func(*yaml.Node) bool) {
		w.words = append(w.words, Word{Section: name, Name: key, Type: word, Doc: doc})
		properties.Set(key, ojson.Null()) // keeps the order
		inner = append(inner, func() {
			w.at, w.inList, w.free = link{parent: name, key: key}, false, false
			value := schema(w)
			w.addWord(name, key, takes, value)
			properties.Set(key, withDescription(doc, value))
		})
		if needed {
			must.Push(ojson.String(key))
		}
	})
	for _, write := range inner {
		write()
	}
	def := ojson.Object(
		ojson.M("description", ojson.String(about)),
		ojson.M("type", ojson.String("object")),
		ojson.M("properties", properties),
		ojson.M("additionalProperties", ojson.Bool(s.open())),
	)
	if len(must.Items()) > 0 {
		def.Set("required", must)
	}
	return def
}

// withDescription adds a description to a schema. Draft-07 ignores what stands
// beside a $ref, so that one moves a level down.
func withDescription(doc string, schema ojson.Value) ojson.Value {
	if !schema.Get("$ref").IsAbsent() {
		schema = ojson.Object(ojson.M("allOf", ojson.Array(schema)))
	}
	return ojson.Object(append([]ojson.Member{ojson.M("description", ojson.String(doc))}, schema.Members()...)...)
}

// schemaOf is the schema of a scalar: one or more types and further conditions.
func schemaOf(types string, more ...ojson.Member) func(*schemaWriter) ojson.Value {
	names := strings.Fields(types)
	value := ojson.String(names[0])
	if len(names) > 1 {
		value = ojson.Array()
		for _, name := range names {
			value.Push(ojson.String(name))
		}
	}
	return func(*schemaWriter) ojson.Value {
		return ojson.Object(append([]ojson.Member{ojson.M("type", value)}, more...)...)
	}
}

// typesOf is the schema of any JSON value of the given kinds.
func typesOf(shapes node.Shape) ojson.Value {
	if shapes&node.Any == node.Any {
		return ojson.Object()
	}
	var names []string
	for _, t := range []struct {
		shape node.Shape
		name  string
	}{
		{node.Null, "null"}, {node.Bool, "boolean"}, {node.Number, "number"},
		{node.Text, "string"}, {node.List, "array"}, {node.Mapping, "object"},
	} {
		if shapes&t.shape != 0 {
			names = append(names, t.name)
		}
	}
	return schemaOf(strings.Join(names, " "))(nil)
}

// Word is a key of the language.
type Word struct {
	Section string // Section is where the word stands: scenario, reply, step and so on.
	Name    string
	Type    string // Type is what its value is, in words.
	Doc     string // Doc is what it means, in a sentence or two.
}

// Words are all keys of the language, section by section in the order in which a
// reader meets them. They come from the table that [Parse] reads with.
func Words() []Word {
	w := &schemaWriter{definitions: ojson.Object()}
	language().schema(w)
	return w.words
}
