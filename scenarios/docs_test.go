package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// The examples of the language reference are executed: each is loaded and played, and the
// answers are compared with those on the page. README.md explains the conventions of the pages
// under "How to read the examples".

// door is the first page of the reference. It lists all other pages, which are in docs.
const door = "README.md"

// A page is a page of the reference.
type page struct {
	name string // its path, with slashes
	text string
}

// readPages returns all pages of the reference: the first page, then those of the folder in the
// order in which the first page lists them.
func readPages(t *testing.T) []page {
	t.Helper()
	pages := []page{{door, readFile(t, door)}}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^\| \[[^\]]+\]\((docs/[^)]+)\) \|`).FindAllStringSubmatch(pages[0].text, -1) {
		listed = append(listed, m[1])
		pages = append(pages, page{m[1], readFile(t, m[1])})
	}
	there, err := filepath.Glob("docs/*")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range there {
		there[i] = filepath.ToSlash(file)
	}
	if got := slices.Sorted(slices.Values(listed)); !slices.Equal(got, there) {
		t.Fatalf("%s lists the pages\n%q\nand these are there:\n%q", door, got, there)
	}
	return pages
}

func TestEveryExampleOfTheReferencePlaysAsShown(t *testing.T) {
	t.Parallel()
	for _, p := range readPages(t) {
		for _, ex := range examples(t, p.blocks(t)) {
			t.Run(ex.at.String(), func(t *testing.T) {
				t.Parallel()
				if ex.report != nil {
					ex.checkReport(t)
					return
				}
				if _, problems := ex.check(); problems != nil {
					t.Fatalf("%v: the example is not clean:\n%v\n\nIt was read as:\n%s", ex.at, problems, ex.source)
				}
				if ex.talk != nil {
					ex.converse(t)
				}
				ex.play(t)
			})
		}
	}
}

// An example is a YAML block of a page, together with the blocks after it that show its result.
type example struct {
	at        *block
	source    string // the block as a complete file
	exchanges []exchange
	talk      *block // talk has the messages over WebSocket
	report    *block // report has its problems, as check prints them
}

// beside are the files in the directory of each example.
var beside = fstest.MapFS{"audio/speech.mp3": {Data: []byte("ID3\x04")}}

func (ex *example) check() (*scenarios.Set, diag.List) {
	return server.CheckFiles(yamlfile.Source{Name: "example.yaml", Data: []byte(ex.source), Beside: beside})
}

// checkReport compares the problems of a broken example with those on the page.
func (ex *example) checkReport(t *testing.T) {
	_, problems := ex.check()
	got := problems.Render(func(string) []byte { return []byte(ex.source) })
	if got = strings.TrimSpace(got) + "\n"; got != ex.report.text {
		t.Errorf("%v: the problems are\n%s\nbut the page shows\n%s", ex.report, got, ex.report.text)
	}
}

// examples groups the blocks of a page into examples.
func examples(t *testing.T, blocks []block) []*example {
	t.Helper()
	var list []*example
	var request *block
	for i := range blocks {
		b := &blocks[i]
		if b.info == "yaml" {
			list = append(list, &example{at: b, source: complete(b.text)})
			continue
		}
		if len(list) == 0 {
			t.Fatalf("%v: a %s block without an example before it", b, b.info)
		}
		last := list[len(list)-1]
		switch {
		case b.info == "http" && !strings.HasPrefix(b.text, "HTTP/"):
			request = b
		case b.info == "websocket", b.info == "realtime":
			last.talk = b
		case b.info == "text":
			last.report = b
		case slices.Contains([]string{"http", "sse", "json"}, b.info):
			last.exchanges = append(last.exchanges, exchange{request: request, response: b})
			request = nil
		default:
			t.Fatalf("%v: the test has no use for a %q block", b, b.info)
		}
	}
	return list
}

var (
	named  = regexp.MustCompile(`(?m)^name:`)
	spoken = regexp.MustCompile(`(?m)^(message:|stream:|error:|embeddings:|moderations:|replies:|extends:|wire: \{ body:|wire:\n  body:)`)
	role   = regexp.MustCompile(`\brole:`)
	finish = regexp.MustCompile(`\bfinish:`)
)

// complete adds what an example leaves out, such as a name or a message, so that it becomes a
// whole file.
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
	page string // its name
	info string // what follows the fence
	text string
	line int // of its first line
}

func (b *block) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// blocks returns the fenced blocks of a page, in order.
func (p page) blocks(t *testing.T) []block {
	t.Helper()
	var list []block
	var open *block
	for i, line := range strings.SplitAfter(p.text, "\n") {
		switch info, fence := strings.CutPrefix(line, "```"); {
		case fence && open == nil:
			open = &block{page: p.name, info: strings.TrimSpace(info), line: i + 2}
		case fence:
			list = append(list, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	if open != nil {
		t.Fatalf("%v: the block has no end", open)
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
