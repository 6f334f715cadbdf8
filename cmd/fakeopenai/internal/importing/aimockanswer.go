package importing

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// aimockResponse reads the members of a fixture's response.
var aimockResponse = map[string]word{
	"content":   content,
	"toolCalls": toolCalls,
	"blocks":    aimockBlocks,
	"provider":  nothing, "nativeFinishReason": nothing, "fallthrough": nothing,
	"reasoningSignature": nothing, "redactedThinking": nothing,
	"webSearches": refuse("a message has no calls of the service's own tools; take it out and write web_search in a stream afterwards"),
	"json":        refuse("it is an answer of another API; take it out and write wire: {body} afterwards"),
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

// errorWords reads the members of an error.
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
	"metadata": nothing,
}

// aimockBlocks reads a list of texts and calls. All texts must come before the calls, as
// in a message.
func aimockBlocks(r *scenarios.Reply, v ojson.Value) error {
	if v.Kind() != ojson.ArrayKind || len(v.Items()) == 0 {
		return errors.New("it is no list of blocks")
	}
	var text strings.Builder
	var calls []ojson.Value
	for i, block := range v.Items() {
		switch kind := block.Get("type").Text(); {
		case kind == "text" && block.Get("text").Kind() == ojson.StringKind && calls == nil:
			text.WriteString(block.Get("text").Text())
		case kind == "text" && calls != nil:
			return fmt.Errorf("[%d]: a message has its text before its calls; put it there, or write a stream afterwards", i)
		case kind == "toolCall":
			block = block.Clone()
			block.Remove(ojson.Path{{Name: "type"}})
			calls = append(calls, block)
		default:
			return fmt.Errorf("[%d]: it is neither a text nor a toolCall", i)
		}
	}
	if text.Len() > 0 {
		message(r).Content = scenarios.Some(scenarios.Text{Source: text.String(), Literal: true})
	}
	if calls == nil {
		return nil
	}
	return toolCalls(r, ojson.Array(calls...))
}

// aimockProfile reads the pace of a stream. Its jitter is a fraction of the pause.
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

// aimockTimings reads the pauses of a recorded stream.
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
