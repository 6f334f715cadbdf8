// Package timing measures when a server really sent its answers: percentiles of times to
// first token, gaps, lateness and durations of whole answers, for each scenario.
package timing

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/report"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/setting"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Form is the format in which timings are printed: text or json; "" prints none.
type Form string

// forms are the values of a Form's flag.
var forms = []string{"text", "json"}

// IsForm reports whether a text is a form. Diff has a flag --timing, too, whose value is
// a duration; both have the same variable.
func IsForm(text string) bool { return slices.Contains(forms, text) }

// isTolerance reports whether a text is a value of the flag --timing of diff.
func isTolerance(text string) bool {
	_, err := setting.Duration(text)
	return err == nil
}

// Define adds the flag --timing for the form.
func (f *Form) Define(flags *pflag.FlagSet) {
	setting.DefineShared(flags, f, "timing", "print what was sent, and when, at the end: percentiles of times to first token, gaps, lateness and whole answers, in this `form`: text or json (default: not at all)",
		func(text string) (Form, error) {
			word, err := setting.Choice(forms...)(text)
			return Form(word), err
		}, isTolerance)
	setting.Offer(flags, "timing", forms...)
}

// maxScenarios is the largest number of scenarios measured apart, because tests can put
// any number of them over HTTP. Further scenarios are measured together as others.
const maxScenarios = 200

const others = "(others)"

// Timings holds the measurements of one server. It is safe for concurrent use.
type Timings struct {
	form Form

	mu        sync.Mutex
	scenarios map[string]*durations // guarded by mu
}

// durations holds the measurements of one scenario.
type durations struct{ first, gap, late, total histogram }

// Of makes timings and sets the config so that its server is measured, unless the form
// is "". The functions Observe and ObserveWrite that the config already has are still
// called.
func (f Form) Of(config *server.Config) *Timings {
	t := &Timings{form: f, scenarios: map[string]*durations{}}
	if f == "" {
		return t
	}
	observe, observeWrite := config.Observe, config.ObserveWrite
	config.Observe = func(e journal.Entry) {
		t.ended(&e)
		if observe != nil {
			observe(e)
		}
	}
	config.ObserveWrite = func(w journal.Write) {
		t.wrote(&w)
		if observeWrite != nil {
			observeWrite(w)
		}
	}
	return t
}

// wrote measures one write of an answer.
func (t *Timings) wrote(w *journal.Write) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.of(w.Scenario)
	d.late.add(w.Late)
	if !w.First {
		d.gap.add(w.Gap)
	}
}

// ended measures a completed answer of a scenario: its time to first token, if it is a
// stream, and its duration, if the client got all of it.
func (t *Timings) ended(e *journal.Entry) {
	if e.Scenario == "" || e.Delivery.Bytes == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.of(e.Scenario)
	if e.Request != nil && e.Request.Stream && e.Status < 400 {
		d.first.add(e.Delivery.First)
	}
	if !e.Failed {
		d.total.add(e.Delivery.Duration)
	}
}

// of returns the durations of a scenario. The caller holds t.mu.
func (t *Timings) of(scenario string) *durations {
	if t.scenarios[scenario] == nil && len(t.scenarios) >= maxScenarios {
		scenario = others
	}
	d := t.scenarios[scenario]
	if d == nil {
		d = new(durations)
		t.scenarios[scenario] = d
	}
	return d
}

// Percentiles are the percentiles of durations in milliseconds.
type Percentiles struct {
	Count int64   `json:"count"`
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P95   float64 `json:"p95_ms"`
	P99   float64 `json:"p99_ms"`
	Max   float64 `json:"max_ms"`
}

// Scenario has the percentiles of one scenario, as they are printed.
type Scenario struct {
	Name string `json:"scenario"`
	// FirstToken is the time from the request to the first write of a stream.
	FirstToken Percentiles `json:"first_token"`
	// Gap is the time between two writes of an answer. Chunks that are due together
	// leave in one.
	Gap Percentiles `json:"gap"`
	// Late is the time from when a write was due to its begin.
	Late Percentiles `json:"late"`
	// Total is the time from the request to the end of a whole answer.
	Total Percentiles `json:"total"`
}

// Print prints the measurements in the form.
func (t *Timings) Print(w io.Writer) error {
	if t.form == "" {
		return nil
	}
	list := t.list()
	if t.form == "json" {
		return report.JSON(w, struct {
			Scenarios []Scenario `json:"scenarios"`
		}{list})
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "no scenario answered")
		return err
	}
	table := report.Table(w)
	fmt.Fprintln(table, "scenario\tms\tcount\tp50\tp90\tp95\tp99\tmax")
	for i := range list {
		s := &list[i]
		row(table, s.Name, "first token", &s.FirstToken)
		row(table, s.Name, "gap", &s.Gap)
		row(table, s.Name, "late", &s.Late)
		row(table, s.Name, "total", &s.Total)
	}
	return table.Flush()
}

// list returns the measurements, sorted by the names of the scenarios.
func (t *Timings) list() []Scenario {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Scenario, 0, len(t.scenarios))
	for _, name := range slices.Sorted(maps.Keys(t.scenarios)) {
		d := t.scenarios[name]
		list = append(list, Scenario{name, d.first.percentiles(), d.gap.percentiles(), d.late.percentiles(), d.total.percentiles()})
	}
	return list
}

func (h *histogram) percentiles() Percentiles {
	return Percentiles{
		Count: h.count, Max: milliseconds(h.max),
		P50: milliseconds(h.percentile(50)), P90: milliseconds(h.percentile(90)),
		P95: milliseconds(h.percentile(95)), P99: milliseconds(h.percentile(99)),
	}
}

// milliseconds returns a duration in milliseconds, rounded to the microsecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}

// row prints a line of the table, unless there are no measurements.
func row(table io.Writer, scenario, what string, p *Percentiles) {
	if p.Count == 0 {
		return
	}
	columns := []string{scenario, what, strconv.FormatInt(p.Count, 10)}
	for _, v := range []float64{p.P50, p.P90, p.P95, p.P99, p.Max} {
		columns = append(columns, threeDigits(v))
	}
	fmt.Fprintln(table, strings.Join(columns, "\t"))
}

// threeDigits formats a number with about three significant digits.
func threeDigits(v float64) string {
	digits := 2
	for limit := 10.0; digits > 0 && v >= limit; limit *= 10 {
		digits--
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
