package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fakeopenai/fakeopenai/server"
)

// ending sends a message, unless that is empty, and returns the last message of the next turn
// that ends.
func (c *memConn) ending(t *testing.T, message string) string {
	t.Helper()
	if message != "" {
		c.in <- message
	}
	for {
		select {
		case got := <-c.out:
			switch value(t, got, "type").Text() {
			case "response.completed", "error":
				return got
			}
		case <-c.over:
			t.Fatal("the connection ended")
		}
	}
}

// create returns a message that requests a response that is not stored.
func create(members string) string {
	return `{"type":"response.create","model":"gpt-4o","store":false` + members + `}`
}

// continuing returns members of a message that go on from a response with the output of its call.
func continuing(id string) string {
	return fmt.Sprintf(`,"previous_response_id":%q,"input":[{"type":"function_call_output","call_id":"call_1","output":"18"}]`, id)
}

// A turn can go on from the last response of its connection even if that is not stored.
func TestAConnectionRemembersItsLastResponses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fails if it would hang
		c, s, _ := converse(t, loop, server.Config{CheckHistory: true})
		const first, brief = `,"instructions":"Be brief.","input":"weather?"`, `,"instructions":"Be brief."`
		one := value(t, c.ending(t, create(first)), "response.id").Text()
		got := httptest.NewRecorder()
		s.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/v1/responses/"+one, nil))
		if got.Code != http.StatusNotFound {
			t.Errorf("a response that is not stored is there for HTTP: %s", got.Body)
		}
		last := c.ending(t, create(`,"stream_id":"fork"`+brief+continuing(one)))
		if call := value(t, last, "response.output[0].call_id").Text(); call != "call_2" {
			t.Errorf("another lane cannot go on: %s", last)
		}
		var lanes []string
		for _, e := range s.Journal() {
			if d := e.Delivery; d.Protocol == "WebSocket" {
				lanes = append(lanes, fmt.Sprintf("%d %d %q", d.Connection, d.RequestNumber, d.Lane))
			}
		}
		if want := []string{`1 1 ""`, `1 2 "fork"`}; !slices.Equal(lanes, want) {
			t.Errorf("the turns are %q, want %q", lanes, want)
		}
		warming := c.ending(t, create(`,"stream_id":"warm","generate":false`+brief))
		wantContains(t, warming, `"output":[]`, `"output_tokens":0`)
		if e := s.Journal(); !strings.HasPrefix(e[len(e)-1].Note, "generate: false ") {
			t.Errorf("the journal does not say why no scenario was asked: %+v", e[len(e)-1])
		}
		warm := value(t, warming, "response.id").Text()
		wantContains(t, c.ending(t, create(`,"stream_id":"warm","previous_response_id":"`+warm+`"`+first)), `"call_id":"call_1"`)
		last = c.ending(t, create(brief+continuing(one)))
		wantContains(t, last, `"call_id":"call_2"`)
		wantContains(t, c.ending(t, create(brief+continuing(one))), "previous_response_not_found") // the lane remembers only its last response
		close(c.in)
	})
}

func TestATurnThatFailsLosesThePreviousResponse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fails if it would hang
		c, s, _ := converse(t, loop, server.Config{CheckHistory: true})
		const first, brief = `,"instructions":"Be brief.","input":"weather?"`, `,"instructions":"Be brief."`
		one := value(t, c.ending(t, create(first)), "response.id").Text()
		wantContains(t, c.ending(t, create(`,"input":"hm?"`+brief+`,"previous_response_id":"`+one+`"`)), "No tool output found")
		wantContains(t, c.ending(t, create(brief+continuing(one))), "previous_response_not_found")

		one = value(t, c.ending(t, create(first)), "response.id").Text()
		s.Reset()
		wantContains(t, c.ending(t, create(brief+continuing(one))), "previous_response_not_found")
		close(c.in)
	})
}
