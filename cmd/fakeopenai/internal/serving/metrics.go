package serving

import (
	"strconv"
	"sync"
	"time"

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

	mu        sync.Mutex // guards all that follows
	scenarios map[string]*writes
	requests  series[int64]
	events    series[int64]
	bytes     series[int64]
	duration  series[histogram]
	first     series[histogram]
	perToken  series[histogram]
}

// writes are the times of the writes of one scenario.
type writes struct {
	gap  histogram // gap is the time from the write before it in the same answer.
	late histogram // late is the time from when it was due.
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

// Measure makes metrics and sets the config so that its server is measured. The functions
// Observe and ObserveWrite that the config already has are still called.
func Measure(config *server.Config) *Metrics {
	m := &Metrics{
		scenarios: map[string]*writes{}, requests: series[int64]{}, events: series[int64]{}, bytes: series[int64]{},
		duration: series[histogram]{}, first: series[histogram]{}, perToken: series[histogram]{},
	}
	observe, observeWrite := config.Observe, config.ObserveWrite
	config.Observe = func(e journal.Entry) {
		m.ended(&e)
		if observe != nil {
			observe(e)
		}
	}
	config.ObserveWrite = func(w journal.Write) {
		m.wrote(&w)
		if observeWrite != nil {
			observeWrite(w)
		}
	}
	return m
}

// Watch adds the counters of the server itself. It must be called before the server gets
// requests.
func (m *Metrics) Watch(fake *server.Server) { m.fake = fake }

// wrote measures one write of an answer.
func (m *Metrics) wrote(w *journal.Write) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, of := m.scenario(w.Scenario)
	of.late.add(w.Late)
	if !w.First {
		of.gap.add(w.Gap)
	}
}

// ended measures a completed answer.
func (m *Metrics) ended(e *journal.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, status, scenario := &e.Delivery, "", ""
	if e.Status != 0 {
		status = strconv.Itoa(e.Status)
	}
	if e.Scenario != "" {
		scenario, _ = m.scenario(e.Scenario)
	}
	*m.requests.of(string(d.Ended), scenario, status, e.Surface)++
	*m.events.of(scenario, e.Surface) += int64(d.Frames)
	*m.bytes.of(scenario, e.Surface) += d.Bytes
	if e.Surface == "" {
		return
	}
	operation := server.SurfaceNamed(e.Surface).Operation
	m.duration.of(errorType(e, status), operation, scenario).add(d.Duration)
	if e.Request == nil || !e.Request.Stream || e.Status >= 400 || d.Bytes == 0 {
		return
	}
	m.first.of(operation, scenario).add(d.First)
	if !e.Failed && e.OutputTokens > 1 {
		m.perToken.of(operation, scenario).add((d.Last - d.First) / time.Duration(e.OutputTokens-1))
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

// scenario returns the label of a scenario, its name or others beyond maxScenarios, and the
// times of its writes. The caller holds m.mu.
func (m *Metrics) scenario(name string) (label string, of *writes) {
	if of = m.scenarios[name]; of != nil {
		return name, of
	}
	if len(m.scenarios) >= maxScenarios {
		name = others
	}
	if of = m.scenarios[name]; of == nil {
		of = new(writes)
		m.scenarios[name] = of
	}
	return name, of
}
