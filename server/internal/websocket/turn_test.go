package websocket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

var _ = testflag.Update // go test ./... -update hands the flag to all tests

// heard is a connection that lists what is sent over it; a ping is a colon.
type heard struct {
	Conn
	list []string
}

func (h *heard) WriteMessage(_ context.Context, _ bool, p []byte) error {
	h.list = append(h.list, string(p))
	return nil
}

func (h *heard) BeginMessage(context.Context, bool) (io.WriteCloser, error) {
	h.list = append(h.list, "")
	return long{h, len(h.list) - 1}, nil
}

// long is a message that is written in parts; its parts are marked with a dash.
type long struct {
	*heard
	at int
}

func (l long) Write(p []byte) (int, error) {
	l.list[l.at] += string(p) + "-"
	return len(p), nil
}

func (l long) Close() error { return nil }

func (h *heard) Ping(context.Context) error {
	h.list = append(h.list, ":")
	return nil
}

// events returns what is sent for a stream that is written in pieces of n bytes.
func events(t *testing.T, stream []byte, n int) []string {
	h := new(heard)
	turn := &Turn{session: &Session{Conn: h, Ctx: t.Context()}}
	turn.Streams()
	for piece := range slices.Chunk(stream, n) {
		if _, err := turn.Write(piece); err != nil {
			t.Error(err)
		}
	}
	return h.list
}

func TestEventsAreFoundWhateverTheirLines(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string]string{
		"data: a\n\n":                               "a",
		"event: x\nid: 1\nretry: 5\ndata: a\n\n":    "a",
		"data:a\r\n\r\ndata: b\r\rdata: c\n\n":      "a|b|c",
		"data: a\ndata: b\n\n":                      "a\nb",
		": beat\n\ndata: a\n: again\n\n":            ":|:|a",
		"data: a\n\ndata: cut":                      "a",
		"data: a\n\ndata: whole line\n":             "a",
		"\ufeffdata: a\n\nevent: ping\n\ndata\n\n":  "a|",
		"data: [DONE]\n\nnonsense\n\n":              "[DONE]",
		"data: {\"x\":\"\\r\\n\"}\r\n\ndata: b\n\n": `{"x":"\r\n"}|b`,
	} {
		for n := 1; n <= len(stream); n++ {
			if got := strings.Join(events(t, []byte(stream), n), "|"); got != want {
				t.Errorf("%q in pieces of %d: got %q, want %q", stream, n, got, want)
			}
		}
	}
}

// A long event is sent in parts, of which none but the last waits for the end of the event.
func TestALongEventIsSentInParts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("é", longEvent)
	for stream, want := range map[string]string{
		"data: {" + text + "}\n\ndata: a\n\n":                      "{" + text + "}|a",
		": beat\nevent: x\ndata: b\ndata: " + text + "\nid: 1\n\n": ":|b\n" + text,
		"data: " + text + "\r\ndata: " + text + "\r\n: c\r\n\r\n":  text + "\n" + text + "|:",
		"data: " + text: text[:len(text)-1],
	} {
		for _, n := range []int{1000, longEvent, 4 * longEvent} {
			if got := strings.ReplaceAll(strings.Join(events(t, []byte(stream), n), "|"), "-", ""); got != want {
				t.Errorf("%q in pieces of %d is sent as %q, %d bytes, want %d", diag.Shorten(stream), n, diag.Shorten(got), len(got), len(want))
			}
		}
	}
	h := new(heard)
	turn := &Turn{StreamID: "a", session: &Session{Conn: h, Ctx: t.Context()}}
	if _, err := turn.Write([]byte("{" + text + "}")); err != nil || len(h.list) != 1 {
		t.Fatalf("a long body is not sent before its end: %v", err)
	}
	if err := turn.Finish(); err != nil || !strings.HasSuffix(h.list[0], `-,"stream_id":"a"}-`) {
		t.Errorf("it ends with %q, %v", h.list[0][len(h.list[0])-30:], err)
	}
}

func TestWhatIsSoFarUTF8IsText(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]bool{"a": true, "é": true, "é"[:1]: true, "€"[:2]: true, "a\xff": false, "\xffa": false, "": true} {
		if isText([]byte(p)) != want {
			t.Errorf("%q is text: %t, want %t", p, !want, want)
		}
	}
}

func TestMessagesBecomeBodies(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`{"type":"response.create","model":"m"}`:                                          `{"model":"m","stream":true}`,
		`{"type":"response.create","stream":false,"stream_id":"a.b-C_1","generate":true}`: `{"stream":true} a.b-C_1`,
		`{"type":"response.create","generate":false,"stream_id":null}`:                    `{"stream":true} warms`,
		`{"type":"response.cancel","type":"response.create"}`:                             `{"stream":true}`,
		`{"type":"response.create","stream_id":""}`:                                       "invalid_stream_id stream_id: The 'stream_id' field must be a non-empty string",
		`{"type":"response.create","stream_id":"` + strings.Repeat("a", 257) + `"}`:       "invalid_stream_id stream_id",
		`{"type":7}`: "invalid_type type", `"x"`: "invalid_type ", `{}`: "missing_required_parameter type: Missing required parameter: 'type'.",
		`{"type":"response.create","background":false}`: `{"background":false,"stream":true}`,
		`{"type":"response.create","background":true}`:  "unsupported_parameter background: Unsupported parameter: 'background' is not supported over WebSocket.",
		`{"type":"session.update"}`:                     "invalid_value type: Invalid value: 'session.update'. Supported values are: 'response.create'.",
		`{"type":"response.create","generate":"no"}`:    "invalid_type generate: Invalid type for 'generate': expected a boolean, but got a string instead.",
	} {
		turn := turnOf([]byte(message))
		got := string(turn.Body)
		switch {
		case turn.Err != nil:
			wrong, _ := errors.AsType[*apierror.Error](turn.Err)
			if got = wrong.Code + " " + wrong.Param + ": " + wrong.Message; strings.HasPrefix(got, want) {
				continue
			}
		case turn.StreamID != "":
			got += " " + turn.StreamID
		case turn.Warms:
			got += " warms"
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", message, got, want)
		}
	}
}

// FuzzParseTurn looks for messages that panic, or whose turn has a body that does not request a stream.
func FuzzParseTurn(f *testing.F) {
	for _, seed := range []string{`{"type":"response.create"}`, `{"type":"response.create","type":1,"stream_id":"a","generate":false}`, `[`, ``, "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		turn := turnOf(message)
		if turn.Err != nil {
			wrong, ok := errors.AsType[*apierror.Error](turn.Err)
			if !ok || wrong.Status != 400 || wrong.Message == "" {
				t.Errorf("%q: %+v", message, turn.Err)
			}
			return
		}
		v, err := ojson.Parse(turn.Body)
		if err != nil || v.Get("stream").String() != "true" || !v.Get("type").IsAbsent() {
			t.Errorf("%q became %q", message, turn.Body)
		}
	})
}

// Events of a lane that has a name have its stream_id, whatever else they contain.
func TestEventsNameTheirLane(t *testing.T) {
	t.Parallel()
	turn := &Turn{StreamID: "a"}
	for data, want := range map[string]string{`{"x":1}`: `{"x":1,"stream_id":"a"}`, `{}`: `{"stream_id":"a"}`, `[DONE]`: `[DONE]`, ``: ``, `{`: `{`} {
		if got := turn.marked([]byte(data)); !bytes.Equal(got, []byte(want)) {
			t.Errorf("%s: got %s, want %s", data, got, want)
		}
	}
}

func turnOf(message []byte) *Turn {
	v, err := request.ReadObject("message", message)
	return parseTurn(message, v, err)
}
