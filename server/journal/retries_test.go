package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestWrongRetries(t *testing.T) {
	t.Parallel()
	const s = time.Second
	pause, no, yes := &RetryAdvice{RetryAfter: new(2 * s)}, &RetryAdvice{ShouldRetry: new(false)}, &RetryAdvice{ShouldRetry: new(true)}
	for _, tt := range []struct {
		name string
		list []asked
		want string // the numbers of the requests with their problems; "" for none
	}{
		{"a retry after the pause", []asked{{status: 429, advice: pause}, {at: 2 * s}}, ""},
		{"a retry before its end", []asked{{status: 429, advice: pause}, {at: s}}, "2: it is a retry 1s after the status 429, which asked for a pause of 2s"},
		{"a late retry", []asked{{status: 429, advice: pause}, {at: 9 * s}}, ""},
		{"a retry after a status that stays", []asked{{status: 400}, {at: s}}, "2: it is a retry after the status 400, after which none is allowed"},
		{"two of them", []asked{{status: 401}, {at: s, status: 401}, {at: 2 * s, status: 401}}, "2: it is a retry after the status 401, after which none is allowed; 3: it is a retry after the status 401, after which none is allowed"},
		{"one that the answer asked for", []asked{{status: 404, advice: yes}, {at: s}}, ""},
		{"a retry after a conflict", []asked{{status: 409}, {at: s}}, ""},
		{"a retry after a whole answer", []asked{{header: "Idempotency-Key: k"}, {at: s, header: "Idempotency-Key: k"}}, "2: it is a retry after the status 200, after which none is allowed"},
		{"a retry after a whole answer, by its count", []asked{{}, {at: s, header: "X-Stainless-Retry-Count: 1"}}, "2: it is a retry after the status 200, after which none is allowed"},
		{"a retry after a retry with a whole answer", []asked{{status: 503}, {at: s, header: "X-Stainless-Retry-Count: 1"}, {at: 2 * s, header: "X-Stainless-Retry-Count: 2"}}, "3: it is a retry after the status 200, after which none is allowed"},
		{"a retry of the call that failed, beside a whole answer", []asked{{status: 503}, {at: s}, {at: 2 * s, status: 503}, {at: 3 * s, header: "X-Stainless-Retry-Count: 1"}}, ""},
		{"a new question after a whole answer", []asked{{}, {at: s, header: "X-Stainless-Retry-Count: 0"}}, ""},
		{"another question with a count", []asked{{body: "a"}, {body: "b", at: s, header: "X-Stainless-Retry-Count: 1"}}, ""},
		{"the same question twice", []asked{{}, {at: s}}, ""},
		{"a retry that the answer forbids", []asked{{status: 503, advice: no}, {at: s}}, "2: it is a retry after the status 503 with X-Should-Retry: false"},
		{"none after 500", []asked{{status: 500}}, "1: there was no retry after the status 500"},
		{"none after 429, beside another call", []asked{{body: "a", status: 429}, {body: "b", at: s}}, "1: there was no retry after the status 429"},
		{"none, as the answer asks", []asked{{status: 503, advice: no}}, ""},
		{"none after 400", []asked{{status: 400}}, ""},
		{"a client that gives up", []asked{{status: 503}, {at: s, status: 503}, {at: 2 * s, status: 503}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var entries []Entry
			for i, a := range tt.list {
				entries = append(entries, a.entry(i+1))
			}
			var got []string
			for _, e := range WrongRetries(entries) {
				got = append(got, fmt.Sprintf("%d: %s", e.ID, e.Problem))
			}
			if got := strings.Join(got, "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
