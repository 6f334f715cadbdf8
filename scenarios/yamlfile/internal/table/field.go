package table

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Field is one key of a section.
type Field struct {
	Codec
	Name     string
	doc      string
	required bool // required says that the key must be present.
	kept     bool // kept says that the order of this key and others has a meaning.
	kind     KeyKind
	modifies bool   // modifies says that the key has a meaning only beside other keys of its section.
	list     string // list is the section in whose list of words it stands; "" is its own.

	in     string   // in is the name of the struct field that has the value; "" is that of the key.
	member goField  // member is that struct field.
	stored *storage // stored is how the value is kept otherwise.
	ways   []Field  // ways is the fields of [Either], and codecs are theirs.
	codecs []Codec
}

// storage puts a value into a section, and gets it from there. Section and value are pointers.
type storage struct {
	empty func() (value any)
	store func(section, value any)
	load  func(section any) (value any, there bool)
}

// KeyKind is a set of kinds of keys, for checks of keys that exclude each other.
type KeyKind uint16

// Key makes a field whose value is in the struct field of the same name, where final_blank is
// FinalBlank; see also [Field.In]. It is read by c or, without one, by the codec for the type
// of the struct field. A struct field that is a pointer is nil if the key is left out. The key
// is not written if the struct field is zero.
func Key(name, doc string, c ...Codec) Field {
	f := Field{Name: name, doc: doc}
	if len(c) > 0 {
		f.Codec = c[0]
	}
	return f
}

// In returns f with the name of the struct field for its value. The name can be a path, such as Text.By.
func (f Field) In(name string) Field {
	f.in = name
	return f
}

// Stored makes a field whose values c reads and store puts into the section. Load returns
// what store has put there, and whether there is a value to write.
func Stored[S, V any](name, doc string, c Codec, store func(*S, V), load func(*S) (V, bool)) Field {
	f := Key(name, doc, c.forType(reflect.TypeFor[V]()))
	f.stored = &storage{
		empty: func() any { return new(V) },
		store: func(section, value any) { store(section.(*S), *value.(*V)) },
		load: func(section any) (any, bool) {
			v, there := load(section.(*S))
			return &v, there
		},
	}
	return f
}

// Either makes a field of several, which read different kinds of YAML values: for a key
// whose value can be written in several ways. It has the name and the doc of the first.
func Either(fields ...Field) Field {
	return Field{Name: fields[0].Name, doc: fields[0].doc, ways: fields}
}

// Kind adds a kind to a field.
func Kind(k KeyKind, f Field) Field {
	f.kind |= k
	return f
}

// Modifiers are fields that say nothing without others of their section.
func Modifiers(fields []Field) []Field {
	for i := range fields {
		fields[i].modifies = true
	}
	return fields
}

// Listed are fields whose words stand in the list of another section, each once, because
// several sections share them.
func Listed(in string, fields ...Field) []Field {
	for i := range fields {
		fields[i].list = in
	}
	return fields
}

// Required returns f, which must now be present.
func Required(f Field) Field {
	f.required = true
	return f
}

// Within turns fields of a part into fields of the whole, which has the part in the struct
// field of that name.
func Within(part string, fields []Field) []Field {
	for i := range fields {
		f := &fields[i]
		f.in = part + "." + cmp.Or(f.in, f.Name)
		Within(part, f.ways)
	}
	return fields
}

// Member makes a field that is stored as a member of the JSON object in the struct field of
// that name; "" is for a section that is itself a JSON object. The members keep the order in
// which the author wrote them.
func Member(name, doc string, c Codec, in string) Field {
	return inObject(name, doc, c, in, func(object *ojson.Value, v ojson.Value) { MergeMembers(object, ojson.Object(ojson.M(name, v))) },
		func(object *ojson.Value) ojson.Value { return object.Get(name) })
}

// Extra makes the key extra, whose members are added to the JSON object in the struct field of
// that name.
func Extra(doc, in string) Field {
	return inObject("extra", doc, ObjectJSON(), in, MergeMembers, func(object *ojson.Value) ojson.Value { return *object })
}

// inObject makes a field that is stored in the JSON object in a struct field.
func inObject(name, doc string, c Codec, in string, store func(object *ojson.Value, v ojson.Value), load func(object *ojson.Value) ojson.Value) Field {
	f := Key(name, doc, c.forType(reflect.TypeFor[ojson.Value]()))
	f.kept = true
	f.stored = &storage{
		empty: func() any { return new(ojson.Value) },
		store: func(section, value any) { store(objectIn(section, in), *value.(*ojson.Value)) },
		load: func(section any) (any, bool) {
			v := load(objectIn(section, in))
			return &v, !v.IsAbsent()
		},
	}
	return f
}

func objectIn(section any, name string) *ojson.Value {
	if name == "" {
		return section.(*ojson.Value)
	}
	return reflect.ValueOf(section).Elem().FieldByName(name).Addr().Interface().(*ojson.Value)
}

// bind finds the struct field of the key in sections of a type. It panics if there is none, or
// one of another type than the codec: a mistake in the table.
func (f *Field) bind(section reflect.Type) {
	switch {
	case f.stored != nil:
	case f.ways != nil:
		f.ways, f.codecs = slices.Clone(f.ways), nil
		for i := range f.ways {
			f.ways[i].bind(section)
			f.codecs = append(f.codecs, f.ways[i].Codec)
		}
		f.Codec = anyOf(f.codecs)
	default:
		f.member = fieldNamed(section, cmp.Or(f.in, f.Name))
		if f.Codec.Type == nil {
			f.Codec = codecFor(f.member.Type)
		}
		f.Codec = f.Codec.forType(f.member.Type)
	}
}

func (f *Field) set(d *Decoder, n *yaml.Node, section any) (complete bool) {
	switch {
	case f.ways != nil:
		return f.fits(d, n) && f.ways[firstOf(f.codecs, n)].set(d, n, section)
	case f.stored != nil:
		v := f.stored.empty()
		complete = f.Read(d, n, v)
		if complete || f.Partial {
			f.stored.store(section, v)
		}
		return complete
	}
	member := f.member.in(section)
	complete = f.Read(d, n, member.Addr().Interface())
	if !complete && !f.Partial {
		member.SetZero()
	}
	return complete
}

// write returns the YAML of the key's value, or nil if the key is left out; with must it is
// not left out. It is not ok if the value cannot be written.
func (f *Field) write(section any, must bool) (n *yaml.Node, ok bool) {
	var value any
	var there bool
	switch {
	case f.ways != nil:
		return f.writeEither(section)
	case f.stored != nil:
		value, there = f.stored.load(section)
	default:
		member := f.member.in(section)
		value, there = member.Addr().Interface(), !zeroButPosition(member)
	}
	if !there && !must {
		return nil, true
	}
	n = f.Write(value)
	return n, n != nil
}

// writeEither is write for [Either]: one of the ways has a value.
func (f *Field) writeEither(section any) (n *yaml.Node, ok bool) {
	ok = true
	for i := range f.ways {
		one, good := f.ways[i].write(section, false)
		if one != nil && n != nil {
			return nil, false
		}
		n, ok = cmp.Or(n, one), ok && good
	}
	return n, ok || n != nil
}

func (f *Field) takes(section reflect.Type, n *yaml.Node) bool {
	return f.set(&Decoder{Reader: &node.Reader{}}, n, reflect.New(section).Interface())
}

// goField is a field of a struct in Go. The zero goField is none.
type goField struct {
	Index []int
	Type  reflect.Type
}

// fieldNamed returns the exported field of a struct, or of a struct embedded in it, that has
// the name of a key, such as final_blank or FinalBlank; Text.By is in the field Text. It
// panics if there is none.
func fieldNamed(t reflect.Type, name string) goField {
	in := goField{Type: t}
	for part := range strings.SplitSeq(name, ".") {
		word := strings.ReplaceAll(part, "_", "")
		f, found := in.Type.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, word) })
		if !found || !f.IsExported() {
			panic(fmt.Sprintf("%s has no field %s for a key", t, name))
		}
		in = goField{append(in.Index, f.Index...), f.Type}
	}
	return in
}

// in returns the field of the struct that section points to.
func (f goField) in(section any) reflect.Value {
	return reflect.ValueOf(section).Elem().FieldByIndex(f.Index)
}

func fieldOf[T any](t reflect.Type, name string) goField {
	if t.Kind() != reflect.Struct {
		return goField{}
	}
	if f, found := t.FieldByName(name); found && f.Type == reflect.TypeFor[T]() {
		return goField{f.Index, f.Type}
	}
	return goField{}
}

func setField[T any](f goField, section any, value T) {
	if f.Index != nil {
		*f.in(section).Addr().Interface().(*T) = value
	}
}

// IsZeroButPosition reports whether v, or what v points to, is zero apart from the
// positions in it.
func IsZeroButPosition(v any) bool { return zeroButPosition(reflect.Indirect(reflect.ValueOf(v))) }

func zeroButPosition(v reflect.Value) bool {
	if v.Kind() != reflect.Struct || v.IsZero() {
		return v.IsZero()
	}
	for _, f := range v.Fields() {
		isPlace := f.Type() == reflect.TypeFor[diag.Pos]() || f.Type() == reflect.TypeFor[scenarios.Places]()
		if !isPlace && !zeroButPosition(f) {
			return false
		}
	}
	return true
}

// MostInLine is the largest number of characters of an author's value in a hint.
const MostInLine = 200

// InLine returns a value in YAML's flow style, if that has at most so many characters.
func InLine(n *yaml.Node, most int) (text string, ok bool) {
	const mostBytes = 4096
	if node.ShapeOf(n) == node.Nothing || sizeOf(n, mostBytes) > mostBytes {
		return "", false
	}
	out, err := yaml.Marshal(flowing(n))
	text = strings.TrimSuffix(string(out), "\n")
	return text, err == nil && utf8.RuneCountInString(text) <= most && !strings.Contains(text, "\n")
}

// sizeOf returns about how many bytes n takes when it is written. It stops counting
// above most.
func sizeOf(n *yaml.Node, most int) int {
	size := len(n.Value) + 1
	for _, child := range n.Content {
		if size > most {
			break
		}
		size += sizeOf(child, most-size)
	}
	return size
}

// wordOfHints matches texts with a word after which the sentence of a hint could go on.
var wordOfHints = node.Lazily(` (and|because|beside|for|if|in|or|to|which) `)

// flowing returns a copy of n in flow style, without comments and anchors.
func flowing(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style &^ (yaml.LiteralStyle | yaml.FoldedStyle)}
	switch {
	case n.Kind != yaml.ScalarNode:
		c.Style = yaml.FlowStyle
	case c.Style != n.Style, node.IsPlain(n) && strings.ContainsAny(n.Value, ",[]{}"), wordOfHints().MatchString(n.Value):
		c.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		c.Content = append(c.Content, flowing(child))
	}
	return c
}

// OneOf returns words as a choice: a, b or c. A comma in braces, as in {id, content}, is
// part of a word.
func OneOf(words []string) string {
	all := strings.Join(words, ", ")
	braces := 0
	for i := len(all) - 1; i >= 0; i-- {
		switch all[i] {
		case '}':
			braces++
		case '{':
			braces--
		case ',':
			if braces == 0 {
				return all[:i] + " or" + all[i+1:]
			}
		}
	}
	return all
}
