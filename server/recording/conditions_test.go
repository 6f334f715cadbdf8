package recording

import (
	"fmt"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// askedFor returns a request with a body, as a surface reads it.
func askedFor(t *testing.T, user, body string) *scenarios.Request {
	t.Helper()
	v, err := ojson.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return &scenarios.Request{
		Surface: "chat", Model: v.Get("model").Text(), Turn: 1, LastUser: user, Body: v,
		Messages: []scenarios.RequestMessage{{Role: "user", Text: user}},
	}
}

// different returns requests whose users' texts differ.
func different(t *testing.T, n int) []*scenarios.Request {
	t.Helper()
	var list []*scenarios.Request
	for i := range n {
		user := fmt.Sprintf("question %d", i)
		list = append(list, askedFor(t, user, fmt.Sprintf(`{"model":"gpt-4o","messages":[{"role":"user","content":%q}]}`, user)))
	}
	return list
}

// A condition is tried only on requests with the same text, so that twice as many requests take twice as
// many trials, and not four times as many.
func TestFewConditionsAreTried(t *testing.T) {
	t.Parallel()
	list := append(different(t, 300), askedFor(t, "question 7", `{"model":"gpt-4o","messages":[{"role":"user","content":"question 7"}],"temperature":0}`))
	of, tried := rivals(list), 0
	for _, req := range list {
		tried += len(of(req)) - 1
	}
	if tried != 2 {
		t.Errorf("301 requests, of which two are alike, take %d trials, want 2", tried)
	}
}

// Each condition holds for its own request only.
func TestConditionsHoldForOneRequest(t *testing.T) {
	t.Parallel()
	list := append(different(t, 20),
		askedFor(t, "question 7", `{"model":"gpt-4o","messages":[{"role":"user","content":"question 7"}],"temperature":0}`),
		askedFor(t, "", `{"model":"gpt-4o","messages":[]}`), askedFor(t, "", `{"model":"gpt-4o","messages":[],"n":2}`),
		askedFor(t, "Write to redacted-email-123456.", `{"model":"gpt-4o","messages":[{"role":"user","content":"Write to redacted-email-123456."}]}`),
	)
	others := []*scenarios.Request{askedFor(t, "question 3", `{"model":"gpt-4o","messages":[{"role":"user","content":"question 3"}],"seed":1}`)}
	for _, how := range []Matching{MatchTurn, MatchLast, MatchExact} {
		for i, w := range deriveConditions(how, list, others) {
			holds := w.Test()
			for k, req := range append(list[:len(list):len(list)], others...) {
				if holds(req) != (i == k) {
					t.Errorf("%s: the condition of request %d (%v) holds for request %d: %t", how, i, w.Conditions(), k, i != k)
				}
			}
		}
	}
}
