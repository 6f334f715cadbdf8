package answer

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/testkit"
)

const threeReplies = `
name: few
replies:
  - times: 1
    message: one
  - times: 2
    message: two
---
name: rest
message: rest
`

func accept(*scenarios.Selection) error { return nil }

func TestARefusedRequestTakesNothing(t *testing.T) {
	t.Parallel()
	set, used := loaded(t, threeReplies), limits.NewCounters(nil)
	req := testkit.Request(t, fmt.Sprintf(plainRequest, "gpt-4o"))
	refused := errors.New("no")
	for range 3 {
		sel, none, err := Select(set, req, used, "", 1, func(sel *scenarios.Selection) error {
			if sel.Scenario.Name != "few" || sel.Index != 0 {
				t.Errorf("the request is checked for reply %d of %s", sel.Index, sel.Scenario.Name)
			}
			return refused
		})
		if sel != nil || none != nil || !errors.Is(err, refused) {
			t.Fatalf("got %+v, %+v, %v", sel, none, err)
		}
	}
	if !used.Available(req.APIKey, "few", 0, 1) {
		t.Error("the reply is used up by requests that were refused")
	}
}

func TestWhatNothingAnswersIsNotChecked(t *testing.T) {
	t.Parallel()
	set := loaded(t, "name: x\nwhen: { model: other }\nmessage: x\n")
	sel, none, err := Select(set, testkit.Request(t, fmt.Sprintf(plainRequest, "gpt-4o")), limits.NewCounters(nil), "", 1, func(*scenarios.Selection) error {
		t.Error("there is nothing to check the request for")
		return nil
	})
	if sel != nil || none == nil || err != nil {
		t.Errorf("got %+v, %+v, %v", sel, none, err)
	}
}

// If another request has taken the selected reply, a request gets the next one that is
// left.
func TestEachReplyIsGivenAsOftenAsItSaysToManyAtOnce(t *testing.T) {
	t.Parallel()
	set, used := loaded(t, threeReplies), limits.NewCounters(nil)
	req := testkit.Request(t, fmt.Sprintf(plainRequest, "gpt-4o"))
	var mu sync.Mutex
	given := map[string]int{}
	var arrived atomic.Int32
	all := make(chan struct{})
	var clients sync.WaitGroup
	const n = 20
	for range n {
		clients.Go(func() {
			first := true
			sel, none, err := Select(set, req, used, "", 1, func(*scenarios.Selection) error {
				if first { // all requests have matched the first reply before any takes it
					first = false
					if arrived.Add(1) == n {
						close(all)
					}
					<-all
				}
				return nil
			})
			if none != nil || err != nil {
				t.Errorf("got %+v, %v", none, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			given[fmt.Sprint(sel.Scenario.Name, sel.Index)]++
		})
	}
	clients.Wait()
	if given["few0"] != 1 || given["few1"] != 2 || given["rest0"] != n-3 {
		t.Errorf("given %v, want the first once, the second twice", given)
	}
}

func TestAnotherReplyIsCheckedAgain(t *testing.T) {
	t.Parallel()
	set, used := loaded(t, threeReplies), limits.NewCounters(nil)
	req := testkit.Request(t, fmt.Sprintf(plainRequest, "gpt-4o"))
	var checked []int
	sel, _, err := Select(set, req, used, "", 1, func(sel *scenarios.Selection) error {
		if checked = append(checked, sel.Index); len(checked) == 1 {
			used.Take(req.APIKey, "few", 0, 1) // another request takes it meanwhile
		}
		return nil
	})
	if err != nil || sel.Index != 1 || fmt.Sprint(checked) != "[0 1]" {
		t.Errorf("reply %d after checks for %v, %v", sel.Index, checked, err)
	}
}

func TestAnErrorInTheStreamIsTheAnswerThatDoesNotStream(t *testing.T) {
	t.Parallel()
	set := loaded(t, "name: x\nstream: [{ role: assistant }, { content: half }, { error: { status: 503, message: 'broken {{ .request.user }}' } }]\n")
	sel, none, err := Select(set, testkit.Request(t, `{"model":"gpt-4o","user":"ada","messages":[]}`), limits.NewCounters(nil), "", 1, accept)
	if none != nil || err != nil {
		t.Fatal(none, err)
	}
	a, err := NewMaker(0).Make(Ask(Surfaces()[0], sel, false))
	if err != nil {
		t.Fatal(err)
	}
	var body strings.Builder
	for i := range a.Program.Frames {
		body.Write(a.Program.Frames[i].Append(nil, a.Values))
	}
	if got := body.String(); a.Status != http.StatusServiceUnavailable || !strings.Contains(got, "broken ada") || strings.Contains(got, "half") {
		t.Errorf("answered %d: %s", a.Status, got)
	}
}
