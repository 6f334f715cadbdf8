package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// requestRules are the checks across members, in the order in which they are made. They
// run only on requests whose single members are valid.
var requestRules = []request.Rule{
	streamOptionsNeedStream,
	topLogprobsNeedLogprobs,
	oneTokenLimit,
	toolChoiceNeedsTools,
	functionCallNeedsFunctions,
	toolChoiceIsOffered,
	audioNeedsSettings,
	jsonObjectNeedsTheWord,
	strictSchemas,
	modelTakesValues,
	somethingIsSaid,
	messagesInOrder,
}

func modelIsNamed(r *scenarios.Request) *request.Error {
	if r.Model != "" {
		return nil
	}
	return request.Bad("", "", "you must provide a model parameter")
}

// has reports whether the body has a member that is not null.
func has(r *scenarios.Request, name string) bool { return !r.Body.Get(name).IsNullOrAbsent() }

func streamOptionsNeedStream(r *scenarios.Request) *request.Error {
	if !has(r, "stream_options") || r.Stream {
		return nil
	}
	return request.Bad("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
}

func topLogprobsNeedLogprobs(r *scenarios.Request) *request.Error {
	if !has(r, "top_logprobs") || r.Logprobs {
		return nil
	}
	return request.Bad("top_logprobs", "", "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.")
}

// oneTokenLimit refuses max_tokens, the older limit, beside max_completion_tokens.
func oneTokenLimit(r *scenarios.Request) *request.Error {
	if !has(r, "max_tokens") || !has(r, "max_completion_tokens") {
		return nil
	}
	return request.Bad("max_tokens", "invalid_parameter_combination", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
}

func toolChoiceNeedsTools(r *scenarios.Request) *request.Error {
	for _, name := range []string{"tool_choice", "parallel_tool_calls"} {
		if has(r, name) && !has(r, "tools") {
			return request.Bad(name, "", "Invalid value for '%s': '%s' is only allowed when 'tools' are specified.", name, name)
		}
	}
	return nil
}

func functionCallNeedsFunctions(r *scenarios.Request) *request.Error {
	if !has(r, "function_call") || has(r, "functions") {
		return nil
	}
	return request.Bad("function_call", "", "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are specified.")
}

func toolChoiceIsOffered(r *scenarios.Request) *request.Error {
	choice := r.Body.Get("tool_choice")
	kind := choice.Get("type").Text()
	name := choice.Get(kind).Get("name").Text()
	if name == "" || slices.ContainsFunc(r.Tools, func(t scenarios.Tool) bool { return t.Type == kind && t.Name == name }) {
		return nil
	}
	if kind == "function" {
		return request.Bad("function_call", "", "Invalid value for 'function_call': no function named '%s' was specified in the 'functions' parameter.", name)
	}
	return request.Bad("tool_choice", "", "Invalid value for 'tool_choice': no %s named '%s' was specified in the 'tools' parameter.", kind, name)
}

func audioNeedsSettings(r *scenarios.Request) *request.Error {
	for _, m := range r.Body.Get("modalities").Items() {
		if m.Text() == "audio" && !has(r, "audio") {
			return request.Bad("audio", "missing_required_parameter", "Missing required parameter: 'audio'.")
		}
	}
	const streamed = "pcm16" // streamed is the only format that can be sent piece by piece.
	if format := r.Body.Get("audio").Get("format"); r.Stream && !format.IsAbsent() && format.Text() != streamed {
		return request.Bad("audio.format", "unsupported_value", "Unsupported value: 'audio.format' does not support '%s' when stream=true. Supported values are: '%s'.", format.Text(), streamed)
	}
	return nil
}

func jsonObjectNeedsTheWord(r *scenarios.Request) *request.Error {
	if r.Body.Get("response_format").Get("type").Text() != "json_object" {
		return nil
	}
	for _, m := range r.Messages {
		if strings.Contains(strings.ToLower(m.Text), "json") {
			return nil
		}
	}
	return request.Bad("messages", "", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
}

// messagesInOrder checks that each tool result follows its call, and that each call
// gets a result. Its errors write places as the older check of the real service does,
// with a dot before the bracket.
func messagesInOrder(r *scenarios.Request) *request.Error {
	var calls []string       // ids of the calls of an assistant, if the previous messages are these calls and their results
	open := map[string]int{} // how many calls with an id have no result yet
	for i, m := range r.Body.Get("messages").Items() {
		if m.Get("role").Text() == "tool" {
			if len(calls) == 0 {
				return request.Bad(olderPath(i, "role"), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			id := m.Get("tool_call_id").Text()
			if open[id] == 0 {
				return request.Bad(olderPath(i, "tool_call_id"), "", "Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", id)
			}
			open[id]--
			continue
		}
		if err := allAnswered(calls, open, i); err != nil {
			return err
		}
		calls = nil
		for _, call := range m.Get("tool_calls").Items() {
			id := call.Get("id").Text()
			calls = append(calls, id)
			open[id]++
		}
	}
	return allAnswered(calls, open, len(r.Messages))
}

func olderPath(i int, member string) string { return fmt.Sprintf("messages.[%d].%s", i, member) }

// allAnswered returns the error for calls that have no result before a message; nil if each
// has one. Of several calls with one id, the earlier ones count as answered.
func allAnswered(calls []string, open map[string]int, before int) *request.Error {
	var ids []string
	for _, id := range slices.Backward(calls) {
		if open[id] > 0 {
			open[id]--
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Reverse(ids)
	return request.Bad(olderPath(before, "role"), "",
		"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "+
			"The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}

// somethingIsSaid: a message has content, which is not null. A message of the assistant can have something else to say
// instead; the content of developers is checked with the other members.
func somethingIsSaid(r *scenarios.Request) *request.Error {
	for i, m := range r.Body.Get("messages").Items() {
		members := []string{"content"}
		switch m.Get("role").Text() {
		case "developer", "function":
			continue
		case "assistant":
			members = []string{"content", "refusal", "audio", "tool_calls", "function_call"}
		}
		if !slices.ContainsFunc(members, func(name string) bool { return !m.Get(name).IsNullOrAbsent() }) {
			return request.Bad(olderPath(i, "content"), "", "Invalid value for 'content': expected a string, got null.")
		}
	}
	return nil
}

// checkHistory returns the error for messages that no conversation with tools can have;
// nil for all others. Each result must follow its call, each call must have a result,
// the arguments of calls must be JSON or empty, and no two calls of a message may have the
// same id; a later message can use it again, as its results follow it. Errors that the real
// service also reports have its words; the others have the code fake_history.
func checkHistory(r *scenarios.Request) *request.Error {
	if err := messagesInOrder(r); err != nil {
		return err
	}
	for i, m := range r.Body.Get("messages").Items() {
		if err := roleIsNotTurned(i, m); err != nil {
			return err
		}
		if m.Get("function_call").IsNullOrAbsent() && len(m.Get("tool_calls").Items()) == 0 {
			continue
		}
		at := fmt.Sprintf("messages[%d]", i)
		if call := m.Get("function_call"); !call.IsNullOrAbsent() {
			if err := request.ArgumentsAreJSON(at+".function_call.arguments", call.Get("arguments")); err != nil {
				return err
			}
		}
		ids := map[string]string{} // the place of each call by its id
		for i, call := range m.Get("tool_calls").Items() {
			at := fmt.Sprintf("%s.tool_calls[%d]", at, i)
			if err := idIsNew(ids, at+".id", call.Get("id").Text()); err != nil {
				return err
			}
			if function := call.Get("function"); !function.IsNullOrAbsent() {
				if err := request.ArgumentsAreJSON(at+".function.arguments", function.Get("arguments")); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// roleIsNotTurned checks that message i has no members of another role: calls are those of the assistant,
// and only a result belongs to a call.
func roleIsNotTurned(i int, m ojson.Value) *request.Error {
	for _, member := range []struct{ name, role string }{{"tool_calls", "assistant"}, {"function_call", "assistant"}, {"tool_call_id", "tool"}} {
		if role := m.Get("role").Text(); role != member.role && !m.Get(member.name).IsNullOrAbsent() {
			path := fmt.Sprintf("messages[%d].%s", i, member.name)
			return request.Bad(path, apierror.CodeHistory, "Invalid '%s': only a message with the role '%s' can have it, and this one has the role '%s'.", path, member.role, role)
		}
	}
	return nil
}

func idIsNew(ids map[string]string, path, id string) *request.Error {
	if id == "" {
		return request.Bad(path, apierror.CodeHistory, "Invalid '%s': the call has no id, so that no result can belong to it.", path)
	}
	if first, twice := ids[id]; twice {
		return request.Bad(path, apierror.CodeHistory, "Invalid '%s': the id '%s' is that of another call, at '%s'.", path, id, first)
	}
	ids[id] = path
	return nil
}

// strictSchemas checks the schemas of tools and of response_format. Their top level
// must be an object; strict schemas must have only closed objects that require all of
// their properties.
func strictSchemas(r *scenarios.Request) *request.Error {
	for i, t := range r.Body.Get("tools").Items() {
		f := t.Get("function")
		if problem := schemaProblem(f.Get("parameters"), isTrue(f.Get("strict"))); problem != "" {
			path := fmt.Sprintf("tools[%d].function.parameters", i)
			return request.Bad(path, "invalid_function_parameters", "Invalid schema for function '%s': %s", f.Get("name").Text(), problem)
		}
	}
	format := r.Body.Get("response_format").Get("json_schema")
	if problem := schemaProblem(format.Get("schema"), isTrue(format.Get("strict"))); problem != "" {
		return request.Bad("response_format", "", "Invalid schema for response_format '%s': %s", format.Get("name").Text(), problem)
	}
	return nil
}

func isTrue(v ojson.Value) bool { return v.Text() == "true" && v.Kind() == ojson.BoolKind }

// schemaProblem describes what is wrong with a schema, in the real service's words; ""
// if nothing is.
func schemaProblem(schema ojson.Value, strict bool) string {
	if schema.IsAbsent() {
		return ""
	}
	if kind := schema.Get("type"); kind.Text() != "object" && (strict || !kind.IsAbsent()) {
		got := "None"
		if kind.Text() != "" {
			got = kind.Text()
		}
		return fmt.Sprintf(`schema must be a JSON Schema of 'type: "object"', got 'type: "%s"'.`, got)
	}
	if !strict {
		return ""
	}
	const deepest = 1000 // as many levels as a body can have
	return strictProblem(schema, make([]string, 0, deepest))
}

// strictProblem checks a schema and all schemas inside it. Parsing has limited the
// depth. All contexts share the memory of the first: they are read only to describe a
// problem.
func strictProblem(schema ojson.Value, context []string) string {
	if schema.Kind() != ojson.ObjectKind {
		return ""
	}
	if problem := openObject(schema, context); problem != "" {
		return problem
	}
	for _, m := range schema.Members() {
		at, inner := append(context, m.Name), []ojson.Member(nil)
		switch m.Name {
		case "properties", "$defs", "definitions":
			inner = m.Value.Members()
		case "anyOf":
			for i, item := range m.Value.Items() {
				inner = append(inner, ojson.M(fmt.Sprint(i), item))
			}
		case "items":
			at, inner = context, []ojson.Member{m}
		}
		for _, schema := range inner {
			if problem := strictProblem(schema.Value, append(at, schema.Name)); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// openObject describes why an object schema is not strict; "" if it is.
func openObject(schema ojson.Value, context []string) string {
	properties := schema.Get("properties")
	if schema.Get("type").Text() != "object" && properties.IsAbsent() {
		return ""
	}
	if more := schema.Get("additionalProperties"); more.Text() != "false" {
		return fmt.Sprintf("In context=%s, 'additionalProperties' is required to be supplied and to be false.", tuple(context))
	}
	required := map[string]bool{}
	for _, name := range schema.Get("required").Items() {
		required[name.Text()] = true
	}
	for _, p := range properties.Members() {
		if !required[p.Name] {
			return fmt.Sprintf("In context=%s, 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", tuple(context), p.Name)
		}
	}
	return ""
}

// tuple writes a place in a schema as the real service does, as a Python tuple.
func tuple(context []string) string {
	switch len(context) {
	case 0:
		return "()"
	case 1:
		return "('" + context[0] + "',)"
	}
	return "('" + strings.Join(context, "', '") + "')"
}
