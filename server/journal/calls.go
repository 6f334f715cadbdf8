package journal

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Call is what a client's program sees as one call: a request and its retries.
//
// A request is a retry of an earlier one with the same API key, method and path
// if
//
//   - it bears the same Idempotency-Key, or
//   - its X-Stainless-Retry-Count is above 0 and the earlier answer failed, or
//   - it has the same body and the earlier answer failed.
//
// For the last two, the earlier answer must have ended before the retry came, and must not
// have another retry. If several earlier requests fit, one with the same body comes before
// one whose number of attempts fits the retry count, and that before the newest. A request
// that is no retry begins a call. [Entry.Failed] says which answers failed.
type Call struct {
	APIKey string `json:"api_key,omitempty"`
	Method string `json:"method"`
	Path   string `json:"path"` // Path includes the query.
	// Attempts are the call's requests in order of arrival; there is at least one.
	Attempts []Attempt `json:"attempts"`
	// Outcome is how the last attempt went.
	Outcome Outcome `json:"outcome"`
	// SameBody says that all attempts have the same body.
	SameBody bool `json:"same_body"`
	// IdempotencyKey is the Idempotency-Key of all attempts; empty if some have none or
	// another one.
	IdempotencyKey string `json:"idempotency_key,omitempty"`
}

// Attempt is one request of a call.
type Attempt struct {
	Request int64     `json:"request"` // Request is the ID of the request's entry.
	Time    time.Time `json:"time"`    // Time is when the request came.
	// Status is the answer's; 0 when the connection ended before there was one.
	Status int  `json:"status"`
	Failed bool `json:"failed"` // Failed is [Entry.Failed].

	RetryCount     string `json:"retry_count,omitempty"` // RetryCount is the header field X-Stainless-Retry-Count.
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	// SameBody says that the previous attempt had the same body; it is true for the first.
	SameBody bool `json:"same_body"`

	// Gap is the time since the end of the previous answer. Asked is the pause for which
	// that answer asked; nil if for none. Verdict compares the two. The first attempt has
	// none of the three.
	Gap     time.Duration  `json:"gap_ns,omitempty"`
	Asked   *time.Duration `json:"asked_ns,omitempty"`
	Verdict Verdict        `json:"verdict,omitempty"`
}

// Outcome is how a call went.
type Outcome string

// The outcomes of a call.
const (
	// OutcomeOpen says that the last attempt is still being answered.
	OutcomeOpen Outcome = "open"
	// OutcomeSucceeded says that the last attempt got a whole answer.
	OutcomeSucceeded Outcome = "succeeded"
	// OutcomeFailed says that the last attempt got no whole answer.
	OutcomeFailed Outcome = "failed"
)

// Verdict says whether a retry came when the previous answer asked for it. A retry is early
// if it comes more than 5 ms too soon: a client can read the end of an answer a moment
// before the server records it. It is late if it comes later than a quarter of the pause
// and 250 ms after the pause, because many clients add jitter.
type Verdict string

// The verdicts.
const (
	VerdictNone   Verdict = ""        // VerdictNone says that the previous answer asked for no pause.
	VerdictEarly  Verdict = "early"   // VerdictEarly says that the retry came before the end of the pause.
	VerdictInTime Verdict = "in_time" // VerdictInTime says that the retry came at the end of the pause.
	VerdictLate   Verdict = "late"    // VerdictLate says that the retry came well after the end of the pause.
	// VerdictForbidden says that the previous answer had X-Should-Retry: false, which
	// forbids a retry.
	VerdictForbidden Verdict = "forbidden"
)

// The slack of verdicts. A retry in time comes at most earlySlack too soon, and at most
// lateSlack plus the pause divided by lateShare too late.
const (
	earlySlack = 5 * time.Millisecond
	lateSlack  = 250 * time.Millisecond
	lateShare  = 4
)

// leavingSlack is how long after the client's next request the server may notice that the
// client has left the previous answer.
const leavingSlack = time.Second

// String shows the call in one line.
func (c Call) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: ", c.Method, c.Path)
	for i, a := range c.Attempts {
		if i > 0 {
			fmt.Fprintf(&b, ", after %s", a.Gap)
			if a.Asked != nil {
				fmt.Fprintf(&b, " of %s", *a.Asked)
			}
			if a.Verdict != VerdictNone {
				fmt.Fprintf(&b, " (%s)", strings.ReplaceAll(string(a.Verdict), "_", " "))
			}
			b.WriteString(" ")
		}
		b.WriteString(strconv.Itoa(a.Status))
	}
	fmt.Fprintf(&b, ": %s", c.Outcome)
	return b.String()
}

// Calls groups requests into calls, in the order of their first attempts. The entries must
// be in order of arrival, as a journal has them. See [Call] for the rules.
func Calls(entries []Entry) []Call {
	var calls, known []*requests // known has the calls in the order of their last attempts
	for i := range entries {
		e := &entries[i]
		c := callToContinue(known, e)
		if c == nil {
			c = new(requests)
			calls = append(calls, c)
		}
		*c = append(*c, e)
		known = append(slices.DeleteFunc(known, func(o *requests) bool { return o == c }), c)
	}
	list := make([]Call, len(calls))
	for i, c := range calls {
		list[i] = c.report()
	}
	return list
}

// requests are the entries of one call.
type requests []*Entry

func (c requests) last() *Entry { return c[len(c)-1] }

// callToContinue returns the call of which the request is a retry, or nil.
func callToContinue(known []*requests, e *Entry) (best *requests) {
	points := 0
	for _, c := range slices.Backward(known) {
		if p := c.score(e); p > points {
			best, points = c, p
		}
	}
	return best
}

// The header fields that tell of retries.
const (
	headerIdempotency = "Idempotency-Key"
	headerRetryCount  = "X-Stainless-Retry-Count"
)

// score says how well a request fits the call as a retry; 0 is not at all.
func (c requests) score(e *Entry) int {
	before := c.last()
	if before.APIKey != e.APIKey || before.Method != e.Method || before.Path != e.Path {
		return 0
	}
	if key := e.Header.Get(headerIdempotency); key != "" && before.Header.Get(headerIdempotency) == key {
		return 5
	}
	count, _ := strconv.Atoi(e.Header.Get(headerRetryCount))
	same := bytes.Equal(before.Body, e.Body)
	if !before.Failed || !before.endedBy(e.Time) || !same && count <= 0 {
		return 0
	}
	points := 1
	if count == len(c) {
		points += 1
	}
	if same {
		points += 2
	}
	return points
}

// end returns when the answer ended.
func (e *Entry) end() time.Time { return e.Time.Add(e.Delivery.Duration) }

// endedBy reports whether a request that came at t can be a reaction to the end of the
// answer.
func (e *Entry) endedBy(t time.Time) bool {
	if e.Delivery.Ended == EndedByClient {
		t = t.Add(leavingSlack)
	}
	return !e.end().After(t.Add(earlySlack))
}

func (c requests) report() Call {
	first := c[0]
	call := Call{
		APIKey: first.APIKey, Method: first.Method, Path: first.Path,
		SameBody: true, IdempotencyKey: first.Header.Get(headerIdempotency), Outcome: c.last().outcome(),
	}
	var before *Entry
	for _, e := range c {
		a := attempt(before, e)
		call.Attempts = append(call.Attempts, a)
		call.SameBody = call.SameBody && a.SameBody
		if a.IdempotencyKey != call.IdempotencyKey {
			call.IdempotencyKey = ""
		}
		before = e
	}
	return call
}

func (e *Entry) outcome() Outcome {
	switch {
	case e.Delivery.Ended == EndedOpen:
		return OutcomeOpen
	case e.Failed:
		return OutcomeFailed
	}
	return OutcomeSucceeded
}

// attempt makes the Attempt of a request. Before is the previous request of the call; nil
// for the first.
func attempt(before, e *Entry) Attempt {
	a := Attempt{
		Request: e.ID, Time: e.Time, Status: e.Status, Failed: e.Failed, SameBody: true,
		RetryCount:     e.Header.Get(headerRetryCount),
		IdempotencyKey: e.Header.Get(headerIdempotency),
	}
	if before == nil {
		return a
	}
	a.SameBody = bytes.Equal(before.Body, e.Body)
	a.Gap = max(0, e.Time.Sub(before.end()))
	if advice := before.Advice; advice != nil {
		a.Asked, a.Verdict = advice.RetryAfter, advice.verdict(a.Gap)
	}
	return a
}

func (a *RetryAdvice) verdict(gap time.Duration) Verdict {
	switch {
	case a.ShouldRetry != nil && !*a.ShouldRetry:
		return VerdictForbidden
	case a.RetryAfter == nil:
		return VerdictNone
	}
	asked := *a.RetryAfter
	switch {
	case gap < asked-earlySlack:
		return VerdictEarly
	case gap > asked+asked/lateShare+lateSlack:
		return VerdictLate
	}
	return VerdictInTime
}
