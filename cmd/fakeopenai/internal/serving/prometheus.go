package serving

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/fakeopenai/fakeopenai/server"
)

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
	showCounts(w, "fakeopenai_requests_total", "Requests that were answered or broken off.", m.requests, "ending", "scenario", "status", "surface")
	sent := []string{"scenario", "surface"}
	showCounts(w, "fakeopenai_sent_bytes_total", "Bytes of bodies that were sent. Counted when an answer ends.", m.bytes, sent...)
	showCounts(w, "fakeopenai_sent_events_total", "Events of streams, and whole bodies, that were sent by scenarios. Counted when an answer ends.", m.events, sent...)
	late := series[histogram]{}
	for scenario, of := range m.scenarios {
		if of.late.count > 0 {
			*late.of(scenario) = of.late
		}
	}
	showTimes(w, "fakeopenai_write_lateness_seconds", "Time from when a part of an answer was due to when it was written.", lateBounds, late, "scenario")
	timed := []string{"gen_ai_operation_name", "scenario"}
	showTimes(w, "gen_ai_server_request_duration_seconds", "Time from a request to the end of its answer.", durationBounds, m.duration, "error_type", timed[0], timed[1])
	showTimes(w, "gen_ai_server_time_per_output_token_seconds", "Time from the first to the last write of a stream that was sent whole, for each token of output after the first.", tokenBounds, m.perToken, timed...)
	showTimes(w, "gen_ai_server_time_to_first_token_seconds", "Time from a request to when the first event of its stream was written.", firstBounds, m.first, timed...)
}

// showFigures writes what the server itself counts.
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

// showCounts writes a counter.
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
		for _, bound := range bounds {
			fmt.Fprintf(w, "%s_bucket{%s,le=\"%g\"} %d\n", name, those, bound, h.upTo(time.Duration(bound*float64(time.Second))))
		}
		fmt.Fprintf(w, "%s_bucket{%s,le=\"+Inf\"} %d\n", name, those, h.count)
		fmt.Fprintf(w, "%s_sum{%s} %g\n%s_count{%s} %d\n", name, those, h.sum.Seconds(), name, those, h.count)
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

// pairs returns labels with their values.
func pairs(labels []string, values [maxLabels]string) string {
	list := make([]string, len(labels))
	for i, label := range labels {
		list[i] = label + `="` + escaped.Replace(values[i]) + `"`
	}
	return strings.Join(list, ",")
}
