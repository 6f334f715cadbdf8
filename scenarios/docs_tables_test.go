package scenarios_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// Tables of the pages are written between comments such as
// <!-- words: pace --> and <!-- end -->, and come from the code.
var generated = regexp.MustCompile(`(?s)(<!-- (words|list): ([a-z ]+) -->\n).*?(<!-- end -->)`)

func TestTheTablesOfTheReferenceAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	pages := readPages(t)
	tables := codeTables()
	tables["index"] = index(pages)
	shown := map[string]int{}
	for i, p := range pages {
		known := maps.Clone(tables)
		if p.name != door {
			known["neighbours"] = neighbours(pages, i)
		}
		want := generated.ReplaceAllStringFunc(p.text, func(part string) string {
			m := generated.FindStringSubmatch(part)
			shown[m[3]]++
			if known[m[3]] == "" {
				t.Errorf("%s has a table %q, which the code does not know", p.name, m[3])
			}
			return m[1] + "\n" + known[m[3]] + "\n" + m[4]
		})
		p.compare(t, want)
	}
	for name := range tables {
		if shown[name] != 1 {
			t.Errorf("the pages have the table %q %d times, want once", name, shown[name])
		}
	}
	if got, want := shown["neighbours"], len(pages)-1; got != want {
		t.Errorf("%d pages name their neighbours, want all %d of docs", got, want)
	}
}

// The JSON Schema beside the reference is for editors. Its $id is the address where it is published.
func TestTheSchemaBesideTheReferenceIsThatOfTheCode(t *testing.T) {
	t.Parallel()
	var rules []yamlfile.Rule
	for _, r := range server.Rules() {
		rules = append(rules, yamlfile.Rule{Name: r.Name, Doc: r.Doc})
	}
	const name = "scenario.schema.json"
	text, err := os.ReadFile(name)
	if err != nil && !testflag.Update() {
		t.Fatal(err)
	}
	page{name: name, text: string(text)}.compare(t, string(yamlfile.Schema(rules...)))
}

// Links to pages in the schema lead to the pages with the words of the section.
func TestTheSchemaLeadsToThePages(t *testing.T) {
	t.Parallel()
	text := string(yamlfile.Schema())
	for _, p := range readPages(t) {
		for _, m := range generated.FindAllStringSubmatch(p.text, -1) {
			link := fmt.Sprintf(`[%s](https://github.com/fakeopenai/fakeopenai/blob/main/scenarios/%s)`, m[3], p.name)
			if m[2] == "words" && !strings.Contains(text, link) {
				t.Errorf("the schema does not say that %s are on %s", m[3], p.name)
			}
		}
	}
}

// compare reports a page that differs from the wanted text or, with -update, rewrites it.
func (p page) compare(t *testing.T, want string) {
	t.Helper()
	if p.text == want {
		return
	}
	if testflag.Update() {
		if err := os.WriteFile(p.name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is not up to date: run go test ./scenarios -update\n%s", p.name, firstDifference(p.text, want))
}

// codeTables are the tables that come from the code, by name.
func codeTables() map[string]string {
	tables := map[string]string{}
	for _, w := range yamlfile.Words() {
		if tables[w.List] == "" {
			tables[w.List] = "| word | value | meaning |\n| --- | --- | --- |\n"
		}
		tables[w.List] += fmt.Sprintf("| `%s` | %s | %s |\n", w.Name, cell(w.Type), cell(w.Doc))
	}
	rules := "| rule | what it finds |\n| --- | --- |\n"
	for _, r := range server.Rules() {
		rules += fmt.Sprintf("| `%s` | %s |\n", r.Name, cell(r.Doc))
	}
	layouts := "| layout | where it was recorded |\n| --- | --- |\n"
	for _, l := range scenarios.Layouts() {
		layouts += fmt.Sprintf("| `%s` | %s |\n", l.Name, cell(l.About))
	}
	tables["rules"], tables["layouts"] = rules, layouts
	return tables
}

func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is\n%s\nwant\n%s", i+1, g[i], w[i])
		}
	}
	return "one is longer than the other"
}

// neighbours returns links to the pages before and after a page, and to the lists of all pages
// and all words.
func neighbours(pages []page, i int) string {
	var links []string
	add := func(before string, to page) {
		links = append(links, fmt.Sprintf("%s[%s](%s)", before, to.title(), path.Base(to.name)))
	}
	if i > 1 {
		add("Before this page: ", pages[i-1])
	}
	if i+1 < len(pages) {
		add("Next: ", pages[i+1])
	}
	links = append(links, "[All pages](../README.md#the-pages)")
	if last := pages[len(pages)-1]; i+2 < len(pages) {
		add("", last)
	}
	return strings.Join(links, " · ") + "\n"
}

// title returns the first heading of a page.
func (p page) title() string {
	return p.headings()[0].title
}

func TestEveryWordHasAnExampleInItsPartOfTheReference(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	parts := wordParts(readPages(t))
	for _, w := range yamlfile.Words() {
		if exampleOf(w, parts[w.List]) == nil {
			t.Errorf("no example uses %s; add one to the part of scenarios/docs with <!-- words: %s -->", w.Name, w.List)
		}
	}
}

// index returns the table of all words in alphabetical order.
func index(pages []page) string {
	parts := wordParts(pages)
	words := yamlfile.Words()
	slices.SortStableFunc(words, func(a, b yamlfile.Word) int { return strings.Compare(a.Name, b.Name) })
	table := "| word | stands in | value | meaning | example |\n| --- | --- | --- | --- | --- |\n"
	for _, w := range words {
		described, example := w.List, ""
		if part := parts[w.List]; part != nil {
			described = part[0].link(w.List)
			if at := exampleOf(w, part); at != nil {
				example = at.link(at.title)
			}
		}
		table += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", w.Name, described, cell(w.Type), cell(w.Doc), example)
	}
	return table
}

// A heading is a heading of a page, with the text from it to the next one.
type heading struct {
	page  string // the name of the page
	title string
	level int
	text  string
}

// link returns a link to the heading from another page of the folder.
func (h *heading) link(text string) string {
	anchor := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(h.title), "")
	return fmt.Sprintf("[%s](%s#%s)", text, path.Base(h.page), strings.ReplaceAll(anchor, " ", "-"))
}

// headings returns the headings of a page, in order.
func (p page) headings() []*heading {
	var list []*heading
	inBlock := false
	for line := range strings.Lines(p.text) {
		if strings.HasPrefix(line, "```") {
			inBlock = !inBlock
		}
		marks, title, found := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case !inBlock && found && marks != "" && strings.Trim(marks, "#") == "":
			list = append(list, &heading{page: p.name, title: title, level: len(marks)})
		case len(list) > 0:
			list[len(list)-1].text += line
		}
	}
	return list
}

// wordParts returns the parts of the pages that show the words of a table, by the name of the
// table. A part begins with the heading above the table, and ends at the next heading that is
// not below that heading. A comment such as <!-- continues: wire --> adds the part in which the
// comment stands.
func wordParts(pages []page) map[string][]*heading {
	begun, continued := map[string][]*heading{}, map[string][]*heading{}
	comment := regexp.MustCompile(`<!-- (words|continues): ([a-z ]+) -->`)
	for _, p := range pages {
		headings := p.headings()
		for i, h := range headings {
			end := i + 1
			for end < len(headings) && headings[end].level > h.level {
				end++
			}
			for _, m := range comment.FindAllStringSubmatch(h.text, -1) {
				into := begun
				if m[1] == "continues" {
					into = continued
				}
				into[m[2]] = append(into[m[2]], headings[i:end]...)
			}
		}
	}
	for name, more := range continued {
		begun[name] = append(begun[name], more...)
	}
	return begun
}

// exampleOf returns the heading of a part with an example of the word: a heading with the
// word in it, or else the first heading.
func exampleOf(w yamlfile.Word, part []*heading) *heading {
	used := regexp.MustCompile(`(^|[\s{\[])` + regexp.QuoteMeta(w.Name) + `:`)
	named := regexp.MustCompile(`(?i)\b` + strings.ReplaceAll(regexp.QuoteMeta(w.Name), "_", " ") + `s?\b`)
	var first *heading
	for _, h := range part {
		if !used.MatchString(h.yaml()) {
			continue
		}
		if named.MatchString(h.title) {
			return h
		}
		if first == nil {
			first = h
		}
	}
	return first
}

// yaml returns the text of the YAML blocks below the heading.
func (h *heading) yaml() string {
	var text strings.Builder
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(h.text, -1) {
		text.WriteString(m[1])
	}
	return text.String()
}
