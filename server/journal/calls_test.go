package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// asked is a short form of a client's request and its answer.
type asked struct {
	at     time.Duration
	body   string
	header string // "Name: value" lines, joined by "; "
	status int    // 0 is 200
	took   time.Duration
	ended  Ending // "" is complete
	advice *RetryAdvice

	answer  Answer // "" follows from the status and from how the answer ended
	code    string
	end     string // end is how the answer ended as authored
	said    *Said  // said is what there was of a broken answer
	history string // history has the messages, as in "user: hi; assistant: Hello"; ":call_1" is a call of the message before
}

func (a asked) entry(id int) Entry {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	e := Entry{
		ID: int64(id), Time: start.Add(a.at), Method: "POST", Path: "/v1/chat/completions", Header: http.Header{},
		Body: []byte(a.body), Status: a.status, Advice: a.advice,
		Delivery: Delivery{Duration: a.took, Ended: a.ended},
	}
	for field := range strings.SplitSeq(a.header, "; ") {
		if name, value, ok := strings.Cut(field, ": "); ok {
			e.Header.Set(name, value)
		}
	}
	if e.Status == 0 {
		e.Status = 200
	}
	if e.Delivery.Ended == "" {
		e.Delivery.Ended = EndedComplete
	}
	switch {
	case a.answer != "":
		e.Answer = a.answer
	case e.Status >= 400:
		e.Answer = AnswerRefused
	case e.Delivery.Ended == EndedByClient:
		e.Answer, e.Delivery.Left = AnswerBroken, LeftFIN
	case e.Delivery.Ended != EndedOpen:
		e.Answer = AnswerWhole
	}
	if a.end != "" {
		e.Delivery.Ended, e.Delivery.End = EndedAsAuthored, a.end
	}
	e.Failed, e.ErrorCode, e.Said = e.Answer.IsFailure(), a.code, a.said
	if a.history != "" {
		e.Request = &scenarios.Request{Messages: messages(a.history)}
	}
	e.APIKey = e.Header.Get("Authorization")
	if path := e.Header.Get("Path"); path != "" {
		e.Path = path
	}
	return e
}

// messages are those that a text describes.
func messages(text string) (list []scenarios.RequestMessage) {
	for part := range strings.SplitSeq(text, "; ") {
		role, said, _ := strings.Cut(part, ":")
		if role == "" {
			last := &list[len(list)-1]
			last.ToolCalls = append(last.ToolCalls, scenarios.RequestCall{ID: said})
			continue
		}
		list = append(list, scenarios.RequestMessage{Role: role, Text: strings.TrimSpace(said)})
	}
	return list
}

func callsOf(list []asked) []Call {
	var entries []Entry
	for i, a := range list {
		entries = append(entries, a.entry(i+1))
	}
	return Calls(entries)
}

// shape shows which requests belong to one call, as in "1 3 | 2".
func shape(list []Call) string {
	texts := make([]string, len(list))
	for i, c := range list {
		var ids []string
		for _, a := range c.Attempts {
			ids = append(ids, fmt.Sprint(a.Request))
		}
		texts[i] = strings.Join(ids, " ")
	}
	return strings.Join(texts, " | ")
}

func TestWhichRequestsAreOneCall(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, tt := range []struct {
		name     string
		requests []asked
		want     string
	}{
		{"two different requests are two calls", []asked{{body: "a"}, {at: s, body: "b"}}, "1 | 2"},
		{"the same request again is a new call when the first was answered", []asked{{body: "a"}, {at: s, body: "a"}}, "1 | 2"},
		{"the same request after a failure is a retry", []asked{{body: "a", status: 500}, {at: s, body: "a"}}, "1 2"},
		{"a retry that fails is followed by another", []asked{{body: "a", status: 500}, {at: s, body: "a", status: 429}, {at: 2 * s, body: "a"}, {at: 3 * s, body: "a"}}, "1 2 3 | 4"},
		{"a failure is followed by one retry, not by two", []asked{{body: "a", status: 500}, {at: s, body: "a", took: 9 * s}, {at: 2 * s, body: "a"}}, "1 2 | 3"},
		{"a request made before the failure does not follow it", []asked{{body: "a", status: 500, took: 2 * s}, {at: s, body: "a"}}, "1 | 2"},
		{"a failure whose end is recorded a moment after the client has read it is followed", []asked{{body: "a", status: 500, took: s + 5*time.Millisecond}, {at: s, body: "a"}}, "1 2"},
		{"one that the client left a moment later than it asked again is followed", []asked{{body: "a", ended: EndedByClient, took: s + s/2}, {at: s, body: "a"}}, "1 2"},
		{"one that it left long after is not", []asked{{body: "a", ended: EndedByClient, took: 5 * s}, {at: s, body: "a"}}, "1 | 2"},
		{"a retry count joins another body to the failure", []asked{{body: "a", status: 500}, {at: s, body: "b", header: "X-Stainless-Retry-Count: 1"}}, "1 2"},
		{"a retry count of 0 does not", []asked{{body: "a", status: 500}, {at: s, body: "b", header: "X-Stainless-Retry-Count: 0"}}, "1 | 2"},
		{"a retry count after an answer that did not fail does not", []asked{{body: "a"}, {at: s, body: "b", header: "X-Stainless-Retry-Count: 1"}}, "1 | 2"},
		{"with a retry count, the same body is taken before a newer failure", []asked{{body: "a", status: 500}, {body: "b", status: 500}, {at: s, body: "a", header: "X-Stainless-Retry-Count: 1"}}, "1 3 | 2"},
		{"of other bodies, the one whose attempts fit the count is taken before a newer one", []asked{
			{body: "a", status: 500}, {at: s, body: "a", status: 500, header: "X-Stainless-Retry-Count: 1"},
			{at: 2 * s, body: "b", status: 500},
			{at: 3 * s, body: "c", header: "X-Stainless-Retry-Count: 2"},
		}, "1 2 4 | 3"},
		{"else the newest is", []asked{{body: "a", status: 500}, {body: "b", status: 500}, {at: s, body: "c", header: "X-Stainless-Retry-Count: 1"}}, "1 | 2 3"},
		{"an idempotency key joins whatever became of the first", []asked{{body: "a", header: "Idempotency-Key: k"}, {at: s, body: "b", header: "Idempotency-Key: k"}}, "1 2"},
		{"another idempotency key leaves it to the rest", []asked{{body: "a", status: 500, header: "Idempotency-Key: k"}, {at: s, body: "a", header: "Idempotency-Key: l"}}, "1 2"},
		{"another API key is another client", []asked{{body: "a", status: 500, header: "Authorization: Bearer x"}, {at: s, body: "a", header: "Authorization: Bearer y"}}, "1 | 2"},
		{"another path is another call", []asked{{body: "a", status: 500}, {at: s, body: "a", header: "Path: /v1/other"}}, "1 | 2"},
		{"parallel calls with retries are told apart", []asked{
			{body: "a", status: 500}, {body: "b", status: 500},
			{at: s, body: "b", status: 500, header: "X-Stainless-Retry-Count: 1"}, {at: s, body: "a", status: 500, header: "X-Stainless-Retry-Count: 1"},
			{at: 2 * s, body: "b", header: "X-Stainless-Retry-Count: 2"}, {at: 2 * s, body: "a", header: "X-Stainless-Retry-Count: 2"},
		}, "1 4 6 | 2 3 5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := shape(callsOf(tt.requests)); got != tt.want {
				t.Errorf("the calls are %s, want %s", got, tt.want)
			}
		})
	}
}

// score says how well a request fits a call as a retry, by the rules of [Call]; 0 is not at all.
func (c requests) score(e *Entry) int {
	before := c.last()
	if before.APIKey != e.APIKey || before.Method != e.Method || before.Path != e.Path {
		return 0
	}
	if key := e.Header.Get(headerIdempotency); key != "" && before.Header.Get(headerIdempotency) == key {
		return 6
	}
	count, _ := strconv.Atoi(e.Header.Get(headerRetryCount))
	same := bytes.Equal(before.Body, e.Body)
	if !before.endedBy(e.Time) || !same && count <= 0 {
		return 0
	}
	if !before.Failed {
		if same && count == len(c) {
			return 3 // it repeats a call that has its answer
		}
		return 0
	}
	points := 1
	if count == len(c) {
		points += 1
	}
	if same {
		points += 3
	}
	return points
}

// The index finds the call that a look at all of them finds.
func TestTheIndexOfCallsFollowsTheRules(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	continued := 0
	for range 500 {
		var entries []Entry
		for i := range 30 {
			entries = append(entries, asked{
				at: time.Duration(i) * time.Second, body: pick("a", "b", "c"), status: []int{200, 429, 500}[r.IntN(3)], took: time.Duration(r.IntN(4)) * time.Second,
				header: pick("", "Authorization: k") + pick("", "", "; Idempotency-Key: x", "; Idempotency-Key: y") + pick("", "; X-Stainless-Retry-Count: 1", "; X-Stainless-Retry-Count: 2"),
			}.entry(i+1))
		}
		var calls, known []*requests // known has the calls in the order of their last attempts
		for i := range entries {
			e, points := &entries[i], 0
			var best *requests
			for _, c := range slices.Backward(known) {
				if p := c.score(e); p > points {
					best, points = c, p
				}
			}
			if best == nil {
				best = new(requests)
				calls = append(calls, best)
			} else {
				continued++
			}
			*best = append(*best, e)
			known = append(slices.DeleteFunc(known, func(o *requests) bool { return o == best }), best)
		}
		var want []Call
		for _, c := range calls {
			want = append(want, c.report(sortTalks(nil), false))
		}
		if got, want := shape(Calls(entries)), shape(want); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	if continued < 1000 {
		t.Errorf("only %d retries, which shows little", continued)
	}
}

// For each request a few calls are looked at, however many there are.
func TestGroupingLooksAtAFewCalls(t *testing.T) {
	t.Parallel()
	const n = 5000
	for name, of := range map[string]func(i int) asked{
		"each fails":   func(i int) asked { return asked{body: fmt.Sprint(i), status: 500} },
		"equal bodies": func(int) asked { return asked{body: "a", status: 500} },
		"retries of another": func(i int) asked {
			return asked{body: fmt.Sprint(i), status: 500, header: "X-Stainless-Retry-Count: 1"}
		},
		"a retry of each": func(i int) asked {
			return asked{body: fmt.Sprint(i % (n / 2)), status: 500, header: "X-Stainless-Retry-Count: " + fmt.Sprint(i/(n/2))}
		},
		"equal keys": func(i int) asked { return asked{body: fmt.Sprint(i), header: "Idempotency-Key: " + fmt.Sprint(i%7)} },
	} {
		var entries []Entry
		for i := range n {
			a := of(i)
			a.at = time.Duration(i) * time.Second
			entries = append(entries, a.entry(i+1))
		}
		if _, looked := group(entries); looked > 5*n {
			t.Errorf("%s: %d calls are looked at for %d requests", name, looked, n)
		}
	}
}

func TestTheVerdictOnARetry(t *testing.T) {
	t.Parallel()
	const s, ms = time.Second, time.Millisecond
	two := &RetryAdvice{RetryAfter: new(2 * s)}
	for _, tt := range []struct {
		name   string
		advice *RetryAdvice
		gap    time.Duration
		want   Verdict
	}{
		{"without advice there is none", nil, s, VerdictNone},
		{"on the dot is in time", two, 2 * s, VerdictInTime},
		{"a moment too soon is in time", two, 2*s - 5*ms, VerdictInTime},
		{"more than that is early", two, 2*s - 6*ms, VerdictEarly},
		{"with jitter is in time", two, 2*s + 750*ms, VerdictInTime},
		{"well after is late", two, 2*s + 751*ms, VerdictLate},
		{"at once, where that was asked for, is in time", &RetryAdvice{RetryAfter: new(time.Duration)}, 0, VerdictInTime},
		{"where no retry was asked for, any is forbidden", &RetryAdvice{RetryAfter: new(2 * s), ShouldRetry: new(false)}, 2 * s, VerdictForbidden},
		{"where one was asked for without a time, there is none", &RetryAdvice{ShouldRetry: new(true)}, s, VerdictNone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := callsOf([]asked{{body: "a", status: 429, took: s, advice: tt.advice}, {at: s + tt.gap, body: "a"}})
			if a := got[0].Attempts[1]; a.Verdict != tt.want || a.Gap != tt.gap {
				t.Errorf("after %v the verdict is %q, want %q after %v", a.Gap, a.Verdict, tt.want, tt.gap)
			}
		})
	}
}

func TestWhatACallTells(t *testing.T) {
	t.Parallel()
	got := callsOf([]asked{
		{body: "a", status: 429, header: "Idempotency-Key: k; X-Stainless-Retry-Count: 0", advice: &RetryAdvice{RetryAfter: new(time.Second)}},
		{at: time.Second, body: "b", status: 500, header: "Idempotency-Key: k; X-Stainless-Retry-Count: 1"},
		{at: 2 * time.Second, body: "b", header: "Idempotency-Key: k; X-Stainless-Retry-Count: 2"},
	})[0]
	if got.SameBody || got.IdempotencyKey != "k" || got.Outcome != OutcomeSucceeded {
		t.Errorf("the call is %+v", got)
	}
	var counts []string
	var same []bool
	for _, a := range got.Attempts {
		counts, same = append(counts, a.RetryCount), append(same, a.SameBody)
	}
	if !slices.Equal(counts, []string{"0", "1", "2"}) || !slices.Equal(same, []bool{true, false, true}) {
		t.Errorf("retry counts %q, same body %v", counts, same)
	}
	const want = "POST /v1/chat/completions: 429, after 1s of 1s (in time) 500, after 1s 200: succeeded"
	if got.String() != want {
		t.Errorf("the call is written %q, want %q", got.String(), want)
	}

	mixed := callsOf([]asked{{body: "a", status: 500, header: "Idempotency-Key: k"}, {body: "a", status: 500, header: "Idempotency-Key: l"}})[0]
	if mixed.IdempotencyKey != "" || mixed.Outcome != OutcomeFailed || !mixed.SameBody {
		t.Errorf("a call with two idempotency keys is %+v", mixed)
	}
	if open := callsOf([]asked{{body: "a", ended: EndedOpen}})[0]; open.Outcome != OutcomeOpen {
		t.Errorf("a call that is still answered is %q", open.Outcome)
	}
}

func TestAdviceIsReadAsClientsDo(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ header, want string }{
		{"", "none"},
		{"Retry-After: 2", "2s"},
		{"Retry-After: 1.5", "1.5s"},
		{"Retry-After-Ms: 250; Retry-After: 2", "250ms"},
		{"Retry-After-Ms: x; Retry-After: 2", "2s"},
		{"Retry-After: Tue, 01 Jan 2030 00:00:30 GMT", "30s"},
		{"Retry-After: Tue, 01 Jan 2019 00:00:30 GMT", "0s"},
		{"Retry-After: soon", "none"},
		{"Retry-After: -1", "none"},
		{"X-Should-Retry: false", "no pause, false"},
		{"X-Should-Retry: true; Retry-After: 1", "1s, true"},
		{"X-Should-Retry: perhaps", "none"},
	} {
		a, got := AdviceIn(asked{header: tt.header}.entry(1).Header, func() time.Time { return now }), "none"
		if a != nil {
			got = "no pause"
			if a.RetryAfter != nil {
				got = a.RetryAfter.String()
			}
			if a.ShouldRetry != nil {
				got += fmt.Sprintf(", %t", *a.ShouldRetry)
			}
		}
		if got != tt.want {
			t.Errorf("%q advises %s, want %s", tt.header, got, tt.want)
		}
	}
}
