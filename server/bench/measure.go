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
	events int     // events is the number of events in an answer, as probe saw it.
	kib    float64 // kib is the memory of one stream in KiB, measured with the first streams of the process.
	bytes  int     // bytes is the length of an answer's body, as probe saw it; other answers may differ a little.
	closes bool    // closes is whether the target closes the connection after each answer.
}

// figures are the measurements of one target in one round of one work.
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
	CPU      float64 `json:"server_cpu"` // CPU is CPU time by elapsed time, that is in cores.
	Client   float64 `json:"client_cpu"`
	KiB      float64 `json:"kib_per_stream"`
	Size     int     `json:"bytes_per_answer"`
	Parts    int     `json:"events_per_answer"`
	Errors   int     `json:"errors"`

	// Why counts the failed answers by reason.
	Why map[string]int `json:"why,omitempty"`
	// Closes is whether the target closes the connection after each answer.
	Closes bool `json:"closes,omitempty"`
}

// cost is the CPU time of the server for one answer, in microseconds.
func (f *figures) cost() float64 {
	if f.Answers == 0 {
		return 0
	}
	return f.CPU / f.Answers * 1e6
}

// probe sends one request of the work w. It records the answer, and keeps its number of
// events and its length in t.
func (t *target) probe(w *work) (recording, error) {
	r := recording{Header: http.Header{}, Gap: w.gap, Stream: w.streamed()}
	c, err := dial(t.url, usualKey, w.request, bufferSize)
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

// fits returns an error if the answer cannot be compared with those of other targets: if
// it is not a stream where the work w streams, or has no pauses where w is paced.
func (t *target) fits(w *work, took time.Duration, body []byte) error {
	due := time.Duration(t.events-2) * w.gap // [DONE] comes with the last chunk
	switch {
	case w.streamed() && eventsIn(body) < 2:
		return fmt.Errorf("%s, %s: the answer is no stream of events: %.200q", t.name, w.name, body)
	case took < due/2:
		return fmt.Errorf("%s, %s: %d events came within %v; let it pause for %v before each, or leave this work out with -only", t.name, w.name, t.events, took, w.gap)
	}
	return nil
}

// tally counts the answers on one connection and holds their times.
type tally struct {
	answers     int
	why         map[string]int // why counts the failed answers by reason.
	first, late []time.Duration
	took        []time.Duration // took is, for each answer, the time from its request to its last byte.
	drift, gaps []time.Duration
}

// measure sends requests of the work w on all its connections for the time length. If w is
// paced, each connection sends one request instead.
func (t *target) measure(w *work, length time.Duration) (figures, error) {
	clients, size := make([]*client, w.conns), bufferSize
	if w.paced() {
		size = smallBuffer
	}
	for i := range clients {
		c, err := dial(t.urlFor(i), fmt.Sprint(usualKey, i), w.request, size)
		if err != nil {
			return figures{}, err
		}
		defer c.close()
		clients[i] = c
	}
	idle := t.resident()
	var peak int64
	began, cpu, own := time.Now(), t.cpu(), ownCPU()
	tallies := make([]tally, len(clients))
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() { tallies[i].run(c, t, w, began.Add(length)) })
	}
	if w.paced() { // halfway through all streams are open
		time.Sleep(time.Duration(t.events) * w.gap / 2)
		peak = t.resident()
	}
	wg.Wait()
	took := time.Since(began)
	f := sum(tallies, t, took)
	f.CPU, f.Client = (t.cpu()-cpu).Seconds()/took.Seconds(), (ownCPU()-own).Seconds()/took.Seconds()
	if t.kib == 0 { // later streams use the memory of the first ones again
		t.kib = max(0, float64(peak-idle)/1024/float64(w.conns))
	}
	f.KiB = t.kib
	return f, nil
}

// run sends requests until the time until, or one request if the work w is paced. An
// answer with an error, another status than 200, or a body shorter than 9/10 of the
// probed one counts as failed.
func (l *tally) run(c *client, t *target, w *work, until time.Time) {
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

func (l *tally) failed(why string) {
	if l.why == nil {
		l.why = map[string]int{}
	}
	l.why[why]++
}

// reason is the text of an error without the addresses of the connection, so that equal
// failures have one reason.
func reason(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return err.Error()
}

// sum makes the figures of a round that took so long from the tallies of its connections.
func sum(tallies []tally, t *target, took time.Duration) figures {
	f := figures{Size: t.bytes, Parts: t.events, Closes: t.closes, Why: map[string]int{}}
	var first, whole, late, drift, gaps []time.Duration
	answers := 0
	for i := range tallies {
		l := &tallies[i]
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

// percentile is the given percentile of list in milliseconds; 0 if list is empty. It sorts list.
func percentile(list []time.Duration, percent int) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	at := min(len(list)-1, len(list)*percent/100)
	return float64(list[at]) / float64(time.Millisecond)
}
