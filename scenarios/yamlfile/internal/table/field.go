package table

import (
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// Field is one key of a section, whose value P points to.
type Field[P any] struct{ *field }

// field is a [Field] of any section. What it reads into and writes from is a pointer to
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
}

// KeyKind is a set of kinds of keys, for rules about those that stand together.
type KeyKind uint16

// Kind marks a field as one of a kind.
func Kind[P any](k KeyKind, f Field[P]) Field[P] {
	f.kind |= k
	return f
}

// StoredField is a field that is read by c and stored by a function. Load is what
// was stored, and whether there is anything.
func StoredField[P, V any](name, doc string, c Codec[*V], store func(P, V), load func(P) (V, bool)) Field[P] {
	return Field[P]{storedField(name, doc, c.codec, func() any { return new(V) },
		func(section, v any) { store(section.(P), *v.(*V)) },
		func(section any) (any, bool) {
			v, there := load(section.(P))
			return &v, there
		})}
}

// Key is a field that is read by c into the member that at points to. It is left
// out when that member is zero.
func Key[P, V any](name, doc string, c Codec[V], at func(P) V) Field[P] {
	return Field[P]{keyField(name, doc, c.codec, func(section any) any { return at(section.(P)) })}
}

// Optional is a field for a member that is nil when the key is left out.
func Optional[P, V any](name, doc string, c Codec[V], at func(P) *V) Field[P] {
	return Field[P]{storedField(name, doc, c.codec, empty[V],
		func(section, v any) { *at(section.(P)) = v.(V) },
		func(section any) (any, bool) {
			var none V
			v := *at(section.(P))
			return v, any(v) != any(none)
		})}
}

// empty is a pointer of this type to a zero value.
func empty[P any]() any { return reflect.New(reflect.TypeFor[P]().Elem()).Interface() }

// storedField is a [StoredField] of any section. Fresh makes what a value is read into.
func storedField(name, doc string, c codec, fresh func() any, store func(section, v any), load func(section any) (any, bool)) *field {
	return &field{
		Name: name, doc: doc, noun: c.Noun, schema: c.Schema,
		set: func(d *Decoder, n *yaml.Node, section any) bool {
			v := fresh()
			complete := c.read(d, n, v)
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
			n := c.write(v)
			return n, n != nil
		},
	}
}

// keyField is a [Key] of any section.
func keyField(name, doc string, c codec, at func(section any) any) *field {
	return &field{
		Name: name, doc: doc, noun: c.Noun, schema: c.Schema,
		set: func(d *Decoder, n *yaml.Node, section any) bool {
			member := at(section)
			complete := c.read(d, n, member)
			if !complete && !c.Partial {
				reflect.ValueOf(member).Elem().SetZero()
			}
			return complete
		},
		write: func(section any, must bool) (*yaml.Node, bool) {
			member := at(section)
			if !must && zeroButPosition(reflect.ValueOf(member).Elem()) {
				return nil, true
			}
			n := c.write(member)
			return n, n != nil
		},
	}
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
func Required[P any](f Field[P]) Field[P] {
	f.required = true
	return f
}

// Within is fields of a part as fields of the whole.
func Within[P, Part any](at func(P) Part, fields []Field[Part]) []Field[P] {
	list := make([]Field[P], len(fields))
	part := func(section any) any { return at(section.(P)) }
	for i := range fields {
		list[i].field = fields[i].within(part)
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
func Member[P any](name, doc string, c Codec[*ojson.Value], object func(P) *ojson.Value) Field[P] {
	f := StoredField(name, doc, c, func(section P, v ojson.Value) { setMember(object(section), name, v) }, func(section P) (ojson.Value, bool) {
		v := object(section).Get(name)
		return v, !v.IsAbsent()
	})
	f.kept = true
	return f
}
