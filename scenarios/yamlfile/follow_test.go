package yamlfile_test

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

var (
	quotedWord = regexp.MustCompile(`"[^" ]+"`)
	isYAML     = regexp.MustCompile(`^([{\['"]|[A-Za-z_]+: |\S+$)`) // and not a sentence
	wayEnds    = regexp.MustCompile(`^(,? or |; |, and | for | to | if |, which | in place of |\?)`)
	placeIn    = regexp.MustCompile(`^ in (scenario|reply|step|message|envelope|end)(?:, (?:beside|in place of) ([a-z_]+))?`)
	inPlaceOf  = regexp.MustCompile(`in place of ([a-z_]+(?: and [a-z_]+)*)`)
	placeAt    = regexp.MustCompile(`^ beside ([a-z_]+)`)
)

// way is one of the ways in which a hint says to mend a problem: what to write, and in
// which section, beside which key; without these it stands in the place of the problem.
type way struct{ text, section, beside, instead string }

// waysIn returns the ways in a hint, none if it does not say what to write.
func waysIn(hint string) (ways []way) {
	if rest, ok := strings.CutPrefix(hint, "did you mean "); ok {
		asked, _, _ := strings.Cut(rest, "?")
		for _, word := range quotedWord.FindAllString(asked, -1) {
			ways = append(ways, way{text: strings.Trim(word, `"`)})
		}
		return ways
	}
	rest, ok := strings.CutPrefix(hint, "write ")
	for ok {
		w, depth, quote, at := way{}, 0, byte(0), 0
		for ; at < len(rest); at++ {
			switch c := rest[at]; {
			case quote != 0:
				if c == '\\' && quote == '"' {
					at++
				} else if c == quote {
					quote = 0
				}
			case (c == '\'' || c == '"') && (at == 0 || strings.IndexByte(" [{(", rest[at-1]) >= 0):
				quote = c
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']':
				depth--
			}
			if depth == 0 && quote == 0 && (wayEnds.MatchString(rest[at:]) || placeIn.MatchString(rest[at:]) || placeAt.MatchString(rest[at:])) {
				break
			}
		}
		w.text, rest = strings.TrimSpace(rest[:at]), rest[at:]
		if m := placeIn.FindStringSubmatch(rest); m != nil {
			w.section, w.beside = m[1], m[2]
		} else if m := placeAt.FindStringSubmatch(rest); m != nil {
			w.beside = m[1]
		}
		if m := inPlaceOf.FindStringSubmatch(rest); m != nil {
			w.instead = m[1]
		}
		if isYAML.MatchString(w.text) {
			ways = append(ways, w)
		}
		_, rest, ok = strings.Cut(rest, " or ")
	}
	for i := len(ways) - 2; i >= 0; i-- { // a or b in end
		if ways[i].section == "" && ways[i].beside == "" && !strings.Contains(hint, ", or ") {
			ways[i].section, ways[i].beside = ways[i+1].section, ways[i+1].beside
		}
	}
	return ways
}

// follow returns the document with a problem as it is after each of the ways in its hint.
func follow(t *testing.T, src string, p diag.Problem) (texts []string) {
	t.Helper()
	for _, w := range waysIn(p.Hint) {
		root := documentAt(src, p.Line)
		if root == nil {
			return nil
		}
		path := pathTo(root, p.Line, p.Col)
		if path == nil || !w.apply(path) {
			continue
		}
		text, err := yaml.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// documentAt returns the value of the document with the line, or nil.
func documentAt(src string, line int) (root *yaml.Node) {
	documents := yaml.NewDecoder(strings.NewReader(src))
	for {
		var doc yaml.Node
		if err := documents.Decode(&doc); err == io.EOF {
			return root
		} else if err != nil {
			return nil
		}
		if doc.Content[0].Line <= line {
			root = doc.Content[0]
		}
	}
}

// pathTo returns the nodes from the root to the key or value at a position.
func pathTo(n *yaml.Node, line, col int) []*yaml.Node {
	for _, child := range n.Content {
		if path := pathTo(child, line, col); path != nil {
			return append([]*yaml.Node{n}, path...)
		}
	}
	if n.Line == line && n.Column == col {
		return []*yaml.Node{n}
	}
	return nil
}

// apply changes the document in which path leads to the problem.
func (w way) apply(path []*yaml.Node) bool {
	if len(path) < 2 {
		return false
	}
	at, in := path[len(path)-1], path[len(path)-2]
	i := slices.Index(in.Content, at)
	if i < 0 {
		return false // the mend of another problem has replaced it
	}
	var written yaml.Node
	text := w.text
	braces := strings.HasPrefix(text, "{")
	if !braces {
		text = "{" + text + "}"
	}
	if err := yaml.Unmarshal([]byte(text), &written); err != nil || len(written.Content) == 0 || written.Content[0].Kind != yaml.MappingNode ||
		slices.ContainsFunc(written.Content[0].Content, func(n *yaml.Node) bool { return n.Tag == "!!null" && n.Value == "" }) {
		if w.section != "" || yaml.Unmarshal([]byte(w.text), &written) != nil || len(written.Content) == 0 {
			return false
		}
		in.Content[i] = written.Content[0]
		return true
	}
	pairs := written.Content[0].Content
	if w.section != "" || w.beside != "" {
		target := w.target(path)
		if target == nil {
			return false
		}
		setPairs(target, pairs)
		remove(path)
		removeKey(target, w.instead)
		return true
	}
	switch {
	case in.Kind == yaml.SequenceNode:
		in.Content[i] = written.Content[0]
	case i%2 == 1 && braces && !slices.ContainsFunc(pairs, func(n *yaml.Node) bool { return n.Value == in.Content[i-1].Value }):
		in.Content[i] = written.Content[0]
	default:
		at := in.Content[i&^1]
		if i%2 == 1 && in.Kind == yaml.MappingNode && isKeyOf(pairs, at.Value) { // another value in place of this one
			in.Content[i] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
		}
		setPairs(in, pairs)
		i = slices.Index(in.Content, at)
		if !slices.ContainsFunc(pairs, func(n *yaml.Node) bool { return n == at }) && at.Value != "" && i >= 0 && !isKeyOf(pairs, at.Value) {
			in.Content = slices.Delete(in.Content, i, i+2)
		}
		removeKey(in, w.instead)
	}
	return true
}

func isKeyOf(pairs []*yaml.Node, key string) bool {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i].Value == key {
			return true
		}
	}
	return false
}

// setPairs sets members of a mapping. Mappings that are there already keep their other members.
func setPairs(n *yaml.Node, pairs []*yaml.Node) {
	for pair := range slices.Chunk(pairs, 2) {
		i := 0
		for i < len(n.Content) && n.Content[i].Value != pair[0].Value {
			i += 2
		}
		switch {
		case i >= len(n.Content):
			n.Content = append(n.Content, pair...)
		case n.Content[i+1].Kind == yaml.MappingNode && pair[1].Kind == yaml.MappingNode:
			setPairs(n.Content[i+1], pair[1].Content)
		case pair[0].Value == "quirks":
			n.Content[i+1].Content = append(n.Content[i+1].Content, pair[1].Content...)
		default:
			n.Content[i+1] = pair[1]
		}
	}
}

func removeKey(n *yaml.Node, keys string) {
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if slices.Contains(strings.Split(keys, " and "), n.Content[i].Value) {
			n.Content = slices.Delete(n.Content, i, i+2)
		}
	}
}

// remove removes the member or item to which path leads, and mappings that are empty then.
func remove(path []*yaml.Node) {
	at, in := path[len(path)-1], path[len(path)-2]
	i := slices.Index(in.Content, at)
	switch {
	case i < 0:
		return
	case in.Kind == yaml.SequenceNode:
		in.Content = slices.Delete(in.Content, i, i+1)
		return
	}
	in.Content = slices.Delete(in.Content, i&^1, i&^1+2)
	if len(in.Content) == 0 && len(path) > 2 {
		remove(path[:len(path)-1])
	}
}

// target returns the mapping to write in.
func (w way) target(path []*yaml.Node) *yaml.Node {
	for _, n := range slices.Backward(path) {
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			switch {
			case key == w.section && value.Kind == yaml.ScalarNode: // message: Hi
				n.Content[i+1] = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: w.beside}, value}}
				return n.Content[i+1]
			case key == w.section:
				return value
			}
		}
		if n.Kind == yaml.MappingNode && w.beside != "" && slices.ContainsFunc(n.Content, func(k *yaml.Node) bool { return k.Value == w.beside }) {
			return n
		}
	}
	if w.section == "scenario" {
		return path[0]
	}
	return nil
}
