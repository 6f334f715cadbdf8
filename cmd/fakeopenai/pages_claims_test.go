package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// The commands that the pages name exist.
func TestPagesNameNoCommandThatDoesNotExist(t *testing.T) {
	t.Parallel()
	known := append(commandNames(t), "help", "completion")
	named := 0
	for _, p := range pagesLike(t, append(everyPage, "llms.txt")...) {
		for _, m := range regexp.MustCompile("(?:[`$(] ?|npx |cmd/|^)fakeopenai ([a-z]+)\\b").FindAllStringSubmatch(p.text, -1) {
			named++
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s names the command %s, which does not exist", p.name, m[1])
			}
		}
	}
	_, list, _ := strings.Cut(pagesLike(t, "llms.txt")[0].text, "cmd/README.md): ")
	list, _, _ = strings.Cut(list, "\n")
	for name := range strings.SplitSeq(list, ", ") {
		if !slices.Contains(known, name) {
			t.Errorf("llms.txt lists the command %s, which does not exist", name)
		}
	}
	if named < 50 {
		t.Errorf("%d commands were found in the pages, want more: the test does not read them", named)
	}
}

// The pages, and the help of conform, count right what there is.
func TestPagesCountWhatThereIs(t *testing.T) {
	t.Parallel()
	scenariosOf := func(folder string) (n int) {
		for _, p := range pagesLike(t, "fixtures/"+folder+"/*.yaml") {
			n += strings.Count("\n"+p.text, "\nname: ")
		}
		return n
	}
	table := pagesLike(t, "server/compat/CLIENTS.md")[0].text
	clients := strings.Count(regexp.MustCompile(`(?m)^\| specimen \|.*$`).FindString(table), "|") - 3
	var asked map[string]any
	text, err := os.ReadFile(filepath.Join(root, "server/compat/clients.json"))
	if err == nil {
		err = json.Unmarshal(text, &asked)
	}
	if err != nil {
		t.Fatal(err)
	}
	pages := append(pagesLike(t, everyPage...), page{"the help of conform", help(t, "conform")})
	for i := range pages {
		pages[i].text = strings.Join(strings.Fields(pages[i].text), " ")
	}
	for claim, want := range map[string]int{
		`(?:more scenarios: what|(?:scenarios )?of \[?fixtures/zoo|streams that broke|that broke)`: scenariosOf("zoo"),
		`(?:more, of what OpenAI does not|of \[?fixtures/dialects|that only compatible)`:           scenariosOf("dialects"),
		`(?:sound, odd and broken streams|streams; .clients\.json)`:                                len(asked),
		`clients what they make`:                    clients,
		`\[?(?:bugs\]|bugs of eight|bugs of known)`: strings.Count(pagesLike(t, "server/compat/FINDINGS.md")[0].text, "\n### "),
	} {
		found := 0
		for _, p := range pages {
			for _, m := range regexp.MustCompile(`(?i:\b(\d+|eleven|sixteen|thirty)) `+claim).FindAllStringSubmatch(p.text, -1) {
				n, ok := map[string]int{"eleven": 11, "sixteen": 16, "thirty": 30}[strings.ToLower(m[1])]
				if !ok {
					n, _ = strconv.Atoi(m[1])
				}
				found++
				if n != want {
					t.Errorf("%s says %q, and there are %d", p.name, m[0], want)
				}
			}
		}
		if found == 0 {
			t.Errorf("no page has a number before %s", claim)
		}
	}
}

// The recipes use one version of each action, the one of the workflows if these use it, and one name of the image.
func TestPagesPinWhatTheWorkflowsUse(t *testing.T) {
	t.Parallel()
	uses := regexp.MustCompile(`actions/([a-z-]+)@(?:[0-9a-f]{40} # )?v(\d+)`)
	image := regexp.MustCompile(`(?:ghcr\.io|docker\.io|quay\.io)/[\w./-]*fakeopenai[\w/-]*`)
	pinned := map[string]string{}
	for _, p := range pagesLike(t, append([]string{".github/workflows/*.yml", "server/deploy/*.yaml"}, everyPage...)...) {
		for _, m := range uses.FindAllStringSubmatch(p.text, -1) {
			if v := pinned[m[1]]; v != "" && v != m[2] {
				t.Errorf("%s uses version %s of actions/%s, others %s", p.name, m[2], m[1], v)
			}
			pinned[m[1]] = m[2]
		}
		for _, name := range image.FindAllString(p.text, -1) {
			if name != "ghcr.io/fakeopenai/fakeopenai" {
				t.Errorf("%s names the image %s", p.name, name)
			}
		}
	}
	if len(pinned) < 3 {
		t.Errorf("actions %v were found, want more: the test does not read them", pinned)
	}
}

// The section of the first version is short: nothing was released before it, so that nothing has changed.
func TestTheChangelogOfTheFirstVersionIsShort(t *testing.T) {
	t.Parallel()
	_, section, found := strings.Cut(pagesLike(t, "CHANGELOG.md")[0].text, "\n## [0.1.0]")
	section, _, _ = strings.Cut(section, "\n## [")
	if lines := strings.Count(section, "\n"); !found || lines > 60 {
		t.Errorf("the section of 0.1.0 has %d lines, want at most 60: say what the version is, and not what changed while it was made", lines)
	}
}

// gone are phrases that were hard to read, as regular expressions, with what a page says in their place.
var gone = map[string]string{
	`asks any client for`:               "conform plays streams that broke other clients",
	`proxy before any endpoint`:         "a proxy in front of an endpoint",
	`that none asked for`:               "that no request asked for",
	`best as a recording`:               "if you can with a recording",
	`retries came when they should`:     "whether retries came on time",
	`here with an image of`:             "the name of the image",
	`that of a --url must be trusted`:   "the certificate of --url",
	`(?i)runs a test once for each way`: "runs a test as a subtest for each variant",
	`(?i)lay scenario files out`:        "Format scenario files",
	`form of the log`:                   "write the log in this form",
	`least level that is logged`:        "log messages of this level or higher",
	`What becomes which line`:           "The tables say what to write here",
	`What is there only`:                "Only aimock has",
	`What is written is what is sent`:   "the server sends these chunks",
	`takes those of .?FAKEOPENAI`:       "uses those in FAKEOPENAI_SCENARIOS",
	`Nobody plays it`:                   "(nothing)",
	`is said to be unstable`:            "is reported as unstable",
	`A table tells how`:                 "A table shows how",
	`none of the stream's`:              "an unknown Last-Event-ID",
	`is not that of the chunks`:         "differs from the chunks before it",
	`(?i)bugs.{0,40} were found so`:     "They found thirty bugs",
}

// Phrases that are gone do not come back, in pages, help and messages.
func TestPhrasesThatAreGoneStayGone(t *testing.T) {
	t.Parallel()
	read, code, space := 0, regexp.MustCompile(`\.(md|txt|go)$`), regexp.MustCompile(`\s+(?:// )?`)
	phrases := map[*regexp.Regexp]string{}
	for phrase, better := range gone {
		phrases[regexp.MustCompile(phrase)] = better
	}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := entry.Name(); entry.IsDir() && (base == "node_modules" || base == "testdata" || base == ".git") {
			return fs.SkipDir
		}
		if !code.MatchString(name) || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		words := space.ReplaceAllString(string(text), " ")
		read++
		for phrase, better := range phrases {
			if found := phrase.FindString(words); found != "" {
				t.Errorf("%s says %q; say for example %q", name, found, better)
			}
		}
		return err
	})
	if err != nil || read < 400 {
		t.Errorf("%d files were read: %v", read, err)
	}
}

// Each YAML that the tables of the page name as what to write is a scenario, or a part of one.
func TestWhatToWriteForAnotherToolIsRight(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile(`(?m)^\| .* \| (.*) \|$`)
	code := regexp.MustCompile("`((?:when|message|replies|error|wire|pace|end|- wait|- hold): [^`]+|- (?:raw|delta): [^`]+)`")
	whole := regexp.MustCompile(`(?:yaml=|YAML\()"([^"]+)"`) // in a line of a test
	checked := 0
	check := func(text, yaml string) {
		source := yamlfile.Source{Name: "row.yaml", Data: []byte(yaml + "\n")}
		if _, problems := server.CheckFiles(source); problems != nil {
			t.Errorf("`%s` is no scenario:\n%v", text, problems)
		}
		checked++
	}
	for _, cells := range row.FindAllStringSubmatch(pagesLike(t, "cmd/coming-from.md")[0].text, -1) {
		for _, m := range code.FindAllStringSubmatch(strings.ReplaceAll(cells[1], `\|`, "|"), -1) {
			yaml := strings.NewReplacer("{ … }", "{ id: x }", "…", "It").Replace(m[1])
			if strings.HasPrefix(yaml, "- ") {
				yaml = "stream:\n- role: assistant\n" + yaml + "\n- finish: stop"
			}
			if !regexp.MustCompile(`(?m)^(message|stream|error|replies):`).MatchString(yaml) {
				yaml += "\nmessage: It is raining."
			}
			check(m[1], "name: row\nquirks: []\n"+yaml)
		}
		for _, m := range whole.FindAllStringSubmatch(cells[1], -1) {
			check(m[1], m[1])
		}
	}
	if checked < 20 {
		t.Errorf("%d YAML texts were found in the tables, want more: the test does not read the page", checked)
	}
}
