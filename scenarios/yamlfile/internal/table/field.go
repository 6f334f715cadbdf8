package table

import (
	"cmp"
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Field is one key of a section. P is the type of a pointer to the section's value.
type Field[P any] struct {
	keyForm
	set func(d *Decoder, n *yaml.Node, section P) (complete bool)
	// write returns the YAML of the key's value, or nil if the key is left out; with
	// must it is not left out. It is not ok if the value cannot be written.
	write func(section P, must bool) (n *yaml.Node, ok bool)
}

// keyForm describes a key of a section, independent of the type of its value.
type keyForm struct {
	Form
	Name     string
	doc      string
	required bool // required says that the key must be present.
	kept     bool // kept says that the order of this key and others has a meaning.
	kind     KeyKind
	modifies bool                  // modifies says that the key says nothing without others.
	takes    func(*yaml.Node) bool // takes reports whether a value is valid for the key; the schema needs it.
}

// KeyKind is a set of kinds of keys, for checks of keys that exclude each other.
type KeyKind uint16

// Kind adds a kind to a field.
func Kind[P any](k KeyKind, f Field[P]) Field[P] {
	f.kind |= k
	return f
}

// Modifiers are fields that say nothing without others of their section.
func Modifiers[P any](fields []Field[P]) []Field[P] {
	for i := range fields {
		fields[i].modifies = true
	}
	return fields
}

// StoredField makes a field whose values c reads and store puts into the section. Load
// returns what store has put there, and whether there is a value to write.
func StoredField[P, V any](name, doc string, c Codec[*V], store func(P, V), load func(P) (V, bool)) Field[P] {
	return Field[P]{
		keyForm: keyForm{Form: c.Form, Name: name, doc: doc},
		set: func(d *Decoder, n *yaml.Node, section P) bool {
			var v V
			complete := c.Read(d, n, &v)
			if complete || c.Partial {
				store(section, v)
			}
			return complete
		},
		write: func(section P, must bool) (*yaml.Node, bool) {
			v, there := load(section)
			if !there && !must {
				return nil, true
			}
			n := c.Write(&v)
			return n, n != nil
		},
	}
}

// Key makes a field whose values c reads into the struct field that at returns a pointer
// to. The key is not written if that field is zero.
func Key[P, V any](name, doc string, c Codec[V], at func(P) V) Field[P] {
	return Field[P]{
		keyForm: keyForm{Form: c.Form, Name: name, doc: doc},
		set: func(d *Decoder, n *yaml.Node, section P) bool {
			member := at(section)
			complete := c.Read(d, n, member)
			if !complete && !c.Partial {
				reflect.ValueOf(member).Elem().SetZero()
			}
			return complete
		},
		write: func(section P, must bool) (*yaml.Node, bool) {
			member := at(section)
			if !must && zeroButPosition(reflect.ValueOf(member).Elem()) {
				return nil, true
			}
			n := c.Write(member)
			return n, n != nil
		},
	}
}

// Optional makes a field for a struct field that is a pointer, nil if the key is left
// out.
func Optional[P, V any](name, doc string, c Codec[V], at func(P) *V) Field[P] {
	return Key(name, doc, Pointer(c), at)
}

// Either makes a field of several, which read different kinds of YAML values: for a key
// whose value can be written in several ways. It has the name and the doc of the first.
func Either[P any](fields ...Field[P]) Field[P] {
	forms := make([]Form, len(fields))
	for i, f := range fields {
		forms[i] = f.Form
	}
	either := Field[P]{keyForm: keyForm{Form: anyOf(forms), Name: fields[0].Name, doc: fields[0].doc}}
	either.set = func(d *Decoder, n *yaml.Node, section P) bool {
		return either.fits(d, n) && fields[firstOf(forms, n)].set(d, n, section)
	}
	either.write = func(section P, _ bool) (n *yaml.Node, ok bool) {
		ok = true
		for _, f := range fields {
			one, good := f.write(section, false)
			if one != nil && n != nil {
				return nil, false
			}
			n, ok = cmp.Or(n, one), ok && good
		}
		return n, ok || n != nil
	}
	return either
}

// empty returns a pointer of type P to a new zero value.
func empty[P any]() P { return reflect.New(reflect.TypeFor[P]().Elem()).Interface().(P) }

// posSetter returns a function that sets the field Pos of a value, if it has one.
func posSetter[P any]() func(P, diag.Pos) {
	field, found := reflect.TypeFor[P]().Elem().FieldByName("Pos")
	return func(v P, p diag.Pos) {
		if found {
			*reflect.ValueOf(v).Elem().FieldByIndex(field.Index).Addr().Interface().(*diag.Pos) = p
		}
	}
}

// placesSetter returns a function that sets the field At of a value, if it has one, to where
// the keys of its section stand.
func placesSetter[P any]() func(P, *Decoder, *yaml.Node) {
	field, found := reflect.TypeFor[P]().Elem().FieldByName("At")
	if !found || field.Type != reflect.TypeFor[scenarios.Places]() {
		return func(P, *Decoder, *yaml.Node) {}
	}
	return func(v P, d *Decoder, n *yaml.Node) {
		at := scenarios.Places{}
		for _, p := range node.Members(n) {
			at[p.Name] = d.Pos(p.Key)
		}
		*reflect.ValueOf(v).Elem().FieldByIndex(field.Index).Addr().Interface().(*scenarios.Places) = at
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

// Required returns f, which must now be present.
func Required[P any](f Field[P]) Field[P] {
	f.required = true
	return f
}

// Within turns fields of a part into fields of the whole; at returns the part of a whole.
func Within[P, Part any](at func(P) Part, fields []Field[Part]) []Field[P] {
	list := make([]Field[P], len(fields))
	for i, f := range fields {
		list[i] = Field[P]{
			keyForm: f.keyForm,
			set:     func(d *Decoder, n *yaml.Node, section P) bool { return f.set(d, n, at(section)) },
			write:   func(section P, must bool) (*yaml.Node, bool) { return f.write(at(section), must) },
		}
	}
	return list
}

// Member makes a field that is stored as a member of a JSON object. The members keep the
// order in which the author wrote them.
func Member[P any](name, doc string, c Codec[*ojson.Value], object func(P) *ojson.Value) Field[P] {
	return Kept(StoredField(name, doc, c, func(section P, v ojson.Value) { MergeMembers(object(section), ojson.Object(ojson.M(name, v))) }, func(section P) (ojson.Value, bool) {
		v := object(section).Get(name)
		return v, !v.IsAbsent()
	}))
}

// Extra makes the key extra, whose members are added to a JSON object.
func Extra[P any](doc string, object func(P) *ojson.Value) Field[P] {
	return Kept(StoredField("extra", doc, ObjectJSON(), func(section P, more ojson.Value) { MergeMembers(object(section), more) },
		func(section P) (ojson.Value, bool) { return *object(section), !object(section).IsAbsent() }))
}

// Kept returns f, whose place among other such fields has a meaning.
func Kept[P any](f Field[P]) Field[P] {
	f.kept = true
	return f
}
