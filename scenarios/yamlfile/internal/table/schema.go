package table

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Writer collects the definitions of sections, and their keys.
type Writer struct {
	Definitions ojson.Value // Definitions is a JSON object with the schema of each section.
	Words       []Word
	Editor      *Editor // Editor has additions for editors; it may be nil.
	atlas       *Atlas  // atlas gets the places of all words; it may be nil.

	// parent and key name the section and its key whose value is being described. The
	// value is a list if inList is true, and a mapping with the author's keys if free is.
	parent, key  string
	inList, free bool
}

// NewWriter returns a writer without definitions.
func NewWriter() *Writer { return &Writer{Definitions: ojson.Object()} }

// Word is a key in the list of words.
type Word struct {
	Section string // Section is the section that the word stands in: scenario, reply, step and so on.
	List    string // List is the section under which pages list the word, if that is another one.
	Name    string
	Type    string // Type is the kind of its value, in words.
	Doc     string // Doc is its meaning, in a sentence or two.
}

// Section returns a reference to the definition of a section. The first call for a
// section writes its definition.
func (w *Writer) Section(name string, section func() *Section) ojson.Value {
	if w.atlas != nil && w.parent != "" && !w.free {
		w.atlas.addLink(link{w.parent, w.key, name, w.inList})
	}
	id := strings.ReplaceAll(name, " ", "_")
	if w.Definitions.Get(id).IsAbsent() {
		w.Definitions.Set(id, ojson.Object()) // a section may contain itself
		parent, key, inList, free := w.parent, w.key, w.inList, w.free
		w.Definitions.Set(id, w.definition(section()))
		w.parent, w.key, w.inList, w.free = parent, key, inList, free
	}
	return ojson.Object(ojson.M("$ref", ojson.String("#/definitions/"+id)))
}

func (w *Writer) definition(s *Section) ojson.Value {
	properties, must := ojson.Object(), ojson.Array()
	for i := range s.Fields {
		k := &s.Fields[i]
		w.Words = append(w.Words, Word{Section: s.Name, List: k.list, Name: k.Name, Type: k.Noun, Doc: k.doc})
		properties.Set(k.Name, ojson.Null()) // fixes the order of the properties
		if k.required {
			must.Push(ojson.String(k.Name))
		}
	}
	for i := range s.Fields {
		k := &s.Fields[i]
		w.parent, w.key, w.inList, w.free = s.Name, k.Name, false, false
		value := k.Schema(w)
		if w.atlas != nil {
			w.atlas.aside[s.Name] = s.Aside
			takes := func(n *yaml.Node) bool { return k.takes(s.of, n) }
			w.atlas.addWord(s.Name, k.Name, wordPlace{takes, firstChoice(value), k.modifies})
		}
		value = withDescription(k.doc, value)
		if w.Editor != nil {
			value = w.Editor.property(s.Name, k, value)
		}
		properties.Set(k.Name, value)
	}
	for _, short := range slices.Sorted(maps.Keys(s.Short)) {
		about := ojson.Object(ojson.M("description", ojson.String(s.Short[short].doc(short))))
		if w.Editor != nil {
			about.Set("doNotSuggest", ojson.Bool(true)) // editors take it, and offer the word that it stands for
		}
		properties.Set(short, about)
	}
	def := ojson.Object(
		ojson.M("description", ojson.String(s.About)),
		ojson.M("type", ojson.String("object")),
		ojson.M("properties", properties),
		ojson.M("additionalProperties", ojson.Bool(false)),
	)
	if len(must.Items()) > 0 {
		def.Set("required", must)
	}
	if w.Editor != nil {
		def.Set("defaultSnippets", w.Editor.Snippets[s.Name]) // Absent sets nothing
	}
	return def
}

// List returns the schema of a list.
func (w *Writer) List(item func(*Writer) ojson.Value) ojson.Value {
	inList := w.inList
	w.inList = true
	items := item(w)
	w.inList = inList
	return ojson.Object(ojson.M("type", ojson.String("array")), ojson.M("items", items))
}

func nonEmptySchema(value ojson.Value) ojson.Value {
	value = value.Clone()
	if value.Get("type").Text() == "array" && value.Get("minItems").IsAbsent() {
		value.Set("minItems", ojson.Int(1))
	}
	if forms := value.Get("anyOf"); !forms.IsAbsent() {
		list := ojson.Array()
		for _, form := range forms.Items() {
			list.Push(nonEmptySchema(form))
		}
		value.Set("anyOf", list)
	}
	return value
}

// Free returns the schema of a mapping whose keys the author chooses.
func (w *Writer) Free(value func(*Writer) ojson.Value) ojson.Value {
	free := w.free
	w.free = true
	members := value(w)
	w.free = free
	return ojson.Object(ojson.M("type", ojson.String("object")), ojson.M("additionalProperties", members))
}

// withDescription adds a description to a schema. Draft-07 ignores members beside a
// $ref, so a $ref is put into allOf.
func withDescription(doc string, schema ojson.Value) ojson.Value {
	if !schema.Get("$ref").IsAbsent() {
		schema = ojson.Object(ojson.M("allOf", ojson.Array(schema)))
	}
	return ojson.Object(append([]ojson.Member{ojson.M("description", ojson.String(doc))}, schema.Members()...)...)
}

// SchemaOf returns the schema of a scalar: one or more types, separated by spaces, and further
// members of the schema.
func SchemaOf(types string, more ...ojson.Member) func(*Writer) ojson.Value {
	names := strings.Fields(types)
	value := ojson.String(names[0])
	if len(names) > 1 {
		value = ojson.Array()
		for _, name := range names {
			value.Push(ojson.String(name))
		}
	}
	return func(*Writer) ojson.Value {
		return ojson.Object(append([]ojson.Member{ojson.M("type", value)}, more...)...)
	}
}

// typesSchema returns the schema of any JSON value of the given kinds.
func typesSchema(shapes node.Shape) ojson.Value {
	if shapes&node.Any == node.Any {
		return ojson.Object()
	}
	var names []string
	for _, t := range []struct {
		shape node.Shape
		name  string
	}{
		{node.Bool, "boolean"}, {node.Number, "number"}, {node.Text, "string"},
		{node.List, "array"}, {node.Mapping, "object"},
		{node.Null, "null"}, // last, because editors insert a value of the first type
	} {
		if shapes&t.shape != 0 {
			names = append(names, t.name)
		}
	}
	return SchemaOf(strings.Join(names, " "))(nil)
}

func firstChoice(schema ojson.Value) string {
	for _, v := range schema.Get("enum").Items() {
		if v.Kind() == ojson.StringKind {
			return v.Text()
		}
	}
	for _, form := range schema.Get("anyOf").Items() {
		if word := firstChoice(form); word != "" {
			return word
		}
	}
	return ""
}

// Editor is additions to a schema for editors. They change what editors offer and show,
// and, apart from Only, not what is valid.
type Editor struct {
	Base  string            // Base is the address of the pages.
	Pages map[string]string // Pages is the page about a section, by section.
	// Only is the only texts that a key takes, by "section.key".
	Only map[string][]Choice
	// Examples is values that editors offer, by "section.key" or by the noun of the
	// values. Other values are valid, too.
	Examples map[string][]ojson.Value
	Snippets map[string]ojson.Value // Snippets is a list of whole values, by section.
}

// Choice is one of the texts that a key takes, and its meaning.
type Choice struct{ Name, Doc string }

func (e *Editor) property(section string, k *Field, value ojson.Value) ojson.Value {
	id := section + "." + k.Name
	value = e.refine(value, e.Only[id])
	if page := e.Pages[section]; page != "" {
		value.Set("markdownDescription", ojson.String(k.doc+"\n\n["+cmp.Or(k.list, section)+"]("+e.Base+page+".md)"))
	}
	if value.Get("type").IsAbsent() && !value.Get("allOf").IsAbsent() {
		value.Set("type", ojson.String("object")) // so that editors insert a mapping
	}
	if examples := e.examples(id, k.Noun, value); len(examples) > 0 {
		value.Set("examples", ojson.Array(examples...))
	}
	return value
}

// refine returns a schema with better texts and numbers for editors. If only is not
// empty, its texts, and the texts in its lists, become a choice of these.
func (e *Editor) refine(value ojson.Value, only []Choice) ojson.Value {
	value = value.Clone()
	switch {
	case !value.Get("anyOf").IsAbsent():
		forms := ojson.Array()
		for _, form := range value.Get("anyOf").Items() {
			forms.Push(e.refine(form, only))
		}
		value.Set("anyOf", forms)
	case len(only) > 0 && isText(value):
		return onlyThese(value, only)
	case len(only) > 0 && !value.Get("items").IsAbsent():
		value.Set("items", e.refine(value.Get("items"), only))
	case value.Get("const").Kind() == ojson.NumberKind:
		// Editors would insert a constant by themselves.
		n := value.Get("const")
		return ojson.Object(ojson.M("type", ojson.String("integer")), ojson.M("minimum", n), ojson.M("maximum", n))
	case value.Get("enum").Kind() == ojson.ArrayKind:
		return withoutTwins(value)
	}
	if value.Get("pattern").Text() == durationPattern {
		value.Set("patternErrorMessage", ojson.String(durationMended))
		value.Set("errorMessage", ojson.String(durationMended))
	}
	return value
}

// isText reports whether a schema allows any text, and nothing else.
func isText(value ojson.Value) bool {
	return value.Get("type").Text() == "string" && value.Get("pattern").IsAbsent()
}

// onlyThese turns the schema of any text into that of a choice of texts.
func onlyThese(value ojson.Value, choices []Choice) ojson.Value {
	names, about := ojson.Array(), ojson.Array()
	for _, c := range choices {
		names.Push(ojson.String(c.Name))
		about.Push(ojson.String(c.Doc))
	}
	for _, keyword := range []string{"type", "minLength"} {
		value.Set(keyword, ojson.Value{})
	}
	value.Set("enum", names)
	value.Set("enumDescriptions", about)
	value.Set("markdownEnumDescriptions", about)
	return value
}

// withoutTwins changes an enumeration that has the same number as a number and as a
// text, so that editors offer it once, as the number. Both stay valid.
func withoutTwins(value ojson.Value) ojson.Value {
	numbers := map[string]bool{}
	for _, v := range value.Get("enum").Items() {
		if v.Kind() == ojson.NumberKind {
			numbers[v.String()] = true
		}
	}
	if len(numbers) == 0 {
		return value
	}
	offered, forms := ojson.Array(), ojson.Array()
	for _, v := range value.Get("enum").Items() {
		if v.Kind() == ojson.StringKind && numbers[v.Text()] {
			text := ojson.M("pattern", ojson.String("^"+regexp.QuoteMeta(v.Text())+"$"))
			forms.Push(ojson.Object(ojson.M("type", ojson.String("string")), text))
		} else {
			offered.Push(v)
		}
	}
	value.Set("enum", ojson.Value{})
	value.Set("anyOf", ojson.Array(append([]ojson.Value{ojson.Object(ojson.M("enum", offered))}, forms.Items()...)...))
	return value
}

// such matches the example in a noun: a duration such as 50ms.
var such = regexp.MustCompile(`such as (\S+)$`)

// examples returns example values of a key. For a number it returns three, because
// editors would insert a single example by themselves, and 0 without any.
func (e *Editor) examples(id, noun string, value ojson.Value) []ojson.Value {
	if list := e.Examples[id]; list != nil {
		return list
	}
	if list := e.Examples[noun]; list != nil {
		return list
	}
	if m := such.FindStringSubmatch(noun); m != nil && value.Get("type").Text() == "string" {
		return []ojson.Value{ojson.String(m[1])}
	}
	if kind := value.Get("type").Text(); kind != "integer" && kind != "number" {
		return nil
	}
	least, _ := value.Get("minimum").Int()
	least = max(1, least)
	return []ojson.Value{ojson.Int(least), ojson.Int(least + 1), ojson.Int(least + 2)}
}
