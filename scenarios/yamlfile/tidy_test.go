package yamlfile_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// Every file can be formatted: the result means the same, keeps the comments, and does not
// change when it is formatted again. What [yamlfile.Format] writes is already formatted.
func TestTidyKeepsWhatAFileSays(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	for _, pattern := range []string{"../testdata/ok/*.yaml", "../testdata/messages/*.yaml", "../../fixtures/*.yaml"} {
		for _, file := range filesLike(t, pattern) {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				src := bytes.Replace(mustRead(t, file), []byte("? description\n:"), []byte("description:"), 1)
				text, err := yamlfile.Tidy(file, src)
				if err != nil {
					t.Fatal(err)
				}
				checkTidied(t, src, text)
			})
		}
	}
}

// checkTidied checks that text is the file src, formatted.
func checkTidied(t *testing.T, src, text []byte) {
	t.Helper()
	meant, _ := yamlfile.Parse("x.yaml", src)
	for _, s := range meant {
		want := format(t, s)
		if got, err := yamlfile.Tidy("x.yaml", want); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v\n%s\nnot\n%s", s.Name, err, got, want)
		}
	}
	list, problems := yamlfile.Parse("x.yaml", text)
	same := func(a, b *scenarios.Scenario) bool { return bytes.Equal(format(t, a), format(t, b)) }
	if len(problems) > 0 || !slices.EqualFunc(meant, list, same) {
		t.Errorf("it says something else, %v:\n%s\nwas\n%s", problems, text, src)
	}
	if got, want := wordsOfComments(text), wordsOfComments(src); !slices.Equal(got, want) {
		t.Errorf("the comments are\n%q\nnot\n%q\nin\n%s\nwas\n%s", got, want, text, src)
	}
	again, err := yamlfile.Tidy("x.yaml", text)
	if err != nil || !bytes.Equal(again, text) {
		t.Errorf("laid out again (%v) it is\n%s\nnot\n%s\nwas\n%s", err, again, text, src)
	}
}

var commentText = regexp.MustCompile(`(?m)(^|[ \t])#.*$`)

// wordsOfComments returns the words of everything that looks like a comment, sorted.
func wordsOfComments(text []byte) []string {
	var list []string
	for _, c := range commentText.FindAllString(strings.ReplaceAll(string(text), "\r", "\n"), -1) {
		list = append(list, strings.TrimSpace(c))
	}
	slices.Sort(list)
	return list
}

func TestTidy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ src, want string }{
		"keys are sorted, with their comments": {
			`# About the file.
# It is short.

# the answer
message: Hi # a word
# its name
name:   greet
tags: [ a,b ]
`, `# About the file.
# It is short.

# the answer
# its name
name: greet
tags: [a, b]
message: Hi # a word
`,
		},
		"quotes": {
			"name: 'a'\nmessage: 'say \"hi\"'\nquirks: 'empty-answer' # no\nenvelope: {\"x\": ~, \"y\": TRUE, z: 'it''s'}\n",
			"name: \"a\"\nquirks: \"empty-answer\" # no\nenvelope:\n  extra: {x: null, \"y\": true, z: \"it's\"}\nmessage: 'say \"hi\"'\n",
		},
		"blank lines, blocks and documents": {
			"\r\n---\r\nname: a\r\n\r\n\r\nstream:\r\n- content: |\r\n      one\r\n\r\n       two   # no comment\r\n  # of the step's end\r\n\r\n\r\n- # above\r\n  finish: stop\r\n# at the end\r\n--- # of b\r\nname: b\r\nmessage: >-\r\n    long\r\n    text\r\n...\r\n",
			`name: a

stream:
  - content: |
      one

       two   # no comment
    # of the step's end

  - # above
    finish: stop
# at the end
---
# of b
name: b
message: >-
  long
  text
`,
		},
		"brackets over several lines": {
			`name: a
stream: [ { role: assistant },

  { set: { a: 1,
      b: [ 1,2 ] }, content: x }
]
`, `name: a
stream:
  - role: assistant

  - content: x
    set:
      a: 1
      b: [1, 2]
`,
		},
		"what is short for a part of another key": {
			`name: a
message:
  content: x
  usage:
    # of them
    cached_tokens: 3 # few
    prompt_tokens: 5
---
name: b
message: { content: x, usage: { reasoning_tokens: 2, completion_tokens_details: { audio_tokens: 0 } } }
`, `name: a
message:
  content: x
  usage:
    prompt_tokens_details:
      # of them
      cached_tokens: 3 # few
    prompt_tokens: 5
---
name: b
message:
  content: x
  usage: {completion_tokens_details: {audio_tokens: 0, reasoning_tokens: 2}}
`,
		},
		"brackets with comments in them become lines": {
			`name: a
stream: [ { role: assistant }, # first

      { set: { a: [ 1,2 ] }, content: 'x' } # second
    ] # third
`, `name: a
stream: # third
  # first
  - role: assistant

  # second
  - content: "x"
    set: {a: [1, 2]}
`,
		},
		"a comment behind brackets that become lines": {
			"name: a\nwhen: {user: x} # why\nstream:\n- wait: 1s\n\n  jitter: 1ms\n- delta: {\n     content: x }\n# below\n- finish: stop\n",
			`name: a
when: # why
  user: x
stream:
  - jitter: 1ms
    wait: 1s
  - delta:
      content: x
  # below
  - finish: stop
`,
		},
		"a comment that ends a block": {
			"name: a\nerror:\n    message: >-\n        two\n        lines\n     # of the error\n    code: c\n",
			"name: a\nerror:\n  message: >-\n    two\n    lines\n  # of the error\n  code: c\n",
		},
		"anchors": {
			"stream: &s [{content: &x hi}, {content: *x}, {finish: stop}]\nname: b\nwhen: {user: *x}\n",
			"stream: &s\n  - content: &x hi\n  - content: *x\n  - finish: stop\nname: b\nwhen:\n  user: *x\n",
		},
		"foreign members are moved below extra": {
			"name: a\nerror:\n  # where\n  region_id: eu # Europe\n  status: 429\n  shards:\n    - 1\n",
			"name: a\nerror:\n  status: 429\n  extra:\n    # where\n    region_id: eu # Europe\n    shards:\n      - 1\n",
		},
		"foreign members are moved into extra": {
			"name: a\nenvelope: {layout: azure, extra: {a: 1}, region_id: eu, zone_id: b}\nmessage: hi\n",
			"name: a\nenvelope:\n  layout: azure\n  extra: {a: 1, region_id: eu, zone_id: b}\nmessage: hi\n",
		},
		"foreign members of a usage keep their place": {
			"name: a\nmessage:\n  content: a\n  usage: {prompt_tokens: 1, cost: 2, completion_tokens: 3}\n",
			"name: a\nmessage:\n  content: a\n  usage: {prompt_tokens: 1, extra: {cost: 2}, completion_tokens: 3}\n",
		},
		"what YAML can write in other ways": {
			"%TAG ! !x\n---\nname: a\n? description\n# c\n: |\n  b\nmessage: \"b\u2028c\"\n",
			"name: a\ndescription: |\n  b\n# c\nmessage: \"b\\Lc\"\n",
		},
		"characters beyond the first plane": {
			"name: a\nmessage: |\n  👩‍👦\n\n\n  \ue000 # 👩\n",
			"name: a\nmessage: |\n  👩‍👦\n\n\n  \ue000 # 👩\n",
		},
		"the order of members is kept": {
			"name: b\nmessage:\n    usage: {total_tokens: 1, completion_tokens: 0, prompt_tokens: 1}\n    content: a\n",
			"name: b\nmessage:\n  content: a\n  usage: {total_tokens: 1, completion_tokens: 0, prompt_tokens: 1}\n",
		},
	} {
		got, err := yamlfile.Tidy("a.yaml", []byte(c.src))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nnot\n%s", name, err, got, c.want)
		}
		if again, err := yamlfile.Tidy("a.yaml", got); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%s: laid out again (%v) it is\n%s\nnot\n%s", name, err, again, got)
		}
	}
}

func TestTidyRefusesWhatItCannotKeep(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"name: a\nerror: {delay: 1s}\n":            `a.yaml:2:9: unknown key "delay" in error (write wire: { header_delay: 1s } in scenario, beside error; to send it as it is, write extra: { delay: 1s })`,
		"name: a\nmesage: b\n":                     `a.yaml:2:1: unknown key "mesage" in scenario (did you mean "message"?)`,
		"name: a\nmessage: b\ntags: [ # c\n  x]\n": `a.yaml:3:1: fmt cannot lay this out and keep its comment (give the comment a line of its own, outside of brackets)`,
	} {
		text, err := yamlfile.Tidy("a.yaml", []byte(src))
		list, ok := err.(diag.List)
		if !ok || text != nil || list[0].String() != want {
			t.Errorf("%q: %s, %v\nnot %s", src, text, err, want)
		}
	}
}

// Every file that can be read can be formatted. Its meaning stays the same, and formatting it
// again changes nothing.
func FuzzTidy(f *testing.F) {
	for _, pattern := range []string{"../testdata/messages/*.yaml", "../../fixtures/c*.yaml"} { // all examples would take the time of the fuzzing
		for _, file := range filesLike(f, pattern) {
			f.Add(mustRead(f, file))
		}
	}
	f.Add([]byte("# a\nname: a # b\n\n# c\nstream: [ # d\n  {role: x} # e\n  # f\n]\n  # g\n--- # h\nstream:\n- # i\n  content: |- # j\n     # k\n  # l\nname: b\n# m\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 16<<10 {
			return // a defect that no small file shows would not be found in a large one
		}
		text, err := yamlfile.Tidy("x.yaml", src)
		if _, ok := err.(diag.List); ok {
			return
		}
		if err != nil {
			t.Fatalf("%v:\n%s", err, src)
		}
		again, err := yamlfile.Tidy("x.yaml", text)
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("laid out again (%v) it is\n%s\nnot\n%s\nwas\n%s", err, again, text, src)
		}
	})
}

// For each word of a former version there is a file. What fmt writes in its place, or what it says where there is
// nothing that says the same, stands in former.golden.
func TestTidyReplacesWordsOfFormerVersions(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, file := range filesLike(t, "testdata/former/*.yaml") {
		src := mustRead(t, file)
		text, err := yamlfile.Tidy(filepath.Base(file), src)
		if err != nil {
			text = []byte(err.Error() + "\n")
		} else if _, problems := server.CheckFiles(yamlfile.Source{Name: file, Data: text}); len(problems) > 0 {
			t.Errorf("%s: %v\n%s", file, problems, text)
		}
		all.WriteString("# " + filepath.Base(file) + "\n" + string(text))
	}
	testflag.Golden(t, "testdata/former.golden", all.String())
}
