package lint

import (
	"embed"
	"slices"
)

// Rule is a rule of the protocol. Streams are checked against it at load. A scenario
// that breaks it on purpose lists its name under quirks.
type Rule struct {
	Name string
	Doc  string // Doc says what is reported, and what OpenAI does instead.
	// Clients says what clients do with such a stream; "" if that is unknown, or nothing. It was
	// observed, or read in their source. "Helper" is the part of a client that assembles the
	// chunks of a stream.
	Clients string
	Example string // Example is a scenario that breaks the rule and no other.
}

//go:embed rules/*.yaml
var ruleExamples embed.FS

// Rules lists all rules, in the order in which findings are reported.
func Rules() []Rule {
	list := slices.Clone(rules)
	for i := range list {
		example, _ := ruleExamples.ReadFile("rules/" + list[i].Name + ".yaml")
		list[i].Example = string(example)
	}
	return list
}

// position returns the position of a rule in the list; -1 for an unknown one.
func position(rule string) int {
	return slices.IndexFunc(rules, func(r Rule) bool { return r.Name == rule })
}

// rules are all rules, without their examples.
var rules = []Rule{
	{Name: "missing-role", Doc: "The first chunk of a choice has no role. OpenAI opens every choice with role assistant.",
		Clients: "The helper of openai-node raises an error; in openai-go and openai-python the message has no role."},
	{Name: "role-repeated", Doc: "A later chunk of a choice has a role again. OpenAI sends it once, apart from audio.",
		Clients: "The helper of openai-python puts the roles together: assistantassistant."},
	{Name: "role-not-assistant", Doc: "The role is not assistant. OpenAI answers in no other role.",
		Clients: "The helper of openai-node raises an error; the AI SDK reports an invalid chunk."},
	{Name: "missing-finish", Doc: "A choice has no finish_reason, although nothing breaks the stream off. OpenAI ends every choice with one, apart from audio.",
		Clients: "The helper of openai-node, openai-java and the AI SDK for compatible services raise an error; litellm makes up stop."},
	{Name: "two-finishes", Doc: "A choice has a second finish_reason. OpenAI sends one.",
		Clients: "langchainjs puts the reasons together: stopstop; openai-java raises an error."},
	{Name: "content-after-finish", Doc: "A choice goes on after its finish_reason. OpenAI sends nothing more for it.",
		Clients: "openai-go loses the finish_reason; openai-java raises an error."},
	{Name: "unknown-finish-reason", Doc: "The finish_reason is not stop, length, tool_calls, content_filter or function_call. OpenAI has no others.",
		Clients: "Clients with a closed enum fail; a reason that is no text fails in go-openai and the AI SDK."},
	{Name: "finish-does-not-fit", Doc: "The finish_reason is tool_calls or function_call, but there is no such call before it.",
		Clients: "Agents that loop while the reason is tool_calls do not end."},
	{Name: "content-after-call", Doc: "Text comes beside or after a call of the same choice. OpenAI sends all text of a choice before its calls."},
	{Name: "empty-stream", Doc: "The stream has no chunk, event or error. OpenAI sends at least a role and a finish.",
		Clients: "The helpers of openai-python and openai-node and the AI SDK for compatible services raise an error."},
	{Name: "two-dones", Doc: "There is a second [DONE]. OpenAI sends one."},
	{Name: "chunk-after-done", Doc: "A chunk comes after [DONE]. OpenAI sends nothing more.",
		Clients: "The AI SDK and openai-java read on after [DONE]; others do not see the chunk."},
	{Name: "chunk-after-error", Doc: "A chunk comes after an error in mid-stream. OpenAI sends at most [DONE]."},
	{Name: "error-after-finish", Doc: "An error comes after the finish_reason of all choices. OpenAI has answered by then."},
	{Name: "tool-fragment-before-start", Doc: "Arguments come for a call that was not opened. OpenAI opens a call with its id, type and name first.",
		Clients: "The helper of openai-python raises an error."},
	{Name: "tool-call-without-id", Doc: "A call is opened without an id. OpenAI gives every tool call one.",
		Clients: "langchainjs makes an invalid call of it; openai-node and the AI SDK invent an id."},
	{Name: "tool-call-without-name", Doc: "A call is opened without a name. OpenAI sends the name in the first fragment.",
		Clients: "The AI SDK raises an error or calls a tool without a name."},
	{Name: "tool-name-late", Doc: "The name of a call comes in a later fragment than the one that opens it. OpenAI sends it in the first.",
		Clients: "The AI SDK calls a tool without a name; of a name in pieces openai-node keeps the last."},
	{Name: "tool-call-without-type", Doc: "A call is opened without a type. OpenAI says function, or custom.",
		Clients: "The helper of openai-node raises an error; an empty type is refused by the AI SDK."},
	{Name: "unknown-tool-type", Doc: "The type of a call is neither function nor custom. OpenAI has no others."},
	{Name: "tool-entry-without-index", Doc: "An entry of tool_calls has no index. OpenAI numbers every one; clients put calls together by it.",
		Clients: "The helpers of openai-python and openai-node raise an error; the AI SDK and langchain drop the call."},
	{Name: "tool-index-gap", Doc: "The index of a call is not the next one. OpenAI counts the calls of a choice from 0.",
		Clients: "The helpers of openai-python and openai-node raise an error; openai-go adds an empty call."},
	{Name: "tool-index-reused", Doc: "A call has the index of another call of its choice. OpenAI gives each its own; clients put calls together by it.",
		Clients: "openai-go and the helpers of openai-python and openai-node make one call of the two."},
	{Name: "tool-id-repeated", Doc: "A later fragment of a call has an id again, the same or another. OpenAI sends it once.",
		Clients: "The helper of openai-python puts the ids together; langchainjs makes several calls of different ids."},
	{Name: "tool-name-repeated", Doc: "A later fragment of a call has the name again. OpenAI sends it once.",
		Clients: "openai-go and the helper of openai-python double the name."},
	{Name: "tool-fragment-blank", Doc: "A later fragment of a call has an id, type or name that is null or empty. OpenAI leaves them out after the first.",
		Clients: "The helper of openai-python raises an error at null."},
	{Name: "tool-name-invalid", Doc: "The name of a call is not 1 to 64 letters, digits, dashes and underscores. OpenAI accepts no such tool in a request."},
	{Name: "tool-calls-interleaved", Doc: "A call goes on after the next one was opened. OpenAI sends one call after the other."},
	{Name: "two-calls-in-one-chunk", Doc: "A chunk holds entries of two calls. OpenAI sends one entry in a chunk."},
	{Name: "duplicate-call-id", Doc: "Two calls have the same id. OpenAI draws a new one for each."},
	{Name: "two-kinds-of-calls", Doc: "A choice has both a function_call and tool_calls. OpenAI sends what the request offered: functions or tools."},
	{Name: "arguments-not-text", Doc: "The arguments of a call are an object or another value that is not a text. OpenAI sends their JSON as a text.",
		Clients: "go-openai raises an error; openai-node has [object Object]; the AI SDK drops the call."},
	{Name: "arguments-not-json", Doc: "The arguments of a call are not JSON, although no finish says that they are cut short. OpenAI sends {} for a call without arguments.",
		Clients: "The AI SDK marks the call as invalid; langchainjs calls with {}."},
	{Name: "arguments-not-object", Doc: "The arguments of a call are JSON, but not an object. OpenAI sends an object."},
	{Name: "logprobs-do-not-spell-content", Doc: "The tokens of the log-probabilities, put together, are not the text beside them. OpenAI sends an entry for each token of the text."},
	{Name: "logprob-entry-incomplete", Doc: "An entry of logprobs has no token or no logprob. OpenAI sends both."},
	{Name: "logprob-entry-short", Doc: "An entry of logprobs that is not under the key logprobs has no bytes or no top_logprobs. OpenAI sends both; bytes may be null, top_logprobs an empty list."},
	{Name: "logprob-bytes-mismatch", Doc: "The bytes of an entry of logprobs are not the UTF-8 of its token."},
	{Name: "logprob-positive", Doc: "A logprob is larger than 0. The logarithm of a probability never is."},
	{Name: "too-many-top-logprobs", Doc: "An entry of logprobs has more than 20 top_logprobs. OpenAI sends at most that many."},
	{Name: "usage-with-choices", Doc: "A chunk has both usage and a choice. OpenAI sends usage alone, in a chunk with empty choices.",
		Clients: "openai-java drops the choice of that chunk."},
	{Name: "usage-not-last", Doc: "A chunk with a choice comes after the usage chunk. OpenAI sends usage last, apart from audio.",
		Clients: "openai-java raises an error."},
	{Name: "two-usages", Doc: "There is a second usage object. OpenAI sends one, for all choices.",
		Clients: "openai-go adds them up; others keep the last."},
	{Name: "usage-total-wrong", Doc: "total_tokens is not the sum of prompt_tokens and completion_tokens."},
	{Name: "usage-incomplete", Doc: "A usage object lacks prompt_tokens, completion_tokens or total_tokens. OpenAI sends all three."},
	{Name: "usage-not-numbers", Doc: "usage is not an object, or a number of tokens in it is not a whole number. OpenAI sends whole numbers.",
		Clients: "go-openai raises an error at fractions and texts."},
	{Name: "usage-negative", Doc: "A number of tokens in usage is negative."},
	{Name: "usage-detail-too-large", Doc: "A number in the details of usage is larger than the number that it is a part of."},
	{Name: "choice-index-gap", Doc: "The choices are not numbered 0, 1, 2 without a gap. OpenAI numbers them so.",
		Clients: "The helpers of openai-python and openai-node raise an error; openai-go adds empty choices."},
	{Name: "two-choices-in-one-chunk", Doc: "A chunk holds two choices. OpenAI sends one in each.",
		Clients: "litellm, langchain for Python and openai-dotnet read only the first."},
	{Name: "choices-not-a-list", Doc: "The choices of a chunk are missing, or are not a list of objects. OpenAI sends a list, which may be empty; only chunks with audio can lack it.",
		Clients: "The helpers of openai-python and openai-node raise an error; the AI SDK reports an invalid chunk."},
	{Name: "choice-incomplete", Doc: "A choice lacks its index, delta (in completions: text) or finish_reason (null until the end), or its index is not a whole number.",
		Clients: "Without a delta or an index the helper of openai-python raises an error; openai-node does without an index, go-openai at one that is a text."},
	{Name: "reasoning-member", Doc: "A delta has reasoning_content or reasoning. OpenAI does not stream reasoning in chat completions; other providers do.",
		Clients: "The AI SDK for OpenAI drops reasoning_content."},
	{Name: "unknown-delta-member", Doc: "A delta has a member that OpenAI does not send."},
	{Name: "delta-member-type", Doc: "A delta is not an object, or a member of it has a type that OpenAI does not send, such as a number for content.",
		Clients: "go-openai raises an error; openai-node writes [object Object]; the AI SDK reports an invalid chunk."},
	{Name: "unknown-chunk-member", Doc: "A chunk has a member that neither OpenAI nor Azure sends.",
		Clients: "Most ignore it; a member error, even null, is an error to openai-go and openai-java."},
	{Name: "chunk-without-envelope", Doc: "A chunk lacks id, object, created or model. OpenAI sends all four.",
		Clients: "Without an object the helper of openai-python raises an error."},
	{Name: "envelope-changes", Doc: "A chunk has another id, object, created or model than the chunks before it. OpenAI repeats all four.",
		Clients: "openai-go drops a chunk with another id."},
	{Name: "event-before-created", Doc: "On responses and realtime, an event comes before response.created. OpenAI begins every stream with it.",
		Clients: "The helpers of openai-node and openai-python raise an error."},
	{Name: "event-after-end", Doc: "On responses and realtime, an event comes after the one that ends the answer, or another than response.failed after an error. OpenAI sends nothing more."},
	{Name: "unknown-event", Doc: "On responses and realtime, an event has a type that OpenAI does not send, or only for tools of its own.",
		Clients: "The helper of openai-node raises an error; others ignore it."},
	{Name: "sequence-number-wrong", Doc: "On responses, an event has no sequence_number, or not the next one. OpenAI counts from 0.",
		Clients: "Without a number the AI SDK replaces the message of an error by one of its own."},
	{Name: "output-index-wrong", Doc: "On responses, the output_index of an event is not the position of its item. OpenAI counts items from 0.",
		Clients: "The helpers of openai-node and openai-python raise an error; without an index the AI SDK does, too."},
	{Name: "item-not-open", Doc: "On responses and realtime, an event belongs to an item that was not opened, or is closed. OpenAI opens each item once, and first.",
		Clients: "The helper of openai-node raises an error; langchainjs loses a call that was not opened."},
	{Name: "item-not-closed", Doc: "On responses and realtime, an item is still open where the answer ends or the next item is opened. OpenAI closes every item, unless the answer fails.",
		Clients: "Codex loses the message; the AI SDK loses a call."},
	{Name: "item-events-wrong", Doc: "On responses, an event of a tool call comes out of order, belongs to items of another type, or is missing. OpenAI sends them in one order."},
	{Name: "opened-with-content", Doc: "On responses, an item or a part is opened with its text, parts or arguments. OpenAI opens it empty."},
	{Name: "part-not-open", Doc: "On responses and realtime, an event belongs to a part that was not opened, or is closed. OpenAI opens each part once, in order.",
		Clients: "The helpers of openai-node and openai-python raise an error."},
	{Name: "part-not-closed", Doc: "On responses, an item is closed and a part of it is still open. OpenAI closes every part."},
	{Name: "done-differs", Doc: "On responses and realtime, a done event differs from the deltas and parts before it."},
	{Name: "output-differs", Doc: "On responses and realtime, the output of the finished answer is not the list of its items. OpenAI repeats them all.",
		Clients: "The helpers of openai-node and openai-python and openai-go read the answer from it, so that text is lost."},
	{Name: "status-does-not-fit", Doc: "On responses, the status, error or incomplete_details of an answer contradict its finish or its event.",
		Clients: "openai-agents raises an error where a completed answer has failed; the AI SDK does not see it."},
	{Name: "opening-repeated", Doc: "On responses and realtime, response.created, queued or in_progress comes a second time, or later than at the start. OpenAI sends each once, and first."},
	{Name: "in-progress-missing", Doc: "On responses, an item or the end comes before response.in_progress. OpenAI sends response.in_progress right after response.created."},
	{Name: "response-id-changes", Doc: "On responses and realtime, the id of the answer is not the same in all events that bring it. OpenAI repeats it.",
		Clients: "The helper of openai-node raises an error."},
	{Name: "event-incomplete", Doc: "On responses, an event lacks a member that it needs, such as delta, or the member has a type that OpenAI does not send."},
	{Name: "text-not-done", Doc: "On responses, a part or a call is closed without an event such as output_text.done that repeats its whole text."},
	{Name: "text-after-done", Doc: "On responses and realtime, a delta or the whole text comes after the event that repeated the whole text."},
	{Name: "annotation-index-wrong", Doc: "On responses, the annotation_index of an annotation is not the next one. OpenAI counts the annotations of a part from 0."},
	{Name: "status-not-an-error", Doc: "An error answers with a status below 400. OpenAI sends errors with 400 and above."},
	{Name: "retry-after-invalid", Doc: "A Retry-After is neither a number of seconds nor an HTTP date. OpenAI sends seconds."},
	{Name: "error-status-mismatch", Doc: "The code of an error belongs to another status."},
}
