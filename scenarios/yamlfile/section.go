package yamlfile

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// section is a mapping with known keys: a step, a reply, an envelope. The fields
// are the table that reader, writer, schema and word list share.
type section[T any] struct {
	name   string // name is how messages call the section: step.
	about  string // about is one sentence for editors.
	fields []field[T]
	// position is where the value keeps its place in the file; nil if it does
	// not.
	position func(*T) *diag.Pos
	// unknownKeys is where other keys go, as JSON members; nil refuses them.
	unknownKeys func(*T) *ojson.Value
	misplaced   map[string]string // misplaced has hints for keys that are refused.
	// pasted reports JSON of the API in the place of the section; nil looks for none.
	pasted func(d *decoder, pairs []node.Pair) bool
	// check finds what no single field can see; nil finds nothing.
	check func(d *decoder, m members, v *T) (ok bool)
	// partial says that a value which lacks what could not be read is still of
	// use.
	partial     bool
	lone        []string // lone are the keys that a value in place of the section most likely belongs to.
	inLines     bool     // inLines writes the section over several lines, a key in each.
	writtenLast []string // writtenLast are keys that are written after the others.
}

// field is one key of a section.
type field[T any] struct {
	name     string
	doc      string
	noun     string // noun names its values in messages.
	required bool   // required says that the section makes no sense without the key.
	kind     keyKind
	set      func(d *decoder, n *yaml.Node, v *T) (complete bool)
	// write is the key's value as it is written: nil when the key is left out. It
	// is not ok when what v holds cannot be written.
	write  func(v *T, must bool) (n *yaml.Node, ok bool)
	schema func(w *schema.Writer) ojson.Value
}

// keyKind is a set of kinds of keys, for rules about those that stand together.
type keyKind uint16

// kind marks a field as one of a kind.
func kind[T any](k keyKind, f field[T]) field[T] {
	f.kind |= k
	return f
}

// storedField is a field that is read by c and stored by a function. Load is what
// was stored, and whether there is anything.
func storedField[T, V any](name, doc string, c codec[V], store func(*T, V), load func(*T) (V, bool)) field[T] {
	return field[T]{
		name: name, doc: doc, noun: c.noun, schema: c.schema,
		set: func(d *decoder, n *yaml.Node, t *T) bool {
			v, complete := c.read(d, n)
			if complete || c.partial {
				store(t, v)
			}
			return complete
		},
		write: func(t *T, must bool) (*yaml.Node, bool) {
			v, there := load(t)
			if !there && !must {
				return nil, true
			}
			n := c.write(v)
			return n, n != nil
		},
	}
}

// key is a field that is read by c into the member that at points to. It is left
// out when that member is zero.
func key[T, V any](name, doc string, c codec[V], at func(*T) *V) field[T] {
	return storedField(name, doc, c, func(t *T, v V) { *at(t) = v }, func(t *T) (V, bool) {
		v := *at(t)
		return v, !isZeroButPosition(v)
	})
}

// isZeroButPosition reports whether v is zero, whatever position it has.
func isZeroButPosition(v any) bool { return zeroButPosition(reflect.ValueOf(v)) }

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

// optional is a field for a member that is nil when the key is left out.
func optional[T, V any](name, doc string, c codec[V], at func(*T) **V) field[T] {
	return key(name, doc, pointer(c), at)
}

// required is a field that must be there.
func required[T any](f field[T]) field[T] {
	f.required = true
	return f
}

// within is fields of a part as fields of the whole.
func within[T, P any](at func(*T) *P, fields []field[P]) []field[T] {
	list := make([]field[T], len(fields))
	for i, f := range fields {
		list[i] = field[T]{
			name: f.name, doc: f.doc, noun: f.noun, required: f.required, kind: f.kind, schema: f.schema,
			set:   func(d *decoder, n *yaml.Node, v *T) bool { return f.set(d, n, at(v)) },
			write: func(v *T, must bool) (*yaml.Node, bool) { return f.write(at(v), must) },
		}
	}
	return list
}

// member is a field that is kept as a member of a JSON object, in the order in
// which the author wrote them.
func member[T any](name, doc string, c codec[ojson.Value], object func(*T) *ojson.Value) field[T] {
	return storedField(name, doc, c, func(t *T, v ojson.Value) { setMember(object(t), name, v) }, func(t *T) (ojson.Value, bool) {
		v := object(t).Get(name)
		return v, !v.IsAbsent()
	})
}

// codec makes a codec of the section. The word names it in messages.
func (s *section[T]) codec(word string) codec[T] {
	return codec[T]{
		noun: word, shapes: node.Mapping, partial: s.partial, keys: s.names(),
		instead: func(d *decoder, n *yaml.Node) string { return d.ForLone(n, s.lone) },
		get:     func(d *decoder, n *yaml.Node) (T, bool) { return s.read(d, n) },
		write:   s.write,
		schema:  func(w *schema.Writer) ojson.Value { return w.Section(s.name, s.described) },
	}
}

func (s *section[T]) read(d *decoder, n *yaml.Node) (v T, complete bool) {
	if s.position != nil {
		*s.position(&v) = d.Pos(n)
	}
	defer d.Enter(s.name)()
	m := members{node: n}
	pairs, complete := d.Pairs(n)
	if s.pasted != nil && s.pasted(d, pairs) {
		return v, false
	}
	m.complete = complete
	for _, p := range pairs {
		f, ok := s.readMember(d, p, &v)
		m.complete = m.complete && ok
		if f != nil {
			m.pairs, m.kinds = append(m.pairs, p), append(m.kinds, f.kind)
		}
	}
	for _, f := range s.fields {
		if f.required && m.key(f.name) == nil && m.complete {
			d.Report(n, "", "%s needs the key %q", s.name, f.name)
			m.complete = false
		}
	}
	if s.check != nil && !s.check(d, m, &v) {
		m.complete = false
	}
	return v, m.complete
}

// write is v with its keys in the order of the table.
func (s *section[T]) write(v T) *yaml.Node {
	n := node.NewMapping(yaml.FlowStyle)
	if s.inLines {
		n.Style = 0
	}
	for _, f := range s.inWrittenOrder() {
		value, ok := f.write(&v, f.required)
		if !ok {
			return nil
		}
		if value != nil {
			node.Add(n, f.name, value)
		}
	}
	return n
}

func (s *section[T]) inWrittenOrder() []field[T] {
	var first, last []field[T]
	for _, f := range s.fields {
		if slices.Contains(s.writtenLast, f.name) {
			last = append(last, f)
		} else {
			first = append(first, f)
		}
	}
	return append(first, last...)
}

// readMember reads one key. The field is nil when the key is none of the
// section's own.
func (s *section[T]) readMember(d *decoder, p node.Pair, v *T) (f *field[T], complete bool) {
	for i := range s.fields {
		if s.fields[i].name == p.Name {
			d.At(p.Name)
			return &s.fields[i], s.fields[i].set(d, p.Value, v)
		}
	}
	if hint, ok := s.misplaced[p.Name]; ok {
		d.Report(p.Key, hint, "%s has no key %q", s.name, p.Name)
		return nil, false
	}
	if s.unknownKeys == nil {
		d.Report(p.Key, d.ForKey(p, s.names()), "unknown key %q in %s", node.Abbreviate(p.Name), s.name)
		return nil, false
	}
	return nil, s.readUnknown(d, p, v)
}

// readUnknown reads a key that is none of the section's own as a member to send.
// A key that looks like a misspelt one of the section's is refused: if it were
// sent silently, nobody would find the mistake.
func (s *section[T]) readUnknown(d *decoder, p node.Pair, v *T) bool {
	names := s.names()
	own := append(d.OwnSynonyms(p.Name, names), "")[0]
	if near := cmp.Or(diag.Nearest(p.Name, names), own); near != "" {
		hint := fmt.Sprintf("did you mean %q?", near)
		if slices.Contains(names, "extra") {
			hint += " To send it as it is, write it under extra"
		}
		d.Report(p.Key, hint, "unknown key %q in %s", node.Abbreviate(p.Name), s.name)
		return false
	}
	value, complete := d.JSON(p.Value)
	if complete {
		setMember(s.unknownKeys(v), p.Name, value)
	}
	return complete
}

func (s *section[T]) names() []string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	return names
}

// members is a mapping as the checks of a section see it: the keys that the
// section knows.
type members struct {
	node     *yaml.Node
	pairs    []node.Pair
	kinds    []keyKind // kinds are those of the pairs, in the same order.
	complete bool      // complete says that every member could be read.
}

// key is the node of a key, or nil when the mapping has no such key.
func (m members) key(name string) *yaml.Node {
	for _, p := range m.pairs {
		if p.Name == name {
			return p.Key
		}
	}
	return nil
}

// among are the keys of the mapping that are in the list, in the mapping's order.
func (m members) among(names ...string) []node.Pair {
	var found []node.Pair
	for _, p := range m.pairs {
		for _, name := range names {
			if p.Name == name {
				found = append(found, p)
			}
		}
	}
	return found
}

// ofKinds are the keys of the mapping that are of one of these kinds, in the
// mapping's order.
func (m members) ofKinds(kinds keyKind) []node.Pair {
	var found []node.Pair
	for i, p := range m.pairs {
		if m.kinds[i]&kinds != 0 {
			found = append(found, p)
		}
	}
	return found
}

// atMostOne reports the keys that exclude each other, all but the first.
func (d *decoder) atMostOne(m members, hint string, names ...string) bool {
	return d.onlyFirst(m.among(names...), hint)
}

func (d *decoder) onlyFirst(found []node.Pair, hint string) bool {
	for _, p := range found[min(1, len(found)):] {
		d.Report(p.Key, hint, "%s and %s exclude each other", found[0].Name, p.Name)
	}
	return len(found) < 2
}

// exactlyOne also reports that none of the keys is there.
func (d *decoder) exactlyOne(m members, what string, names ...string) bool {
	if len(m.among(names...)) == 0 {
		if m.complete {
			d.Report(m.node, "", "%s needs one of %s", what, strings.Join(names, ", "))
		}
		return false
	}
	return d.atMostOne(m, "", names...)
}

// exclude reports the keys that cannot stand beside another.
func (d *decoder) exclude(m members, name string, found []node.Pair) bool {
	if m.key(name) == nil {
		return true
	}
	for _, p := range found {
		d.Report(p.Key, "", "%s and %s exclude each other", name, p.Name)
	}
	return len(found) == 0
}

// refuse reports a key that must not be there.
func (d *decoder) refuse(m members, name, why string) bool {
	key := m.key(name)
	if key != nil {
		d.Report(key, why, "%s has no meaning here", name)
	}
	return key == nil
}
