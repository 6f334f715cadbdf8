package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// writeDefects writes defects.json and DEFECTS.md.
func writeDefects(t *testing.T, rows []defectCase) {
	t.Helper()
	var list []string
	for _, row := range rows {
		src := fmt.Sprintf(`  { "case": %s, "like": %s`, plainly(t, row["case"]), plainly(t, row["like"]))
		for _, client := range defectClients {
			src += fmt.Sprintf(",\n    %s: %s", plainly(t, client), plainly(t, row[client]))
		}
		list = append(list, src+" }")
	}
	writeFile(t, "defects.json", []byte("[\n"+strings.Join(list, ",\n")+"\n]\n"))
	writeFile(t, "DEFECTS.md", defectsPage(t, rows))
}

// plainly is v as JSON in which <, > and & are not escaped.
func plainly(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

func writeFile(t *testing.T, name string, src []byte) {
	t.Helper()
	if err := os.WriteFile(name, src, 0o644); err != nil {
		t.Fatal(err)
	}
}

const defectsIntro = `# What clients make of defects

What each client makes of a stream of Responses with one defect. The streams are the scenarios in
[defects.yaml](defects.yaml): copy one to see what your software makes of it. [defects.json](defects.json) has what was lost,
and the texts of the errors. A test that runs the clients writes this page.

| outcome | meaning |
| --- | --- |
| ok | the client reads the same as from the stream without the defect |
| ok at end | the final answer of the client is the same, the pieces before it are not |
| lost | no error, but a part of the answer is missing |
| differs | no error, but a part of the answer is wrong |
| ERR | an error |
| ERR part | an error, but all of the answer arrived |
| – | the client cannot read the stream without the defect, either |

The clients are %s.

`

// defectsPage is the text of DEFECTS.md, which has each outcome without its details.
func defectsPage(t *testing.T, rows []defectCase) []byte {
	t.Helper()
	var out bytes.Buffer
	fmt.Fprintf(&out, defectsIntro, strings.Join(defectVersions(t), ", "))
	fmt.Fprintf(&out, "| | scenario | defect | %s |\n|%s\n", strings.Join(defectClients, " | "), strings.Repeat(" --- |", len(defectClients)+3))
	about := map[string]string{}
	for _, s := range defectScenarios(t) {
		about[s.Name] = s.Description
	}
	for _, row := range rows {
		number, what, numbered := strings.Cut(about[row["case"]], ": ")
		if !numbered {
			number, what = "", number
		}
		cells := []string{number, "`" + row["case"] + "`", strings.ReplaceAll(strings.TrimSpace(what), "|", `\|`)}
		for _, client := range defectClients {
			cells = append(cells, outcomeWord(row[client]))
		}
		fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | "))
	}
	return out.Bytes()
}

func outcomeWord(outcome string) string {
	for _, words := range []string{"ERR part", "ok at end"} {
		if strings.HasPrefix(outcome, words) {
			return words
		}
	}
	word, _, _ := strings.Cut(outcome, " ")
	return strings.TrimSuffix(word, ":")
}

// defectVersions are the packages behind the names of the table, with their versions.
func defectVersions(t *testing.T) []string {
	t.Helper()
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(module), "github.com/openai/openai-go/v3 ")
	version, _, _ = strings.Cut(version, "\n")
	list := []string{"openai-go " + version}
	src, err := os.ReadFile("node/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Dependencies map[string]string }
	fromJSON(t, src, &manifest)
	for _, name := range []string{"openai", "@openai/agents", "ai", "@ai-sdk/openai", "@langchain/openai"} {
		list = append(list, "`"+name+"` "+manifest.Dependencies[name])
	}
	return list
}
