package fakeopenai

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// content is a scenario file whose answer has the text.
func content(name, text string) string {
	return "name: " + name + "\nmessage: { content: " + text + " }\n"
}

func TestSources(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "one.yaml")
	if err := os.WriteFile(file, []byte(content("one", "from-a-file")), 0o600); err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{
		"two.yaml":        {Data: []byte(content("two", "from-an-fs"))},
		"below/three.yml": {Data: []byte(content("three", "from-below"))},
		"notes.txt":       {Data: []byte("not YAML: [")},
	}
	ready := scenarios.Scenario{Name: "go", Replies: []scenarios.Reply{{Stream: &[]scenarios.Step{
		step.Role("assistant"), step.Content("from-go"), step.Finish("stop"),
	}}}}
	for _, tt := range []struct {
		name string
		opts []Option
		want string
	}{
		{"a YAML text", []Option{YAML(content("x", "from-yaml"))}, "from-yaml"},
		{"a YAML text that is indented like the code", []Option{YAML(greeting)}, "Hello there."},
		{"a file", []Option{File(file)}, "from-a-file"},
		{"the files of a file system that match", []Option{FS(fsys, "*.yaml")}, "from-an-fs"},
		{"a directory of a file system", []Option{FS(fsys, "below")}, "from-below"},
		{"all of a file system", []Option{FS(fsys)}, "from-below"},
		{"a bundled scenario", []Option{Fixture("plain-text")}, "Hello! How can I help you today?"},
		{"a bundled scenario that extends another one", []Option{Fixture("crlf")}, "Hello! How can I help you today?"},
		{"the same together with what it extends", []Option{Fixture("crlf", "plain-text")}, "Hello! How can I help you today?"},
		{"a scenario made in Go", []Option{Scenario(ready)}, "from-go"},
		{"steps", []Option{Script(step.Content("from-a-script"))}, "from-a-script"},
		{"the first of two sources", []Option{YAML(content("x", "first")), YAML(content("y", "second")), AllowUnused()}, "first"},
		{"a script comes before what has no condition", []Option{YAML(content("x", "first")), Script(step.Content("from-a-script")), AllowUnused()}, "from-a-script"},
		{"what has a condition comes before a script", []Option{Script(step.Content("no")), AllowUnused(), YAML("name: x\nwhen: { model: gpt-4o }\nmessage: { content: yes }\n")}, "yes"},
		{"all that is bundled, without a source", nil, "Hello! How can I help you today?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := NewServer(t, tt.opts...)
			if _, got := mustAsk(t, fake, whole); !strings.Contains(got, tt.want) {
				t.Errorf("the answer is %s, want %q in it", got, tt.want)
			}
		})
	}
}

func TestSourcesWithMistakes(t *testing.T) {
	t.Parallel()
	linked := filepath.Join(t.TempDir(), "a.yaml")
	err := os.WriteFile(linked, []byte("name: a\nwhen: { path: /a }\nwire: { body: { file: link } }\n"), 0o600)
	if err = errors.Join(err, os.Symlink("/dev/null", filepath.Join(filepath.Dir(linked), "link"))); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, tt := range []struct {
		name string
		opts []Option
		want []string // each is in the one error
	}{
		{"an unknown key is shown with its line, and what may be meant", []Option{YAML(`
			name: x
			message: { contnet: Hi }
		`)}, []string{"YAML:3:12", "message: { contnet: Hi }", "^^^^^^^", "content"}},
		{"the problems of all sources are shown", []Option{YAML("nmae: x\n"), YAML("name: y\nmesage: {}\n")}, []string{"YAML:1:1", "YAML 2:2:1"}},
		{"a name that is used twice", []Option{YAML(greeting), YAML(greeting)}, []string{`"greeting"`}},
		{"a file that is not there", []Option{File("testdata/none.yaml")}, []string{"testdata/none.yaml"}},
		{"a body behind a link that leads out of the folder", []Option{File(linked)}, []string{`the file "link" cannot be read: path escapes from parent`}},
		{"a pattern that names no file", []Option{FS(fstest.MapFS{}, "*.yaml")}, []string{"*.yaml"}},
		{"a fixture that is not there", []Option{Fixture("plian-text")}, []string{`there is no fixture "plian-text"; did you mean "plain-text"?`}},
		{"a fixture that is like no other", []Option{Fixture("nonsense-1")}, []string{"there are: agent-two-turns, ", "usage"}},
		{"a template that does not compile, in a script", []Option{Script(step.Content("{{ .nobody"))}, []string{"sources_test.go:"}},
		{"a scenario made in Go that says nothing", []Option{Scenario(scenarios.Scenario{Name: "x"})}, []string{`"x"`}},
		{"a modifier that a script's step does not take", []Option{Script(step.Content("a")), Script(step.Content("x", step.Pieces("x")))}, []string{"script 2 (sources_test.go:", "pieces has no meaning here", `pieces: ["x"]`}},
		{"a step made in Go that sends nothing", []Option{Script(scenarios.Step{})}, []string{"the step sends nothing"}},
		{"steps that cannot share a chunk", []Option{Script(step.Content("x", step.With(step.Hold("h"))))}, []string{"content cannot stand beside hold"}},
		{"a negative pause in a scenario made in Go", []Option{Scenario(scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Stream: &[]scenarios.Step{step.Wait(-1)}}}})}, []string{`scenario "x", as YAML:`, "a duration cannot be negative", "wait: -1ns"}},
		{"an option that is nil", []Option{YAML(greeting), nil}, []string{"an option is nil"}},
		{"a file system that is nil", []Option{FS(nil)}, []string{`FS: the file system is nil; write FS(os.DirFS("testdata"))`}},
		{"no file", []Option{YAML(greeting), File()}, []string{`File: no file is named; write File("testdata/weather.yaml")`}},
		{"no bundled scenario", []Option{Fixture()}, []string{`Fixture: no scenario is named; write Fixture("plain-text"), or leave all sources out to play all that is bundled`}},
		{"no scenario", []Option{Scenario()}, []string{"Scenario: there is none; give one, or leave the option out"}},
		{"no change of the config", []Option{YAML(greeting), WithConfig(nil)}, []string{"WithConfig: the function is nil; leave the option out"}},
		{"a seed that means none", []Option{YAML(greeting), WithSeed(0)}, []string{"WithSeed(0): write another number; the default is 1"}},
		{"an empty API key", []Option{YAML(greeting), WithAPIKey("")}, []string{"WithAPIKey: the key is empty"}},
		{"a speed that cannot be meant", []Option{YAML(greeting), WithSpeed(math.NaN())}, []string{"WithSpeed(NaN): a speed must be positive"}},
		{"no speed for no pauses", []Option{YAML(greeting), WithSpeed(0)}, []string{"WithSpeed(0)", "use Instant() for no pauses"}},
		{"nor the number that a server's config has for it", []Option{YAML(greeting), WithSpeed(server.Instant)}, []string{"WithSpeed(-1)", "use Instant() for no pauses"}},
		{"limits that limit nothing", []Option{YAML(greeting), WithLimits(scenarios.Limits{})}, []string{"limits of the server: they limit nothing"}},
		{"limits of no model", []Option{YAML(greeting), WithModelLimits("", scenarios.Limits{RPM: 1})}, []string{"use WithLimits for all models"}},
		{"no patience", []Option{YAML(greeting), WithPatience(0)}, []string{"WithPatience(0s)"}},
		{"both of two mistakes", []Option{WithSpeed(0), WithSpeed(-2), Instant()}, []string{"WithSpeed(0)", "WithSpeed(-2)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := record(t, func(tb testing.TB) {
				NewServer(tb, tt.opts...)
				t.Error("NewServer returned")
			})
			if len(r.errors) != 1 {
				t.Fatalf("the test failed with %q, want one error", r.errors)
			}
			for _, want := range tt.want {
				if !strings.Contains(r.errors[0], want) {
					t.Errorf("the error lacks %q:\n%s", want, r.errors[0])
				}
			}
		})
	}
}

// A file that cannot be read as a whole does not hide mistakes in other files: the test fails
// with the same report as the command check.
func TestNewServerReportsWhatCheckDoes(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"a.yaml": {Data: []byte("name: a\nstram: []\n---\nname: b\nmessage: '{{ .foo }}'\n---\nname: a2\nmessage: hi\nwhen: { usr: x }\n")},
		"c.yaml": {Data: []byte("name: c\nextends: crlf\nstream:\n  - { role: assistant, omit: delta.refusl }\n  - { finish: stpo }\n---\nname: b\nmessage: hi\n")},
	}
	opts := []Option{FS(fsys), Fixture("crlf")}
	r := record(t, func(tb testing.TB) { NewServer(tb, opts...) })
	sources, err := yamlfile.ReadSources(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"crlf.yaml", "plain-text.yaml"} {
		data, err := fs.ReadFile(fixtures.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, yamlfile.Source{Name: "fixtures/" + name, Data: data})
	}
	_, problems := server.CheckFiles(sources...)
	want := problems.Render(func(file string) []byte {
		i := slices.IndexFunc(sources, func(s yamlfile.Source) bool { return s.Name == file })
		return sources[i].Data
	})
	if len(problems) != 6 || len(r.errors) != 1 || !strings.Contains(r.errors[0], want) {
		t.Errorf("the test failed with %q, want the %d problems\n%s", r.errors, len(problems), want)
	}
}

func TestEveryFixtureCanBePlayedAlone(t *testing.T) {
	t.Parallel()
	for _, name := range fixtures.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := NewServer(t, Fixture(name), AllowUnused(), InMemory())
			if fake.set.Lookup(name) == nil {
				t.Errorf("the file holds no scenario %q", name)
			}
		})
	}
}

func TestUnindented(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"what all lines begin with goes", "\n\t\ta:\n\t\t  b: 1\n\t", "\na:\n  b: 1\n"},
		{"tabs and spaces may be mixed in it", "\t  a: 1\n\t  b: 2", "a: 1\nb: 2"},
		{"several scenarios may be indented", "\t\ta: 1\n\t\t---\n\t\tb: 1\n\t", "a: 1\n---\nb: 1\n"},
		{"a tab that not all lines begin with is left to the parser", "a:\n\tb: 1", "a:\n\tb: 1"},
		{"a tab inside a line stays", "\ta: x\ty", "a: x\ty"},
		{"blank lines do not count", "\ta: |\n\n\t  x\n", "a: |\n\n  x\n"},
		{"an empty text stays empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := unindented(tt.src); got != tt.want {
				t.Errorf("unindented(%q) = %q, want %q", tt.src, got, tt.want)
			}
		})
	}
}
