package yamlfile_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// applied are the texts that one may write who has read what is wrong with a text: each problem is mended in one of
// the ways that its hint says.
func applied(src string, problems diag.List) (texts []string) {
	choices := [][]func(*yaml.Node) bool{nil}
	for _, p := range problems[:min(len(problems), 8)] {
		if text, ok := mendedText(src, p); ok {
			return []string{text}
		}
		var more [][]func(*yaml.Node) bool
		for _, mend := range mends(p) {
			for _, c := range choices {
				more = append(more, append(slices.Clone(c), mend))
			}
		}
		if more != nil {
			choices = more[:min(len(more), 60)]
		}
	}
	for _, c := range choices {
		root := documentAt(src, problems[0].Line)
		if root == nil || len(c) == 0 || slices.ContainsFunc(c, func(mend func(*yaml.Node) bool) bool { return !mend(root) }) {
			continue
		}
		if text, err := yaml.Marshal(root); err == nil && !slices.Contains(texts, string(text)) {
			texts = append(texts, string(text))
		}
	}
	return texts
}

var (
	otherAction = regexp.MustCompile(`^write (\{\{.*?\}\}) in place of (\{\{.*?\}\})`)
	saysQuirk   = regexp.MustCompile(`that is meant, (?:say so with )?(quirks: \[[^\]]*\])`)
	stepBeside  = regexp.MustCompile(`write a step - (\w+: \w+) (before|behind) it`)
	replyLast   = regexp.MustCompile(`^put reply (\d+) last`)
	inReply     = regexp.MustCompile(`^write (.+?) in reply (\d+)(?: and in reply (\d+))?`)
	inText      = regexp.MustCompile(`write ((\w+): "[^"]+")`)
	wrongName   = regexp.MustCompile(`(?:templates know no |unknown template function ")(\.?\w+)`)
)

// mends are the ways in which a hint says to mend a problem.
func mends(p diag.Problem) (list []func(*yaml.Node) bool) {
	at := func(do func(path []*yaml.Node) bool) {
		list = append(list, func(root *yaml.Node) bool {
			path := pathTo(root, p.Line, p.Col)
			return path != nil && do(path)
		})
	}
	if m := otherAction.FindStringSubmatch(p.Hint); m != nil {
		at(func(path []*yaml.Node) bool {
			path[len(path)-1].Value = strings.ReplaceAll(path[len(path)-1].Value, m[2], m[1])
			return true
		})
		return list
	}
	if m := wrongName.FindStringSubmatch(p.Message); m != nil {
		for _, w := range waysIn(p.Hint) {
			at(func(path []*yaml.Node) bool {
				n := path[len(path)-1]
				n.Value = regexp.MustCompile(`\.?\b`+strings.TrimPrefix(m[1], ".")+`\b`).ReplaceAllString(n.Value, w.text)
				return true
			})
		}
		return list
	}
	for _, w := range waysIn(p.Hint) {
		at(w.apply)
	}
	if m := stepBeside.FindStringSubmatch(p.Hint); m != nil {
		at(func(path []*yaml.Node) bool {
			i := slices.IndexFunc(path, func(n *yaml.Node) bool { return n.Kind == yaml.SequenceNode })
			if i < 0 || i+1 >= len(path) {
				return false
			}
			place := slices.Index(path[i].Content, path[i+1]) + map[string]int{"behind": 1}[m[2]]
			path[i].Content = slices.Insert(path[i].Content, place, snippet("{"+m[1]+"}"))
			if strings.HasPrefix(p.Message, "unknown key") {
				remove(path)
			}
			return true
		})
	}
	if m := saysQuirk.FindStringSubmatch(p.Hint); m != nil {
		list = append(list, func(root *yaml.Node) bool {
			setPairs(root, snippet("{"+m[1]+"}").Content)
			return true
		})
	}
	if strings.HasPrefix(p.Hint, "leave out the quotes") {
		at(func(path []*yaml.Node) bool {
			path[len(path)-1].Style, path[len(path)-1].Tag = 0, ""
			return true
		})
	}
	if strings.HasPrefix(p.Hint, "leave it out") || strings.HasPrefix(p.Hint, "leave one of them out") {
		at(func(path []*yaml.Node) bool {
			if len(path) > 1 {
				remove(path)
			}
			return len(path) > 1
		})
	}
	return append(list, mendsOfReplies(p)...)
}

// mendsOfReplies are the ways to mend the order of replies.
func mendsOfReplies(p diag.Problem) (list []func(*yaml.Node) bool) {
	replies := func(do func(list *yaml.Node)) {
		list = append(list, func(root *yaml.Node) bool {
			for i := 0; i < len(root.Content); i += 2 {
				if root.Content[i].Value == "replies" {
					do(root.Content[i+1])
					return true
				}
			}
			return false
		})
	}
	if m := replyLast.FindStringSubmatch(p.Hint); m != nil {
		n, _ := strconv.Atoi(m[1])
		replies(func(list *yaml.Node) {
			list.Content = append(slices.Delete(slices.Clone(list.Content), n-1, n), list.Content[n-1])
		})
	}
	if m := inReply.FindStringSubmatch(p.Hint); m != nil {
		replies(func(list *yaml.Node) {
			for _, number := range m[2:] {
				if n, err := strconv.Atoi(number); err == nil {
					list.Content[n-1].Content = append(list.Content[n-1].Content, snippet("{"+m[1]+"}").Content...)
				}
			}
		})
	}
	return list
}

func snippet(text string) *yaml.Node {
	var doc yaml.Node
	_ = yaml.Unmarshal([]byte(text), &doc) // the hint has YAML
	return doc.Content[0]
}

// mendedText mends what is no YAML, and a list of scenarios.
func mendedText(src string, p diag.Problem) (text string, ok bool) {
	lines := strings.SplitAfter(src, "\n")
	switch {
	case strings.Contains(p.Hint, "a document of its own"):
		src = strings.TrimPrefix(strings.TrimPrefix(src, "scenarios:\n"), "fixtures:\n")
		src = regexp.MustCompile(`(?m)^( *)- `).ReplaceAllString(src, "$1  ")
		return regexp.MustCompile(`(?m)^ +`).ReplaceAllString(src, ""), true
	case strings.HasPrefix(p.Message, "not YAML") && inText.MatchString(p.Hint):
		m := inText.FindStringSubmatch(p.Hint)
		lines[p.Line-1] = regexp.MustCompile(m[2]+`: [^,}\n]*[^,}\n ]`).ReplaceAllLiteralString(lines[p.Line-1], m[1])
		return strings.Join(lines, ""), true
	}
	return "", false
}
