package serving

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// Percentiles are the percentiles of durations in milliseconds.
type Percentiles struct {
	Count int64   `json:"count"`
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P95   float64 `json:"p95_ms"`
	P99   float64 `json:"p99_ms"`
	Max   float64 `json:"max_ms"`
}

// Timing has the percentiles of one scenario, as they are printed.
type Timing struct {
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

// TimingForms are the forms in which [Metrics.PrintTimings] prints.
var TimingForms = []string{"text", "json"}

// PrintTimings prints the times of each scenario in one of the [TimingForms], or nothing if
// the form is "".
func (m *Metrics) PrintTimings(w io.Writer, form string) error {
	list := m.timings()
	switch {
	case form == "":
		return nil
	case form == "json":
		return console.JSON(w, struct {
			Scenarios []Timing `json:"scenarios"`
		}{list})
	case len(list) == 0:
		_, err := fmt.Fprintln(w, "no scenario answered")
		return err
	}
	table := console.Table(w)
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

// timings returns the times, sorted by the names of the scenarios.
func (m *Metrics) timings() []Timing {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []Timing{}
	for labels, late := range m.late.sorted() {
		name := labels[0]
		var first, total histogram
		for labels, h := range m.first {
			if labels[1] == name {
				first.merge(h)
			}
		}
		for labels, h := range m.duration {
			if labels[0] == "" && labels[2] == name { // the error's type and the scenario
				total.merge(h)
			}
		}
		list = append(list, Timing{name, first.percentiles(), m.gap.of(name).percentiles(), late.percentiles(), total.percentiles()})
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

// perOctave is the number of buckets between a value and its double. What a histogram says
// of a value is wrong by 1/perOctave of it at most.
const perOctave = 1 << octaveBits

const octaveBits = 7

// histogram counts durations in buckets whose width grows with them. The zero value is
// ready to use.
type histogram struct {
	buckets  []uint32
	count    int64
	sum, max time.Duration
}

func (h *histogram) add(d time.Duration) {
	d = max(0, d)
	i := bucketOf(d)
	if missing := i + 1 - len(h.buckets); missing > 0 {
		h.buckets = append(h.buckets, make([]uint32, missing)...)
	}
	h.buckets[i]++
	h.count++
	h.sum += d
	h.max = max(h.max, d)
}

func (h *histogram) merge(other *histogram) {
	if missing := len(other.buckets) - len(h.buckets); missing > 0 {
		h.buckets = append(h.buckets, make([]uint32, missing)...)
	}
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
	h.count += other.count
	h.sum += other.sum
	h.max = max(h.max, other.max)
}

// bucketOf returns the bucket of a duration. The first 2*perOctave durations have a bucket
// each; then there are perOctave buckets for each power of two.
func bucketOf(d time.Duration) int {
	shift := max(0, bits.Len64(uint64(d))-octaveBits-1)
	return shift*perOctave + int(d>>shift)
}

func highest(bucket int) time.Duration {
	shift := max(0, bucket/perOctave-1)
	return time.Duration((uint64(bucket-shift*perOctave)+1)<<shift - 1)
}

// percentile returns the least duration that so many percent of all durations do not
// exceed; 0 if there are no durations.
func (h *histogram) percentile(percent float64) time.Duration {
	rank := int64(math.Ceil(percent / 100 * float64(h.count)))
	for i, n := range h.buckets {
		if rank -= int64(n); rank <= 0 && n > 0 {
			return min(highest(i), h.max)
		}
	}
	return h.max
}

// upTo returns how many durations are at most a bound.
func (h *histogram) upTo(bound time.Duration) (n int64) {
	if bound >= h.max {
		return h.count
	}
	for _, count := range h.buckets[:min(len(h.buckets), bucketOf(bound)+1)] {
		n += int64(count)
	}
	return n
}
