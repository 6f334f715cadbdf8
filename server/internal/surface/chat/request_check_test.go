package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// hello returns a request with these members besides model and messages.
func hello(members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]` + members + `}`
}

// conversation returns a request with these messages.
func conversation(messages string) string { return `{"model":"gpt-4o","messages":[` + messages + `]}` }

// onModel returns a request to this model.
func onModel(model, members string) string {
	return strings.Replace(hello(members), "gpt-4o", model, 1)
}

const oneTool = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]`

func TestCheckRequestTakesWhatTheRealServiceTakes(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a plain request": hello(""),
		"every option": hello(`"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false},"max_tokens":16384,"n":128,"temperature":2,
			"top_p":0.5,"frequency_penalty":-2,"presence_penalty":2,"logit_bias":{"50256":-100},"logprobs":true,"top_logprobs":20,"stop":["a","b","c","d"],
			"seed":-9223372036854775808,"response_format":{"type":"text"},"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":false,
			"modalities":["text"],"prediction":{"type":"content","content":[{"type":"text","text":"x"}]},"service_tier":"flex","store":false,
			"metadata":{"a":"b"},"user":"u","safety_identifier":"s","prompt_cache_key":"k","prompt_cache_retention":"24h",` + oneTool),
		"nulls": hello(`"stream":null,"stream_options":null,"max_tokens":null,"n":null,"temperature":null,"stop":null,"logprobs":null,"metadata":null,"audio":null`),
		"a conversation with calls": conversation(`{"role":"system","content":"s","name":"n"},{"role":"user","content":"u"},` + callMessage("a", `"{}"`) + `,` + resultMessage("a") +
			`,{"role":"assistant","content":"a","refusal":null,"annotations":[],"audio":null,"function_call":null},{"role":"user","content":[{"type":"text","text":"t"},{"type":"image_url","image_url":{"url":"u","detail":"low"}}]}`),
		"legacy functions":             hello(`"functions":[{"name":"f","parameters":{"type":"object","properties":{}}}],"function_call":{"name":"f"}`),
		"a custom tool with a grammar": hello(`"tools":[{"type":"custom","custom":{"name":"c","format":{"type":"grammar","grammar":{"definition":"d","syntax":"lark"}}}}]`),
		"a strict schema": hello(`"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":
			{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"$ref":"#/$defs/b"}},"required":["a","b"],"additionalProperties":false,
			"$defs":{"b":{"type":"object","properties":{},"required":[],"additionalProperties":false}}}}}`),
		"a loose schema":                         hello(`"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"type":"object"}}}`),
		"json_object with the word":              `{"model":"gpt-4o","messages":[{"role":"user","content":"as JSON"}],"response_format":{"type":"json_object"}}`,
		"a reasoning model":                      onModel("gpt-5", `"presence_penalty":0,"max_completion_tokens":10,"reasoning_effort":"low","verbosity":"low","temperature":1.0,"logprobs":false`),
		"a model of somebody else's":             onModel("llama", `"reasoning_effort":"low","max_tokens":999999,"temperature":0.2`),
		"web search on a search model":           onModel("gpt-4o-search-preview", `"web_search_options":{"user_location":{"type":"approximate","approximate":{"city":"Oslo"}}}`),
		"audio with settings":                    onModel("gpt-audio", `"modalities":["text","audio"],"audio":{"voice":"alloy","format":"wav"}`),
		"a stream of audio":                      onModel("gpt-audio", `"stream":true,"modalities":["text","audio"],"audio":{"voice":"alloy","format":"pcm16"}`),
		"a reasoning model that does not reason": onModel("gpt-5.6", `"reasoning_effort":"none","temperature":0.3,"presence_penalty":1,"logprobs":true`),
		"a chat model among reasoning names":     onModel("gpt-5-chat-latest", `"temperature":0.2,"max_tokens":5`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := (chat.Surface{}).Check(parsed(t, body)); err != nil {
				t.Errorf("refused: %+v", *err)
			}
		})
	}
}

func TestCheckRequestRefusesAsTheRealServiceDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, message, param, code string }{
		{"no model", `{"messages":[]}`,
			"you must provide a model parameter", "", ""},
		{"no messages", `{"model":"gpt-4o"}`,
			"Missing required parameter: 'messages'.", "messages", "missing_required_parameter"},
		{"no messages although other things are wrong", `{"model":"gpt-4o","foo":1,"max_tokens":0,"temperature":"x"}`,
			"Missing required parameter: 'messages'.", "messages", "missing_required_parameter"},
		{"a part without type", conversation(`{"role":"user","content":[{"text":"x"}]}`),
			"Missing required parameter: 'messages[0].content[0].type'.", "messages[0].content[0].type", "missing_required_parameter"},
		{"a message without role", conversation(`{"content":"x"}`),
			"Missing required parameter: 'messages[0].role'.", "messages[0].role", "missing_required_parameter"},
		{"a tool message without id", conversation(`{"role":"tool","content":"x"}`),
			"Missing required parameter: 'messages[0].tool_call_id'.", "messages[0].tool_call_id", "missing_required_parameter"},
		{"an empty list of messages", conversation(``),
			"Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.", "messages", "empty_array"},
		{"an unknown member", hello(`"foo":1`),
			"Unrecognized request argument supplied: foo", "", ""},
		{"two unknown members", hello(`"foo":1,"bar":2`),
			"Unrecognized request arguments supplied: foo, bar", "", ""},
		{"an unknown member of a message", conversation(`{"role":"user","content":"x","foo":1}`),
			"Unknown parameter: 'messages[0].foo'.", "messages[0].foo", "unknown_parameter"},
		{"an unknown member before a wrong type", hello(`"temperature":"x","foo":1`),
			"Unrecognized request argument supplied: foo", "", ""},
		{"a wrong type", hello(`"temperature":"hot"`),
			"Invalid type for 'temperature': expected a decimal, but got a string instead.", "temperature", "invalid_type"},
		{"a bound before a wrong type further down the table", hello(`"n":128,"seed":"x","max_tokens":0`),
			"Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.", "max_tokens", "integer_below_min_value"},
		{"a null that may not be", hello(`"tools":null`),
			"Invalid type for 'tools': expected an array of objects, but got null instead.", "tools", "invalid_type"},
		{"null content for a user", conversation(`{"role":"user","content":null}`),
			"Invalid value for 'content': expected a string, got null.", "messages.[0].content", ""},
		{"an assistant who says nothing", conversation(`{"role":"user","content":"x"},{"role":"assistant"}`),
			"Invalid value for 'content': expected a string, got null.", "messages.[1].content", ""},
		{"too many stops", hello(`"stop":["1","2","3","4","5","6","7","8","9"]`),
			"Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 9 instead.", "stop", "array_above_max_length"},
		{"a string too long", hello(`"safety_identifier":"` + strings.Repeat("é", 70) + `"`),
			"Invalid 'safety_identifier': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.", "safety_identifier", "string_above_max_length"},
		{"a number too small", hello(`"max_tokens":0`),
			"Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.", "max_tokens", "integer_below_min_value"},
		{"a decimal too large", hello(`"temperature":2.5`),
			"Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead.", "temperature", "decimal_above_max_value"},
		{"a decimal too small", hello(`"presence_penalty":-3`),
			"Invalid 'presence_penalty': decimal below minimum value. Expected a value >= -2, but got -3 instead.", "presence_penalty", "decimal_below_min_value"},
		{"a bias out of bounds", hello(`"logit_bias":{"5":101}`),
			"Invalid 'logit_bias.5': integer above maximum value. Expected a value <= 100, but got 101 instead.", "logit_bias.5", "integer_above_max_value"},
		{"an unknown value", hello(`"verbosity":"loud"`),
			"Invalid value: 'loud'. Supported values are: 'low', 'medium', and 'high'.", "verbosity", "invalid_value"},
		{"an unknown role", conversation(`{"role":"robot","content":"x"}`),
			"Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", "messages[0].role", "invalid_value"},
		{"an image for the system", conversation(`{"role":"system","content":[{"type":"image_url","image_url":{"url":"x"}}]}`),
			"Invalid value: 'image_url'. Supported values are: 'text'.", "messages[0].content[0].type", "invalid_value"},
		{"a tool name with a space", hello(`"tools":[{"type":"function","function":{"name":"get weather"}}]`),
			"Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", "tools[0].function.name", "invalid_value"},
		{"too much metadata", hello(`"metadata":{` + manyPairs(17) + `}`),
			"Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with 17 properties instead.", "metadata", "object_above_max_properties"},
		{"tool_choice without tools", hello(`"tool_choice":"auto"`),
			"Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.", "tool_choice", ""},
		{"parallel_tool_calls without tools", hello(`"parallel_tool_calls":true`),
			"Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.", "parallel_tool_calls", ""},
		{"function_call without functions", hello(`"function_call":"auto"`),
			"Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are specified.", "function_call", ""},
		{"a tool_choice that is not offered", hello(`"tool_choice":{"type":"function","function":{"name":"g"}},` + oneTool),
			"Invalid value for 'function_call': no function named 'g' was specified in the 'functions' parameter.", "function_call", ""},
		{"stream_options without stream", hello(`"stream_options":{"include_usage":true}`),
			"The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options", ""},
		{"top_logprobs without logprobs", hello(`"top_logprobs":1`),
			"The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.", "top_logprobs", ""},
		{"two limits of tokens", hello(`"max_tokens":5,"max_completion_tokens":5`),
			"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", "max_tokens", "invalid_parameter_combination"},
		{"audio without settings", hello(`"modalities":["text","audio"]`),
			"Missing required parameter: 'audio'.", "audio", "missing_required_parameter"},
		{"a stream of WAV", onModel("gpt-audio", `"stream":true,"modalities":["text","audio"],"audio":{"voice":"alloy","format":"wav"}`),
			"Unsupported value: 'audio.format' does not support 'wav' when stream=true. Supported values are: 'pcm16'.", "audio.format", "unsupported_value"},
		{"json_object without the word", hello(`"response_format":{"type":"json_object"}`),
			"'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.", "messages", ""},
		{"a result without a call", conversation(`{"role":"user","content":"x"},` + resultMessage("a")),
			"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", "messages.[1].role", ""},
		{"a tool schema that is no object", hello(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"array"}}}]`),
			`Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`, "tools[0].function.parameters", "invalid_function_parameters"},
		{"a strict tool that is open", hello(`"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{}}}}]`),
			"Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be false.", "tools[0].function.parameters", "invalid_function_parameters"},
		{"a strict format that is open inside", hello(`"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{}}}},"required":["a"],"additionalProperties":false}}}`),
			"Invalid schema for response_format 's': In context=('properties', 'a', 'items'), 'additionalProperties' is required to be supplied and to be false.", "response_format", ""},
		{"a strict format that does not require all", hello(`"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":{"type":"object","properties":{"a":{}},"additionalProperties":false}}}`),
			"Invalid schema for response_format 's': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'a'.", "response_format", ""},
		{"max_tokens for a reasoning model", onModel("o3-mini", `"max_tokens":10`),
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter"},
		{"temperature for a reasoning model", onModel("gpt-5-mini", `"temperature":0.2`),
			"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.", "temperature", "unsupported_value"},
		{"stop for a reasoning model", onModel("o3", `"stop":"x"`),
			"Unsupported parameter: 'stop' is not supported with this model.", "stop", "unsupported_parameter"},
		{"a system message for o1-mini", `{"model":"o1-mini","messages":[{"role":"system","content":"x"}]}`,
			"Unsupported value: 'messages[0].role' does not support 'system' with this model.", "messages[0].role", "unsupported_value"},
		{"a word nearly known to a reasoning model", onModel("gpt-5.6", `"stor":true`),
			"Unknown parameter: 'stor'. Did you mean 'stop' or 'store'?", "stor", "unknown_parameter"},
		{"what reasoning models do not know", onModel("gpt-5.6", `"modalities":["text"]`),
			"Unknown parameter: 'modalities'.", "modalities", "unknown_parameter"},
		{"a penalty while the model reasons", onModel("gpt-5.6", `"presence_penalty":0.5`),
			"Unsupported parameter: 'presence_penalty' is not supported with this model.", "presence_penalty", "unsupported_parameter"},
		{"the type of a penalty", onModel("gpt-5.6", `"presence_penalty":"x"`),
			"Invalid type for 'presence_penalty': expected a decimal, but got a string instead.", "presence_penalty", "invalid_type"},
		{"what is refused before a value that is", onModel("gpt-5.6", `"temperature":0.3,"logit_bias":{"1":1}`),
			"Unsupported parameter: 'logit_bias' is not supported with this model.", "logit_bias", "unsupported_parameter"},
		{"a refused value before no content", `{"model":"gpt-5.6","temperature":0.3,"messages":[{"role":"user"}]}`,
			"Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.", "temperature", "unsupported_value"},
		{"no content of a developer", `{"model":"gpt-5.6","temperature":0.3,"messages":[{"role":"developer"}]}`,
			"Missing required parameter: 'messages[0].content'.", "messages[0].content", "missing_required_parameter"},
		{"many choices of a reasoning model", onModel("gpt-5.6", `"n":9,"stop":"x"`),
			"Invalid 'n': integer above maximum value. Expected a value <= 8, but got 9 instead.", "n", "integer_above_max_value"},
		{"many top_logprobs", onModel("gpt-5.6", `"reasoning_effort":"none","logprobs":true,"top_logprobs":6`),
			"Invalid value for 'top_logprobs': must be less than or equal to 5.", "top_logprobs", ""},
		{"an effort that the model has not", onModel("gpt-5.6", `"reasoning_effort":{"a":"b"}`),
			"Unsupported value: 'reasoning_effort' does not support {'a': 'b'} with this model. Supported values are: 'none', 'low', 'medium', 'high', and 'xhigh'.", "reasoning_effort", "unsupported_value"},
		{"prompts in memory", onModel("gpt-5.6", `"prompt_cache_retention":"in_memory"`),
			"This model is compatible only with 24h extended prompt caching", "prompt_cache_retention", ""},
		{"prompts elsewhere", onModel("gpt-5.6", `"prompt_cache_retention":"disk"`),
			"Invalid prompt_cache_retention argument", "prompt_cache_retention", ""},
		{"a type outside a list", onModel("gpt-5.6", `"service_tier":3`),
			"Invalid type for 'service_tier': expected one of 'auto', 'default', 'fast', 'flex', or 'priority', but got an integer instead.", "service_tier", "invalid_type"},
		{"a long name in metadata", hello(`"metadata":{"` + strings.Repeat("k", 65) + `":"v"}`),
			"Invalid property name in 'metadata': 'kkk...kkk' is too long. Expected a string with maximum length 64, but got a string with length 65 instead.", "metadata." + strings.Repeat("k", 65), "property_name_above_max_length"},
		{"a tool_choice without a function", hello(`"tool_choice":{"type":"other"},` + oneTool),
			"Missing required parameter: 'tool_choice.function'.", "tool_choice.function", "missing_required_parameter"},
		{"a result without content and without a call", conversation(`{"role":"user","content":"x"},{"role":"tool","tool_call_id":"c"}`),
			"Invalid value for 'content': expected a string, got null.", "messages.[1].content", ""},
		{"calls of a user who says nothing", conversation(`{"role":"user","tool_calls":[]}`),
			"Invalid value for 'content': expected a string, got null.", "messages.[0].content", ""},
		{"reasoning_effort for a plain model", hello(`"reasoning_effort":"low"`),
			"Unrecognized request argument supplied: reasoning_effort", "", ""},
		{"web search on a plain model", hello(`"web_search_options":{}`),
			"Web search options not supported with this model.", "web_search_options", ""},
		{"more tokens than the model has", onModel("gpt-3.5-turbo", `"max_tokens":8192`),
			"max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.", "max_tokens", "invalid_value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body, err := chat.Surface{}.Read(nil, []byte(c.body))
			var got *request.Error
			if err != nil {
				got = err.(*request.Error)
			} else {
				got = (chat.Surface{}).Check(body)
			}
			want := request.Error{Status: 400, Type: "invalid_request_error", Message: c.message, Param: c.param, Code: c.code}
			if got == nil || *got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// Each result of a call is for one of the calls with its id, in any order.
func TestResultsOfManyCallsInAnyOrder(t *testing.T) {
	t.Parallel()
	call := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"f","arguments":"{}"}}`, id)
	}
	for results, want := range map[string]string{
		"b a a c": "", "c a b a": "", "a a": "b, c", "a": "b, a, c", "": "a, b, a, c", "c b": "a, a", "a a a": "'a' not found", "b b": "'b' not found",
	} {
		messages := fmt.Sprintf(`{"role":"assistant","tool_calls":[%s,%s,%s,%s]}`, call("a"), call("b"), call("a"), call("c"))
		for _, id := range strings.Fields(results) {
			messages += "," + resultMessage(id)
		}
		err := (chat.Surface{}).Check(parsed(t, conversation(messages)))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Message, want)) {
			t.Errorf("results %s: got %+v, want %q", results, err, want)
		}
	}
}

func manyPairs(n int) string {
	pairs := make([]string, n)
	for i := range pairs {
		pairs[i] = fmt.Sprintf(`"k%d":"v"`, i)
	}
	return strings.Join(pairs, ",")
}

// Copying the place of each property would take time with the depth of a schema for each. The
// test is not parallel, because it counts allocations.
func TestThePlaceOfAPropertyIsNotCopied(t *testing.T) {
	var properties []ojson.Member
	for i := range 1000 {
		properties = append(properties, ojson.M(fmt.Sprint(i), ojson.Object(ojson.M("type", ojson.String("string")))))
	}
	schema := ojson.Object(ojson.M("type", ojson.String("object")), ojson.M("additionalProperties", ojson.Bool(false)),
		ojson.M("$defs", ojson.Object(properties...)))
	req := parsed(t, hello(`"response_format":{"type":"json_schema","json_schema":{"name":"s","strict":true,"schema":`+schema.String()+`}}`))
	n := testing.AllocsPerRun(3, func() {
		if problem := (chat.Surface{}).Check(req); problem != nil {
			t.Fatal(problem)
		}
	})
	if n > 100 {
		t.Errorf("checking %d properties takes %.0f allocations, want at most 100", len(properties), n)
	}
}
