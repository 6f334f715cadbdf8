package serving

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

const played = `
name: paced
pace: { first: 300ms, every: 100ms }
message: { content: one two three }
---
name: refused
when: { model: gpt-4o-mini }
error: { status: 429 }
---
name: cut
when: { model: gpt-4 }
message: { content: one two three }
end: { cut: { after: 2 } }
`

// measured is a server with metrics.
func measured(t *testing.T, yaml string, config server.Config) (*server.Server, *Metrics) {
	t.Helper()
	files, problems := yamlfile.Parse("played.yaml", []byte(yaml))
	err := problems.Err()
	if err != nil {
		t.Fatal(err)
	}
	config.Scenarios, err = scenarios.NewSet(files...)
	if err != nil {
		t.Fatal(err)
	}
	m := Measure(&config)
	config.Metrics = m
	fake, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	m.Watch(fake)
	t.Cleanup(fake.Close)
	return fake, m
}

func do(t *testing.T, fake http.Handler, method, path, body string) (answer *httptest.ResponseRecorder) {
	t.Helper()
	answer = httptest.NewRecorder()
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			panic(v)
		}
	}()
	fake.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body)))
	return answer
}

func ask(t *testing.T, fake http.Handler, path, of string) {
	t.Helper()
	do(t, fake, http.MethodPost, path, fmt.Sprintf(`{"model": %q, "stream": true, "prompt": "hi", "input": "hi", "messages": [{"role": "user", "content": "hi"}]}`, of))
}

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, fake http.Handler) map[string]*dto.MetricFamily {
	t.Helper()
	answer := do(t, fake, http.MethodGet, "/_fake/metrics", "")
	if answer.Code != http.StatusOK || !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("answered with %d, %s", answer.Code, answer.Header().Get("Content-Type"))
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// sums returns the values of a metric by its labels; for a histogram, the number and the
// sum of the values.
func sums(families map[string]*dto.MetricFamily, name string) map[string]string {
	found := map[string]string{}
	for _, m := range families[name].GetMetric() {
		var labels []string
		for _, l := range m.GetLabel() {
			labels = append(labels, l.GetValue())
		}
		value := fmt.Sprint(m.GetCounter().GetValue() + m.GetGauge().GetValue())
		if h := m.GetHistogram(); h != nil {
			value = fmt.Sprintf("%d: %.3g", h.GetSampleCount(), h.GetSampleSum())
		}
		found[strings.Join(labels, " ")] = value
	}
	return found
}

func wantSums(t *testing.T, families map[string]*dto.MetricFamily, name string, want map[string]string) {
	t.Helper()
	if got := sums(families, name); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

// Times are exact in virtual time, and the counts are those of the journal.
func TestMetricsCountWhatTheJournalSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake, _ := measured(t, played, server.Config{})
		ask(t, fake, "/v1/chat/completions", "gpt-4o")
		ask(t, fake, "/v1/chat/completions", "gpt-4o")
		ask(t, fake, "/v1/completions", "gpt-4o")
		ask(t, fake, "/v1/responses", "gpt-4o-mini")
		ask(t, fake, "/v1/chat/completions", "gpt-4")
		do(t, fake, http.MethodGet, "/v1/nowhere", "")
		got := scrape(t, fake)
		// Labels stand in the order of their names: ending, scenario, status, surface.
		requests, events, bytes := map[string]int{}, map[string]int{}, map[string]int64{}
		for _, e := range fake.Journal() {
			requests[fmt.Sprintf("%s %s %d %s", e.Delivery.Ended, e.Scenario, e.Status, e.Surface)]++
			events[e.Scenario+" "+e.Surface] += e.Delivery.Frames
			bytes[e.Scenario+" "+e.Surface] += e.Delivery.Bytes
		}
		wantSums(t, got, "fakeopenai_requests_total", texts(requests))
		wantSums(t, got, "fakeopenai_sent_events_total", texts(events))
		wantSums(t, got, "fakeopenai_sent_bytes_total", texts(bytes))
		if n := requests["complete paced 200 chat"]; n != 2 || len(requests) != 5 {
			t.Errorf("the journal has %v", requests)
		}
		wantSums(t, got, "gen_ai_server_time_to_first_token_seconds", map[string]string{"chat cut": "1: 0", "chat paced": "2: 0.6", "text_completion paced": "1: 0.3"})
		if d := sums(got, "gen_ai_server_request_duration_seconds"); d["429 chat refused"] != "1: 0" || d["broken_off chat cut"] != "1: 0" || !strings.HasPrefix(d[" chat paced"], "2: ") {
			t.Errorf("durations are %v", d)
		}
		if d := sums(got, "gen_ai_server_time_per_output_token_seconds"); len(d) != 2 {
			t.Errorf("times per token are %v", d)
		}
		for scenario, d := range sums(got, "fakeopenai_write_lateness_seconds") {
			if !strings.HasSuffix(d, ": 0") {
				t.Errorf("in virtual time the writes of %s are late: %s", scenario, d)
			}
		}
		wantSums(t, got, "fakeopenai_open_requests", map[string]string{"": "0"})
		wantSums(t, got, "fakeopenai_journal_entries", map[string]string{"": "6"})
		if b := sums(got, "fakeopenai_journal_bytes")[""]; b != fmt.Sprint(fake.Figures().JournalBytes) || b == "0" {
			t.Errorf("the journal holds %s bytes", b)
		}
	})
}

// texts formats numbers as sums does.
func texts[N int | int64](numbers map[string]N) map[string]string {
	found := map[string]string{}
	for name, n := range numbers {
		found[name] = fmt.Sprint(float64(n))
	}
	return found
}

func TestMetricsShowOpenStreamsAndReloads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := true
		var fake *server.Server
		fake, _ = measured(t, played, server.Config{Reload: func() (*scenarios.Set, error) {
			if broken {
				return nil, io.ErrUnexpectedEOF
			}
			return fake.Scenarios(), nil
		}})
		go ask(t, fake, "/v1/chat/completions", "gpt-4o")
		time.Sleep(350 * time.Millisecond)
		synctest.Wait()
		wantSums(t, scrape(t, fake), "fakeopenai_open_requests", map[string]string{"": "1"})
		if fake.Reload() == nil {
			t.Error("a broken reload is no error")
		}
		broken = false
		if err := fake.Reload(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		got := scrape(t, fake)
		wantSums(t, got, "fakeopenai_open_requests", map[string]string{"": "0"})
		wantSums(t, got, "fakeopenai_reloads_total", map[string]string{"failed": "1", "succeeded": "1"})
	})
}

// Measuring a write allocates no memory.
func TestMeasuringAWriteAllocatesNothing(t *testing.T) {
	var config server.Config
	Measure(&config)
	w := journal.Write{Scenario: "paced", Gap: time.Second, Late: time.Millisecond}
	if n := testing.AllocsPerRun(100, func() { config.ObserveWrite(w) }); n != 0 {
		t.Errorf("%v allocations for a write", n)
	}
}

// Writes come from many streams, and clients can put any number of scenarios.
func TestScenariosThatAreToldApartAreBounded(t *testing.T) {
	t.Parallel()
	var config server.Config
	m := Measure(&config)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for i := range 2 * maxScenarios {
				config.ObserveWrite(journal.Write{Scenario: fmt.Sprint("s", i)})
				config.Observe(journal.Entry{Scenario: fmt.Sprint("s", i)})
			}
		})
	}
	writers.Wait()
	got := scrape(t, http.Handler(m))
	writes, requests := sums(got, "fakeopenai_write_lateness_seconds"), sums(got, "fakeopenai_requests_total")
	if len(writes) != maxScenarios+1 || writes["(others)"] != fmt.Sprintf("%d: 0", 4*maxScenarios) || len(requests) != maxScenarios+1 {
		t.Errorf("%d scenarios have writes, others %s, and %d kinds of requests", len(writes), writes["(others)"], len(requests))
	}
}

// A duration counts for each bound that it does not exceed.
func TestTheBucketsOfAHistogram(t *testing.T) {
	t.Parallel()
	m := Measure(&server.Config{})
	for _, late := range []time.Duration{-1, 0, 100 * time.Microsecond, 101 * time.Microsecond, 2 * time.Second} {
		m.wrote(&journal.Write{Scenario: "a", Late: late})
	}
	answer := httptest.NewRecorder()
	m.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	for _, line := range []string{`_bucket{scenario="a",le="0.0001"} 3`, `_bucket{scenario="a",le="0.00025"} 4`, `_bucket{scenario="a",le="1"} 4`, `_bucket{scenario="a",le="+Inf"} 5`, `_sum{scenario="a"} 2.000201`, `_count{scenario="a"} 5`} {
		if !strings.Contains(answer.Body.String(), "fakeopenai_write_lateness_seconds"+line+"\n") {
			t.Errorf("there is no line %s in\n%s", line, answer.Body)
		}
	}
}

func TestLabelsAreEscaped(t *testing.T) {
	t.Parallel()
	m := Measure(&server.Config{})
	m.observeAnswer(&journal.Entry{Scenario: "a\"b\\c\nd", Surface: "chat"})
	answer := httptest.NewRecorder()
	m.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if label := families["fakeopenai_sent_bytes_total"].GetMetric()[0].GetLabel()[0]; label.GetValue() != "a\"b\\c\nd" {
		t.Errorf("the label is read as %q", label.GetValue())
	}
}
