package compat

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// inquiry is one request of one client: a scenario on a surface.
type inquiry struct {
	Client   string  `json:"client"`
	Scenario string  `json:"scenario"`
	Surface  string  `json:"surface"`           // chat or responses
	Key      string  `json:"key"`               // another API key for each inquiry, because the server counts replies by key
	Retries  int     `json:"retries,omitempty"` // how often the client may try again
	Request  members `json:"request,omitempty"` // further members of the request
	Hold     string  `json:"hold,omitempty"`    // a hold to release when the answer has reached it
}

// reading is what a client read, in a form common to all clients. Members that were null,
// missing or empty are left out.
type reading struct {
	Text      string   `json:"text,omitempty"`  // Text is joined from the pieces of the stream.
	Final     *string  `json:"final,omitempty"` // Final is the text that the client returns at the end, if it differs from Text.
	Refusal   string   `json:"refusal,omitempty"`
	Reasoning string   `json:"reasoning,omitempty"`
	Calls     []string `json:"calls,omitempty"`  // Calls has id, name and arguments (or input) of each call.
	Ran       []string `json:"ran,omitempty"`    // Ran has name and arguments of each tool that the client ran.
	Tokens    []string `json:"tokens,omitempty"` // Tokens are the tokens of the log-probabilities.
	Usage     []int64  `json:"usage,omitempty"`  // Usage is the number of input and of output tokens.
	Finish    string   `json:"finish,omitempty"` // Finish is the API's finish reason or status.
	Error     string   `json:"error,omitempty"`  // Error is class, status and text of the error; in a table, a part of them.
	Requests  int      `json:"requests"`         // Requests is the number of requests that the client sent.
}

// diff describes the first difference between want and got. It is "" if there is none.
func (want reading) diff(got reading) string {
	if (want.Error == "") != (got.Error == "") || !strings.Contains(got.Error, want.Error) {
		return fmt.Sprintf("the error is %q, want %q\nin %s", got.Error, want.Error, text(got))
	}
	got.Error = want.Error
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("got  %s\nwant %s", text(got), text(want))
	}
	return ""
}

// with is the reading with other members in place of its own; null removes a member.
func (want reading) with(t *testing.T, other members) reading {
	t.Helper()
	all := members{}
	fromJSON(t, []byte(text(want)), &all)
	for name, value := range other {
		all[name] = value
	}
	src, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var out reading
	fromJSON(t, src, &out)
	return out
}

func fromJSON(t *testing.T, src []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(src, to); err != nil {
		t.Fatalf("%v in %s", err, src)
	}
}
