// Package metrics counts what a server does, for Prometheus. It alone knows the
// library that counts.
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
// _ for the points. Models are no label: a client can name any.
const (
	scenarioLabel  = "scenario"
	surfaceLabel   = "surface"
	statusLabel    = "status"
	endingLabel    = "ending"
	operationLabel = "gen_ai_operation_name"
	errorLabel     = "error_type"
)

// maxScenarios is how many scenarios are told apart. Tests can put any number of them
// over HTTP; what more there are count as those named others.
const maxScenarios = 1000

const others = "(others)"

// The bounds of buckets, in seconds. The first three are those that OpenTelemetry's
// conventions ask for; lateness begins where timers of an idle machine end.
var (
	durationBounds = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	firstBounds    = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
	tokenBounds    = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5}
	lateBounds     = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1}
)

// Metrics are the metrics of one server.
type Metrics struct {
	fake *server.Server // fake is asked for what it counts itself; nil for none.

	requests *prometheus.CounterVec
	events   *prometheus.CounterVec
	bytes    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	first    *prometheus.HistogramVec
	perToken *prometheus.HistogramVec
	lateness *prometheus.HistogramVec

	series cache[kind, *series]               // series are those of answers that are alike.
	late   cache[string, prometheus.Observer] // late is the lateness of writes, by scenario.

	mu        sync.RWMutex
	scenarios map[string]bool // scenarios are those that are told apart; guarded by mu.
}

// Of makes the metrics of the server that the config will make, which shows them at
// /_fake/metrics. What the config observes already is observed as before.
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
	shown := sync.OnceValue(m.handler) // few servers are asked for it
	config.Metrics = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { shown().ServeHTTP(w, r) })
	return m
}

// Watch adds what the server itself counts. It must not be called any more when
// metrics may be asked for.
func (m *Metrics) Watch(fake *server.Server) { m.fake = fake }

// handler shows the metrics.
func (m *Metrics) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.events, m.bytes, m.duration, m.first, m.perToken, m.lateness,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if m.fake != nil {
		registry.MustRegister(countedBy(m.fake)...)
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// countedBy is what the server itself counts.
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

// kind is what the labels of an answer depend on, and which of its times are told.
type kind struct {
	scenario, surface string
	status            int
	ended             journal.Ending
	failed            bool
	first, perToken   bool
}

// series are the metrics of one kind of answers. To find each of them by its labels
// takes as long as to write a line of the log.
type series struct {
	requests, events, bytes prometheus.Counter
	// duration, first and perToken are nil where that is not told.
	duration, first, perToken prometheus.Observer
}

// count counts an answer that has ended.
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

// seriesOf are the metrics of a kind, which are shown from now on.
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

// cache holds what belongs to keys, of which there are not many. The zero value holds
// nothing; it may be used by several goroutines.
type cache[K comparable, V any] struct {
	mu     sync.RWMutex // guards values
	values map[K]V
}

// of is what belongs to a key. It is made when it is first asked for.
func (c *cache[K, V]) of(key K, made func(K) V) V {
	c.mu.RLock()
	v, ok := c.values[key]
	c.mu.RUnlock()
	if ok {
		return v
	}
	v = made(key) // twice, by two at the same time, is the same
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[K]V{}
	}
	c.values[key] = v
	return v
}

// operations are OpenTelemetry's names for what is asked of a surface. It has one name
// for what is answered to messages, by whichever API.
var operations = map[string]string{"chat": "chat", "completions": "text_completion", "responses": "chat"}

// errorType says what was wrong with an answer; it is empty if nothing was.
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

// statusText is a status as a label.
func statusText(status int) string {
	if status == 0 {
		return ""
	}
	return strconv.Itoa(status)
}

// scenario is the label of a scenario.
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
