// Package metrics collects the metrics of a server for Prometheus. It is the only package
// that imports the Prometheus library.
package metrics

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Labels. Those of OpenTelemetry's conventions for generative AI have its names, with
// _ in place of points. The model is no label, because a client can send any name.
const (
	scenarioLabel  = "scenario"
	surfaceLabel   = "surface"
	statusLabel    = "status"
	endingLabel    = "ending"
	operationLabel = "gen_ai_operation_name"
	errorLabel     = "error_type"
)

// maxScenarios is the largest number of values of the label scenario, because tests can
// put any number of scenarios over HTTP. Further scenarios share the value others.
const maxScenarios = 1000

const others = "(others)"

// Bounds of the histograms' buckets in seconds. The first three are those of
// OpenTelemetry's conventions; the lowest bounds of lateness are the precision of timers
// on an idle machine.
var (
	durationBounds = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	firstBounds    = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
	tokenBounds    = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5}
	lateBounds     = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1}
)

// Metrics are the metrics of one server.
type Metrics struct {
	fake *server.Server // fake has counters of its own; nil until Watch.

	requests *prometheus.CounterVec
	events   *prometheus.CounterVec
	bytes    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	first    *prometheus.HistogramVec
	perToken *prometheus.HistogramVec
	lateness *prometheus.HistogramVec

	series cache[kind, *series]               // series holds the metrics of each kind of answers.
	late   cache[string, prometheus.Observer] // late holds the histogram of lateness of each scenario.

	mu        sync.RWMutex
	scenarios map[string]bool // scenarios are the names used as labels; guarded by mu.
}

// Of makes metrics and sets the config so that its server collects them and serves them
// at /_fake/metrics. The functions Observe and ObserveWrite that the config already has
// are still called.
func Of(config *server.Config) *Metrics {
	m := &Metrics{scenarios: map[string]bool{}}
	m.requests = counter("fakeopenai_requests_total", "Requests that were answered or broken off.", scenarioLabel, surfaceLabel, statusLabel, endingLabel)
	m.events = counter("fakeopenai_sent_events_total", "Events of streams, and whole bodies, that were sent by scenarios. Counted when an answer ends.", scenarioLabel, surfaceLabel)
	m.bytes = counter("fakeopenai_sent_bytes_total", "Bytes of bodies that were sent. Counted when an answer ends.", scenarioLabel, surfaceLabel)
	m.duration = histogram("gen_ai_server_request_duration_seconds", "Time from a request to the end of its answer.", durationBounds, operationLabel, scenarioLabel, errorLabel)
	m.first = histogram("gen_ai_server_time_to_first_token_seconds", "Time from a request to when the first event of its stream was written.", firstBounds, operationLabel, scenarioLabel)
	m.perToken = histogram("gen_ai_server_time_per_output_token_seconds", "Time from the first to the last write of a stream that was sent whole, for each token of output after the first.", tokenBounds, operationLabel, scenarioLabel)
	m.lateness = histogram("fakeopenai_write_lateness_seconds", "Time from when a part of an answer was due to when it was written.", lateBounds, scenarioLabel)
	observe, observeWrite := config.Observe, config.ObserveWrite
	config.Observe = func(e journal.Entry) {
		m.count(&e)
		if observe != nil {
			observe(e)
		}
	}
	config.ObserveWrite = func(w journal.Write) {
		m.late.of(m.scenario(w.Scenario), m.lateOf).Observe(w.Late.Seconds())
		if observeWrite != nil {
			observeWrite(w)
		}
	}
	shown := sync.OnceValue(m.handler) // made at the first request, because few servers get one
	config.Metrics = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { shown().ServeHTTP(w, r) })
	return m
}

// Watch adds the counters of the server itself. It must be called before the server gets
// requests.
func (m *Metrics) Watch(fake *server.Server) { m.fake = fake }

// handler returns the handler of /_fake/metrics.
func (m *Metrics) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.events, m.bytes, m.duration, m.first, m.perToken, m.lateness,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if m.fake != nil {
		registry.MustRegister(countedBy(m.fake)...)
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// countedBy returns collectors for the counters of the server itself.
func countedBy(fake *server.Server) (list []prometheus.Collector) {
	for _, g := range []struct {
		name, help string
		of         func(server.Figures) int
	}{
		{"fakeopenai_open_requests", "Requests that are not answered whole yet, open streams among them.", func(f server.Figures) int { return f.OpenRequests }},
		{"fakeopenai_open_websockets", "WebSocket connections that are open.", func(f server.Figures) int { return f.WebSockets }},
		{"fakeopenai_journal_entries", "Requests that the journal remembers.", func(f server.Figures) int { return f.JournalEntries }},
		{"fakeopenai_journal_bytes", "Bytes that the journal holds.", func(f server.Figures) int { return f.JournalBytes }},
	} {
		list = append(list, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, func() float64 { return float64(g.of(fake.Figures())) }))
	}
	for outcome, of := range map[string]func(server.Figures) int64{
		"succeeded": func(f server.Figures) int64 { return f.Reloads },
		"failed":    func(f server.Figures) int64 { return f.FailedReloads },
	} {
		list = append(list, prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "fakeopenai_reloads_total", Help: "How often scenarios were read again.", ConstLabels: prometheus.Labels{"outcome": outcome},
		}, func() float64 { return float64(of(fake.Figures())) }))
	}
	return list
}

// kind is a kind of answers: those with the same labels and the same observed times.
type kind struct {
	scenario, surface string
	status            int
	ended             journal.Ending
	failed            bool
	first, perToken   bool
}

// series holds the metrics of one kind of answers. They are cached because finding them
// by their labels takes as long as writing a line of the log.
type series struct {
	requests, events, bytes prometheus.Counter
	// duration, first and perToken are nil if the kind does not observe that time.
	duration, first, perToken prometheus.Observer
}

// count counts a completed answer.
func (m *Metrics) count(e *journal.Entry) {
	d := &e.Delivery
	k := kind{scenario: m.scenario(e.Scenario), surface: e.Surface, status: e.Status, ended: d.Ended, failed: e.Failed}
	k.first = operations[e.Surface] != "" && streamed(e) && e.Status < 400 && d.Bytes > 0
	k.perToken = k.first && !e.Failed && e.OutputTokens > 1
	s := m.series.of(k, m.seriesOf)
	s.requests.Inc()
	s.events.Add(float64(d.Frames))
	s.bytes.Add(float64(d.Bytes))
	if s.duration != nil {
		s.duration.Observe(d.Duration.Seconds())
	}
	if s.first != nil {
		s.first.Observe(d.First.Seconds())
	}
	if s.perToken != nil {
		s.perToken.Observe((d.Last - d.First).Seconds() / float64(e.OutputTokens-1))
	}
}

// seriesOf makes the metrics of a kind. From then on they are exported, even as 0.
func (m *Metrics) seriesOf(k kind) *series {
	status := statusText(k.status)
	s := &series{
		requests: m.requests.WithLabelValues(k.scenario, k.surface, status, string(k.ended)),
		events:   m.events.WithLabelValues(k.scenario, k.surface),
		bytes:    m.bytes.WithLabelValues(k.scenario, k.surface),
	}
	operation := operations[k.surface]
	if operation != "" {
		s.duration = m.duration.WithLabelValues(operation, k.scenario, errorType(k, status))
	}
	if k.first {
		s.first = m.first.WithLabelValues(operation, k.scenario)
	}
	if k.perToken {
		s.perToken = m.perToken.WithLabelValues(operation, k.scenario)
	}
	return s
}

func (m *Metrics) lateOf(scenario string) prometheus.Observer {
	return m.lateness.WithLabelValues(scenario)
}

// cache is a map for few keys whose values are made on demand. The zero value is empty
// and ready to use. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	mu     sync.RWMutex // guards values
	values map[K]V
}

// of returns the value of a key, which made makes at the first call.
func (c *cache[K, V]) of(key K, made func(K) V) V {
	c.mu.RLock()
	v, ok := c.values[key]
	c.mu.RUnlock()
	if ok {
		return v
	}
	v = made(key) // two goroutines may both make it: the values are equal
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[K]V{}
	}
	c.values[key] = v
	return v
}

// operations are OpenTelemetry's operation names by surface. Chat completions and
// responses are the same operation, chat.
var operations = map[string]string{"chat": "chat", "completions": "text_completion", "responses": "chat"}

// errorType returns the label error_type: the status of an error, broken_off, or "" for
// a whole answer.
func errorType(k kind, status string) string {
	switch {
	case !k.failed:
		return ""
	case k.status >= 400:
		return status
	}
	return "broken_off"
}

func streamed(e *journal.Entry) bool { return e.Request != nil && e.Request.Stream }

// statusText returns a status as a label; "" if there was no status.
func statusText(status int) string {
	if status == 0 {
		return ""
	}
	return strconv.Itoa(status)
}

// scenario returns the label of a scenario: its name, or others beyond maxScenarios.
func (m *Metrics) scenario(name string) string {
	m.mu.RLock()
	known, full := m.scenarios[name], len(m.scenarios) >= maxScenarios
	m.mu.RUnlock()
	switch {
	case known || name == "":
		return name
	case full:
		return others
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.scenarios) >= maxScenarios && !m.scenarios[name] {
		return others
	}
	m.scenarios[name] = true
	return name
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func histogram(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, labels)
}
