package table

import (
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// Field is one key of a section of type T.
type Field[T any] struct{ *field }

// field is one key of a section. What it reads into and writes from is a pointer to
// the section's value.
type field struct {
	Name     string
	doc      string
	noun     string // noun names its values in messages.
	required bool   // required says that the section makes no sense without the key.
	kept     bool   // kept says that its place among the keys is part of what it says.
	kind     KeyKind
	set      func(d *Decoder, n *yaml.Node, section any) (complete bool)
	// write is the key's value as it is written: nil when the key is left out. It
	// is not ok when what the section holds cannot be written.
	write  func(section any, must bool) (n *yaml.Node, ok bool)
	schema func(w *schema.Writer) ojson.Value
	empty  func() (section any) // empty makes a section to try values with.
}

// KeyKind is a set of kinds of keys, for rules about those that stand together.
type KeyKind uint16

// Kind marks a field as one of a kind.
func Kind[T any](k KeyKind, f Field[T]) Field[T] {
	f.kind |= k
	return f
}

// StoredField is a field that is read by c and stored by a function. Load is what
// was stored, and whether there is anything.
func StoredField[T, V any](name, doc string, c Codec[V], store func(*T, V), load func(*T) (V, bool)) Field[T] {
	return Field[T]{storedField(name, doc, c, empty[T],
		func(section any, v V) { store(section.(*T), v) },
		func(section any) (V, bool) { return load(section.(*T)) })}
}

// Key is a field that is read by c into the member that at points to. It is left
// out when that member is zero.
func Key[T, V any](name, doc string, c Codec[V], at func(*T) *V) Field[T] {
	return Field[T]{keyField(name, doc, c, empty[T], func(section any) *V { return at(section.(*T)) })}
}

// Optional is a field for a member that is nil when the key is left out.
func Optional[T, V any](name, doc string, c Codec[V], at func(*T) **V) Field[T] {
	return Field[T]{optionalField(name, doc, c, empty[T], func(section any) **V { return at(section.(*T)) })}
}

func empty[T any]() any { return new(T) }

// storedField is a [StoredField] of any section: it is compiled once for each type of
// values, and not for each of each section.
//
//go:noinline
func storedField[V any](name, doc string, c Codec[V], empty func() any, store func(section any, v V), load func(section any) (V, bool)) *field {
	return &field{
		Name: name, doc: doc, noun: c.Noun, schema: c.Schema, empty: empty,
		set: func(d *Decoder, n *yaml.Node, section any) bool {
			v, complete := c.Read(d, n)
			if complete || c.Partial {
				store(section, v)
			}
			return complete
		},
		write: func(section any, must bool) (*yaml.Node, bool) {
			v, there := load(section)
			if !there && !must {
				return nil, true
			}
			n := c.Write(v)
			return n, n != nil
		},
	}
}

// keyField is a [Key] of any section.
//
//go:noinline
func keyField[V any](name, doc string, c Codec[V], empty func() any, at func(section any) *V) *field {
	return storedField(name, doc, c, empty, func(section any, v V) { *at(section) = v }, func(section any) (V, bool) {
		v := at(section)
		return *v, !zeroButPosition(reflect.ValueOf(v).Elem())
	})
}

// optionalField is an [Optional] field of any section.
//
//go:noinline
func optionalField[V any](name, doc string, c Codec[V], empty func() any, at func(section any) **V) *field {
	return storedField(name, doc, c, empty, func(section any, v V) { *at(section) = &v }, func(section any) (v V, there bool) {
		if p := *at(section); p != nil {
			return *p, true
		}
		return v, false
	})
}

// IsZeroButPosition reports whether v is zero, whatever position it has.
func IsZeroButPosition(v any) bool { return zeroButPosition(reflect.ValueOf(v)) }

func zeroButPosition(v reflect.Value) bool {
	if v.Kind() != reflect.Struct || v.IsZero() {
		return v.IsZero()
	}
	for _, f := range v.Fields() {
		if f.Type() != reflect.TypeFor[diag.Pos]() && !zeroButPosition(f) {
			return false
		}
	}
	return true
}

// Required is a field that must be there.
func Required[T any](f Field[T]) Field[T] {
	f.required = true
	return f
}

// Within is fields of a part as fields of the whole.
func Within[T, P any](at func(*T) *P, fields []Field[P]) []Field[T] {
	list := make([]Field[T], len(fields))
	part := func(section any) any { return at(section.(*T)) }
	for i := range fields {
		list[i].field = fields[i].within(part)
		list[i].empty = func() any { return new(T) }
	}
	return list
}

// within is a field of a part as a field of the whole.
func (f *field) within(part func(section any) any) *field {
	whole := *f
	whole.set = func(d *Decoder, n *yaml.Node, section any) bool { return f.set(d, n, part(section)) }
	whole.write = func(section any, must bool) (*yaml.Node, bool) { return f.write(part(section), must) }
	return &whole
}

// Member is a field that is kept as a member of a JSON object, in the order in
// which the author wrote them.
func Member[T any](name, doc string, c Codec[ojson.Value], object func(*T) *ojson.Value) Field[T] {
	f := StoredField(name, doc, c, func(t *T, v ojson.Value) { setMember(object(t), name, v) }, func(t *T) (ojson.Value, bool) {
		v := object(t).Get(name)
		return v, !v.IsAbsent()
	})
	f.kept = true
	return f
}
