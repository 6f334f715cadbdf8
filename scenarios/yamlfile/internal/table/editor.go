package table

import (
	"cmp"
	"regexp"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

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

// property returns the schema of a key with the additions for editors.
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
