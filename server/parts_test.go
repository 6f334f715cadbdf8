package server_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// used returns how many allocations and bytes a call of do takes. It is the minimum of
// several rounds, since garbage collections and other goroutines only add to it.
func used(do func()) (times, size float64) {
	const rounds, runs = 4, 10
	do() // the first call fills pools and caches
	for round := range rounds {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			do()
		}
		runtime.ReadMemStats(&after)
		n, b := float64(after.Mallocs-before.Mallocs)/runs, float64(after.TotalAlloc-before.TotalAlloc)/runs
		if round == 0 || n < times {
			times = n
		}
		if round == 0 || b < size {
			size = b
		}
	}
	return times, size
}

const question = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hello"}]}`

// matching returns a function that matches a request to the last of many scenarios.
func matching(t *testing.T) func() {
	var src strings.Builder
	for i := range 100 {
		fmt.Fprintf(&src, "name: s%d\nwhen: {model: m%d, user: {contains: nothing}}\nmessage: hi\n---\n", i, i)
	}
	src.WriteString("name: last\nwhen: {model: gpt-4o*, user: {matches: 'h(?P<rest>.*)'}}\nmessage: hi\n")
	set := parse(t, src.String())
	req, err := chat.Surface{}.Read(nil, []byte(question))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if sel, _ := set.Match(t.Context(), req, unlimited{}, "", 1); sel == nil || sel.Scenario.Name != "last" {
			t.Fatal("the last scenario should match")
		}
	}
}

type unlimited struct{}

func (unlimited) Available(string, int, int) bool { return true }
func (unlimited) Drawn(*scenarios.Selection) bool { return true }

// reading returns a function that parses a file with a stream of n chunks.
func reading(n int) func(*testing.T) func() {
	return func(*testing.T) func() {
		src := []byte(script(n))
		return func() { yamlfile.Parse("bench.yaml", src) }
	}
}

// checking returns a function that checks a stream of n chunks with the rules.
func checking(n int) func(*testing.T) func() {
	return func(t *testing.T) func() {
		list, _ := yamlfile.Parse("bench.yaml", []byte(script(n)))
		return func() {
			set, err := scenarios.NewSet(list...)
			if err == nil {
				err = server.Check(set).Err()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// checkingMany returns a function that checks a file with many scenarios.
func checkingMany(scenarios int) func(*testing.T) func() {
	return func(t *testing.T) func() {
		var src strings.Builder
		for i := range scenarios {
			fmt.Fprintf(&src, "name: other%d\nwhen: { model: other-%d }\nmessage: Hello.\n---\n", i, i)
		}
		file := yamlfile.Source{Name: "many.yaml", Data: []byte(src.String())}
		return func() {
			if _, problems := server.CheckFiles(file); len(problems) > 0 {
				t.Fatal(problems)
			}
		}
	}
}

// starting returns a function that makes a server, as each test of a Go program does.
func starting(t *testing.T) func() {
	return func() {
		if _, err := server.New(server.Config{}); err != nil {
			t.Fatal(err)
		}
	}
}

// template is a scenario whose message has n words, one of which only a request tells.
func template(n int) string {
	return "name: x\nwhen: { user: { matches: '(?P<first>h)(ello|i)' } }\nmessage: 'Hi {{ .match.first }}" + strings.Repeat(" word", n-2) + "'\n"
}

// asking returns a function that answers a request.
func asking(yaml, body string) func(*testing.T) func() {
	return func(t *testing.T) func() { return answering(t, yaml, body) }
}

// TestPartsAllocateLittle bounds the allocations of the parts of an answer, which shows a regression
// on any machine. The bounds are a quarter above the measured values, but the allocations of short
// answers are those measured: none may come back. They may be lowered.
func TestPartsAllocateLittle(t *testing.T) { // not parallel: it counts the allocations of the process
	testflag.NoRace(t)
	const drawn = "name: x\npace: { first: { mean: 1ns }, every: 1ns, distribution: gamma, speed: 1000 }\nmessage: '"
	for _, tt := range []struct {
		name        string
		prepare     func(*testing.T) func()
		times, size float64
	}{
		{"reading 20 chunks", reading(20), 700, 114000},
		{"reading 200 chunks", reading(200), 6100, 935000},
		{"checking 20 chunks", checking(20), 395, 80000},
		{"checking 200 chunks", checking(200), 3150, 650000},
		{"checking 100 scenarios", checkingMany(100), 29000, 5100000},
		{"matching the last of 101 scenarios", matching, 8, 720},
		{"a server without scenarios", starting, 62, 4600},
		{"a stream of 20 chunks", asking(script(20), question), 31, 6300},
		{"a stream of 2,000 chunks", asking(script(2000), question), 31, 6300},
		{"an answer in one piece", asking(script(20), whole), 35, 7800},
		{"a write for each of 2,000 chunks", asking(strings.Replace(script(2000), "stream:", "pace: { every: 1ns }\nstream:", 1), question), 31, 6300},
		{"checked strictly", asking("strict: true\ncheck_history: true\n"+script(20), question), 35, 6800},
		{"an envelope of its own", asking("envelope: { id: mine, model: m, created: 1, system_fingerprint: fp_1 }\n"+script(20), question), 31, 6300},
		{"with metadata", asking(script(20), strings.Replace(whole, "{", `{"store":true,"metadata":{"a":"b"},`, 1)), 135, 22000}, // which is kept
		{"a template", asking(template(20), question), 72, 10000},
		{"a template in one piece", asking(template(20), whole), 72, 10000},
		{"a template on Responses", asking(template(20), `{"model":"gpt-4o","stream":true,"input":"hello"}`), 128, 20800},
		{"a template in 2,000 chunks", asking(template(2000), question), 73, 56000},
		{"2,000 chunks with drawn pauses", asking(drawn+strings.Repeat(" word", 1998)+"'\n", question), 44, 26000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			times, size := used(tt.prepare(t))
			t.Logf("{%q, %.0f, %.0f}", tt.name, times, size)
			if times >= tt.times+.5 || size > tt.size { // other goroutines add a fraction
				t.Errorf("%.0f allocations of %.0f bytes, want at most %.0f of %.0f", times, size, tt.times, tt.size)
			}
		})
	}
}
