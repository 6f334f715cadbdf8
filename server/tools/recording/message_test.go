package recording_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// streamed returns an exchange with a stream of these deltas and an orderly end, with an event
// every 100 ms.
func streamed(deltas ...string) *recording.Exchange {
	x := chat(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`, "")
	x.Pieces = nil
	for i, delta := range deltas {
		data := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o-2024-08-06","system_fingerprint":"fp_1","choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":null}]}` + "\n\n"
		x.Pieces = append(x.Pieces, recording.Piece{At: time.Duration(i+1) * 100 * time.Millisecond, Data: []byte(data)})
	}
	last := strings.Replace(chunkOf(`{}`), `"finish_reason":null`, `"finish_reason":"stop"`, 1)
	last = strings.Replace(last, `"model":"gpt-4o"`, `"model":"gpt-4o-2024-08-06","system_fingerprint":"fp_1"`, 1)
	last = strings.Replace(last, `"delta":{}`, `"delta":{},"logprobs":null`, 1)
	x.Pieces = append(x.Pieces, recording.Piece{At: time.Duration(len(deltas)+1) * 100 * time.Millisecond, Data: []byte(last + "data: [DONE]\n\n")})
	return x
}

const roleDelta = `{"role":"assistant","content":"","refusal":null}`

// The answers in one piece of the bundled scenarios that are messages are recorded as messages, except a few whose
// parts a recording cannot join.
func TestMessagesAreWrittenAsMessages(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	fake := bundledAtOnce(t)
	others := []string{"audio", "custom-tool", "function-call", "generated-logprobs"}
	onResponses := []string{"audio", "function-call", "generated-logprobs"}
	checked := 0
	for _, name := range fixtures.Names() {
		data, err := fixtures.FS.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if !strings.Contains(text, "\nmessage:") || strings.Contains(text, "surface:") || strings.Contains(text, "\nend:") {
			continue
		}
		for i, r := range requests {
			if strings.Contains(r.body, `"stream":true`) {
				continue
			}
			x := exchangeWith(t, fake, name, r.path, r.body)
			checked++
			not := others
			if i >= 3 {
				not = onResponses
			}
			if got := written(t, x); strings.Contains(got, "\nmessage:") == slices.Contains(not, name) {
				t.Errorf("%s, recorded from %s, is\n%s", name, r.body, got)
			}
		}
	}
	if checked < 15 {
		t.Errorf("%d answers were recorded, want those of the bundled messages", checked)
	}
}

// Wherever a keepalive comes in a response but within the opening of a text, the rest of it is steps.
func TestAKeepaliveLeavesTheStepsAround(t *testing.T) {
	t.Parallel()
	x := exchangeWith(t, bundledAtOnce(t, "plain-text"), "plain-text", "/v1/responses", `{"model":"gpt-4o","stream":true,"input":"Hi"}`)
	events := strings.SplitAfter(bodyOf(x), "\n\n")
	numbers := regexp.MustCompile(`"sequence_number":\d+`)
	for _, at := range []int{2, 3, 5, 6} {
		n := 0
		body := strings.Join(slices.Insert(slices.Clone(events), at, "event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":0}\n\n"), "")
		x.Pieces = []recording.Piece{{Data: []byte(numbers.ReplaceAllStringFunc(body, func(string) string { n++; return fmt.Sprintf(`"sequence_number":%d`, n-1) }))}}
		if text, _ := checkBytesAgain(t, fmt.Sprint("at ", at), x); literals(text) > 0 || !strings.Contains(text, "heartbeat: 1") {
			t.Errorf("at %d: it is\n%s", at, text)
		}
	}
}

// A long answer in one piece, whose layout is found by the beginnings of its texts, is no body of bytes. One that no
// model gives is.
func TestALongAnswerInOnePieceIsSaid(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for _, c := range []struct {
		path, request string
		words         int
		isBody        bool
	}{
		{"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, 5_000, false},
		{"/v1/responses", `{"model":"gpt-4o","input":"Hi"}`, 5_000, false},
		{"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, 150_000, true},
	} {
		fake := newFakeAt(t, server.Instant, yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nmessage: { content: \"" + strings.Repeat("word ", c.words) + "\", by: { size: 20 } }\n")})
		x := exchangeWith(t, fake, "x", c.path, c.request)
		sc, err := recording.Write(x, "x")
		if err != nil || (sc.Wire.Body != nil) != c.isBody {
			t.Errorf("%s of %d words: it is a body: %t, %v", c.path, c.words, !c.isBody, err)
		}
	}
}
