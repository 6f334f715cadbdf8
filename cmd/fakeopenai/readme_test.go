package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// The README is executed: its scenarios are written to the files that their
// first lines name and checked, its console blocks are run beside them and their
// output compared, its Go tests are compiled and run. In what is shown, … stands
// for anything on a line or, alone on a line, for any lines.

const readme = "../../README.md"

// A fence is a fenced block of the README.
type fence struct {
	info string // what follows the fence
	text string
	line int // of its first line
}

func readmeFences(t *testing.T) []fence {
	t.Helper()
	var list []fence
	var open *fence
	for i, line := range strings.SplitAfter(readmeText(t), "\n") {
		switch info, mark := strings.CutPrefix(line, "```"); {
		case mark && open == nil:
			open = &fence{info: strings.TrimSpace(info), line: i + 2}
		case mark:
			list = append(list, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	return list
}

func readmeText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadmeScenariosAreClean(t *testing.T) {
	t.Parallel()
	found := 0
	for _, f := range readmeFences(t) {
		name, ok := f.file()
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		found++
		if _, problems := yamlfile.Check(nil, yamlfile.Source{Name: name, Data: []byte(f.text)}); problems != nil {
			t.Errorf("README.md:%d:\n%v", f.line, problems)
		}
	}
	if found == 0 {
		t.Error("README.md shows no scenario")
	}
}

// file is the name of the file that a block shows, from its first line.
func (f fence) file() (string, bool) {
	line, _, _ := strings.Cut(f.text, "\n")
	name, ok := strings.CutPrefix(line, "# ")
	return name, ok && f.info == "yaml"
}

// writeFiles writes the scenarios of the README to a directory of their own.
func writeFiles(t *testing.T, fences []fence) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range fences {
		if name, ok := f.file(); ok && !strings.HasPrefix(name, ".") {
			writeFile(t, filepath.Join(dir, name), f.text)
		}
	}
	return dir
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadmeCommandsPrintWhatIsShown(t *testing.T) {
	t.Parallel()
	need(t, "sh", "curl")
	fences := readmeFences(t)
	dir := writeFiles(t, fences)
	for _, f := range fences {
		switch f.info {
		case "console":
			c := console{t: t, dir: dir, line: f.line}
			c.run(f.text)
		case "sh":
			cmd := exec.Command("sh", "-n")
			cmd.Stdin = strings.NewReader(f.text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("README.md:%d: %v\n%s", f.line, err, out)
			}
		}
	}
}

// need skips a test, saying in one line what it needs and does not have. In CI,
// where nothing may be missing, it fails instead.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("the commands of the README cannot be run in CI: install %s", tool)
			}
			t.Skipf("the commands of the README were not run: install %s", tool)
		}
	}
}

// console runs the commands of one console block. A checkout's
// "go run ./cmd/fakeopenai" is the program under test here, and the port 8080 is
// whichever is free.
type console struct {
	t    *testing.T
	dir  string
	line int
	port string // in place of 8080
}

func (c *console) run(text string) {
	for part := range strings.SplitSeq("\n"+strings.TrimSuffix(text, "\n"), "\n$ ") {
		if part == "" {
			continue
		}
		command, output, _ := strings.Cut(part+"\n", "\n")
		got := strings.TrimSuffix(c.output(command), "\n") + "\n"
		if !shown(output).MatchString(got) {
			c.t.Errorf("README.md:%d: %s\nprints\n%s\nbut what is shown is\n%s", c.line, command, got, output)
		}
	}
}

func (c *console) output(command string) string {
	c.t.Helper()
	script := strings.ReplaceAll(command, "go run ./cmd/fakeopenai", "fakeopenai")
	if c.port != "" {
		script = strings.ReplaceAll(script, ":8080", c.port)
	}
	script, background := strings.CutSuffix(script, " &")
	if background {
		return c.start(script)
	}
	cmd := c.command(script)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		c.t.Fatalf("README.md:%d: %s: %v", c.line, command, err)
	}
	c.t.Logf("%s: %s", command, stderr.String())
	return string(out)
}

func (c *console) command(script string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), "sh", "-c", script)
	cmd.WaitDelay = time.Second
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "FAKEOPENAI_ADDR=127.0.0.1:0")
	return cmd
}

// start starts a server and returns its first line.
func (c *console) start(script string) string {
	c.t.Helper()
	cmd := c.command("exec " + script)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.t.Fatalf("README.md:%d: %s: %v", c.line, script, err)
	}
	c.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.t.Fatalf("README.md:%d: %s: no first line: %v", c.line, script, err)
	}
	c.port = regexp.MustCompile(`:\d+$`).FindString(strings.TrimSpace(line))
	return strings.ReplaceAll(line, c.port, ":8080")
}

// shown is what the README shows as a regular expression.
func shown(text string) *regexp.Regexp {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line == "…\n" {
			b.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `[^\n]*?`))
	}
	return regexp.MustCompile(`^` + b.String() + `$`)
}

// What the tests of the README import, by the name that they use it under.
var goImports = map[string]string{
	"context": "context", "testing": "testing", "yourapp": "readme/yourapp",
	"fakeopenai": "github.com/fakeopenai/fakeopenai/httptest",
	"step":       "github.com/fakeopenai/fakeopenai/scenarios/step",
	"server":     "github.com/fakeopenai/fakeopenai/server",
	"journal":    "github.com/fakeopenai/fakeopenai/server/journal",
}

func TestReadmeGoTestsPass(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the Go tests of the README were not run: leave out -short")
	}
	need(t, "go")
	fences := readmeFences(t)
	dir := writeFiles(t, fences)
	if err := os.CopyFS(dir, os.DirFS("testdata/readme")); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.mod"), "module readme\n\ngo 1.26\n")
	writeFile(t, filepath.Join(dir, "go.work"), fmt.Sprintf("go 1.26\n\nuse (\n\t.\n\t%q\n)\n", root))
	for i, f := range fences {
		if f.info == "go" {
			writeFile(t, filepath.Join(dir, fmt.Sprintf("block%d_test.go", i)), goFile(f.text))
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go test: %v\n%s", err, out)
	}
	for _, name := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(readmeText(t), -1) {
		if !bytes.Contains(out, []byte("--- PASS: "+name[1]+" ")) {
			t.Errorf("%s did not run:\n%s", name[1], out)
		}
	}
}

// goFile makes a whole file of a block.
func goFile(text string) string {
	var b strings.Builder
	b.WriteString("package readme\n\n")
	for name, path := range goImports {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(text) {
			fmt.Fprintf(&b, "import %s %q\n", name, path)
		}
	}
	return b.String() + "\n" + text
}

// The tables of the README are those of the commands' help and of the
// variants.
func TestReadmeTablesAreThoseOfTheHelp(t *testing.T) {
	t.Parallel()
	page := readmeText(t)
	want := page
	for name, table := range map[string]string{"commands": commandTable(t), "flags": flagTable(t), "variants": variantTable()} {
		part := regexp.MustCompile(`(?s)(<!-- table: ` + name + ` -->\n).*?(<!-- end -->)`)
		if !part.MatchString(page) {
			t.Fatalf("README.md has no table of %s", name)
		}
		want = part.ReplaceAllStringFunc(want, func(old string) string {
			m := part.FindStringSubmatch(old)
			return m[1] + "\n" + table + "\n" + m[2]
		})
	}
	if page == want {
		return
	}
	if !*update {
		t.Fatal("the tables of the README are not those of the help: run go test ./cmd/fakeopenai -run Readme -update")
	}
	writeFile(t, readme, want)
}

// commandNames are the commands of the program, as its help lists them.
func commandNames(t *testing.T) []string {
	t.Helper()
	_, list, _ := strings.Cut(help(t), "Available Commands:\n")
	var names []string
	for line := range strings.Lines(list) {
		if strings.TrimSpace(line) == "" {
			break
		}
		if name := strings.Fields(line)[0]; name != "help" {
			names = append(names, name)
		}
	}
	return names
}

func help(t *testing.T, command ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "fakeopenai", append(command, "--help")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func commandTable(t *testing.T) string {
	t.Helper()
	overview := help(t)
	table := "| command | what it does |\n| --- | --- |\n"
	for _, name := range commandNames(t) {
		usage := regexp.MustCompile(`\n  fakeopenai (.*)\n`).FindStringSubmatch(help(t, name))
		about := regexp.MustCompile(`(?m)^  ` + name + ` +(.*)$`).FindStringSubmatch(overview)
		table += fmt.Sprintf("| `%s` | %s |\n", strings.ReplaceAll(strings.TrimSuffix(usage[1], " [flags]"), "|", `\|`), about[1])
	}
	return table
}

// A flag as the help of a command shows it.
type helpFlag struct{ spelling, variable, fallback, about string }

var helpLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[\w-]+(?: [^ ]+)?) +(.*?) \[\$(\w+)\](?: \(default (.*)\))?$`)

func flagTable(t *testing.T) string {
	t.Helper()
	commands := map[helpFlag][]string{}
	var order []helpFlag
	for _, name := range commandNames(t) {
		for _, m := range helpLine.FindAllStringSubmatch(help(t, name), -1) {
			f := helpFlag{m[1], m[3], m[4], m[2]}
			if commands[f] == nil {
				order = append(order, f)
			}
			commands[f] = append(commands[f], name)
		}
	}
	slices.SortStableFunc(order, func(a, b helpFlag) int { return strings.Compare(a.spelling, b.spelling) })
	table := "| flag | variable | default | of | meaning |\n| --- | --- | --- | --- | --- |\n"
	for _, f := range order {
		table += fmt.Sprintf("| `%s` | `%s` | %s | %s | %s |\n", f.spelling, f.variable, f.fallback, strings.Join(commands[f], ", "), f.about)
	}
	return table
}

func variantTable() string {
	table := "| variant | what is different | in YAML |\n| --- | --- | --- |\n"
	for _, v := range sweep.Variants() {
		name, yaml := v.Name, ""
		if v.OnDemand {
			name += " +"
		}
		if v.YAML != "" {
			yaml = "`" + v.YAML + "`"
		}
		table += fmt.Sprintf("| %s | %s | %s |\n", name, v.About, yaml)
	}
	return table
}

// Flags that the text of the README names exist.
func TestReadmeNamesNoFlagThatDoesNotExist(t *testing.T) {
	t.Parallel()
	known := help(t)
	for _, name := range commandNames(t) {
		known += help(t, name)
	}
	for _, flag := range regexp.MustCompile(`[\s`+"`"+`](--[a-z][a-z-]*)`).FindAllStringSubmatch(readmeText(t), -1) {
		if !regexp.MustCompile(flag[1] + `\b`).MatchString(known) {
			t.Errorf("README.md names %s, which no command knows", flag[1])
		}
	}
}

func TestReadmeLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	page := readmeText(t)
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(page, -1) {
		target, anchor, _ := strings.Cut(link[1], "#")
		switch {
		case strings.HasPrefix(target, "https://"):
		case target == "":
			heading := regexp.MustCompile(`(?mi)^#+ ` + strings.ReplaceAll(regexp.QuoteMeta(anchor), "-", "[ -]") + `$`)
			if !heading.MatchString(page) {
				t.Errorf("README.md links to #%s, and has no such heading", anchor)
			}
		default:
			if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
				t.Errorf("README.md links to %s: %v", target, err)
			}
		}
	}
}

// The endpoints in the README's table exist.
func TestReadmeEndpointsAnswer(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "weather.yaml"), "name: weather\nstream:\n  - role: assistant\n  - hold: NAME\n  - finish: stop\n")
	c := console{t: t, dir: dir}
	c.start("fakeopenai serve weather.yaml")
	endpoints := regexp.MustCompile("`(GET|POST|DELETE) (/[^`]*)`").FindAllStringSubmatch(readmeText(t), -1)
	if len(endpoints) == 0 {
		t.Fatal("README.md names no endpoint")
	}
	for _, e := range endpoints {
		path := strings.Replace(e[2], "/wait", "/wait?timeout=1ms", 1)
		req, err := http.NewRequestWithContext(t.Context(), e[1], "http://127.0.0.1"+c.port+path, strings.NewReader("no JSON"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed {
			t.Errorf("%s %s: %s\n%s", e[1], path, resp.Status, body)
		}
	}
}

// The versions in the README are those that the client tests use.
func TestReadmeNamesTheVersionsOfTheClients(t *testing.T) {
	t.Parallel()
	page := readmeText(t)
	for file, client := range map[string]string{
		"../../server/compat/go.mod":            `github.com/(?:openai/(openai-go)/v3|sashabaranov/(go-openai)) (v[\d.]+)`,
		"../../server/compat/node/package.json": `"(openai)": ()"([\d.]+)"`,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(client).FindAllStringSubmatch(string(text), -1)
		if found == nil {
			t.Errorf("%s names no client", file)
		}
		for _, m := range found {
			name := regexp.MustCompile(regexp.QuoteMeta(m[1]+m[2]) + `\s+` + regexp.QuoteMeta(m[3]))
			if !name.MatchString(page) {
				t.Errorf("README.md does not say that %s %s is tested", m[1]+m[2], m[3])
			}
		}
	}
}
