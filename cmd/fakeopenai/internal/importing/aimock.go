package importing

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// readAimock reads a file of fixtures of CopilotKit's aimock.
func readAimock(data []byte, a *adding) {
	file, err := ojson.Parse(bytes.TrimPrefix(a.redacted(data), []byte("\xef\xbb\xbf")))
	if err != nil {
		a.unread("", fmt.Errorf("it is no JSON: %w", err))
		return
	}
	list := fixtures{adding: a}
	next := map[string]int64{}
	for i, item := range file.Get("fixtures").Items() {
		r, err := aimockReply(item)
		if err == nil {
			err = inSequence(item.Get("match"), next)
		}
		list.add(fmt.Sprintf("fixtures[%d]", i), r, err)
	}
	list.finish()
}

// inSequence reports a fixture that is for another repetition of a request than the
// one that follows in the file: replies are used up in their order. Next is what
// follows, by the other conditions.
func inSequence(match ojson.Value, next map[string]int64) error {
	index, ok := match.Get("sequenceIndex").Int()
	if !ok {
		return nil
	}
	others := match.Clone()
	others.Remove(ojson.Path{{Name: "sequenceIndex"}})
	key := others.String()
	if want := next[key]; index != want {
		return fmt.Errorf("match: sequenceIndex: it is %d where %d follows; put the fixtures of a sequence in its order, without gaps", index, want)
	}
	next[key]++
	return nil
}

// aimockReply is a fixture as a reply.
func aimockReply(v ojson.Value) (*scenarios.Reply, error) {
	r := new(scenarios.Reply)
	if at := v.Get("match").Get("endpoint").Text(); at != "" && at != "chat" {
		return nil, fmt.Errorf("endpoint %s: %w", at, errSkipped)
	}
	if answer := v.Get("response"); !answer.Get("embedding").IsAbsent() {
		return nil, fmt.Errorf("an embedding: %w", errSkipped)
	}
	err := eachWord(r, v, aimockWords)
	if err == nil && r.Message == nil && r.Error == nil {
		err = errors.New("the response has neither content nor toolCalls nor error")
	}
	if err == nil && r.Message != nil && r.Error != nil {
		r.Message = nil
		if !v.Get("response").Get("content").IsAbsent() || !v.Get("response").Get("toolCalls").IsAbsent() || !v.Get("chunkSize").IsAbsent() {
			err = errors.New("the response has an error and a message; take one of them out")
		}
	}
	return r, err
}

// aimockWords are the members of a fixture.
var aimockWords = map[string]word{
	"match":     within(aimockMatch),
	"response":  within(aimockResponse),
	"chunkSize": chunkSize,
	"latency": milliseconds(func(r *scenarios.Reply, d time.Duration) {
		r.Pace.First, r.Pace.Every = &scenarios.First{Mean: d}, &d
	}),
	"truncateAfterChunks": func(r *scenarios.Reply, v ojson.Value) error {
		n, err := count(v, 0, 1<<30)
		no := false
		r.End = scenarios.End{Kind: scenarios.EndCut, After: &n, Inside: &no}
		return err
	},
	"streamingProfile": aimockProfile,
	"recordedTimings":  aimockTimings,
	"metadata":         func(*scenarios.Reply, ojson.Value) error { return nil }, // hashes by which aimock finds what is out of date
}

// aimockMatch are the conditions of a fixture.
var aimockMatch = map[string]word{
	"userMessage":   contains(func(w *scenarios.When, m *scenarios.TextMatch) { w.User = m }),
	"systemMessage": aimockSystem,
	"toolResultContains": contains(func(w *scenarios.When, m *scenarios.TextMatch) {
		aimockResult(w).Content = m
	}),
	"toolCallId": func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		aimockResult(&r.When).ID = text.Source
		return err
	},
	"toolName": func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		r.When.Tools = append(r.When.Tools, text.Source)
		return err
	},
	"model": func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		r.When.Model = glob(text.Source)
		return err
	},
	"responseFormat": func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		bodyText(r, "response_format.type", &scenarios.TextMatch{Equals: &text.Source})
		return err
	},
	"turnIndex": func(r *scenarios.Reply, v ojson.Value) error {
		n, err := count(v, 0, 1<<20)
		r.When.Turn = n + 1
		return err
	},
	// In a file, fixtures with the same conditions stand in their sequence: each is
	// used up once.
	"sequenceIndex": func(r *scenarios.Reply, v ojson.Value) error {
		_, err := count(v, 0, 1<<20)
		r.Times = 1
		return err
	},
	"hasToolResult": func(r *scenarios.Reply, v ojson.Value) error {
		has, ok := v.Bool()
		if !ok {
			return errors.New("it is neither true nor false")
		}
		role := "user"
		if has {
			role = "tool"
		}
		bodyText(r, "messages[-1].role", &scenarios.TextMatch{Equals: &role})
		return nil
	},
	"endpoint": func(*scenarios.Reply, ojson.Value) error { return nil }, // chat, which all our APIs are
}

// aimockResult is the condition on the result of a call.
func aimockResult(w *scenarios.When) *scenarios.ToolResultMatch {
	if len(w.ToolResults) == 0 {
		w.ToolResults = make([]scenarios.ToolResultMatch, 1)
	}
	return &w.ToolResults[0]
}

// aimockSystem is one text that the system message must contain, or a list of such.
func aimockSystem(r *scenarios.Reply, v ojson.Value) error {
	if items := v.Items(); len(items) == 1 {
		v = items[0]
	} else if len(items) > 1 {
		return errors.New("scenarios ask the system message for one text; keep one of the list")
	}
	text, err := plainText(v)
	if err == nil {
		r.When.System = recording.Containing(text.Source)
	}
	return err
}

// aimockResponse are the members of a fixture's answer.
var aimockResponse = map[string]word{
	"content":   content,
	"toolCalls": toolCalls,
	"reasoning": func(r *scenarios.Reply, v ojson.Value) error {
		text, err := plainText(v)
		message(r).Reasoning = &scenarios.Reasoning{Text: scenarios.Some(text)}
		return err
	},
	"refusal":      into(func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text] { return &message(r).Refusal }),
	"finishReason": finishReason,
	"usage": func(r *scenarios.Reply, v ojson.Value) error {
		message(r).Usage = &scenarios.Usage{Object: v}
		return nil
	},
	"id":                into(func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text] { return &r.Envelope.ID }),
	"model":             into(func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text] { return &r.Envelope.Model }),
	"systemFingerprint": into(func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text] { return &r.Envelope.SystemFingerprint }),
	"created": func(r *scenarios.Reply, v ojson.Value) error {
		n, ok := v.Int()
		if !ok {
			return errors.New("it is no whole number")
		}
		r.Envelope.Created = scenarios.Some(n)
		return nil
	},
	"role": func(_ *scenarios.Reply, v ojson.Value) error {
		if v.Text() != "assistant" {
			return fmt.Errorf("%s: a message of scenarios is the assistant's; write another role in a stream", v)
		}
		return nil
	},
	"error":  within(errorWords),
	"status": status,
	"retryAfter": func(r *scenarios.Reply, v ojson.Value) error {
		n, err := count(v, 0, 1<<20)
		d := time.Duration(n) * time.Second
		apiError(r).RetryAfter = &d
		return err
	},
}

// errorWords are the members of an error.
var errorWords = map[string]word{
	"message": into(func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text] { return &apiError(r).Message }),
	"type":    into(func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text] { return &apiError(r).Type }),
	"code":    into(func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text] { return &apiError(r).Code }),
	"param": func(r *scenarios.Reply, v ojson.Value) error {
		if v.IsNull() {
			apiError(r).Param = scenarios.NullOf[scenarios.Text]()
			return nil
		}
		text, err := plainText(v)
		apiError(r).Param = scenarios.Some(text)
		return err
	},
}

// aimockProfile is the rhythm of a stream. Its jitter is a part of each pause.
func aimockProfile(r *scenarios.Reply, v ojson.Value) error {
	part := 0.0
	err := eachWord(r, v, map[string]word{
		"ttft": milliseconds(func(r *scenarios.Reply, d time.Duration) { r.Pace.First = &scenarios.First{Mean: d} }),
		"tps": func(r *scenarios.Reply, v ojson.Value) (err error) {
			r.Pace.TokensPerSecond, err = number(v)
			return err
		},
		"jitter": func(_ *scenarios.Reply, v ojson.Value) (err error) {
			part, err = number(v)
			return err
		},
	})
	if err == nil && part > 0 && r.Pace.TokensPerSecond > 0 {
		pause := time.Duration(float64(time.Second) / r.Pace.TokensPerSecond)
		jitter := min(time.Duration(part*float64(pause)).Round(time.Millisecond), pause, longest)
		r.Pace.Jitter = &jitter
	}
	return err
}

// aimockTimings are the pauses that a recorded stream had.
func aimockTimings(r *scenarios.Reply, v ojson.Value) error {
	return eachWord(r, v, map[string]word{
		"ttftMs": milliseconds(func(r *scenarios.Reply, d time.Duration) { r.Pace.First = &scenarios.First{Mean: d} }),
		"interChunkDelaysMs": func(r *scenarios.Reply, v ojson.Value) error {
			for _, item := range v.Items() {
				add := milliseconds(func(r *scenarios.Reply, d time.Duration) { r.Pace.Recorded = append(r.Pace.Recorded, d) })
				if err := add(r, item); err != nil {
					return err
				}
			}
			return nil
		},
		"totalDurationMs": func(*scenarios.Reply, ojson.Value) error { return nil }, // the sum of the others
	})
}
