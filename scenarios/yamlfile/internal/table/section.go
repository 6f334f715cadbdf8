package table

import (
	"cmp"
	"iter"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Section is a mapping with known keys: a step, a reply, an envelope. Reader, writer,
// schema and word list share its fields.
type Section struct {
	Name   string // Name is the section's name in messages: step.
	About  string // About is one sentence about the section, for editors.
	Fields []Field
	// Foreign is the struct field with the JSON object of the key extra, for members that are
	// sent and that the language does not know. It is "" if the section has no such key.
	Foreign string
	// Short is keys that stand for others.
	Short map[string]Shorthand
	// Check reports problems that concern several fields of the value that v points to. It may
	// be nil. See [Check].
	Check func(d *Decoder, m Members, v any) (ok bool)
	// Partial says that the value is used even if parts of it could not be read.
	Partial bool
	// Aside says that no hint leads into the section from elsewhere.
	Aside       bool
	Lone        []string // Lone is the keys that an author may mean who writes a value instead of the mapping.
	InLines     bool     // InLines writes each key on a line of its own.
	WrittenLast []string // WrittenLast is keys that are written after the others.

	of      reflect.Type // of is the type of the values.
	pos, at goField      // pos gets the place of a value, and at those of its keys.
}

// Check makes the check of a section whose values have the type T.
func Check[T any](check func(d *Decoder, m Members, v *T) bool) func(*Decoder, Members, any) bool {
	return func(d *Decoder, m Members, v any) bool { return check(d, m, v.(*T)) }
}

// Mapping makes the codec of a section whose values have the type T, a struct or a JSON object.
// Word is their name in messages.
func Mapping[T any](word string, s *Section) Codec {
	c := Later[T](word, func() *Section { return s })
	c.Partial = s.Partial
	return c
}

// Later is [Mapping] for a section that is made on first use: to make the table of the
// whole language takes longer than to read a small file, which uses little of it.
// The caller must set Partial if the section has it set. Only its first line is compiled for each type.
func Later[T any](word string, s func() *Section) Codec { return later(reflect.TypeFor[T](), word, s) }

func later(of reflect.Type, word string, section func() *Section) Codec {
	made := sync.OnceValue(func() *Section {
		s := *section() // a copy, because a section may have several codecs
		s.bind(of)
		return &s
	})
	return Codec{
		Type: of, Noun: word, Shapes: node.Mapping,
		keys:    func() []string { return made().keys() },
		Instead: func(d *Decoder, n *yaml.Node) string { return d.hintForLone(n, made().Lone) },
		Schema:  func(w *Writer) ojson.Value { return w.Section(made().Name, made) },
		Get:     func(d *Decoder, n *yaml.Node, into any) bool { return made().read(d, n, into) },
		Write:   func(from any) *yaml.Node { return made().write(from) },
	}
}

// bind finds the struct fields of the keys.
func (s *Section) bind(of reflect.Type) {
	s.of, s.pos, s.at = of, fieldOf[diag.Pos](of, "Pos"), fieldOf[scenarios.Places](of, "At")
	s.Fields = slices.Clone(s.Fields)
	for i := range s.Fields {
		s.Fields[i].bind(of)
	}
}

// inWrittenOrder yields the fields in the order in which they are written. It makes no copy, which would be
// as large as the table, for each value.
func (s *Section) inWrittenOrder() iter.Seq[*Field] {
	return func(yield func(*Field) bool) {
		for _, last := range []bool{false, true} {
			for i := range s.Fields {
				if f := &s.Fields[i]; slices.Contains(s.WrittenLast, f.Name) == last && !yield(f) {
					return
				}
			}
		}
	}
}

func (s *Section) layout() Layout {
	l := Layout{Section: s.Name, InLines: s.InLines, Short: s.Short}
	for f := range s.inWrittenOrder() {
		l.Keys = append(l.Keys, f.Name)
		if f.kept {
			l.Kept = append(l.Kept, f.Name)
		}
	}
	return l
}

func (s *Section) read(d *Decoder, n *yaml.Node, v any) (complete bool) {
	defer d.enter(s.Name, n)()
	n = WrittenOut(n, s.Short, s.knows)
	setField(s.pos, v, d.Pos(n))
	if s.at.Index != nil {
		setField(s.at, v, d.places(n))
	}
	pairs, complete := d.Pairs(n)
	m := Members{Node: n, Complete: complete, Pairs: make([]node.Pair, 0, len(pairs)), Kinds: make([]KeyKind, 0, len(pairs))}
	var foreign []string
	for _, p := range pairs {
		f, ok := s.readMember(d, p, v)
		m.Complete = m.Complete && ok
		if f != nil {
			m.Pairs, m.Kinds = append(m.Pairs, p), append(m.Kinds, f.kind)
		} else if ok {
			foreign = append(foreign, p.Name)
		}
	}
	if d.Noted != nil {
		layout := s.layout()
		layout.Foreign = foreign
		d.Noted(n, layout)
	}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.required && m.Key(f.Name) == nil && m.Complete {
			hint := ""
			if len(d.sections) == 1 && f.Name == "name" { // what is pasted from the API has none
				stem := strings.TrimSuffix(filepath.Base(d.File), filepath.Ext(d.File))
				hint = "write name: " + cmp.Or(strings.Trim(notInName().ReplaceAllString(stem, "-"), "-"), "example")
			} else if d.Atlas != nil {
				hint = d.Atlas().given.Value(Unknown{Pair: node.Pair{Name: "+" + f.Name, Value: n}, Section: s.Name, Within: n})
			}
			d.Report(n, hint, "%s needs the key %q", s.Name, f.Name)
			m.Complete = false
		}
	}
	if s.Check != nil && !s.Check(d, m, v) {
		m.Complete = false
	}
	return m.Complete
}

func (d *Decoder) places(n *yaml.Node) scenarios.Places {
	at := scenarios.Places{}
	for _, p := range node.Members(n) {
		at[p.Name] = d.Pos(p.Key)
	}
	return at
}

// write returns the YAML of the value that v points to, with the keys in the order in which
// they are written.
func (s *Section) write(v any) *yaml.Node {
	n := node.NewMapping(yaml.FlowStyle)
	if s.InLines {
		n.Style = 0
	}
	for f := range s.inWrittenOrder() {
		value, ok := f.write(v, f.required)
		if !ok {
			return nil
		}
		if value != nil {
			node.Add(n, f.Name, value)
		}
	}
	return n
}

// readMember reads one key. The field is nil if the section does not know the key. That is
// a mistake; but what seems to be no word of the language fmt reads as a member of extra.
func (s *Section) readMember(d *Decoder, p node.Pair, v any) (f *Field, complete bool) {
	for i := range s.Fields {
		if s.Fields[i].Name == p.Name {
			d.setKey(p.Name)
			if d.Doubtful != nil {
				if hint := d.Doubtful(Unknown{Pair: p, Section: s.Name, Within: d.sections[len(d.sections)-1].within}, d.sections[0].within); hint != "" {
					d.report(p.Value, hint, "%s is hardly meant as it stands", node.InWords(p.Value))
					return &s.Fields[i], false
				}
			}
			return &s.Fields[i], s.Fields[i].set(d, p.Value, v)
		}
	}
	hint, sure := d.misplaced(p)
	message := "%[2]s has no key %[1]q"
	if !sure {
		hint, sure = d.hintForKey(p, s.keys())
		message = "unknown key %q in %s"
	}
	if hint = d.settled(s, p, hint); d.Atlas != nil && d.remarks == nil {
		hint = d.Atlas().given.Settled(Unknown{Pair: p, Section: s.Name, Within: d.sections[len(d.sections)-1].within}, hint)
	}
	switch {
	case strings.HasPrefix(hint, "leave it out"), strings.HasPrefix(hint, "write set: "):
	case s.Foreign == "":
		hint = cmp.Or(hint, d.mostMeant(s, p))
	case !sure && d.Noted != nil:
		value, ok := d.JSON(p.Value)
		MergeMembers(objectIn(v, s.Foreign), ojson.Object(ojson.M(p.Name, value)))
		return nil, ok
	case strings.HasSuffix(hint, "?"):
		hint += " To send it as it is, " + asExtra(p, sure)
	case hint != "":
		hint += "; to send it as it is, " + asExtra(p, sure)
	default:
		hint = asExtra(p, sure)
	}
	d.Report(p.Key, hint, message, node.Abbreviate(p.Name), s.Name)
	return nil, false
}

var notInName = node.Lazily(`[^A-Za-z0-9_-]+`)

// mostMeant is the hint for a key that nobody knows: all keys of a small section, and of a large one where the word
// lives, or those that are most often meant.
func (d *Decoder) mostMeant(s *Section, p node.Pair) string {
	const few = 8
	if d.Atlas != nil && len(s.Fields) > few {
		if hint := cmp.Or(d.otherSections(Snake(p.Name)), d.Atlas().given.Value(Unknown{Pair: node.Pair{Name: "*", Value: p.Value}, Section: s.Name})); hint != "" {
			return hint
		}
	}
	return "known keys: " + strings.Join(s.keys(), ", ")
}

// Filled returns a hint with a value in place of $, and with its members in place of $*, or with … for a long one. It
// is not ok if there is no hint.
func Filled(hint string, value *yaml.Node) (filled string, ok bool) {
	if !strings.Contains(hint, "$") {
		return hint, hint != ""
	}
	text, ok := InLine(value, MostInLine)
	if !ok {
		text = "…"
	}
	members := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	return strings.NewReplacer("$*", members, "$", text).Replace(hint), true
}

// misplaced returns the hint for a key that people look for in this section and that belongs elsewhere.
func (d *Decoder) misplaced(p node.Pair) (hint string, sure bool) {
	if d.Atlas != nil {
		hint = d.Atlas().given.Misplaced(Unknown{Pair: node.Pair{Name: Snake(p.Name), Key: p.Key, Value: p.Value}, Section: d.innermost(), Within: d.sections[len(d.sections)-1].within})
	}
	return hint, hint != ""
}

// asExtra says how to send a key that the language does not know. With sure it may be
// meant as something else, so that fmt does not move it.
func asExtra(p node.Pair, sure bool) string {
	way := "write it under extra"
	if value, ok := InLine(p.Value, MostInLine); ok {
		way = "write extra: { " + p.Name + ": " + value + " }"
	}
	if !sure {
		way += " to send it as it is, or let fakeopenai fmt do it"
	}
	return way
}

// OnlyOnce reports those of the names that are members of extra and also stand beside it.
func (d *Decoder) OnlyOnce(m Members, names ...string) bool {
	once := func(p node.Pair) bool { return m.Key(p.Name) == nil || !slices.Contains(names, p.Name) }
	return d.RefuseEach(slices.DeleteFunc(node.Members(node.Member(m.Node, "extra").Value), once), leaveOneOut, "%s is written beside extra, too")
}

func (s *Section) knows(key string) bool {
	return slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Name == key })
}

func (s *Section) keys() []string {
	names := make([]string, len(s.Fields))
	for i := range s.Fields {
		names[i] = s.Fields[i].Name
	}
	return names
}

// Members is the keys of a mapping that the section knows, for [Section.Check].
type Members struct {
	Node     *yaml.Node
	Pairs    []node.Pair
	Kinds    []KeyKind // Kinds is the kinds of the pairs, in the same order.
	Complete bool      // Complete says that every member could be read.
}

// Key returns the node of a key, or nil if the mapping has no such key.
func (m Members) Key(name string) *yaml.Node {
	for _, p := range m.Pairs {
		if p.Name == name {
			return p.Key
		}
	}
	return nil
}

// Among returns the pairs whose keys are in the list, in the mapping's order.
func (m Members) Among(names ...string) []node.Pair {
	var found []node.Pair
	for _, p := range m.Pairs {
		if slices.Contains(names, p.Name) {
			found = append(found, p)
		}
	}
	return found
}

// OfKinds returns the pairs whose keys have one of the kinds, in the mapping's order.
func (m Members) OfKinds(kinds KeyKind) []node.Pair {
	var found []node.Pair
	for i, p := range m.Pairs {
		if m.Kinds[i]&kinds != 0 {
			found = append(found, p)
		}
	}
	return found
}

// leaveOneOut is the hint for two keys that exclude each other.
const leaveOneOut = "leave one of them out"

// AtMostOne reports all but the first of the named keys, which exclude each other.
func (d *Decoder) AtMostOne(m Members, hint string, names ...string) bool {
	return d.OnlyFirst(m.Among(names...), hint)
}

// OnlyFirst reports all but the first of the pairs, whose keys exclude each other.
func (d *Decoder) OnlyFirst(found []node.Pair, hint string) bool {
	return len(found) < 2 || d.RefuseEach(found[1:], cmp.Or(hint, leaveOneOut), found[0].Name+" and %s exclude each other")
}

// RefuseEach reports each of the pairs. The message is made of format and a key.
func (d *Decoder) RefuseEach(found []node.Pair, hint, format string) bool {
	for _, p := range found {
		d.Report(p.Key, hint, format, p.Name)
	}
	return len(found) == 0
}

// ExactlyOne is [Decoder.AtMostOne] and also reports if none of the keys is present.
func (d *Decoder) ExactlyOne(m Members, what string, names ...string) bool {
	if len(m.Among(names...)) == 0 {
		if m.Complete {
			d.Report(m.Node, "", "%s needs one of %s", what, strings.Join(names, ", "))
		}
		return false
	}
	return d.AtMostOne(m, "", names...)
}

// Exclude reports the pairs found if the mapping has the named key, which excludes them.
func (d *Decoder) Exclude(m Members, name string, found []node.Pair) bool {
	return m.Key(name) == nil || d.RefuseEach(found, leaveOneOut, name+" and %s exclude each other")
}

// Refuse reports a key if the mapping has it. Why is the hint.
func (d *Decoder) Refuse(m Members, name, why string) bool {
	return d.RefuseEach(m.Among(name), why, "%s has no meaning here")
}

// Decoder is the state of reading one file: its problems so far, and the sections
// around the value that is being read.
type Decoder struct {
	*node.Reader
	sections []section     // sections has the outermost section first.
	Atlas    func() *Atlas // Atlas returns the places of all words; nil if hints are not needed.
	// Doubtful returns what to write in place of a valid value that is hardly meant, or "". It may be nil.
	Doubtful func(u Unknown, document *yaml.Node) string
	// Noted is called with the layout of each section and list that is read, for fmt; it
	// may be nil.
	Noted func(n *yaml.Node, l Layout)
	// remarks gets the problems of the YAML that a hint proposes, which are none of the file; see settled.
	remarks *[]remark
}

// section is a section around a value, and the key in it whose value is being read.
type section struct {
	name, key string
	within    *yaml.Node // within is the mapping.
}

func (d *Decoder) enter(name string, within *yaml.Node) (leave func()) {
	d.sections = append(d.sections, section{name: name, within: within})
	return func() { d.sections = d.sections[:len(d.sections)-1] }
}

// Report adds a problem at n. If there is a lead for n, or for the key whose value n is or is in, the lead is the hint.
func (d *Decoder) Report(n *yaml.Node, hint, format string, args ...any) {
	if d.Atlas != nil && len(d.sections) > 0 {
		around := d.sections[len(d.sections)-1]
		value := node.Member(around.within, around.key).Value
		isValue := around.within != nil && slices.Index(around.within.Content, n)%2 == 1 // a key at an even place is none
		if isValue || value != nil && value.Kind == yaml.SequenceNode && slices.Contains(value.Content, n) {
			hint = cmp.Or(d.Atlas().given.Value(Unknown{Pair: node.Pair{Name: around.key, Value: n}, Section: around.name, Within: around.within}), hint)
		}
	}
	d.report(n, hint, format, args...)
}

func (d *Decoder) report(n *yaml.Node, hint, format string, args ...any) {
	if d.remarks != nil {
		*d.remarks = append(*d.remarks, remark{n, hint})
		return
	}
	d.Reader.Report(n, hint, format, args...)
}

// setKey sets the key of the innermost section whose value is read next.
func (d *Decoder) setKey(key string) { d.sections[len(d.sections)-1].key = key }

func (d *Decoder) isInside(name string) bool {
	return slices.ContainsFunc(d.sections, func(s section) bool { return s.name == name })
}

func (d *Decoder) isUnder(keys ...string) bool {
	return len(d.sections) > 0 && slices.Contains(keys, d.sections[len(d.sections)-1].key)
}

// Layout is how a section or a list is written.
type Layout struct {
	Section string // Section is the name of the section; "" for a list.
	// Keys is a section's keys in the order in which they are written. Keys that are
	// not in it, and those in Kept, keep the author's order.
	Keys    []string
	Kept    []string             // Kept is the keys whose order has a meaning.
	Foreign []string             // Foreign is the keys of the mapping that belong under extra.
	Short   map[string]Shorthand // Short is [Section.Short].
	Instead *yaml.Node           // Instead is what a short form stands for.
	InLines bool                 // InLines says that the value is never written in one line.
}

// Rank returns a number by which keys are sorted when they are written.
func (l Layout) Rank(key string) int {
	at := slices.Index(l.Keys, key)
	switch {
	case len(l.Kept) > 0 && (at < 0 || slices.Contains(l.Kept, key)):
		return slices.Index(l.Keys, l.Kept[0])
	case at < 0:
		return len(l.Keys)
	}
	return at
}
