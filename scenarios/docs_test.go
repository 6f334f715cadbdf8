package scenarios_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// The language reference is executed: each of its examples is loaded and played,
// and what it sends is compared with what the page shows. The conventions of the
// page are explained there, under "How to read the examples".

const reference = "README.md"

var update = flag.Bool("update", false, "rewrite the tables of the reference")

func TestEveryExampleOfTheReferencePlaysAsShown(t *testing.T) {
	t.Parallel()
	for _, ex := range examples(t, readBlocks(t, reference)) {
		t.Run(fmt.Sprintf("line %d", ex.line), func(t *testing.T) {
			t.Parallel()
			if ex.report != nil {
				ex.checkReport(t)
				return
			}
			if _, problems := ex.check(); problems != nil {
				t.Fatalf("%s:%d: the example is not clean:\n%v\n\nIt was read as:\n%s", reference, ex.line, problems, ex.source)
			}
			ex.play(t)
		})
	}
}

// An example is a YAML block of the page and what the blocks after it show.
type example struct {
	line      int
	source    string // the block as a complete file
	exchanges []exchange
	report    *block // what is wrong with it, as check prints it
}

func (ex *example) check() (*scenarios.Set, diag.List) {
	return server.CheckFiles(yamlfile.Source{Name: "example.yaml", Data: []byte(ex.source)})
}

// checkReport compares the problems of a broken example with the ones shown.
func (ex *example) checkReport(t *testing.T) {
	_, problems := ex.check()
	got := problems.Render(func(string) []byte { return []byte(ex.source) })
	if got = strings.TrimSpace(got) + "\n"; got != ex.report.text {
		t.Errorf("%s:%d: the problems are\n%s\nbut the page shows\n%s", reference, ex.report.line, got, ex.report.text)
	}
}

// examples puts the blocks together.
func examples(t *testing.T, blocks []block) []*example {
	t.Helper()
	var list []*example
	var request *block
	for i := range blocks {
		b := &blocks[i]
		if b.info == "yaml" {
			list = append(list, &example{line: b.line, source: complete(b.text)})
			continue
		}
		if len(list) == 0 {
			t.Fatalf("%s:%d: a %s block without an example before it", reference, b.line, b.info)
		}
		last := list[len(list)-1]
		switch {
		case b.info == "http" && !strings.HasPrefix(b.text, "HTTP/"):
			request = b
		case b.info == "text":
			last.report = b
		case slices.Contains([]string{"http", "sse", "json"}, b.info):
			last.exchanges = append(last.exchanges, exchange{request: request, response: b})
			request = nil
		default:
			t.Fatalf("%s:%d: the test has no use for a %q block", reference, b.line, b.info)
		}
	}
	return list
}

var (
	named  = regexp.MustCompile(`(?m)^name:`)
	spoken = regexp.MustCompile(`(?m)^(message|stream|error|replies|extends):`)
	role   = regexp.MustCompile(`\brole:`)
	finish = regexp.MustCompile(`\bfinish:`)
)

// complete makes a whole file of an example that leaves out what does not matter.
func complete(text string) string {
	if strings.HasPrefix(text, "- ") {
		if !role.MatchString(text) {
			text = "- role: assistant\n" + text
		}
		if !finish.MatchString(text) {
			text += "- finish: stop\n"
		}
		text = "stream:\n" + text
	}
	if !spoken.MatchString(text) {
		text += "message: Hello there.\n"
	}
	if !named.MatchString(text) {
		text = "name: example\n" + text
	}
	return text
}

// A block is a fenced block of a page.
type block struct {
	info string // what follows the fence
	text string
	line int // of its first line
}

// readBlocks are the fenced blocks of a page, in order.
func readBlocks(t *testing.T, file string) []block {
	t.Helper()
	var list []block
	var open *block
	for i, line := range strings.SplitAfter(readFile(t, file), "\n") {
		switch info, fence := strings.CutPrefix(line, "```"); {
		case fence && open == nil:
			open = &block{info: strings.TrimSpace(info), line: i + 2}
		case fence:
			list = append(list, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block has no end", file, open.line)
	}
	return list
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Tables of the page are written between comments such as
// <!-- words: pace --> and <!-- end -->, and come from the code.
var generated = regexp.MustCompile(`(?s)(<!-- (words|list): ([a-z ]+) -->\n).*?(<!-- end -->)`)

func TestTheTablesOfTheReferenceAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	tables := codeTables()
	page := readFile(t, reference)
	shown := map[string]int{}
	want := generated.ReplaceAllStringFunc(page, func(part string) string {
		m := generated.FindStringSubmatch(part)
		shown[m[3]]++
		if tables[m[3]] == "" {
			t.Errorf("%s has a table %q, which the code does not know", reference, m[3])
		}
		return m[1] + "\n" + tables[m[3]] + "\n" + m[4]
	})
	for name := range tables {
		if shown[name] != 1 {
			t.Errorf("%s has the table %q %d times, want once", reference, name, shown[name])
		}
	}
	if page == want {
		return
	}
	if *update {
		if err := os.WriteFile(reference, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the tables of %s are not up to date: run go test ./scenarios -run Reference -update\n%s", reference, firstDifference(page, want))
}

// codeTables are the tables that come from the code, by name.
func codeTables() map[string]string {
	tables := map[string]string{}
	for _, w := range yamlfile.Words() {
		if tables[w.Section] == "" {
			tables[w.Section] = "| word | value | meaning |\n| --- | --- | --- |\n"
		}
		tables[w.Section] += fmt.Sprintf("| `%s` | %s | %s |\n", w.Name, cell(w.Type), cell(w.Doc))
	}
	rules := "| rule | what it finds |\n| --- | --- |\n"
	for _, r := range server.Rules() {
		rules += fmt.Sprintf("| `%s` | %s |\n", r.Name, cell(r.Doc))
	}
	layouts := "| layout | where it was recorded |\n| --- | --- |\n"
	for _, l := range scenarios.Layouts {
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

func TestEveryWordHasAnExampleInItsPartOfTheReference(t *testing.T) {
	t.Parallel()
	parts := wordParts(readFile(t, reference))
	for _, w := range yamlfile.Words() {
		used := regexp.MustCompile(`(^|[\s{\[])` + regexp.QuoteMeta(w.Name) + `:`)
		if !used.MatchString(parts[w.Section]) {
			t.Errorf("%s: no example under %s uses %s", reference, cmp.Or(w.Section, "?"), w.Name)
		}
	}
}

// wordParts are the YAML blocks of the page, by the table of words that they
// stand below: those from the heading above the table to the next heading that is
// not below that one.
func wordParts(page string) map[string]string {
	parts := map[string]string{}
	headings := regexp.MustCompile(`(?m)^(#{2,4}) `).FindAllStringSubmatchIndex(page, -1)
	for i, at := range headings {
		end, own := len(page), len(page)
		level := at[3] - at[2]
		for _, next := range slices.Backward(headings[i+1:]) {
			own = next[0]
			if next[3]-next[2] <= level {
				end = next[0]
			}
		}
		for _, m := range generated.FindAllStringSubmatch(page[at[0]:own], -1) {
			parts[m[3]] = yamlOf(page[at[0]:end])
		}
	}
	return parts
}

func yamlOf(part string) string {
	var text strings.Builder
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(part, -1) {
		text.WriteString(m[1])
	}
	return text.String()
}
