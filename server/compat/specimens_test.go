package compat

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// specimen is a scenario that says what a healthy client comes to.
type specimen struct{ name, description, file string }

// doubles are bundled scenarios that are the same to a client as a specimen of the zoo or of the dialects with another name,
// which README.md names.
var doubles = []string{
	"bad-gateway", "context-length", "finish-in-last-fragment", "flaky", "heartbeat-empty-delta", "parallel-calls", "rate-limited",
	"reset", "split-bytes", "tool-call",
}

// specimenFiles are the files of the zoo, of the dialects, of this folder, and of the bundled scenarios but
// for doubles and for those whose names the zoo has, too.
var specimenFiles = sync.OnceValue(func() []string {
	var files []string
	named := map[string]bool{}
	for _, pattern := range []string{"../../fixtures/zoo/*.yaml", "../../fixtures/dialects/*.yaml", "specimens/*.yaml", "../../fixtures/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			panic(err)
		}
		for _, file := range found {
			if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); named[name] || slices.Contains(doubles, name) {
				continue
			}
			files = append(files, filepath.ToSlash(file))
			src, err := os.ReadFile(file)
			if err != nil {
				panic(err)
			}
			for _, name := range nameLine.FindAllSubmatch(src, -1) {
				named[string(name[1])] = true
			}
		}
	}
	return files
})

var nameLine = regexp.MustCompile(`(?m)^name: (\S+)`)

func readSpecimens(t *testing.T) []specimen {
	t.Helper()
	var list []specimen
	for _, file := range specimenFiles() {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, problems := yamlfile.Parse(file, src)
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		for _, s := range found {
			if len(s.Expect) > 0 || s.Extends != "" {
				list = append(list, specimen{s.Name, strings.Join(strings.Fields(s.Description), " "), file})
			}
		}
	}
	return list
}

// readCells reads clients.json: a line for each specimen, with what clients came to and their names. It
// returns what each client came to, by the specimens; "" is what is expected.
func readCells(t *testing.T, specimens []specimen) []map[string]string {
	t.Helper()
	src, err := os.ReadFile("clients.json")
	if err != nil {
		t.Fatal(err)
	}
	var lines map[string]map[string][]string
	fromJSON(t, src, &lines)
	cells := make([]map[string]string, len(clients))
	for i := range clients {
		cells[i] = map[string]string{}
	}
	for _, s := range specimens {
		if lines[s.name] == nil && !*update {
			t.Errorf("clients.json says nothing of %s", s.name)
		}
		for came, names := range lines[s.name] {
			for _, name := range names {
				i := slices.IndexFunc(clients, func(c client) bool { return c.name == name })
				if i < 0 && !*update {
					t.Errorf("clients.json, %s: there is no client %q", s.name, name)
				} else if i >= 0 {
					cells[i][s.name] = came
				}
			}
		}
		delete(lines, s.name)
	}
	for name := range lines {
		if !*update {
			t.Errorf("clients.json: there is no specimen %s", name)
		}
	}
	return cells
}

// outcomes are what clients came to of a specimen where it is not what is expected, and their names.
func outcomes(cells []map[string]string, name string) map[string][]string {
	came := map[string][]string{}
	for i, c := range clients {
		if cell := cells[i][name]; cell != "" {
			came[cell] = append(came[cell], c.name)
		}
	}
	return came
}

func cellsFile(specimens []specimen, cells []map[string]string) []byte {
	var lines []string
	for _, s := range specimens {
		lines = append(lines, fmt.Sprintf("  %q: %s", s.name, text(outcomes(cells, s.name))))
	}
	return []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n")
}

const clientsIntro = `# What clients make of streams that broke real software

Each line is a specimen: a stream that says what a healthy client comes to. Each column is a client, asked by
[fakeopenai conform](../../cmd/conform.md) through its adapter; the words are its [verdicts](../../cmd/conform.md#verdicts),
and – is a specimen that the client cannot be asked for. A test that runs the clients writes this page; [README.md](README.md)
says how to add a client or a specimen. Node is version 22, as in CI: with Node 20 three clients take cut-chunked for a whole
answer, because its fetch does. One cell again, with the file to which the specimen leads:

    go build -o client ./adapters/go
    fakeopenai conform --only bare-cr ../../fixtures/zoo/framing.yaml -- ./client openai-go

| client | version | adapter | as expected | otherwise |
| --- | --- | --- | --- | --- |
`

// clientsPage is the text of CLIENTS.md.
func clientsPage(t *testing.T, specimens []specimen, cells []map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(clientsIntro)
	manifests := readManifests(t)
	var between string
	for i, c := range clients {
		between += c.between(specimens, cells, manifests)
		otherwise := 0
		skipped := 0
		for _, s := range specimens {
			switch cells[i][s.name] {
			case "":
			case "skipped":
				skipped++
			default:
				otherwise++
			}
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %d | %d |\n", c.name, c.version(manifests), c.shown(), len(specimens)-skipped-otherwise, otherwise)
	}
	b.WriteString(between + "\n| specimen | what it is |")
	for _, c := range clients {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(clients)+2) + "\n")
	var details bytes.Buffer
	for _, s := range specimens {
		fmt.Fprintf(&b, "| [%s](%s) | %s |", s.name, s.file, strings.ReplaceAll(s.description, "|", `\|`))
		for i := range clients {
			verdict, _, _ := strings.Cut(cells[i][s.name], ": ")
			fmt.Fprintf(&b, " %s |", shownVerdict(verdict))
		}
		b.WriteString("\n")
		details.WriteString(inWords(s, outcomes(cells, s.name)))
	}
	b.WriteString("\n## What they came to\n\nWhere it is not what is expected, with the beginning of a text or an error:\n\n")
	b.Write(details.Bytes())
	return b.Bytes()
}

// version is the module or package of the client with its version. An npm alias stands for the package that it is.
func (c client) version(manifests map[string]string) string {
	if of, ok := strings.CutPrefix(manifests[c.module], "npm:"); ok {
		at := strings.LastIndex(of, "@")
		return of[:at] + " " + of[at+1:]
	}
	return c.module + " " + manifests[c.module]
}

// between says of an old version what was mended until the newest one, and what came to something else since; "" of a
// newest version.
func (c client) between(specimens []specimen, cells []map[string]string, manifests map[string]string) string {
	column := func(name string) int {
		return slices.IndexFunc(clients, func(c client) bool { return c.name == name })
	}
	if c.newer == "" {
		return ""
	}
	older, newer := cells[column(c.name)], cells[column(c.newer)]
	var mended, broken, others []string
	for _, s := range specimens {
		was, is := older[s.name], newer[s.name]
		switch {
		case agrees(was, is):
		case is == "":
			mended = append(mended, s.name)
		case was == "":
			broken = append(broken, s.name)
		default:
			others = append(others, s.name)
		}
	}
	list := func(names []string) string { return cmp.Or(strings.Join(names, ", "), "nothing") }
	return fmt.Sprintf("\nFrom %s to %s, as expected since: %s. No longer: %s. Otherwise in another way: %s.\n",
		c.version(manifests), clients[column(c.newer)].version(manifests), list(mended), list(broken), list(others))
}

func shownVerdict(verdict string) string {
	switch verdict {
	case "":
		return "ok"
	case "skipped":
		return "–"
	}
	return verdict
}

// inWords is a line on what clients came to of a specimen; "" if there is nothing to tell.
func inWords(s specimen, came map[string][]string) string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(came)) {
		verdict, detail, told := strings.Cut(what, ": ")
		if told {
			parts = append(parts, fmt.Sprintf("%s: %s, `%s`", strings.Join(came[what], ", "), verdict, strings.ReplaceAll(detail, "`", "'")))
		}
	}
	if parts == nil {
		return ""
	}
	return "* " + s.name + ". " + strings.Join(parts, "; ") + "\n"
}

// shown is the adapter's command as a reader writes it.
func (c client) shown() string {
	if name, ok := strings.CutPrefix(c.adapter, "go "); ok {
		return "./client " + name
	}
	return c.adapter
}

// readManifests reads the versions of modules and packages.
func readManifests(t *testing.T) map[string]string {
	t.Helper()
	src, err := os.ReadFile("node/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Dependencies map[string]string }
	fromJSON(t, src, &manifest)
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(module)) {
		if fields := strings.Fields(line); len(fields) == 2 {
			manifest.Dependencies[fields[0]] = fields[1]
		}
	}
	return manifest.Dependencies
}

// buildAdapters builds the adapters in Go and the binary that asks them, without the race detector, which
// would make the streams of many megabytes slow.
func buildAdapters(t testing.TB) {
	t.Helper()
	if err := buildAdaptersOnce(); err != nil {
		t.Fatal(err)
	}
}

var buildAdaptersOnce = sync.OnceValue(func() error {
	out := filepath.Join(built, "plain") + string(filepath.Separator)
	if err := goBuild("-o", out); err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", out, "./adapters/...") // not a test's context: they are for all tests
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, printed)
	}
	return nil
})

// adaptersPath is the path of an adapter in Go.
func adaptersPath(name string) string { return filepath.ToSlash(filepath.Join(built, "plain", name)) }

// passing matches what differs from run to run in the text of an error.
var passing = regexp.MustCompile("[[:xdigit:]]{16,}|127\\.0\\.0\\.1:\\d+|\"created(_at)?\":\\d+|(call|resp|msg|fc|chatcmpl)[-_]\\w{8,}")

// briefly is the beginning of what a client came to. Of JavaScript's own errors it is the class alone,
// because each version of Node words them in another way.
func briefly(detail string) string {
	for _, kind := range []string{"SyntaxError", "TypeError"} {
		if strings.HasPrefix(detail, kind) {
			return kind
		}
	}
	runes := []rune(strings.Join(strings.Fields(passing.ReplaceAllString(detail, "…")), " "))
	if len(runes) > 100 {
		runes = append(runes[:100], '…')
	}
	return string(runes)
}

func writeFile(t *testing.T, name string, src []byte) {
	t.Helper()
	if err := os.WriteFile(name, src, 0o644); err != nil {
		t.Fatal(err)
	}
}
