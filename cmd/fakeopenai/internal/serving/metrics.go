package serving

import (
	"cmp"
	"net/http"
	"runtime"
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

// Metrics are the metrics of one server. They are safe for concurrent use, and a handler
// that shows them to Prometheus.
type Metrics struct {
	set  *metrics.Set
	fake *server.Server // fake has counters of its own; nil until Watch.

	mu     sync.Mutex        // guards what follows
	labels map[string]*label // labels are the labels of scenarios and faults that are measured apart.
	others label             // others is the label of all others.
}

// label is the value of a label that a name gives.
type label struct {
	text string                       // text is the name, escaped.
	late *metrics.PrometheusHistogram // late has the time from when each write was due; nil before the first write.
}

// Measure makes metrics and sets the config so that its server is measured. The function
// Observe that the config already has is still called.
func Measure(config *server.Config) *Metrics {
	metrics.ExposeMetadata(true)
	m := &Metrics{set: metrics.NewSet(), labels: map[string]*label{}, others: label{text: "(others)"}}
	observe := config.Observe
	config.Observe = func(e journal.Entry) {
		m.observeAnswer(&e)
		if observe != nil {
			observe(e)
		}
	}
	config.ObserveWrite = func(w journal.Write) { m.wrote(&w) }
	return m
}

// Watch adds the counters of the server itself.
func (m *Metrics) Watch(fake *server.Server) {
	m.fake = fake
	for name, figure := range map[string]func(server.Figures) float64{
		"fakeopenai_journal_bytes":   func(f server.Figures) float64 { return float64(f.JournalBytes) },
		"fakeopenai_journal_entries": func(f server.Figures) float64 { return float64(f.JournalEntries) },
		"fakeopenai_open_requests":   func(f server.Figures) float64 { return float64(f.OpenRequests) },
		"fakeopenai_open_websockets": func(f server.Figures) float64 { return float64(f.WebSockets) },
	} {
		m.set.NewGauge(name, func() float64 { return figure(fake.Figures()) })
	}
}

func (m *Metrics) wrote(w *journal.Write) {
	m.mu.Lock()
	defer m.mu.Unlock()
	scenario := m.label(w.Scenario)
	if scenario.late == nil {
		scenario.late = m.set.GetOrCreatePrometheusHistogramExt(series("fakeopenai_write_lateness_seconds", "scenario", scenario.text), lateBounds)
	}
	scenario.late.Update(max(0, w.Late.Seconds()))
}

// observeAnswer measures an answer. The labels have OpenTelemetry's names for generative AI where it has some, with _ in place of
// dots. The model is no label, because a client can send any name.
func (m *Metrics) observeAnswer(e *journal.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, status, scenario := &e.Delivery, "", ""
	if e.Status != 0 {
		status = strconv.Itoa(e.Status)
	}
	if e.Scenario != "" {
		scenario = m.label(e.Scenario).text
	}
	count := func(n int64, name string, labels ...string) {
		m.set.GetOrCreateCounter(series(name, labels...)).AddInt64(n)
	}
	count(1, "fakeopenai_requests_total", "ending", string(d.Ended), "scenario", scenario, "status", status, "surface", e.Surface)
	if e.Injected != "" {
		count(1, "fakeopenai_injected_faults_total", "fault", m.label(e.Injected).text, "scenario", scenario)
	}
	count(int64(d.Frames), "fakeopenai_sent_events_total", "scenario", scenario, "surface", e.Surface)
	count(d.Bytes, "fakeopenai_sent_bytes_total", "scenario", scenario, "surface", e.Surface)
	if e.Surface == "" {
		return
	}
	timed := []string{"gen_ai_operation_name", server.SurfaceNamed(e.Surface).Operation, "scenario", scenario}
	took := func(d time.Duration, bounds []float64, name string, labels ...string) {
		m.set.GetOrCreatePrometheusHistogramExt(series(name, labels...), bounds).Update(max(0, d.Seconds()))
	}
	took(d.Duration, durationBounds, "gen_ai_server_request_duration_seconds", append([]string{"error_type", errorType(e, status)}, timed...)...)
	if e.Request == nil || !e.Request.Stream || e.Status >= 400 || d.Bytes == 0 {
		return
	}
	took(d.First, firstBounds, "gen_ai_server_time_to_first_token_seconds", timed...)
	if !e.Failed && e.OutputTokens > 1 {
		took((d.Last-d.First)/time.Duration(e.OutputTokens-1), tokenBounds, "gen_ai_server_time_per_output_token_seconds", timed...)
	}
}

var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// series is the name of a metric with labels, which are names and escaped values in turn.
func series(name string, labels ...string) string {
	text := append(make([]byte, 0, 256), name...) // nearly all names are shorter
	for i := 0; i < len(labels); i += 2 {
		text = append(text, "{,"[min(i, 1)])
		text = append(append(append(text, labels[i]...), `="`...), labels[i+1]...)
		text = append(text, '"')
	}
	return string(append(text, '}'))
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

// label returns the label of a scenario or a fault, or others beyond maxScenarios. The
// caller holds m.mu.
func (m *Metrics) label(name string) *label {
	known := m.labels[name]
	if known == nil && len(m.labels) < maxScenarios {
		known = &label{text: escaped.Replace(name)}
		m.labels[name] = known
	}
	return cmp.Or(known, &m.others)
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
	if m.fake != nil {
		figures := m.fake.Figures()
		m.set.GetOrCreateCounter(`fakeopenai_reloads_total{outcome="failed"}`).Set(uint64(figures.FailedReloads)) //nolint:gosec // it is not negative
		m.set.GetOrCreateCounter(`fakeopenai_reloads_total{outcome="succeeded"}`).Set(uint64(figures.Reloads))    //nolint:gosec // as above
	}
	m.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
	metrics.WriteFDMetrics(w)
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
