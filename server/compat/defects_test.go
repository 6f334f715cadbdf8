package compat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

var update = flag.Bool("update", false, "write defects.json and DEFECTS.md")

// defectClients are the clients that read defects.yaml, on Responses.
var defectClients = []string{"openai-go", "node for await", "node stream()", "agents", "ai", "langchain"}

// defectCase is a row of defects.json: the outcome of a scenario in defects.yaml for
// each client, by the client's name. Its member case is the name of the scenario, and
// like is the scenario without the defect.
//
// The outcome compares what the client reads from the scenario with what it reads from
// the one without the defect:
//
//   - "ok": the same.
//   - "ok at end": the final answer is the same, the pieces are not.
//   - "ERR" and the error: the client reported an error.
//   - "ERR part" and the error: an error, but all of the answer arrived.
//   - "lost:" and what is missing: no error, and less of the answer.
//   - "differs:" and what is different: no error, and another answer.
//   - "–": the client cannot read the scenario without the defect, either.
type defectCase map[string]string

func readDefects(t *testing.T) []defectCase {
	t.Helper()
	src, err := os.ReadFile("defects.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []defectCase
	fromJSON(t, src, &cases)
	return cases
}

// The outcome of each defect for each client is that in defects.json, and DEFECTS.md
// shows it.
func TestDefects(t *testing.T) {
	t.Parallel()
	requireNode(t)
	url := serve(t, build(t), "--speed", "instant", "defects.yaml")
	got := tryDefects(t, url, defectRows(t))
	for _, client := range defectClients {
		if !slices.ContainsFunc(got, func(row defectCase) bool { return row[client] == "ok" }) {
			t.Fatalf("nothing is ok for %s", client)
		}
	}
	if *update {
		writeDefects(t, got)
	}
	want := readDefects(t)
	if len(got) != len(want) {
		t.Fatalf("defects.json has %d rows, want %d; with -update it is written anew", len(want), len(got))
	}
	for i, row := range got {
		t.Run(row["case"], func(t *testing.T) {
			for _, of := range slices.Concat([]string{"case", "like"}, defectClients) {
				if row[of] != want[i][of] {
					t.Errorf("%s: got %q, want %q; with -update it is written anew", of, row[of], want[i][of])
				}
			}
		})
	}
	page, err := os.ReadFile("DEFECTS.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, defectsPage(t, want)) {
		t.Error("DEFECTS.md is not what defects.json says; with -update it is written anew")
	}
}

// likes are the scenarios without the defect, by the name of a scenario that has the
// defect and cannot extend them.
var likes = map[string]string{
	"apply-patch-diff":        "sound-patch",
	"calls-interleaved":       "sound-arguments",
	"logprobs-without-bytes":  "sound-logprobs",
	"no-reasoning-part-added": "sound-reasoning-text",
}

// defectRows are the rows without the outcomes. A scenario named sound-… has no defect.
// For any other, the scenario without the defect is the sound one that it extends, or
// that in likes, or else the first of the file.
func defectRows(t *testing.T) []defectCase {
	t.Helper()
	list := defectScenarios(t)
	base := map[string]string{}
	for _, s := range list {
		base[s.Name] = s.Extends
	}
	var rows []defectCase
	for _, s := range list {
		if strings.HasPrefix(s.Name, "sound-") {
			continue
		}
		like := s.Extends
		for like != "" && !strings.HasPrefix(like, "sound-") {
			like = base[like]
		}
		rows = append(rows, defectCase{"case": s.Name, "like": cmp.Or(like, likes[s.Name], list[0].Name)})
	}
	return rows
}

func defectScenarios(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	src, err := os.ReadFile("defects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	list, problems := yamlfile.Parse("defects.yaml", src)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// tryDefects runs all clients against the server at url, and fills in the outcomes of rows.
func tryDefects(t *testing.T, url string, rows []defectCase) []defectCase {
	t.Helper()
	var asked []inquiry
	for _, row := range rows {
		for _, client := range defectClients {
			for _, name := range []string{row["like"], row["case"]} {
				q := inquiry{Client: client, Scenario: name, Surface: "responses"}
				if !slices.ContainsFunc(asked, func(known inquiry) bool { return known.title() == q.title() }) {
					asked = append(asked, q)
				}
			}
		}
	}
	got := map[string]reading{}
	for i, r := range readAll(t, url, asked) {
		got[asked[i].title()] = r
	}
	for _, row := range rows {
		for _, client := range defectClients {
			sound := got[inquiry{Client: client, Scenario: row["like"], Surface: "responses"}.title()]
			if sound.Error != "" || sound.Finish == "" {
				row[client] = "–"
				continue
			}
			row[client] = outcomeOf(t, sound, got[inquiry{Client: client, Scenario: row["case"], Surface: "responses"}.title()])
		}
	}
	return rows
}

func outcomeOf(t *testing.T, sound, got reading) string {
	t.Helper()
	sound.Calls, got.Calls = withoutDrawnIDs(sound.Calls), withoutDrawnIDs(got.Calls)
	if got.Error != "" {
		kind := "ERR "
		failure := got.Error
		if got.Error, got.Finish = "", sound.Finish; reflect.DeepEqual(got, sound) {
			kind = "ERR part "
		}
		return kind + briefly(failure)
	}
	if whole := got; got.Final != nil && *got.Final == sound.Text {
		whole.Text, whole.Final = sound.Text, nil
		if reflect.DeepEqual(whole, sound) {
			return "ok at end"
		}
	}
	kind := "lost"
	var what []string
	var was, is members
	fromJSON(t, []byte(text(sound)), &was)
	fromJSON(t, []byte(text(got)), &is)
	for _, name := range membersOf(reading{}) {
		switch {
		case bytes.Equal(was[name], is[name]):
		case is[name] == nil:
			what = append(what, "no "+name)
		default:
			what = append(what, name+" "+string(is[name]))
			if !partOf(is[name], was[name]) {
				kind = "differs"
			}
		}
	}
	if what == nil {
		return "ok"
	}
	return kind + ": " + strings.Join(what, ", ")
}

// drawnID matches an id that the server generated for a call that the scenario gives none.
var drawnID = regexp.MustCompile(`^call_\w{20,} `)

// withoutDrawnIDs numbers the generated ids in calls: they differ from scenario to
// scenario.
func withoutDrawnIDs(calls []string) []string {
	var ids, list []string
	for _, call := range calls {
		id := drawnID.FindString(call)
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		if id != "" {
			call = fmt.Sprintf("call_%d %s", 1+slices.Index(ids, id), strings.TrimPrefix(call, id))
		}
		list = append(list, call)
	}
	return list
}

// membersOf are the JSON names of the fields of a reading, in order.
func membersOf(r reading) []string {
	var names []string
	for field := range reflect.TypeOf(r).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// partOf reports whether a JSON string or array is a part of another one.
func partOf(part, whole json.RawMessage) bool {
	inner := strings.Trim(string(part), `"[]`)
	return (part[0] == '"' || part[0] == '[') && strings.Contains(string(whole), inner)
}

// passing matches what differs from run to run in the text of an error.
var passing = regexp.MustCompile(`[[:xdigit:]]{16,}|127\.0\.0\.1:\d+|"created_at":\d+`)

// briefly is the beginning of an error. Of JavaScript's own errors it is the class
// alone, because each version of Node words them in another way.
func briefly(failure string) string {
	kind, _, _ := strings.Cut(failure, " ")
	if kind == "SyntaxError" || kind == "TypeError" {
		return kind
	}
	runes := []rune(passing.ReplaceAllString(failure, "…"))
	if len(runes) > 100 {
		runes = append(runes[:100], '…')
	}
	return string(runes)
}
