package request_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

var table = &request.Table{Members: []request.Member{request.May("model", request.Str()).Seen()}}

func parse(body string) (*scenarios.Request, error) {
	return request.Parse("chat", nil, []byte(body), table, func(*scenarios.Request) *request.Error { return nil })
}

func TestTheLastOfMembersWithOneNameCounts(t *testing.T) {
	t.Parallel()
	req, err := parse(`{"model":"first","a":[{"b":1,"b":{"c":1,"c":2}}],"user":"u","model":"last"}`)
	if err != nil {
		t.Fatal(err)
	}
	if req.Model != "last" {
		t.Errorf("the model is %q", req.Model)
	}
	if got, want := req.Body.String(), `{"model":"last","a":[{"b":{"c":2}}],"user":"u"}`; got != want {
		t.Errorf("the body is %s, want %s", got, want)
	}
}

func TestBodiesThatAreNoTextAreRefused(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"{\"user\":\"a\xff\"}":            "not UTF-8 at byte 10",
		"{\"user\":\"\xed\xa0\xbd\"}":     "not UTF-8 at byte 9", // a surrogate in UTF-8
		"{\"\xff\":\"\"}":                 "not UTF-8 at byte 2",
		"{\"user\":\"\ufffd\xff\"}":       "not UTF-8 at byte 12",
		`{"user":"a\ud83d"}`:              `half of a surrogate pair, \ud83d, at byte 10`,
		`{"user":"\ud83dx\ude00"}`:        `half of a surrogate pair, \ud83d, at byte 9`,
		`{"user":"\uDE00\uD83D"}`:         `half of a surrogate pair, \uDE00, at byte 9`,
		`{"\ud83d":1}`:                    `half of a surrogate pair, \ud83d, at byte 2`,
		`{"user":"\ud83d\ude00\ud83d\\"}`: `half of a surrogate pair, \ud83d, at byte 21`,
		`{"user":`:                        "not JSON: at byte 8",
	} {
		_, err := parse(body)
		wrong, ok := errors.AsType[*request.Error](err)
		if !ok || wrong.Status != 400 || wrong.Message != request.NotJSON {
			t.Errorf("%q is answered with %v", body, err)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %q, want it to say %q", body, err, want)
		}
	}
}

func TestEveryTextIsRead(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"user":"\ud83d\ude00\u00e9"}`: "😀é",
		`{"user":"\\ud83d"}`:            `\ud83d`,
		`{"user":"\ufffd"}`:             "\ufffd",
		"{\"user\":\"\ufffd\"}":         "\ufffd",
		`{"user":"\u0000\\"}`:           "\x00\\",
	} {
		req, err := parse(body)
		if err != nil || req.User != want {
			t.Errorf("%q gives %+v, %v; want the user %q", body, req, err, want)
		}
	}
}

// Without a limit, a body of a million small values would take many times its length in memory.
func TestABodyHoldsABoundedNumberOfValues(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	zeros := func(n int) string { return `{"x":[0` + strings.Repeat(",0", n-1) + `]}` }
	if _, err := parse(zeros(request.MaxValues - 3)); err != nil {
		t.Errorf("%d values: %v", request.MaxValues, err)
	}
	_, err := parse(zeros(request.MaxValues))
	if wrong, ok := errors.AsType[*request.Error](err); !ok || wrong.Status != 400 || !strings.Contains(wrong.Message, "at most 1000000") {
		t.Errorf("more than %d values: %v", request.MaxValues, err)
	}
	for _, one := range []string{`[{,`, `\",[`} {
		if _, err := parse(`{"user":"` + strings.Repeat(one, request.MaxValues/2) + `"}`); err != nil {
			t.Errorf("one long text: %v", err)
		}
	}
}
