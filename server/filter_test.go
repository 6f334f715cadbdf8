package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

const filtered = `
name: greeting
when: { model: gpt-4o* }
message: { content: Hi. }
---
name: refusing
when: { model: o3 }
error: 429
`

func TestTheJournalIsFiltered(t *testing.T) {
	t.Parallel()
	r := start(t, filtered, server.Config{})
	for i, model := range []string{"gpt-4o", "o3", "gpt-4o-mini", "gpt-5"} {
		path := "/v1/chat/completions"
		if i == 2 {
			path = "/chat/completions?v=1"
		}
		bodyOf(r.do(http.MethodPost, path, fmt.Sprintf(`{"model":%q,"messages":[]}`, model), fmt.Sprintf("Authorization: Bearer sk-test-key-%d", i+1)))
		r.ended()
	}
	third := r.Journal()[2].Time
	for _, tt := range []struct {
		query  string
		filter journal.Filter
		want   []int64
	}{
		{"", journal.Filter{}, []int64{1, 2, 3, 4}},
		{"path=/chat/completions", journal.Filter{Path: "/chat/completions"}, []int64{3}},
		{"path=/v1/*", journal.Filter{Path: "/v1/*"}, []int64{1, 2, 4}},
		{"status=429", journal.Filter{Status: "429"}, []int64{2}},
		{"status=4xx", journal.Filter{Status: "4??"}, []int64{2, 4}},
		{"scenario=greeting", journal.Filter{Scenario: "greeting"}, []int64{1, 3}},
		{"scenario=greet", journal.Filter{Scenario: "greet"}, nil},
		{"model=gpt-4o", journal.Filter{Model: "gpt-4o"}, []int64{1}},
		{"model=gpt-*&status=200", journal.Filter{Model: "gpt-*", Status: "200"}, []int64{1, 3}},
		{"key=sk-test-key-4", journal.Filter{Key: "sk-test-key-4"}, []int64{4}},
		{"key=" + url.QueryEscape(journal.MaskKey("sk-test-key-4")), journal.Filter{Key: journal.MaskKey("sk-test-key-4")}, []int64{4}},
		{"since=" + url.QueryEscape(third.Format(time.RFC3339Nano)), journal.Filter{Since: third}, []int64{3, 4}},
		{"since=1h", journal.Filter{Since: third.Add(-time.Hour)}, []int64{1, 2, 3, 4}},
		{"since=2999-01-01T00:00:00Z", journal.Filter{Since: third.Add(time.Hour)}, nil},
	} {
		var list struct{ Requests []struct{ ID int64 } }
		if err := json.Unmarshal([]byte(r.get("/_fake/requests?"+tt.query, http.StatusOK)), &list); err != nil {
			t.Fatal(err)
		}
		var over, in []int64
		for _, e := range list.Requests {
			over = append(over, e.ID)
		}
		for _, e := range r.Journal(tt.filter) {
			in = append(in, e.ID)
		}
		if !slices.Equal(over, tt.want) || !slices.Equal(in, tt.want) {
			t.Errorf("%q gives %v over HTTP and %v in Go, want %v", tt.query, over, in, tt.want)
		}
	}
	if got := r.Journal(journal.Filter{Model: "gpt-*"}, journal.Filter{Status: "404"}); len(got) != 1 || got[0].ID != 4 {
		t.Errorf("two filters give %v", got)
	}
}

func TestAFilterThatIsNotUnderstoodIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	for query, want := range map[string]string{
		"status=many":     "it must be a status such as 429",
		"since=yesterday": "it must be a time such as 2030-01-31T12:00:00Z",
		"since=-5s":       "it must be a time",
		"stauts=429":      `Did you mean \"status\"?`,
		"model=":          "without a value",
	} {
		wantContains(t, r.get("/_fake/requests?"+query, http.StatusBadRequest), want, "fake_bad_query")
	}
}
