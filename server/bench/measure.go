package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// target is a server that is measured.
type target struct {
	name string
	*process
	events int     // events is how many an answer has.
	kib    float64 // kib is the memory of a stream, taken when the process had no streams before.
	bytes  int     // bytes is how long the body of an answer is, about.
	closes bool    // closes is whether it ends the connection with each answer.
}

// figures are what one round of one work showed of one target.
type figures struct {
	Answers  float64 `json:"answers_per_second"`
	Events   float64 `json:"events_per_second"`
	FirstP50 float64 `json:"first_byte_p50_ms"`
	FirstP99 float64 `json:"first_byte_p99_ms"`
	LastP50  float64 `json:"last_byte_p50_ms"`
	LateP50  float64 `json:"late_p50_ms"`
	LateP99  float64 `json:"late_p99_ms"`
	GapP99   float64 `json:"gap_error_p99_ms"`
	Drift    float64 `json:"drift_p99_ms"`
	CPU      float64 `json:"server_cpu"` // CPU is in cores.
	Client   float64 `json:"client_cpu"`
	KiB      float64 `json:"kib_per_stream"`
	Size     int     `json:"bytes_per_answer"`
	Parts    int     `json:"events_per_answer"`
	Errors   int     `json:"errors"`

	// Why is how often answers failed for which reason.
	Why map[string]int `json:"why,omitempty"`
	// Closes is whether the target ends the connection with each answer.
	Closes bool `json:"closes,omitempty"`
}

// cost is how long the server computes for an answer, in microseconds.
func (f *figures) cost() float64 {
	if f.Answers == 0 {
		return 0
	}
	return f.CPU / f.Answers * 1e6
}

// probe asks once, to learn what the answer is like.
func (t *target) probe(w *work) (recording, error) {
	r := recording{Header: http.Header{}, Gap: w.gap, Stream: w.streamed()}
	c, err := dial(t.url, w.request, bufferSize)
	if err != nil {
		return r, err
	}
	defer c.close()
	a, err := c.once(pacing{}, func(head map[string][]string, body []byte) {
		for name, values := range head {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
		r.Body = body
	})
	if err != nil {
		return r, fmt.Errorf("%s, %s: %w", t.name, w.name, err)
	}
	if a.status != http.StatusOK {
		return r, fmt.Errorf("%s, %s: status %d: %s", t.name, w.name, a.status, r.Body)
	}
	t.events, t.bytes, t.closes = max(1, eventsIn(r.Body)), len(r.Body), a.closes
	return r, t.fits(w, a.took, r.Body)
}

// fits reports an answer of another kind than the work is about, whose figures would say
// nothing beside those of others.
func (t *target) fits(w *work, took time.Duration, body []byte) error {
	due := time.Duration(t.events-2) * w.gap // the end mark comes with the last chunk
	switch {
	case w.streamed() && eventsIn(body) < 2:
		return fmt.Errorf("%s, %s: the answer is no stream of events: %.200q", t.name, w.name, body)
	case took < due/2:
		return fmt.Errorf("%s, %s: %d events came within %v; let it pause for %v before each, or leave this work out with -only", t.name, w.name, t.events, took, w.gap)
	}
	return nil
}

// lane is what one connection saw.
type lane struct {
	answers     int
	why         map[string]int // why is how often answers failed for which reason.
	first, late []time.Duration
	took        []time.Duration // took is when each answer was there whole.
	drift, gaps []time.Duration
}

// measure puts a work's load on the target for a while; paced answers are taken once by
// each connection.
func (t *target) measure(w *work, length time.Duration) (figures, error) {
	clients, size := make([]*client, w.conns), bufferSize
	if w.paced() {
		size = smallBuffer
	}
	for i := range clients {
		c, err := dial(t.url, w.request, size)
		if err != nil {
			return figures{}, err
		}
		defer c.close()
		clients[i] = c
	}
	idle := t.resident()
	var peak int64
	began, cpu, own := time.Now(), t.cpu(), ownCPU()
	lanes := make([]lane, len(clients))
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() { lanes[i].run(c, t, w, began.Add(length)) })
	}
	if w.paced() { // halfway through all streams are open
		time.Sleep(time.Duration(t.events) * w.gap / 2)
		peak = t.resident()
	}
	wg.Wait()
	took := time.Since(began)
	f := sum(lanes, t, took)
	f.CPU, f.Client = (t.cpu()-cpu).Seconds()/took.Seconds(), (ownCPU()-own).Seconds()/took.Seconds()
	if t.kib == 0 { // later the memory of the first ones is used again
		t.kib = max(0, float64(peak-idle)/1024/float64(w.conns))
	}
	f.KiB = t.kib
	return f, nil
}

// run asks until the time is over, or once where the answer takes its own time.
func (l *lane) run(c *client, t *target, w *work, until time.Time) {
	due := pacing{gap: w.gap, events: t.events - 1}
	for {
		a, err := c.once(due, nil)
		switch {
		case err != nil:
			l.failed(reason(err))
		case a.status != http.StatusOK:
			l.failed(fmt.Sprintf("status %d", a.status))
		case a.bytes < t.bytes*9/10:
			l.failed("shorter than the first answer")
		default:
			l.answers++
			l.first, l.took, l.late = append(l.first, a.first), append(l.took, a.took), append(l.late, a.late...)
			l.drift, l.gaps = append(l.drift, a.drift), append(l.gaps, a.gaps...)
		}
		if err != nil || w.paced() || time.Now().After(until) {
			return
		}
	}
}

func (l *lane) failed(why string) {
	if l.why == nil {
		l.why = map[string]int{}
	}
	l.why[why]++
}

// reason is an error without the addresses of a connection, which are never the same.
func reason(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return err.Error()
}

// sum puts together what the connections saw.
func sum(lanes []lane, t *target, took time.Duration) figures {
	f := figures{Size: t.bytes, Parts: t.events, Closes: t.closes, Why: map[string]int{}}
	var first, whole, late, drift, gaps []time.Duration
	answers := 0
	for i := range lanes {
		l := &lanes[i]
		answers += l.answers
		for why, n := range l.why {
			f.Why[why] += n
			f.Errors += n
		}
		first, late, drift, gaps = append(first, l.first...), append(late, l.late...), append(drift, l.drift...), append(gaps, l.gaps...)
		whole = append(whole, l.took...)
	}
	f.Answers = float64(answers) / took.Seconds()
	f.Events = f.Answers * float64(t.events)
	f.FirstP50, f.FirstP99 = percentile(first, 50), percentile(first, 99)
	f.LastP50 = percentile(whole, 50)
	f.LateP50, f.LateP99 = percentile(late, 50), percentile(late, 99)
	f.GapP99, f.Drift = percentile(gaps, 99), percentile(drift, 99)
	return f
}

// percentile is in milliseconds; 0 where there is nothing.
func percentile(list []time.Duration, percent int) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	at := min(len(list)-1, len(list)*percent/100)
	return float64(list[at]) / float64(time.Millisecond)
}
