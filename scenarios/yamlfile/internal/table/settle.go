package table

import (
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

type remark struct {
	at   *yaml.Node
	hint string
}

var hintToWrite = node.Lazily(`^write (.*?)( in (?:scenario|reply)(?:, beside \w+)?)?( in place of [\w and]+|; .*|, because .*|, which .*|, or message: .*)?$`)

// settled is the hint for a key, in which what to write is mended as the hints for that say: one message, not one for each level.
func (d *Decoder) settled(s *Section, p node.Pair, hint string) string {
	if d.Atlas == nil || d.remarks != nil || sizeOf(p.Value, MostInLine) > MostInLine {
		return hint
	}
	said, place, rest := toWrite(hint, p.Value)
	if said == nil || place != "" {
		return hint
	}
	before, _ := InLine(said, MostInLine)
	for range 4 {
		again := &Decoder{Reader: &node.Reader{}, Atlas: d.Atlas, Doubtful: d.Doubtful, sections: slices.Clone(d.sections[:len(d.sections)-1]), remarks: &[]remark{}}
		s.read(again, said, reflect.New(s.of).Interface())
		changed := false
		for _, r := range *again.remarks {
			changed = r.follow(said, said) || changed
		}
		if !changed {
			break
		}
	}
	after, ok := InLine(said, MostInLine)
	if !ok || after == before || len(said.Content) == 0 {
		return hint
	}
	return "write " + strings.TrimSuffix(strings.TrimPrefix(after, "{"), "}") + rest
}

// toWrite is the mapping that a hint for a key says to write, the place where that is if it is another one, and what
// the hint says behind; nil for a hint that says something else, or several things.
func toWrite(hint string, value *yaml.Node) (said *yaml.Node, place, rest string) {
	if word, ok := strings.CutPrefix(hint, `did you mean "`); ok && strings.Count(hint, `"`) == 2 {
		n := node.NewMapping(yaml.FlowStyle)
		node.Add(n, strings.TrimSuffix(word, `"?`), value)
		return n, "", ""
	}
	var doc yaml.Node
	m := hintToWrite().FindStringSubmatch(hint)
	if m == nil || strings.Contains(m[1], " in message") || yaml.Unmarshal([]byte("{"+m[1]+"}"), &doc) != nil {
		return nil, "", ""
	}
	for _, p := range node.Members(doc.Content[0]) {
		if p.Key.Kind != yaml.ScalarNode || strings.Contains(p.Name, " ") || node.ShapeOf(p.Value) == node.Nothing {
			return nil, "", ""
		}
	}
	return doc.Content[0], m[2], m[3]
}

// follow does what the hint says in a mapping or list, or below, and reports whether it could. What belongs in the scenario goes to the top.
func (r remark) follow(n, top *yaml.Node) bool {
	i := slices.Index(n.Content, r.at)
	if i < 0 || n.Kind != yaml.MappingNode {
		return slices.ContainsFunc(n.Content, func(child *yaml.Node) bool { return r.follow(child, top) })
	}
	isValue := i%2 == 1
	i &^= 1
	hint := strings.Replace(r.hint, "write {", "write "+n.Content[i].Value+": {", 1) // it is about the value
	said, place, rest := toWrite(hint, n.Content[i+1])
	if said != nil && isValue && strings.HasPrefix(hint, "did you mean ") { // another word in place of the value
		said.Content = []*yaml.Node{n.Content[i], said.Content[0]}
	}
	before, gone := n.Content, strings.TrimPrefix(rest, " in place of ")
	switch {
	case said == nil && (len(before) == 2 || !strings.HasPrefix(r.hint, "leave it out")): // without its last member a mapping says something else
		return false
	case gone != rest && !strings.HasPrefix(n.Content[i].Value, gone):
		return false
	}
	n.Content = slices.Delete(slices.Clone(before), i, i+2)
	if place == "" {
		top = n
	}
	if !Merged(top, said) {
		n.Content = before
		return false
	}
	return true
}

// Merged adds the members of a mapping to another, and reports whether no other value stands there.
func Merged(into, from *yaml.Node) bool {
	for _, p := range node.Members(from) {
		switch there := node.Member(into, p.Name).Value; {
		case there == nil:
			into.Content = append(into.Content, p.Key, p.Value)
		case there.Kind != yaml.MappingNode || p.Value.Kind != yaml.MappingNode || !Merged(there, p.Value):
			return false
		}
	}
	return true
}
