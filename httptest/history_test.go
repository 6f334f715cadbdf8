package fakeopenai

import (
	"net/http"
	"testing"
)

func TestWithCheckHistory(t *testing.T) {
	t.Parallel()
	const forgotten = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},
		{"role":"assistant","tool_calls":[{"id":"call_7","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"user","content":"well?"}]}`
	t.Run("a history that cannot be fails the test with the reason", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, YAML(greeting), WithCheckHistory())
			if status, _ := mustAsk(t, fake, forgotten); status != http.StatusBadRequest {
				t.Errorf("the status is %d, want 400", status)
			}
			fake.AwaitEnd(0)
		}).wantErrors(t, "did not have response messages: call_7")
	})
	t.Run("so does one that a scenario wants to know about", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) {
			mustAsk(t, NewServer(tb, YAML("name: a\ncheck_history: true\nmessage: Hi\n")), forgotten)
		}).wantErrors(t, "call_7")
	})
	t.Run("with AllowBadHistory it does not", func(t *testing.T) {
		t.Parallel()
		fake := NewServer(t, YAML(greeting), WithCheckHistory(), AllowBadHistory())
		if status, _ := mustAsk(t, fake, forgotten); status != http.StatusBadRequest {
			t.Errorf("the status is %d, want 400", status)
		}
	})
	t.Run("one that can be does not", func(t *testing.T) {
		t.Parallel()
		fake := NewServer(t, YAML(greeting), WithCheckHistory())
		mustAsk(t, fake, whole)
	})
	t.Run("without it nobody looks", func(t *testing.T) {
		t.Parallel()
		fake := NewServer(t, YAML(greeting))
		if status, _ := mustAsk(t, fake, forgotten); status != http.StatusOK {
			t.Errorf("the status is %d, want 200", status)
		}
	})
}

func TestFailHistory(t *testing.T) {
	t.Parallel()
	const orphan = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"call_7","content":"18"}]}`
	record(t, func(tb testing.TB) {
		fake := NewServer(tb, YAML(greeting), FailHistory())
		if status, _ := mustAsk(t, fake, orphan); status != http.StatusOK {
			t.Errorf("the status is %d, want 200", status)
		}
		mustAsk(t, fake, whole)
	}).wantErrors(t, "messages with role 'tool' must be a response to a preceeding message")
	fake := NewServer(t, YAML("name: a\ncheck_history: false\nmessage: Hi\n"), FailHistory())
	mustAsk(t, fake, orphan) // the scenario permits it
}

func TestFailRetries(t *testing.T) {
	t.Parallel()
	const flaky = "name: a\nreplies:\n  - { times: 1, error: { status: 429, retry_after: 60s } }\n  - message: Hi\n"
	record(t, func(tb testing.TB) {
		fake := NewServer(tb, YAML(flaky), FailRetries())
		mustAsk(t, fake, whole)
		mustAsk(t, fake, whole)
	}).wantErrors(t, "request 2: POST /v1/chat/completions: it is a retry ")
	record(t, func(tb testing.TB) {
		mustAsk(t, NewServer(tb, YAML(flaky), FailRetries(), AllowUnused()), whole)
	}).wantErrors(t, "request 1: POST /v1/chat/completions: there was no retry after the status 429")
	fake := NewServer(t, YAML(flaky))
	mustAsk(t, fake, whole)
	mustAsk(t, fake, whole)
}
