package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const event = `data: {"id":"chatcmpl-0123","created":1790000000,"x":"y"}` + "\n\n"

func recorded(gap time.Duration) *recording {
	return &recording{
		Header: http.Header{"Content-Type": {"text/event-stream"}, "X-Request-Id": {"req_1"}, "Date": {"then"}},
		Body:   []byte(strings.Repeat(event, 20) + "data: [DONE]\n\n"), Gap: gap, Stream: true,
	}
}

// The client of this package reads chunked bodies and bodies with a Content-Length.
func TestTheClientReadsWhatIsSent(t *testing.T) {
	t.Parallel()
	r := recorded(0)
	for name, h := range map[string]http.Handler{"chunks": r.handler(barePlus), "whole": r.whole(barePlus)} {
		s := httptest.NewServer(h)
		defer s.Close()
		c, err := dial(s.URL, usualKey, usual.request(asStream), bufferSize)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		for range 2 { // the second on the same connection
			var got []byte
			a, err := c.once(pacing{}, func(_ map[string][]string, body []byte) { got = body })
			if err != nil || a.status != http.StatusOK || a.bytes != len(r.Body) || !bytes.Equal(got, r.Body) {
				t.Errorf("%s: %+v, %v, body %q", name, a, err, got)
			}
		}
	}
}

// An answer of patched+ has the length and the header fields of the recording, and in all
// its events one id, which no other answer has.
func TestPatchedAnswersDiffer(t *testing.T) {
	t.Parallel()
	r := recorded(0)
	s := httptest.NewServer(r.handler(patchedPlus))
	defer s.Close()
	var bodies []string
	for range 2 {
		resp, err := http.Post(s.URL, "application/json", strings.NewReader(usual.request(asStream)))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || len(body) != len(r.Body) || resp.Header.Get("X-Request-Id") != "req_1" || resp.Header.Get("Date") == "then" {
			t.Errorf("%d bytes, want %d; header %v; %v", len(body), len(r.Body), resp.Header, err)
		}
		bodies = append(bodies, string(body))
	}
	if strings.Contains(bodies[0], "0123") || strings.Count(bodies[0], "000001") != 0 && bodies[0] == bodies[1] {
		t.Errorf("the ids are those of the recording, or the same: %.80q, %.80q", bodies[0], bodies[1])
	}
	if id := memberOf([]byte(bodies[1]), `"id":"`); strings.Count(bodies[1], string(id)) != 20 {
		t.Errorf("the id %s is in %d events, want 20", id, strings.Count(bodies[1], string(id)))
	}
}

func TestEventsAreComparedWithTheirTimes(t *testing.T) {
	t.Parallel()
	var a answer
	due := pacing{gap: 10 * time.Millisecond, events: 3}
	a.note(0, 1, due)
	a.note(13*time.Millisecond, 1, due)
	a.note(19*time.Millisecond, 2, due) // [DONE] comes with the last chunk
	if want := []time.Duration{3 * time.Millisecond, time.Millisecond}; !slices.Equal(a.late, want) || a.drift != -time.Millisecond || a.events != 4 {
		t.Errorf("late %v, drift %v, %d events; want %v", a.late, a.drift, a.events, want)
	}
	if want := []time.Duration{3 * time.Millisecond, 4 * time.Millisecond}; !slices.Equal(a.gaps, want) {
		t.Errorf("the pauses were off by %v, want %v", a.gaps, want)
	}
}

func TestRatiosAreTakenRoundByRound(t *testing.T) {
	t.Parallel()
	var table table
	for _, f := range []float64{100, 10, 1000} { // the machine is slower in some rounds
		table.add("short", "", bare, figures{Answers: f})
		table.add("short", "", "fakeopenai", figures{Answers: 2 * f})
	}
	w := &table.Works[0]
	if got, want := w.result("fakeopenai").ratio(w.result(bare)), (spread{2, 2, 2}); got != want {
		t.Errorf("the ratio is %v, want %v", got, want)
	}
	if got, want := w.result(bare).of(func(f *figures) float64 { return f.Answers }), (spread{100, 10, 1000}); got != want {
		t.Errorf("answers are %v, want %v", got, want)
	}
	for _, want := range []string{"longer is better", "bare: a handler", "patched+: the bytes", "fakeopenai: the server"} {
		if chart := table.chart(); !strings.Contains(chart, want) {
			t.Errorf("the chart lacks %q: %s", want, chart)
		}
	}
	for _, text := range []string{table.markdown(), table.chart()} {
		if !strings.Contains(text, "2.00") || !strings.Contains(text, "patched") && !strings.Contains(text, "fakeopenai") {
			t.Errorf("the report lacks the ratio: %s", text)
		}
	}
}

// RESULTS.md and chart.svg show the figures of results.json, and name a command that is
// understood.
func TestTheReportShowsTheFigures(t *testing.T) {
	t.Parallel()
	var figures table
	for _, file := range []string{"results.json", "RESULTS.md", "chart.svg"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if file == "results.json" {
			if err := json.Unmarshal(src, &figures); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want := map[string]string{"RESULTS.md": figures.markdown(), "chart.svg": figures.chart()}[file]; string(src) != want {
			t.Errorf("%s does not show the figures of results.json: write all three with %s", file, figures.Command)
		}
	}
	_, args, _ := strings.Cut(figures.Command, "run .")
	s, err := commandLine(words(args)...)
	if err != nil || s.rounds != figures.Rounds || s.length.Seconds() != figures.Seconds {
		t.Errorf("%s asks for %+v, %v; results.json has %d rounds of %g s", figures.Command, s, err, figures.Rounds, figures.Seconds)
	}
}

func TestPercentiles(t *testing.T) {
	t.Parallel()
	var list []time.Duration
	for i := range 100 {
		list = append(list, time.Duration(100-i)*time.Millisecond)
	}
	if got := percentile(list, 50); got != 51 {
		t.Errorf("the median is %v, want 51", got)
	}
	if got := percentile(list, 99); got != 100 {
		t.Errorf("the 99th is %v, want 100", got)
	}
}

// The server of every helper answers.
func TestHelpersAnswer(t *testing.T) {
	t.Parallel()
	for _, h := range helpers() {
		if err := h.once(t); err != nil {
			t.Errorf("%s: %v", h.name, err)
		}
	}
}

// The binary stays small: the container image holds nothing else.
func TestTheReleaseIsSmall(t *testing.T) {
	t.Parallel()
	binary := t.TempDir() + "/fakeopenai"
	if err := build(binary); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	const most = 24_000_000
	if info.Size() >= most {
		t.Errorf("the stripped binary has %d bytes, want less than %d", info.Size(), most)
	}
}

// fakeopenai answers every work, with as many events as the work says.
func TestWorksAreAnswered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := dir + "/fakeopenai"
	if err := build(binary); err != nil {
		t.Fatal(err)
	}
	for _, w := range works(usual, []int{2}, 100*time.Millisecond) {
		file := dir + "/" + w.name + ".yaml"
		if err := writeFile(file, w.scenario); err != nil {
			t.Fatal(err)
		}
		p, err := start(serverCore, binary, "serve", "--addr", "127.0.0.1:0", file)
		if err != nil {
			t.Fatal(err)
		}
		on := target{name: "fakeopenai", process: p}
		_, err = on.probe(&w)
		p.stop()
		if err != nil || w.streamed() && on.events != w.events {
			t.Errorf("%s: %v; %d events, want %d", w.name, err, on.events, w.events)
		}
	}
}

// The configuration of a balancer gets the address and the replicas of a run, and no line of further ones.
func TestBalancersGetTheReplicasOfTheRun(t *testing.T) {
	t.Parallel()
	for name, b := range balancers {
		src, err := os.ReadFile("../deploy/" + b.file)
		if err != nil {
			t.Fatal(err)
		}
		got := balancing(string(src), b.listens, "127.0.0.1:9", []string{"http://127.0.0.1:1", "http://127.0.0.1:2"})
		for text, want := range map[string]int{"127.0.0.1:1": 1, "127.0.0.1:2": 1, "127.0.0.1:9": 1, "fakeopenai-2": 0, ":8080": 0} {
			if n := strings.Count(got, text); n != want {
				t.Errorf("%s: %q is there %d times, want %d:\n%s", name, text, n, want, got)
			}
		}
	}
}

// The connections of a target are spread over its replicas.
func TestConnectionsAreSpreadOverReplicas(t *testing.T) {
	t.Parallel()
	p := &process{stop: func() {}}
	for _, url := range []string{"a", "b", "c"} {
		p.add(&process{url: url, stop: func() {}})
	}
	got := ""
	for i := range 7 {
		got += p.urlFor(i)
	}
	if got != "abcabca" {
		t.Errorf("the connections go to %s", got)
	}
}

// The report on replicas ends with one table of all works, a line for each number of replicas.
func TestReplicasInShort(t *testing.T) {
	t.Parallel()
	report := &table{}
	for i, target := range []string{"1 × fakeopenai", "1 × fakeopenai nginx"} {
		report.add("short-per-frame", "", target, figures{Answers: 1000, CPU: float64(i+1) / 10})
		report.add("paced-300", "", target, figures{CPU: 0.5, LateP50: float64(i), LateP99: 7})
	}
	_, got, _ := strings.Cut(report.markdown(), "## In short\n\n")
	const want = `| | streams a second | CPU µs a stream | paced: cores | late p50 ms | p99 ms |
| --- | --- | --- | --- | --- | --- |
| 1 × fakeopenai | 1,000 (1,000–1,000) | 100 (100–100) | 0.50 (0.50–0.50) | 0.00 (0.00–0.00) | 7.00 (7.00–7.00) |
| 1 × fakeopenai nginx | 1,000 (1,000–1,000) | 200 (200–200) | 0.50 (0.50–0.50) | 1.00 (1.00–1.00) | 7.00 (7.00–7.00) |
`
	if got != want {
		t.Errorf("the report ends with\n%s\nwant\n%s", got, want)
	}
}
