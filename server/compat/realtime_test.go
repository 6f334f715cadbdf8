package compat

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/realtime"
)

// realtimeCase is a line of realtime.json: a scenario of realtime.yaml or of the zoo, what the client does, and what it comes to.
// node/realtime.test.mjs plays the same.
type realtimeCase struct {
	Scenario  string
	Audio     bool // Audio says that the answer is spoken.
	Voice     bool // Voice says that the client speaks, in place of writing.
	Cancel    bool // Cancel says that the client cancels the answer after its first words.
	Interrupt bool // Interrupt says that the client speaks then.
	Choice    bool // Choice says that the client sends a message of its own then.
	Outcome   string
	// GoOutcome is what openai-go comes to, where that is something else; it never tells the reason with which a server closes.
	GoOutcome string `json:"go"`
}

// The realtime client of openai-go comes to what each scenario says.
func TestRealtimeClientInGo(t *testing.T) {
	t.Parallel()
	var list []realtimeCase
	fromJSON(t, []byte(read(t, "realtime.json")), &list)
	if len(list) < 20 {
		t.Errorf("only %d scenarios are played, want 20", len(list))
	}
	to := target{serve(t, build(t), "realtime.yaml", "../../fixtures/zoo/realtime.yaml") + "/v1", "sk-realtime-go", manyConnections}
	for i, c := range list {
		t.Run(fmt.Sprintf("%d %s", i, c.Scenario), func(t *testing.T) {
			t.Parallel()
			want := cmp.Or(c.GoOutcome, c.Outcome)
			if got := playRealtime(t, to, c); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// conversation is what a client has heard in a session so far.
type conversation struct {
	realtimeCase
	conn        *realtime.RealtimeConnection
	send        func(event realtime.RealtimeClientEventUnionParam)
	heard, said []string
	calls       []realtime.ResponseFunctionCallArgumentsDoneEvent // calls are those that wait for a result.
	text        string
	sound       int
	reacted     bool
}

// playRealtime plays one case, and returns its outcome.
func playRealtime(t *testing.T, to target, c realtimeCase) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := to.openAIGo()
	conn, err := client.Realtime.Connect(ctx, realtime.RealtimeConnectionOptions{}, option.WithQuery("model", "fake:"+c.Scenario))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Abort()
	talk := &conversation{realtimeCase: c, conn: conn, send: func(event realtime.RealtimeClientEventUnionParam) {
		if err := conn.Send(ctx, event); err != nil {
			t.Error(err)
		}
	}}
	talk.begin()
	for {
		event, err := conn.Recv(ctx)
		if err != nil {
			return talk.outcome(closedAs(err))
		}
		if end := talk.take(event); end != "" {
			return talk.outcome(end)
		}
	}
}

// closedAs says how a connection ended.
func closedAs(err error) string {
	if closed, ok := errors.AsType[websocket.CloseError](err); ok {
		return fmt.Sprintf("closed %d", closed.Code)
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return "not JSON"
	}
	return "closed 1006"
}

// begin sets the session up, and asks for the first answer.
func (c *conversation) begin() {
	session := realtime.RealtimeSessionCreateRequestParam{OutputModalities: []string{"text"}}
	if c.Audio {
		session.OutputModalities = []string{"audio"}
	}
	session.Audio.Input.Transcription.Model = "whisper-1"
	c.send(realtime.RealtimeClientEventParamOfSessionUpdate(session))
	if c.Voice {
		c.speak()
		return
	}
	c.send(realtime.RealtimeClientEventParamOfConversationItemCreate(realtime.RealtimeConversationItemUserMessageParam{
		Content: []realtime.RealtimeConversationItemUserMessageContentParam{{Type: "input_text", Text: param.NewOpt("Hi")}},
	}))
	c.send(realtime.RealtimeClientEventUnionParam{OfResponseCreate: &realtime.ResponseCreateEventParam{}})
}

// speak sends a second of loud sound, and one of silence.
func (c *conversation) speak() {
	for _, sample := range []string{"\x00\x20", "\x00\x00"} {
		c.send(realtime.RealtimeClientEventParamOfInputAudioBufferAppend(base64.StdEncoding.EncodeToString([]byte(strings.Repeat(sample, 24_000)))))
	}
}

// take hears an event, and returns how the answer ended; "" if it has not.
func (c *conversation) take(event realtime.RealtimeServerEventUnion) string {
	switch e := event.AsAny().(type) {
	case realtime.ResponseTextDeltaEvent:
		c.hear(e.Delta)
	case realtime.ResponseAudioTranscriptDeltaEvent:
		c.text += e.Delta // what it reacts to is the sound
	case realtime.ResponseAudioDeltaEvent:
		sound, err := base64.StdEncoding.DecodeString(e.Delta)
		if err != nil {
			return err.Error()
		}
		c.sound += len(sound)
		c.hear("")
	case realtime.ConversationItemInputAudioTranscriptionCompletedEvent:
		c.heard = append(c.heard, "heard "+e.Transcript)
	case realtime.ResponseFunctionCallArgumentsDoneEvent:
		c.calls, c.heard = append(c.calls, e), append(c.heard, e.Name+" "+e.Arguments)
	case realtime.RealtimeErrorEvent:
		return "error " + e.Error.Code
	case realtime.ResponseDoneEvent:
		return c.done(e.Response)
	}
	return ""
}

// hear notes words, and reacts to the first ones.
func (c *conversation) hear(words string) {
	c.text += words
	if c.reacted {
		return
	}
	c.reacted = true
	switch {
	case c.Cancel:
		c.send(realtime.RealtimeClientEventUnionParam{OfResponseCancel: &realtime.ResponseCancelEventParam{}})
	case c.Interrupt:
		c.speak()
	case c.Choice:
		_ = c.conn.SendRaw(context.Background(), json.RawMessage(`{"type":"app.choice","city":"Oslo"}`)) // without it, the answer does not come
	}
}

// done gives the calls their results, or says how the answer ended.
func (c *conversation) done(r realtime.RealtimeResponse) string {
	for _, item := range r.Output {
		if m, ok := item.AsAny().(realtime.RealtimeConversationItemAssistantMessage); ok {
			for _, part := range m.Content {
				c.said = append(c.said, part.Text+part.Transcript)
			}
		}
	}
	if len(c.calls) > 0 {
		for _, call := range c.calls {
			c.send(realtime.RealtimeClientEventParamOfConversationItemCreate(realtime.RealtimeConversationItemFunctionCallOutputParam{CallID: call.CallID, Output: "18"}))
		}
		c.calls = nil
		c.send(realtime.RealtimeClientEventUnionParam{OfResponseCreate: &realtime.ResponseCreateEventParam{}})
		return ""
	}
	end := string(r.Status)
	var raw struct { // openai-go has the type of status for status_details, too, which is an object
		Details struct {
			Reason string
			Error  struct{ Type string }
		} `json:"status_details"`
	}
	if json.Unmarshal([]byte(r.RawJSON()), &raw) == nil && raw.Details.Reason+raw.Details.Error.Type != "" {
		end += " " + raw.Details.Reason + raw.Details.Error.Type
	}
	if c.Scenario == "usage" {
		end += fmt.Sprintf(" / %d tokens, %d cached", r.Usage.TotalTokens, r.Usage.InputTokenDetails.CachedTokens)
	}
	return end
}

// outcome is what the client came to.
func (c *conversation) outcome(end string) string {
	words := c.text
	if n := utf8.RuneCountInString(words); n > 1000 {
		words = fmt.Sprintf("%d characters", n)
	}
	if whole := strings.Join(c.said, ""); len(c.said) > 0 && whole != c.text {
		words += " but " + whole
	}
	parts := c.heard
	if words != "" {
		parts = append(parts, words)
	}
	if c.sound > 0 {
		parts = append(parts, "sound")
	}
	return strings.Join(append(parts, end), " / ")
}
