package serving

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// maxScenarios is the largest number of scenarios that are measured apart, because tests can
// put any number of them over HTTP. Further scenarios are measured together as others.
const maxScenarios = 1000

const others = "(others)"

// Metrics are the metrics of one server. They are safe for concurrent use, and a handler
// that shows them to Prometheus.
type Metrics struct {
	fake *server.Server // fake has counters of its own; nil until Watch.

	mu        sync.Mutex      // guards all that follows
	scenarios map[string]bool // scenarios are those that are measured apart.
	requests  series[int64]
	injected  series[int64]
	events    series[int64]
	bytes     series[int64]
	duration  series[histogram]
	first     series[histogram]
	perToken  series[histogram]
	late      series[histogram] // late is the time from when a write was due.
}

// maxLabels is the largest number of labels of a metric.
const maxLabels = 4

// series are the values of a metric by the values of its labels, in the order of the
// labels' names.
type series[V any] map[[maxLabels]string]*V

// of returns the value for some values of the labels. From then on it is shown, even as 0.
func (s series[V]) of(labels ...string) *V {
	var key [maxLabels]string
	copy(key[:], labels)
	v := s[key]
	if v == nil {
		v = new(V)
		s[key] = v
	}
	return v
}

// Measure makes metrics and sets the config so that its server is measured. The function
// Observe that the config already has is still called.
func Measure(config *server.Config) *Metrics {
	m := &Metrics{
		scenarios: map[string]bool{}, requests: series[int64]{}, injected: series[int64]{}, events: series[int64]{}, bytes: series[int64]{},
		duration: series[histogram]{}, first: series[histogram]{}, perToken: series[histogram]{},
		late: series[histogram]{},
	}
	observe := config.Observe
	config.Observe = func(e journal.Entry) {
		m.ended(&e)
		if observe != nil {
			observe(e)
		}
	}
	config.ObserveWrite = func(w journal.Write) { m.wrote(&w) }
	return m
}

// Watch adds the counters of the server itself. It must be called before the server gets
// requests.
func (m *Metrics) Watch(fake *server.Server) { m.fake = fake }

func (m *Metrics) wrote(w *journal.Write) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.late.of(m.label(w.Scenario)).add(w.Late, lateBounds)
}

func (m *Metrics) ended(e *journal.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, status, scenario := &e.Delivery, "", ""
	if e.Status != 0 {
		status = strconv.Itoa(e.Status)
	}
	if e.Scenario != "" {
		scenario = m.label(e.Scenario)
	}
	*m.requests.of(string(d.Ended), scenario, status, e.Surface)++
	if e.Injected != "" {
		*m.injected.of(m.label(e.Injected), scenario)++
	}
	*m.events.of(scenario, e.Surface) += int64(d.Frames)
	*m.bytes.of(scenario, e.Surface) += d.Bytes
	if e.Surface == "" {
		return
	}
	operation := server.SurfaceNamed(e.Surface).Operation
	m.duration.of(errorType(e, status), operation, scenario).add(d.Duration, durationBounds)
	if e.Request == nil || !e.Request.Stream || e.Status >= 400 || d.Bytes == 0 {
		return
	}
	m.first.of(operation, scenario).add(d.First, firstBounds)
	if !e.Failed && e.OutputTokens > 1 {
		m.perToken.of(operation, scenario).add((d.Last-d.First)/time.Duration(e.OutputTokens-1), tokenBounds)
	}
}

// errorType returns the label error_type: the status of an error, broken_off, or "" for
// a whole answer.
func errorType(e *journal.Entry, status string) string {
	switch {
	case !e.Failed:
		return ""
	case e.Status >= 400:
		return status
	}
	return "broken_off"
}

// label returns the label of a scenario: its name, or others beyond maxScenarios. The
// caller holds m.mu.
func (m *Metrics) label(scenario string) string {
	if !m.scenarios[scenario] && len(m.scenarios) >= maxScenarios {
		return others
	}
	m.scenarios[scenario] = true
	return scenario
}

// Bounds of the histograms' buckets in seconds. The first three are those of
// OpenTelemetry's conventions; the lowest bounds of lateness are the precision of timers
// on an idle machine.
var (
	durationBounds = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	firstBounds    = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
	tokenBounds    = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5}
	lateBounds     = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1}
)

// ServeHTTP shows the metrics in the text format of Prometheus.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	var text bytes.Buffer
	m.show(&text)
	metrics.WriteProcessMetrics(&text)
	metrics.WriteFDMetrics(&text)
	_, _ = w.Write(text.Bytes()) // a scraper that has gone needs no answer
}

// show writes our metrics. Their labels have OpenTelemetry's names for generative AI where
// it has some, with _ in place of dots. The model is no label, because a client can send any
// name.
func (m *Metrics) show(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fake != nil {
		showFigures(w, m.fake.Figures())
	}
	showCounts(w, "fakeopenai_injected_faults_total", "Answers that faults struck.", m.injected, "fault", "scenario")
	showCounts(w, "fakeopenai_requests_total", "Requests that were answered or broken off.", m.requests, "ending", "scenario", "status", "surface")
	sent := []string{"scenario", "surface"}
	showCounts(w, "fakeopenai_sent_bytes_total", "Bytes of bodies that were sent. Counted when an answer ends.", m.bytes, sent...)
	showCounts(w, "fakeopenai_sent_events_total", "Events of streams, and whole bodies, that were sent by scenarios. Counted when an answer ends.", m.events, sent...)
	showTimes(w, "fakeopenai_write_lateness_seconds", "Time from when a part of an answer was due to when it was written.", lateBounds, m.late, "scenario")
	timed := []string{"gen_ai_operation_name", "scenario"}
	showTimes(w, "gen_ai_server_request_duration_seconds", "Time from a request to the end of its answer.", durationBounds, m.duration, "error_type", timed[0], timed[1])
	showTimes(w, "gen_ai_server_time_per_output_token_seconds", "Time from the first to the last write of a stream that was sent whole, for each token of output after the first.", tokenBounds, m.perToken, timed...)
	showTimes(w, "gen_ai_server_time_to_first_token_seconds", "Time from a request to when the first event of its stream was written.", firstBounds, m.first, timed...)
}

func showFigures(w io.Writer, f server.Figures) {
	for _, g := range []struct {
		name, help string
		value      int
	}{
		{"fakeopenai_journal_bytes", "Bytes that the journal holds.", f.JournalBytes},
		{"fakeopenai_journal_entries", "Requests that the journal remembers.", f.JournalEntries},
		{"fakeopenai_open_requests", "Requests that are not answered whole yet, open streams among them.", f.OpenRequests},
		{"fakeopenai_open_websockets", "WebSocket connections that are open.", f.WebSockets},
	} {
		head(w, g.name, g.help, "gauge")
		fmt.Fprintf(w, "%s %d\n", g.name, g.value)
	}
	reloads := series[int64]{}
	*reloads.of("succeeded"), *reloads.of("failed") = f.Reloads, f.FailedReloads
	showCounts(w, "fakeopenai_reloads_total", "How often scenarios were read again.", reloads, "outcome")
}

func head(w io.Writer, name, help, kind string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func showCounts(w io.Writer, name, help string, counts series[int64], labels ...string) {
	head(w, name, help, "counter")
	for values, count := range counts.sorted() {
		fmt.Fprintf(w, "%s{%s} %d\n", name, pairs(labels, values), *count)
	}
}

// showTimes writes a histogram of durations in seconds.
func showTimes(w io.Writer, name, help string, bounds []float64, times series[histogram], labels ...string) {
	head(w, name, help, "histogram")
	for values, h := range times.sorted() {
		those := pairs(labels, values)
		count := int64(0)
		for i, bound := range bounds {
			count += h.counts[i]
			fmt.Fprintf(w, "%s_bucket{%s,le=\"%g\"} %d\n", name, those, bound, count)
		}
		count += h.counts[len(bounds)]
		fmt.Fprintf(w, "%s_bucket{%s,le=\"+Inf\"} %d\n", name, those, count)
		fmt.Fprintf(w, "%s_sum{%s} %g\n%s_count{%s} %d\n", name, those, h.sum.Seconds(), name, those, count)
	}
}

// sorted returns the values in the order of those of their labels.
func (s series[V]) sorted() iter.Seq2[[maxLabels]string, *V] {
	return func(yield func([maxLabels]string, *V) bool) {
		keys := slices.SortedFunc(maps.Keys(s), func(a, b [maxLabels]string) int { return slices.Compare(a[:], b[:]) })
		for _, key := range keys {
			if !yield(key, s[key]) {
				return
			}
		}
	}
}

var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func pairs(labels []string, values [maxLabels]string) string {
	list := make([]string, len(labels))
	for i, label := range labels {
		list[i] = label + `="` + escaped.Replace(values[i]) + `"`
	}
	return strings.Join(list, ",")
}

// heapFloor is the size in bytes of a block of heap that is never used. Go collects
// garbage when the heap has doubled. The heap of a server with a full journal is so
// small that under load a fifth of the time would go into garbage collection.
const heapFloor = 32 << 20

// untouched is the block that raises the size of the heap; nil before the first collection.
var untouched atomic.Pointer[[heapFloor]byte]

// RaiseHeap makes this process collect garbage only when its heap has grown by 64 MiB
// more than by default, unless GOGC or GOMEMLIMIT is in the environment. A large heap is
// collected about as often as before. For that a block of heapFloor bytes is allocated at
// the first collection: allocating it at once would itself start a collection, which would
// delay the first answer. Nothing is written to it, so that it takes no physical memory.
func RaiseHeap(env map[string]string) {
	if env["GOGC"] == "" && env["GOMEMLIMIT"] == "" {
		// An unreachable pointer is cleaned up by the first collection.
		runtime.AddCleanup(new(*int), func(int) { untouched.Store(new([heapFloor]byte)) }, 0)
	}
}

// histogram counts durations by the least of its bounds that they do not exceed. The zero value is ready
// to use.
type histogram struct {
	counts []int64 // counts has one number more than there are bounds, for what exceeds all.
	sum    time.Duration
}

// add counts a duration by bounds in seconds, which are the same in each call.
func (h *histogram) add(d time.Duration, bounds []float64) {
	if h.counts == nil {
		h.counts = make([]int64, len(bounds)+1)
	}
	d = max(0, d)
	i, _ := slices.BinarySearch(bounds, d.Seconds())
	h.counts[i]++
	h.sum += d
}
