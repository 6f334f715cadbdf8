package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

func TestTheJudgeOnRetries(t *testing.T) {
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
		{"a retry after a status that stays", []asked{{status: 400}, {at: s}}, "2: it is a retry after the status 400, which allows no retry"},
		{"two of them", []asked{{status: 401}, {at: s, status: 401}, {at: 2 * s, status: 401}}, "2: it is a retry after the status 401, which allows no retry; 3: it is a retry after the status 401, which allows no retry"},
		{"one that the answer asked for", []asked{{status: 404, advice: yes}, {at: s}}, ""},
		{"a retry after a conflict", []asked{{status: 409}, {at: s}}, ""},
		{"a retry after a whole answer", []asked{{header: "Idempotency-Key: k"}, {at: s, header: "Idempotency-Key: k"}}, "2: it is a retry after a whole answer, which allows no retry"},
		{"a retry after a whole answer, by its count", []asked{{}, {at: s, header: "X-Stainless-Retry-Count: 1"}}, "2: it is a retry after a whole answer, which allows no retry"},
		{"a retry after a retry with a whole answer", []asked{{status: 503}, {at: s, header: "X-Stainless-Retry-Count: 1"}, {at: 2 * s, header: "X-Stainless-Retry-Count: 2"}}, "3: it is a retry after a whole answer, which allows no retry"},
		{"a retry of the call that failed, beside a whole answer", []asked{{status: 503}, {at: s}, {at: 2 * s, status: 503}, {at: 3 * s, header: "X-Stainless-Retry-Count: 1"}}, ""},
		{"a new question after a whole answer", []asked{{}, {at: s, header: "X-Stainless-Retry-Count: 0"}}, ""},
		{"another question with a count", []asked{{body: "a"}, {body: "b", at: s, header: "X-Stainless-Retry-Count: 1"}}, ""},
		{"the same question twice", []asked{{}, {at: s}}, ""},
		{"a retry that the answer forbids", []asked{{status: 503, advice: no}, {at: s}}, "2: it is a retry after the status 503 with X-Should-Retry: false"},
		{"none after 500", []asked{{status: 500}}, "1: there was no retry after the status 500"},
		{"none after 429, beside another call", []asked{{body: "a", status: 429}, {body: "b", at: s}}, "1: there was no retry after the status 429"},
		{"none, as the answer asks", []asked{{status: 503, advice: no}}, ""},
		{"none after 400", []asked{{status: 400}}, ""},
		{"none after a pause that is too long", []asked{{status: 429, advice: &RetryAdvice{RetryAfter: new(time.Hour)}}}, ""},
		{"none after the quota is used up", []asked{{status: 429, code: "insufficient_quota"}}, ""},
		{"a retry after an answer that broke off", []asked{{answer: AnswerBroken, end: "cut"}, {at: s, header: "X-Stainless-Retry-Count: 1"}}, ""},
		{"none after that", []asked{{answer: AnswerBroken, end: "cut"}}, ""},
		{"a retry after no answer", []asked{{answer: AnswerNone, end: "refuse"}, {at: s}}, ""},
		{"a retry after an error in the stream", []asked{{answer: AnswerError, code: "invalid_prompt"}, {at: s}}, ""},
		{"a retry after a failure that passes", []asked{{answer: AnswerFailed, code: "server_error"}, {at: s}}, ""},
		{"a retry after a failure that nobody knows", []asked{{answer: AnswerFailed, code: "odd"}, {at: s}}, ""},
		{"a retry after a failure that stays", []asked{{answer: AnswerFailed, code: "invalid_prompt"}, {at: s}}, "2: it is a retry after an answer that failed with invalid_prompt, which allows no retry"},
		{"a retry after an answer that nobody knows", []asked{{answer: AnswerUnknown, header: "Idempotency-Key: k"}, {at: s, header: "Idempotency-Key: k"}}, ""},
		{"a retry after a whole answer whose connection broke", []asked{{end: "cut", header: "Idempotency-Key: k"}, {at: s, header: "Idempotency-Key: k"}}, ""},
		{"a retry after a whole answer whose connection lingered", []asked{{end: "linger", header: "Idempotency-Key: k"}, {at: s, header: "Idempotency-Key: k"}}, "2: it is a retry after a whole answer, which allows no retry"},
		{"a question that says it is no retry", []asked{{status: 400}, {at: s, header: "X-Stainless-Retry-Count: 0"}}, ""},
		{"a client that gives up", []asked{{status: 503}, {at: s, status: 503}, {at: 2 * s, status: 503}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var entries []Entry
			for i, a := range tt.list {
				entries = append(entries, a.entry(i+1))
			}
			var got []string
			for _, f := range Judge(entries, false) {
				got = append(got, fmt.Sprintf("%d: %s", f.Entry.ID, f.Entry.Problem))
			}
			if got := strings.Join(got, "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What a client makes of a broken answer is told where its next request shows it, or the command's exit
// code does. Who asks again, who left by itself, and who cannot be known is not accused.
func TestTheJudgeOnBrokenAnswers(t *testing.T) {
	t.Parallel()
	const s = time.Second
	text, call := &Said{ID: "resp_1", Text: "Once upon "}, &Said{Calls: []string{"call_1"}}
	broken := asked{answer: AnswerBroken, end: "cut", said: text, history: "user: hi"}
	with := func(change func(*asked)) asked {
		a := broken
		change(&a)
		return a
	}
	const onFromText = "user: hi; assistant: Once upon; user: and?"
	for _, tt := range []struct {
		name      string
		list      []asked
		succeeded bool
		want      string
	}{
		{"it goes on from the text", []asked{broken, {at: s, body: "2", history: onFromText}}, false, `1: its answer ended early (cut), and request 2 goes on from its text "Once upon "`},
		{"it goes on from the call", []asked{with(func(a *asked) { a.said = call }), {at: s, body: "2", history: "user: hi; assistant:; :call_1; tool: 18"}}, false, "1: its answer ended early (cut), and request 2 goes on from its call call_1"},
		{"it goes on from what came before an error", []asked{with(func(a *asked) { a.answer, a.end = AnswerError, "" }), {at: s, body: "2", history: onFromText}}, false, `1: its answer has an error in place of the rest, and request 2 goes on from its text "Once upon "`},
		{"and from what came before a failure", []asked{with(func(a *asked) { a.answer, a.end, a.code = AnswerFailed, "", "server_error" }), {at: s, body: "2", history: onFromText}}, false, `1: its answer failed with server_error, and request 2 goes on from its text "Once upon "`},
		{"behind a longer history", []asked{broken, {at: s, body: "2", history: "system: new; " + onFromText}}, false, `1: its answer ended early (cut), and request 2 goes on from its text "Once upon "`},
		{"the command succeeded", []asked{broken}, true, "1: its answer ended early (cut), and the command ended with exit code 0 and did not ask again"},
		{"the command failed", []asked{broken}, false, ""},
		{"the command went on with something else", []asked{broken, {at: s, body: "2", history: "user: other"}}, true, ""},
		{"it asked again and got it whole", []asked{broken, {at: s, history: "user: hi"}, {at: 2 * s, body: "3", history: onFromText}}, true, ""},
		{"it asked again in another form", []asked{broken, {at: s, body: "2", history: "user: hi"}, {at: 2 * s, body: "3", history: onFromText}}, true, ""},
		{"another text", []asked{broken, {at: s, body: "2", history: "user: hi; assistant: Sorry; user: and?"}}, false, ""},
		{"the same text after another question", []asked{broken, {at: s, body: "2", history: "user: ho; assistant: Once upon; user: and?"}}, false, ""},
		{"the same text of another key", []asked{broken, {at: s, body: "2", history: onFromText, header: "Authorization: Bearer x"}}, false, ""},
		{"a request that came before its end", []asked{with(func(a *asked) { a.took = 2 * s }), {at: s, body: "2", history: onFromText}}, false, ""},
		{"nothing was said", []asked{with(func(a *asked) { a.said = &Said{} }), {at: s, body: "2", history: "user: hi; assistant:; user: and?"}}, false, ""},
		{"the user stopped it", []asked{{ended: EndedByClient, said: text, history: "user: hi"}, {at: s, body: "2", history: onFromText}}, true, ""},
		{"the server went down", []asked{with(func(a *asked) { a.end, a.ended = "", EndedByShutdown }), {at: s, body: "2", history: onFromText}}, true, ""},
		{"a whole answer", []asked{{history: "user: hi", end: "cut", said: text}, {at: s, body: "2", history: onFromText}}, true, ""},
		{"nobody knows", []asked{{answer: AnswerUnknown, history: "user: hi", said: text}, {at: s, body: "2", history: onFromText}}, true, ""},
		{"a refused request", []asked{{status: 400, history: "user: hi"}}, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var entries []Entry
			for i, a := range tt.list {
				e := a.entry(i + 1)
				e.KeepConversation()
				e.Request = nil
				entries = append(entries, e)
			}
			var got []string
			for _, f := range Judge(entries, tt.succeeded) {
				if f.Kind == KindAccepted {
					got = append(got, fmt.Sprintf("%d: %s", f.Entry.ID, f.Entry.Problem))
				}
			}
			if got := strings.Join(got, "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A client that looks up a response whose stream broke may go on from it.
func TestTheJudgeOnResponsesThatAreContinued(t *testing.T) {
	t.Parallel()
	broken := asked{answer: AnswerBroken, end: "cut", said: &Said{ID: "resp_1"}, history: "user: hi"}.entry(1)
	lookedUp, next := asked{at: time.Second, header: "Path: /v1/responses/resp_1"}.entry(2), asked{at: 2 * time.Second, body: "3", history: "user: and?"}.entry(3)
	next.Request.Body = ojson.Object(ojson.M("previous_response_id", ojson.String("resp_1")))
	if got := Judge([]Entry{broken, lookedUp, next}, false); len(got) != 0 {
		t.Errorf("who looked it up is accused: %+v", got)
	}
	const want = "its answer ended early (cut), and request 3 continues the response resp_1"
	if got := Judge([]Entry{broken, next}, false); len(got) != 1 || got[0].Entry.Problem != want {
		t.Errorf("got %+v, want %q", got, want)
	}
}
