package scenarios_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// The page that has the whole language, and the list of all pages for programs that read them,
// are made of the words of the code and of the examples of the other pages.
const (
	sheetName = "yamlfile/sheet.md"
	llmsName  = "../llms.txt"
)

func TestTheSheetIsThatOfTheCodeAndThePages(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	pages := readPages(t)
	text := readFile(t, sheetName)
	if len(text) > 75_000 {
		t.Errorf("%s has %d bytes, at most 75 kB are wanted", sheetName, len(text))
	}
	page{sheetName, text}.compare(t, sheet(t, pages))
	page{llmsName, readFile(t, llmsName)}.compare(t, llms(t, pages))
}

func TestEveryExampleOfTheSheetIsClean(t *testing.T) {
	t.Parallel()
	for _, ex := range examples(t, page{sheetName, readFile(t, sheetName)}.blocks(t)) {
		if _, problems := ex.check(); problems != nil {
			t.Errorf("%v: the example is not clean:\n%v", ex.at, problems)
		}
	}
}

// sheet returns the page with all words of the language, section by section in the order of the
// pages, each section with examples in which each of its words stands.
func sheet(t *testing.T, pages []page) string {
	words, parts := map[string][]yamlfile.Word{}, wordParts(pages)
	for _, w := range yamlfile.Words() {
		words[w.List] = append(words[w.List], w)
	}
	var text strings.Builder
	text.WriteString(sheetHead)
	tables := codeTables()
	for _, p := range pages {
		for _, m := range generated.FindAllStringSubmatch(p.text, -1) {
			switch name := m[3]; {
			case m[2] == "words":
				fmt.Fprintf(&text, "\n## %s\n\nSee %s.\n\n", name, strings.Replace(parts[name][0].link(p.title()), "](", "](../docs/", 1))
				for _, w := range words[name] {
					kind := oneLine(w.Type)
					for _, often := range []string{"a duration such as 50ms", "a path such as choices[0].delta.content"} {
						if strings.Contains(text.String(), often) { // its example stands once
							short, _, _ := strings.Cut(often, " such as ")
							kind = strings.Replace(kind, often, short, 1)
						}
					}
					fmt.Fprintf(&text, "- `%s` (%s): %s\n", w.Name, kind, oneLine(w.Doc))
				}
				for _, block := range examplesOfAll(t, words[name], parts[name]) {
					fmt.Fprintf(&text, "\n```yaml\n%s```\n", complete(block))
				}
			case name == "rules", name == "layouts":
				fmt.Fprintf(&text, "\n## %s\n\nSee [%s](../%s).\n\n%s", name, p.title(), p.name, tables[name])
			}
		}
		if p.name == "docs/templates.md" {
			fmt.Fprintf(&text, "\n## templates\n\nSee [%s](../%s).\n", p.title(), p.name)
			for _, table := range regexp.MustCompile(`(?m)(^\|.*\n)+`).FindAllString(p.text, -1) {
				text.WriteString("\n" + regexp.MustCompile(`\]\(([a-z-]+\.md)`).ReplaceAllString(table, "](../docs/$1"))
			}
		}
	}
	return text.String()
}

const sheetHead = `# The language on one sheet

All words of the language by the mapping in which they stand, with an example of each. ` + "`fakeopenai docs`" + ` prints this sheet,
and ` + "`fakeopenai docs WORD`" + ` a part of it.

A scenario is a YAML document, and ` + "`---`" + ` stands between scenarios in one file. A scenario has one of: a ` + "`message`" + `, whose chunks
the server makes; a ` + "`stream`" + ` of steps, each of which is sent as written; an ` + "`error`" + `; or ` + "`replies`" + `, which are played in turn.
` + "`fakeopenai check FILE`" + ` says what is wrong with it and what to write, and ` + "`fakeopenai play FILE`" + ` prints the bytes of its answer.

## what is counted

- Numbers of frames count from 1, and -1 is the last: ` + "`drop: 1`" + `, ` + "`after: -1`" + `.
- Positions in brackets count from 0, and [-1] is the last, in paths and behind the name of a frame: ` + "`choices[0].delta`" + `,
  ` + "`messages[-1].role`" + `, ` + "`response.output_item.done[-1]`" + `. Between { } and [ ] they need quotes.

## websocket

See [WebSocket](../docs/websocket.md). Responses and Realtime answer over WebSocket from the same scenarios, an event in each message;
` + "`when: { header: { Upgrade: websocket } }`" + ` tells these requests from others. A message has no lines and no header, so that ` + "`wire`" + `
lays out its JSON alone. What there is beyond HTTP:

- ` + "`until`" + `: A step waits for a message of the client, ` + "`until: { message: response.steer }`" + `, which ` + "`{{ .message }}`" + ` has from then on.
- ` + "`end`" + `: Closes the connection with a code, ` + "`end: { close: { code: 1012, reason: restart } }`" + `.

## http/2

See [end](../docs/endings.md). The server speaks HTTP/2, too. There ` + "`cut`, `reset`, `refuse`" + ` and the end of a ` + "`stall`" + ` are a
RST_STREAM, and the connection stays open; ` + "`connection: close`" + ` is a GOAWAY, and ` + "`split: inside_chunk`" + ` is of HTTP/1.1 alone.

## queries

See [Other paths](../docs/paths.md). The parameters of a query are texts, and places of ` + "`body`" + ` where a request has none, and ` + "`.request`" + ` in templates.

- ` + "`when: { path: /v1/files, body: { purpose: batch } }`" + `: The query of GET /v1/files?purpose=batch.
`

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// examplesOfAll returns examples of a part of the reference in which all words of its section
// stand: again and again the one with the least text for each word that those before lack, if
// possible one with the mapping of the section.
func examplesOfAll(t *testing.T, words []yamlfile.Word, part []*heading) []string {
	var blocks, chosen []string
	for _, h := range part {
		for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```\n*(```text)?").FindAllStringSubmatch(h.text, -1) {
			if m[2] == "" { // The example is right: no report about it follows.
				blocks = append(blocks, m[1])
			}
		}
	}
	own := regexp.MustCompile(`\b` + strings.ReplaceAll(words[0].List, " ", "_") + `s?:`).MatchString
	uses := func(block string, w yamlfile.Word) bool {
		return regexp.MustCompile(`(^|[\s{\[])` + regexp.QuoteMeta(w.Name) + `:`).MatchString(block)
	}
	for {
		words = slices.DeleteFunc(words, func(w yamlfile.Word) bool { return uses(strings.Join(chosen, ""), w) })
		if len(words) == 0 {
			return chosen
		}
		best, least := -1, 0
		for i, block := range blocks {
			count := 0
			for _, w := range words {
				if uses(block, w) {
					count++
				}
			}
			if count == 0 {
				continue
			}
			cost := len(complete(block)) / count
			if !own(block) {
				cost *= 4
			}
			if best < 0 || cost < least {
				best, least = i, cost
			}
		}
		if best < 0 {
			t.Errorf("no example of %s; add one to the part of scenarios/docs with <!-- words: %s -->", words[0].Name, words[0].List)
			return chosen
		}
		chosen = append(chosen, blocks[best])
	}
}

// llms returns the list of all pages in the form of https://llmstxt.org.
func llms(t *testing.T, pages []page) string {
	const site = "https://github.com/fakeopenai/fakeopenai/blob/main/"
	var text strings.Builder
	fmt.Fprintf(&text, llmsHead, site)
	for _, m := range regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\((docs/[^)]+)\) \| (.*) \|$`).FindAllStringSubmatch(pages[0].text, -1) {
		fmt.Fprintf(&text, "- [%s](%sscenarios/%s): %s\n", m[1], site, m[2], m[3])
	}
	return text.String()
}

const llmsHead = `# fakeopenai

> A fake OpenAI API for tests: YAML scenarios say every chunk, byte and pause of an answer, and a server plays them as
> server-sent events, over chat completions, Responses (also over WebSocket), Realtime and completions, beside embeddings,
> moderations and any other path. It finds the bugs of clients, SDKs and gateways.

## Guides

- [The language on one sheet](%[1]sscenarios/yamlfile/sheet.md): every word with an example; ` + "`fakeopenai docs`" + ` prints it
- [README](%[1]sREADME.md): installing, a first scenario, a first test
- [Commands and flags](%[1]scmd/README.md): init, serve, exec, play, check, list, show, docs, record, import, diff, fmt, sweep, hunt, conform, healthcheck, version, completion
- [Go tests](%[1]shttptest/README.md): fakeopenai.NewServer and what a test can ask of it
- [The server](%[1]sserver/README.md): its endpoints below /_fake/, metrics, containers
- [npm, Python, image](%[1]scmd/packaging/README.md): the packages

## Recipes

One page: [recipes](%[1]scmd/fakeopenai/internal/cli/recipes.md). ` + "`fakeopenai docs \"tool loop\"`" + ` prints one of them: tool loop, retry, cached tokens, structured output, slow first token, cut, agent with responses, voice agent, embeddings. The first one:

` + "```yaml" + `
name: tool-loop
replies:
  - when: { tool_result: call_1 }
    message: It is 18 °C in Oslo.
  - message:
      tool_calls: [{ id: call_1, name: get_weather, arguments: { city: Oslo } }]
` + "```" + `

## The language in short

A rule of the protocol that a scenario breaks on purpose stands in its ` + "`quirks`" + `. ` + "`fakeopenai check FILE`" + ` says what is wrong and what to write.

` + "```yaml" + `
name: weather
when: { model: gpt-4o*, user: { contains: weather } } # or { equals }, { matches: '(?i)rain' }; a list for any of them; not: { … }
message: { content: It rains., usage: { prompt_tokens: 9, completion_tokens: 3, cached_tokens: 4 } }
pace: { first: 300ms, every: 20ms } # burst: 4 sends four at once
---
name: chunks
stream:
  - role: assistant
  - content: Hel
  - wait: 2s
  - content: lo
  - hold: go # until the test releases it
  - finish: stop
---
name: retried
replies:
  - times: 2
    error: { status: 429, code: rate_limit_exceeded, retry_after: 1s }
  - chance: 10%%
    error: 503
  - message: At last.
---
name: broken
when: { header: { X-Test: broken } } # or turn: 2, attempt: 1, tools: get_weather, system, surface: responses
message: Hello there, how are you?
end: { cut: 3 } # after three whole events; or { reset: 2 }, { reset: { chance: 50%% } } for half of the answers, { stall: { after: 2 } }, { close: { code: 1011 } }, linger, refuse
wire: { newline: crlf, split: byte, ids: true, headers: { X-Request-Id: req_1 } }
damage: [{ drop: finish }, { duplicate: 2 }] # or swap: [2, 3], corrupt: 2
---
name: thinks
when: { surface: responses, body: { reasoning.effort: high } } # body: places in the request
message: { reasoning: Six sevens., content: It is 42. }
---
name: file
when: { path: "/v1/files/{id}", method: GET }
wire: { body: { id: "{{ .match.id }}", object: file } }
---
name: same-with-another-id
extends: weather
envelope: { id: chatcmpl-1, system_fingerprint: fp_1 }
---
name: echo
message: "You said: {{ .last_user }}"
` + "```" + `

## The scenario language

`
