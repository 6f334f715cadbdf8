package yamlfile

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// synonyms returns a map of words that the language does not have to its own words, the likeliest
// first. The section of a word follows from the table; where several sections have the
// word, a target names one: envelope.id. A target with = has a value that replaces the
// author's: done=false.
func synonyms() map[string][]string {
	return map[string][]string{
		// the answer
		"answer": {"message"}, "completion": {"usage.completion_tokens", "message"}, "response": {"message"}, "text": {"content"}, "body": {"content"}, "message": {"content", "when.user", "when.messages"},
		"answers": {"replies"}, "responses": {"replies"}, "sequence": {"replies"}, "turns": {"replies"},
		"chunks": {"stream"}, "deltas": {"stream"}, "events": {"stream"}, "steps": {"stream"},
		"base": {"extends"}, "inherit": {"extends"}, "inherits": {"extends"}, "parent": {"extends"},
		"reasoning_content": {"reasoning"}, "thinking": {"reasoning"}, "tokens": {"usage.total_tokens", "usage", "tpm", "when.prompt_tokens"}, "input_tokens": {"usage.prompt_tokens", "when.prompt_tokens"}, "output_tokens": {"usage.completion_tokens"},
		"finish_reason": {"finish"}, "stop_reason": {"finish"}, "no_done": {"done=false"}, "skip_done": {"done=false"}, "omit_done": {"done=false"},
		"lorem": {"fake"}, "lipsum": {"fake"}, "generate": {"fake"}, "generated": {"fake"}, "random": {"fake", "reply.chance"}, "faker": {"fake"},
		"tool_call_delta": {"fragment"}, "tool_call_chunk": {"fragment"}, "tool_call_fragment": {"fragment"}, "call_fragment": {"fragment"}, "tool_delta": {"fragment"},
		"limit": {"limits"}, "rate_limit": {"limits"}, "rate_limits": {"limits"}, "ratelimit": {"limits"},
		"requests": {"rpm"}, "requests_per_minute": {"rpm"}, "tokens_per_minute": {"tpm"}, "concurrency": {"concurrent"}, "parallel": {"concurrent"}, "period": {"window"}, "per": {"window"},
		"args": {"arguments"}, "parameters": {"arguments"}, "function": {"tool_call", "tool_calls"},
		"chunk_size": {"by"}, "cut_by": {"by"}, "delta": {"content"},
		"parts": {"content"},

		// the request
		"condition": {"when"}, "if": {"when"}, "match": {"when"}, "request": {"turn", "attempt", "when"}, "api": {"surface"}, "endpoint": {"surface"}, "on": {"when", "frames"},
		"input": {"user"}, "last_user": {"user"}, "prompt": {"usage.prompt_tokens", "user"}, "instructions": {"system"},
		"pattern": {"matches"}, "regex": {"matches"}, "regexp": {"matches"}, "equal": {"equals"}, "is": {"equals"}, "includes": {"contains"},
		"tool": {"tool_result", "tool_call", "tools"}, "times": {"turn", "attempt", "times"}, "count": {"times", "repeat"}, "retries": {"attempt"},
		"prompt_size": {"when.prompt_tokens"}, "prompt_length": {"when.prompt_tokens"}, "context_length": {"when.prompt_tokens"}, "probability": {"chance"}, "rate": {"chance"}, "chance": {"reply.chance"},

		// time
		"pause": {"wait", "pace.every"}, "sleep": {"wait", "pace.first"}, "stall": {"wait", "stall"}, "delay": {"wait", "pace.first", "pace.every"},
		"latency": {"first", "after"}, "ttft": {"first", "after"}, "first_token": {"first", "after"}, "interval": {"every"},
		"keepalive": {"comment=keep-alive"}, "keep_alive": {"comment=keep-alive"}, "ping": {"comment=ping"},

		// the wire
		"status_code": {"status"}, "http_status": {"status"}, "line_ending": {"newline"}, "eol": {"newline"}, "compression": {"gzip"}, "compress": {"gzip"},
		"frames": {"after"}, "bandwidth": {"drip"}, "throttle": {"drip"}, "response_headers": {"headers"}, "abort": {"reset"}, "disconnect": {"cut"}, "hang": {"stall"}, "timeout": {"stall"},

		// members of the API's JSON
		"index": {"choice", "choices"}, "id": {"envelope.id"}, "object": {"envelope.object"}, "created": {"envelope.created"}, "model": {"envelope.model"},
		"system_fingerprint": {"envelope.system_fingerprint"}, "service_tier": {"envelope.service_tier"},
		"name": {"event.event"}, "prompt_filter_results": {"envelope.layout=azure"}, "content_filter_results": {"envelope.layout=azure"},
	}
}

// requestMembers is members of requests that are not words of the language.
var requestMembers = []string{
	"frequency_penalty", "logit_bias", "max_completion_tokens", "max_tokens", "metadata", "modalities", "n", "parallel_tool_calls", "presence_penalty",
	"reasoning_effort", "response_format", "stop", "store", "stream_options", "temperature", "tool_choice", "top_logprobs", "top_p",
}

// requestMember returns a hint how to write a condition on a member of the request.
func requestMember(p table.Unknown) string {
	own := p.Own
	if !slices.Contains(requestMembers, p.Name) {
		return ""
	}
	if slices.ContainsFunc([]string{"gt", "gte", "lt", "lte", "min", "max", "above", "below", "not", "ne"}, func(key string) bool { return valueOf(p.Value, key) != nil }) {
		return "numbers are not compared: body: { " + p.Name + ": 0 } is one value, and body: { " + p.Name + ": { matches: '^0[.][5-9]' } } those that an expression fits"
	}
	place := p.Name
	value, ok := table.InLine(p.Value, table.MostInLine)
	switch {
	case !ok:
		value = "{ exists: true }"
	case place == "response_format" && node.ShapeOf(p.Value) == node.Text:
		place += ".type" // response_format itself is an object, which never equals a text
	}
	places := []string{place + ": " + value}
	if members := node.Members(p.Value); len(members) > 0 { // the request may have more in it
		places = nil
		for _, m := range members {
			inside, _ := table.InLine(m.Value, table.MostInLine)
			if node.ShapeOf(m.Value) == node.Mapping {
				inside = "{ equals: " + inside + " }"
			}
			places = append(places, place+"."+m.Name+": "+inside)
		}
	}
	condition := "body: { " + strings.Join(places, ", ") + " }"
	if !slices.Contains(own, "body") || !slices.Contains(own, "model") {
		condition = "when: { " + condition + " }"
	}
	return "write " + condition + "; " + p.Name + " is a member of the request"
}
