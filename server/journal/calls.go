package journal

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"net/http"
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
//   - it has the same body and the earlier answer failed, or
//   - it has the same body, and its X-Stainless-Retry-Count is the number of attempts before it.
//
// For the last three, the earlier answer must have ended before the retry came, and must not
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

	header http.Header // header is that of the first attempt.
}

// Attempt is one request of a call.
type Attempt struct {
	Request int64     `json:"request"` // Request is the ID of the request's entry.
	Time    time.Time `json:"time"`    // Time is when the request came.
	// Status is the answer's; 0 when the connection ended before there was one.
	Status int `json:"status"`
	// Answer and Failed are those of [Entry].
	Answer Answer `json:"answer,omitempty"`
	Failed bool   `json:"failed"`
	// CloseCode is that of [Delivery].
	CloseCode int `json:"close_code,omitempty"`

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
	// Right says whether the retry is right after the previous answer, and Problem why it is not; nil
	// for the first attempt, and if nobody can know. [Judge] has the rules.
	Right   *bool  `json:"right,omitempty"`
	Problem string `json:"problem,omitempty"`
	// Accepted says what shows that the client took the answer for a whole one, although it is broken;
	// "" if nothing does.
	Accepted string `json:"accepted_broken_answer,omitempty"`
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
	// OutcomeUnknown says that nobody can know whether it did: see [AnswerUnknown].
	OutcomeUnknown Outcome = "unknown"
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
	calls, _ := group(entries)
	list, talks := make([]Call, len(calls)), sortTalks(entries)
	for i, c := range calls {
		list[i] = c.report(talks, false)
	}
	return list
}

// requests are the entries of one call.
type requests []*Entry

func (c requests) last() *Entry { return c[len(c)-1] }

// group groups requests into calls. Looked counts the calls that it looked at.
func group(entries []Entry) (calls []*requests, looked int) {
	known := callIndex{by: map[callKey][]attempted{}}
	for i := range entries {
		e := &entries[i]
		c := known.callToContinue(e)
		if c == nil {
			c = new(requests)
			calls = append(calls, c)
		}
		*c = append(*c, e)
		known.add(c)
	}
	return calls, known.looked
}

// The header fields that tell of retries.
const (
	headerIdempotency = "Idempotency-Key"
	headerRetryCount  = "X-Stainless-Retry-Count"
)

// callIndex finds the calls of which a request can be a retry, so that few are looked at.
type callIndex struct {
	by     map[callKey][]attempted // by has the calls in the order of their last attempts.
	looked int                     // looked counts the calls that were looked at.
}

// callKey is what a retry has in common with the last attempt of its call. Members that do not
// matter are zero.
type callKey struct {
	apiKey, method, path string

	idempotency string
	body        uint64 // body is the hash of the body.
	attempts    int    // attempts is how many attempts the call has.
	whole       bool   // whole says that the last attempt did not fail.
}

// attempted is a call when an attempt was its last one.
type attempted struct {
	call *requests
	last *Entry
}

var bodies = maphash.MakeSeed()

// key returns the callKey of an entry with the members that all keys have, and the hash of
// its body.
func (e *Entry) key() (k callKey, body uint64) {
	if e.body == 0 {
		e.body = maphash.Bytes(bodies, e.Body)
	}
	return callKey{apiKey: e.APIKey, method: e.Method, path: e.Path}, e.body
}

// add enters a call under the keys of its last attempt.
func (x *callIndex) add(c *requests) {
	e := c.last()
	k, body := e.key()
	enter := func(k callKey) { x.by[k] = append(x.by[k], attempted{c, e}) }
	if idempotency := e.Header.Get(headerIdempotency); idempotency != "" {
		with := k
		with.idempotency = idempotency
		enter(with)
	}
	if !e.Failed {
		k.body, k.attempts, k.whole = body, len(*c), true
		enter(k)
		return
	}
	for _, body := range []uint64{0, body} {
		for _, attempts := range []int{0, len(*c)} {
			k.body, k.attempts = body, attempts
			enter(k)
		}
	}
}

// callToContinue returns the call of which the request is a retry, or nil. Several calls are looked for in the order of the
// code: an earlier kind comes first, and within a kind the call with the newest attempt.
func (x *callIndex) callToContinue(e *Entry) *requests {
	k, body := e.key()
	if idempotency := e.Header.Get(headerIdempotency); idempotency != "" {
		with := k
		with.idempotency = idempotency
		if c := x.find(with, func(*Entry) bool { return true }); c != nil {
			return c
		}
	}
	count, _ := strconv.Atoi(e.Header.Get(headerRetryCount))
	kinds := []callKey{{body: body, attempts: max(0, count)}, {body: body}}
	if count > 0 {
		kinds = append(kinds, callKey{body: body, attempts: count, whole: true}, callKey{attempts: count}, callKey{})
	}
	for _, kind := range kinds {
		k.body, k.attempts, k.whole = kind.body, kind.attempts, kind.whole
		c := x.find(k, func(before *Entry) bool {
			return before.endedBy(e.Time) && (k.body == 0 || bytes.Equal(before.Body, e.Body))
		})
		if c != nil {
			return c
		}
	}
	return nil
}

// find returns the newest call under a key whose last attempt fits.
func (x *callIndex) find(k callKey, fits func(last *Entry) bool) *requests {
	list := x.by[k]
	for len(list) > 0 && list[len(list)-1].call.last() != list[len(list)-1].last {
		list = list[:len(list)-1] // the call has had another attempt since
		x.by[k] = list
	}
	for _, at := range slices.Backward(list) {
		x.looked++
		if at.call.last() == at.last && fits(at.last) {
			return at.call
		}
	}
	return nil
}

func (e *Entry) end() time.Time { return e.Time.Add(e.Delivery.Duration) }

// endedBy reports whether a request that came at t can be a reaction to the end of the
// answer.
func (e *Entry) endedBy(t time.Time) bool {
	if e.Delivery.Ended == EndedByClient {
		t = t.Add(leavingSlack)
	}
	return !e.end().After(t.Add(earlySlack))
}

// report describes the call. Talks and succeeded say what shows that the client took its last answer
// for whole: see [Judge].
func (c requests) report(talks *talks, succeeded bool) Call {
	first := c[0]
	call := Call{
		APIKey: first.APIKey, Method: first.Method, Path: first.Path, header: first.Header,
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
	call.Attempts[len(c)-1].Accepted = talks.accepted(before, succeeded)
	return call
}

func (e *Entry) outcome() Outcome {
	switch {
	case e.Delivery.Ended == EndedOpen:
		return OutcomeOpen
	case e.Failed:
		return OutcomeFailed
	case e.Answer == AnswerUnknown:
		return OutcomeUnknown
	}
	return OutcomeSucceeded
}

// attempt makes the Attempt of a request. Before is the previous request of the call; nil
// for the first.
func attempt(before, e *Entry) Attempt {
	a := Attempt{
		Request: e.ID, Time: e.Time, Status: e.Status, Answer: e.Answer, Failed: e.Failed, CloseCode: e.Delivery.CloseCode, SameBody: true,
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
	a.Right, a.Problem = a.judge(before, e)
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
