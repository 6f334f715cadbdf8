package cli

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// A line about a request has no secrets and nothing that a terminal would obey.
func TestLinesHaveNoSecretsAndNoControlCharacters(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	session := &recording.Session{Mode: recording.ModePassthrough, Redactor: new(recording.Redactor), List: new(recording.Collection)}
	c := startCapture(session, "", &out)
	session.Failed(httptest.NewRequest("GET", "/v1/%1b%5b2J%07%0aforged/sk-abcdefghijklmnop1234", nil), errors.New("no host\x9b for joe@example.org"))
	if _, err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	const want = "fakeopenai: GET /v1/ [2J  forged/redacted-key-6c2b82: no answer: no host� for redacted-email-0eafd5\n" +
		"fakeopenai: passed through, nothing is recorded: requests 0, bytes 0\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if list := session.Redactor.Summary(); len(list) > 0 {
		t.Errorf("the summary counts what was printed: %v", list)
	}
}
