package recording

import (
	"fmt"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// asked returns a request with a body, as a surface reads it.
func asked(t *testing.T, user, body string) *scenarios.Request {
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
		list = append(list, asked(t, user, fmt.Sprintf(`{"model":"gpt-4o","messages":[{"role":"user","content":%q}]}`, user)))
	}
	return list
}

// A request is tried only on the conditions of requests with the same text, so that twice as many requests take
// twice as many trials, and not four times as many.
func TestFewConditionsAreTried(t *testing.T) {
	t.Parallel()
	for _, how := range []Matching{MatchTurn, MatchLast, MatchExact} {
		few, many := derivation{how: how}, derivation{how: how}
		few.derive(different(t, 300), nil)
		many.derive(different(t, 600), nil)
		if few.tried > 300 || many.tried > 600 {
			t.Errorf("%s: 300 requests take %d trials, 600 take %d", how, few.tried, many.tried)
		}
		// A further request with the same text as another takes more trials.
		one := derivation{how: how}
		one.derive(append(different(t, 300), asked(t, "question 7", `{"model":"gpt-4o","messages":[{"role":"user","content":"question 7"}],"temperature":0}`)), nil)
		if extra := one.tried - few.tried; extra < 2 || extra > 30 {
			t.Errorf("%s: one more like another takes %d more trials", how, extra)
		}
	}
}

// Each condition holds for its own request only.
func TestConditionsHoldForOneRequest(t *testing.T) {
	t.Parallel()
	list := append(different(t, 20),
		asked(t, "question 7", `{"model":"gpt-4o","messages":[{"role":"user","content":"question 7"}],"temperature":0}`),
		asked(t, "", `{"model":"gpt-4o","messages":[]}`), asked(t, "", `{"model":"gpt-4o","messages":[],"n":2}`),
		asked(t, "Write to redacted-email-123456.", `{"model":"gpt-4o","messages":[{"role":"user","content":"Write to redacted-email-123456."}]}`),
	)
	others := []*scenarios.Request{asked(t, "question 3", `{"model":"gpt-4o","messages":[{"role":"user","content":"question 3"}],"seed":1}`)}
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
