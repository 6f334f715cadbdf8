package yamlfile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// intuitive are mistakes of people who have not read the reference, which no stream of testdata/wishes.txt mends. Each has
// the hint of its first problem. The member mended, if there is one, is the file after the hint was followed.
var intuitive = []struct{ wrong, hint, mended string }{
	// words in the wrong place
	{"message: { content: a, choice: 1 }", `did you mean "choices"?`, ""},
	{"message: { content: a, wait: 3s }", "write stream: [{ wait: 3s }] in scenario", ""},
	{"colour: blue\nmessage: hi", "the answer is message: Hello there., stream: [{ role: assistant }, { content: Hi }, { finish: stop }] or error: 429; what it is for, when: { user: { contains: weather } }; fakeopenai docs scenario has all keys", ""},
	{"when: { url: /v1 }\nmessage: hi", "write path: /v1", ""},

	// other paths
	{"when: { path: /v1/files }\nwire: { file: a.mp3 }", "write body: { file: a.mp3 }", "when: { path: /v1/files }\nwire: { body: { file: a.mp3 } }"},
	{"when: { path: /v1/files }\nwire: { body: { file: ../a.mp3 } }", "write the path with slashes, and without . and .., as in file: audio/speech.mp3", ""},

	// synonyms
	{"keepalive: 15s", "write stream: [{ comment: keep-alive }]", "stream: [{ comment: keep-alive }]"},

	{"stream: [{ tool_call: {} }]", "give the call a name, as in tool_call: { name: get_weather }", ""},

	// values where a mapping or a word is expected
	{"wire: { event_name: \"a\\r\\nb\" }\nmessage: hi", "write it in one line", "wire: { event_name: a }\nmessage: hi"},
	{"stream: [{ content: a, choice: 128 }]", "", "stream: [{ content: a, choice: 127 }]"},
	{"stream: hello", "write stream: [{ text: hello }]", "stream: [{ text: hello }]"},
	{"replies: [{ message: hi }, { stream: true }]", "write when: { stream: true }", ""},

	{"stream: [{ raw: !!binary hi! }]", "write the bytes in base64, or the text itself, in quotes", "stream: [{ raw: !!binary aGkh }]"},
	{`stream: [{ content: !json "\\ud83d" }]`, `write it in both kinds of quotes: !json '"\ud83d"'`, `stream: [{ content: !json '"\ud83d"' }]`},

	// pasted JSON
	{`message: { choices: [{ index: 0, delta: { content: Hi }, finish_reason: null }] }`,
		`write stream: [{ choices: [{index: 0, delta: {content: Hi}, finish_reason: null}] }] in scenario`, `stream: [{ delta: { content: Hi } }]`},

	// words that lead elsewhere
	{"stream: [{ tool_call: f }]", "write tool_call: { name: f }", "stream: [{ tool_call: { name: f } }]"},
	{"stream: [response.created]", "the events of responses follow from steps such as content: Hello; a literal one is event: { event: response.created, data: { type: response.created } }", ""},
	{"stream: [{ content: a, repeat: forever }]", "write 1000000, which is the most", "stream: [{ content: a, repeat: 1000000 }]"},
	{"message: { content: a, tools: [f] }", "write tool_calls for calls that the model makes; when: { tools: f } is a condition on the tools of a request", ""},
	{"when: { tool_result: { name: get_weather } }\nmessage: hi", "a result has the id of its call, as in tool_result: { id: call_1 }, and no name", ""},
	{"when: { random: 0.1 }\nreplies: [{ message: hi }]", "write replies: [{ chance: 0.1 }] in scenario", ""},
	{"replies: [{ chance: 110%, error: 429 }, { message: hi }]", "write at most 100%", ""},
	{"replies: [{ chance: 1, error: 429 }]", "leave it out", ""},
	{"replies: [{ chance: 0, error: 429 }, { message: hi }]", "leave out what it stands beside", ""},
	{"message: { content: [{ text: a }, b] }", "write a in place of the mapping", ""},
	{"pace: { min: 50ms, max: 500ms }\nmessage: hi", "pauses from 50ms to 500ms are every: 275ms, jitter: 225ms, distribution: uniform", ""},

	// words that are gone
	{"wire: { final_newline: false }\nmessage: hi", "leave it out, and end the answer before its last line end, as in when: { surface: chat, stream: true } with end: { close: { after: -1, byte: 12 } } in scenario", "when: { surface: chat, stream: true }\nend: { close: { after: -1, byte: 12 } }\nmessage: hi"},
	{"end: { cut: { byte: 9, final_chunk: true } }\nmessage: hi", "leave it out, and write close in place of cut", ""},

	// members of errors, envelopes and usage
	{"error: { status: 429, request: r-1 }", "write extra: { request: r-1 } to send it as it is, or let fakeopenai fmt do it", ""},
	{"error: { message: a, extra: { message: b } }", "leave one of them out", ""},
}

// A text that only resembles a regular expression is a text.
func TestTextsWithSlashesAreTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"/v1/models", "/", "and/or", `C:\docs`, "/home/me/", "is it 5 / 3?"} {
		if _, problems := yamlfile.Parse("a.yaml", []byte("name: a\nwhen: { user: '"+text+"' }\nmessage: hi\n")); len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
		}
	}
}

func TestAMessageHasNoMoreChoicesThanCanBeAskedFor(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		128: "",
		129: "a.yaml:2:10: the message has 129 choices; a request can ask for at most 128 with n (leave out the others)",
	} {
		got := ""
		_, problems := yamlfile.Parse("a.yaml", []byte("name: a\nmessage: { choices: ["+strings.Repeat("a, ", n)+"] }\n"))
		if len(problems) > 0 {
			got = problems.Error()
		}
		if got != want {
			t.Errorf("%d choices: got %q, want %q", n, got, want)
		}
	}
}

func TestIntuitiveMistakesAreLedToTheirMend(t *testing.T) {
	t.Parallel()
	for _, c := range intuitive {
		wrong := "name: a\n" + c.wrong + "\n"
		_, problems := yamlfile.Parse("a.yaml", []byte(wrong))
		if len(problems) == 0 {
			t.Errorf("%s\nis accepted", c.wrong)
			continue
		}
		if problems[0].Hint != c.hint {
			t.Errorf("%s\n%s\ngot the hint  %s\nwant the hint %s", c.wrong, problems[0].Message, problems[0].Hint, c.hint)
		}
		if c.mended == "" {
			continue
		}
		want := formatted("name: a\n" + c.mended + "\n")
		if waysIn(problems[0].Hint) == nil {
			if strings.HasPrefix(want, "a.yaml") {
				t.Errorf("%s\nwhat is meant is %s", c.wrong, want)
			}
			continue
		}
		var got []string
		for _, text := range follow(t, wrong, problems[0]) {
			got = append(got, formatted(text))
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s\nfollowing the hint %s\ngives  %s\nmeant is %s", c.wrong, problems[0].Hint, strings.Join(got, "\nor     "), want)
		}
	}
}

// formatted returns the scenario in a text in one line, or its problems.
func formatted(text string) string {
	list, problems := yamlfile.Parse("a.yaml", []byte(text))
	if len(problems) > 0 || len(list) != 1 {
		return problems.Error() + " in " + text
	}
	line, err := yamlfile.FormatLine(list[0])
	if err != nil {
		return err.Error()
	}
	return string(line)
}

// count returns how many of the problems say the same as p.
func count(problems diag.List, p diag.Problem) (n int) {
	for _, other := range problems {
		if other.Message == p.Message && other.Hint == p.Hint {
			n++
		}
	}
	return n
}

// What a hint says to write can be written: it mends the problem.
func TestHintsOfErrorsCanBeFollowed(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	followed := 0
	for _, file := range filesLike(t, "../testdata/err/*.yaml") {
		src := string(mustRead(t, file))
		_, problems := server.CheckFiles(yamlfile.Source{Name: file, Data: []byte(src)})
		for _, p := range problems {
			if strings.Contains(p.Hint, "…") {
				t.Errorf("%v: the hint %q cannot be pasted", p, p.Hint)
			}
			for _, text := range follow(t, src, p) {
				followed++
				_, left := server.CheckFiles(yamlfile.Source{Name: file, Data: []byte(text)})
				if count(left, p) >= count(problems, p) {
					t.Errorf("%v\nfollowing the hint %s leaves\n%v", p, p.Hint, text)
				}
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d hints were followed", followed)
	}
}

// A value that could not be read is left out, so that no further problems are reported for it.
func TestASingleItemThatCannotBeReadIsNone(t *testing.T) {
	t.Parallel()
	list, problems := yamlfile.Parse("a.yaml", []byte("name: a\ndamage: { rename: x }\nmessage: hi\n"))
	if len(problems) != 1 || len(list) != 1 || len(list[0].Damage) > 0 {
		t.Errorf("got %d problems and the damage %+v, want one problem and no damage", len(problems), list[0].Damage)
	}
}

func TestLoadingNothingIsAnError(t *testing.T) {
	t.Parallel()
	if set, err := yamlfile.Load(testFiles()); err == nil {
		t.Errorf("got %v and no error", set)
	}
}
