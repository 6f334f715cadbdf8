package schema

import (
	"regexp"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Editor is what a schema tells editors beyond what it allows: it changes what they
// offer and show, and nothing of what is valid.
type Editor struct {
	Pages map[string]string // Pages are the addresses of the pages about sections.
	// Only are the texts that a key, named "section.key", takes, with what each means.
	Only map[string][]Choice
	// Examples are values that are offered for a key, or for all keys whose values
	// have a noun; others are as good.
	Examples map[string][]ojson.Value
	// Messages say what to write in place of a text that does not match a pattern.
	Messages map[string]string
	Snippets map[string]ojson.Value // Snippets are lists of whole values of sections.
}

// Choice is one of the texts that a key takes.
type Choice struct{ Name, Doc string }

// NewEditor reads a file with the members pages, examples and snippets. Base is the
// address of the pages.
func NewEditor(help []byte, base string) *Editor {
	file, err := ojson.Parse(help)
	if err != nil {
		panic("the help for editors: " + err.Error()) // a mistake in the program
	}
	e := &Editor{
		Pages: map[string]string{}, Only: map[string][]Choice{}, Examples: map[string][]ojson.Value{},
		Messages: map[string]string{}, Snippets: map[string]ojson.Value{},
	}
	for _, page := range file.Get("pages").Members() {
		for _, section := range page.Value.Items() {
			e.Pages[section.Text()] = base + page.Name + ".md"
		}
	}
	for _, example := range file.Get("examples").Items() {
		for _, key := range example.Get("for").Items() {
			e.Examples[key.Text()] = example.Get("values").Items()
		}
	}
	for _, section := range file.Get("snippets").Members() {
		e.Snippets[section.Name] = section.Value
	}
	return e
}

// property is the schema of a key as editors get it.
func (e *Editor) property(section string, k *Key, value ojson.Value) ojson.Value {
	id := section + "." + k.Name
	value = e.refine(value, e.Only[id])
	page, documented := e.Pages[section]
	if documented {
		value.Set("markdownDescription", ojson.String(k.Doc+"\n\n["+section+"]("+page+")"))
	}
	if value.Get("type").IsAbsent() && !value.Get("allOf").IsAbsent() {
		value.Set("type", ojson.String("object")) // editors begin a mapping then
	}
	if examples := e.examples(id, k.Noun, value); len(examples) > 0 {
		value.Set("examples", ojson.Array(examples...))
	}
	return value
}

// refine changes the schemas of texts and numbers in a schema. Only is for its
// texts, and those in its lists.
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
		// A constant would be offered.
		n := value.Get("const")
		return ojson.Object(ojson.M("type", ojson.String("integer")), ojson.M("minimum", n), ojson.M("maximum", n))
	case value.Get("enum").Kind() == ojson.ArrayKind:
		return withoutTwins(value)
	}
	if message := e.Messages[value.Get("pattern").Text()]; message != "" {
		value.Set("patternErrorMessage", ojson.String(message))
		value.Set("errorMessage", ojson.String(message))
	}
	return value
}

// isText reports whether a schema allows any text, and nothing else.
func isText(value ojson.Value) bool {
	return value.Get("type").Text() == "string" && value.Get("pattern").IsAbsent()
}

// onlyThese is the schema of some texts, in place of that of any text.
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

// withoutTwins is an enumeration in which what can be written as a number or as a
// text is offered once, as the number.
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

// such finds the example in a noun.
var such = regexp.MustCompile(`such as (\S+)$`)

// examples are values of a key. A number has three, because editors insert the
// only one, and 0 where there is none.
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
