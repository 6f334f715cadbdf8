package lint

import "embed"

// Rule is a rule of the protocol. Streams are checked against it at load. A scenario
// that breaks it on purpose lists its name under quirks.
type Rule struct {
	Name    string
	Doc     string // Doc says what is reported, and what OpenAI does instead.
	Clients string // Clients says what clients do with such a stream; "" if that is unknown, or nothing.
	Example string // Example is a scenario that breaks the rule and no other.
}

//go:embed rules/*.yaml
var ruleExamples embed.FS

// Rules lists all rules, in the order in which they are checked.
func Rules() []Rule {
	list := make([]Rule, len(rules))
	for i, r := range rules {
		example, _ := ruleExamples.ReadFile("rules/" + r.name + ".yaml")
		list[i] = Rule{Name: r.name, Doc: r.doc, Clients: clients[r.name], Example: string(example)}
	}
	return list
}

// Check looks for violations of a rule in a reply, and calls report for each.
type Check func(t *Transcript, report func(Finding))

// checks are the rules that apply to every surface. The others belong to a surface,
// which has its own checks.
var checks = map[string]Check{
	"missing-role":                  missingRole,
	"role-repeated":                 roleRepeated,
	"role-not-assistant":            roleNotAssistant,
	"missing-finish":                missingFinish,
	"two-finishes":                  twoFinishes,
	"content-after-finish":          contentAfterFinish,
	"unknown-finish-reason":         unknownFinishReason,
	"finish-does-not-fit":           finishDoesNotFit,
	"content-after-call":            contentAfterCall,
	"error-after-finish":            errorAfterFinish,
	"empty-stream":                  emptyStream,
	"two-dones":                     twoDones,
	"chunk-after-done":              chunkAfterDone,
	"chunk-after-error":             chunkAfterError,
	"tool-fragment-before-start":    toolFragmentBeforeStart,
	"tool-call-without-id":          toolCallWithoutID,
	"tool-call-without-name":        toolCallWithoutName,
	"tool-name-late":                toolNameLate,
	"tool-call-without-type":        toolCallWithoutType,
	"tool-index-gap":                toolIndexGap,
	"tool-index-reused":             toolIndexReused,
	"tool-id-repeated":              toolIDRepeated,
	"tool-name-repeated":            toolNameRepeated,
	"tool-name-invalid":             toolNameInvalid,
	"tool-calls-interleaved":        toolCallsInterleaved,
	"duplicate-call-id":             duplicateCallID,
	"two-kinds-of-calls":            twoKindsOfCalls,
	"arguments-not-text":            argumentsNotText,
	"arguments-not-json":            argumentsNotJSON,
	"arguments-not-object":          argumentsNotObject,
	"logprobs-do-not-spell-content": logprobsDoNotSpell,
	"logprob-entry-incomplete":      logprobEntryIncomplete,
	"logprob-bytes-mismatch":        logprobBytesMismatch,
	"logprob-positive":              logprobPositive,
	"too-many-top-logprobs":         tooManyTopLogprobs,
	"usage-with-choices":            usageWithChoices,
	"usage-total-wrong":             usageTotalWrong,
	"usage-incomplete":              usageIncomplete,
	"usage-not-numbers":             usageNotNumbers,
	"usage-negative":                usageNegative,
	"usage-detail-too-large":        usageDetailTooLarge,
	"usage-not-last":                usageNotLast,
	"two-usages":                    twoUsages,
	"choice-index-gap":              choiceIndexGap,
	"two-choices-in-one-chunk":      twoChoicesInOneChunk,
	"status-not-an-error":           statusNotAnError,
	"error-status-mismatch":         errorStatusMismatch,
}

// rules are the names and texts of all rules.
var rules = []struct{ name, doc string }{
	{"missing-role", "The first chunk of a choice has no role. OpenAI opens every choice with role assistant."},
	{"role-repeated", "A later chunk of a choice has a role again. OpenAI sends it once, apart from audio."},
	{"role-not-assistant", "The role is not assistant. OpenAI answers in no other role."},
	{"missing-finish", "A choice has no finish_reason, although nothing breaks the stream off. OpenAI ends every choice with one, apart from audio."},
	{"two-finishes", "A choice has a second finish_reason. OpenAI sends one."},
	{"content-after-finish", "A choice goes on after its finish_reason. OpenAI sends nothing more for it."},
	{"unknown-finish-reason", "The finish_reason is none of stop, length, tool_calls, content_filter, function_call. OpenAI has no others."},
	{"finish-does-not-fit", "The finish_reason is tool_calls or function_call, but there is no such call before it."},
	{"content-after-call", "Text comes beside or after a call of the same choice. OpenAI sends all text of a choice before its calls."},
	{"empty-stream", "The stream has no chunk, event or error. OpenAI sends at least a role and a finish."},
	{"two-dones", "There is a second [DONE]. OpenAI sends one."},
	{"chunk-after-done", "A chunk comes after [DONE]. OpenAI sends nothing more."},
	{"chunk-after-error", "A chunk comes after an error in mid-stream. OpenAI sends at most [DONE]."},
	{"error-after-finish", "An error comes after the finish_reason of all choices. OpenAI has answered by then."},
	{"tool-fragment-before-start", "Arguments come for a call that was not opened. OpenAI opens a call with its id, type and name first."},
	{"tool-call-without-id", "A call is opened without an id. OpenAI gives every tool call one."},
	{"tool-call-without-name", "A call is opened without a name. OpenAI sends the name in the first fragment."},
	{"tool-name-late", "The name of a call comes in a later fragment than the one that opens it. OpenAI sends it in the first."},
	{"tool-call-without-type", "A call is opened without a type. OpenAI says function, or custom."},
	{"unknown-tool-type", "The type of a call is neither function nor custom. OpenAI has no others."},
	{"tool-entry-without-index", "An entry of tool_calls has no index. OpenAI numbers every one; clients put calls together by it."},
	{"tool-index-gap", "The index of a call is not the next one. OpenAI counts the calls of a choice from 0."},
	{"tool-index-reused", "A call has the index of another call of its choice. OpenAI gives each its own; clients put calls together by it."},
	{"tool-id-repeated", "A later fragment of a call has an id again, the same or another. OpenAI sends it once."},
	{"tool-name-repeated", "A later fragment of a call has the name again. OpenAI sends it once."},
	{"tool-fragment-blank", "A later fragment of a call has an id, type or name that is null or empty. OpenAI leaves them out after the first."},
	{"tool-name-invalid", "The name of a call is not 1 to 64 letters, digits, dashes and underscores. OpenAI accepts no such tool in a request."},
	{"tool-calls-interleaved", "A call goes on after the next one was opened. OpenAI sends one call after the other."},
	{"two-calls-in-one-chunk", "A chunk holds entries of two calls. OpenAI sends one entry in a chunk."},
	{"duplicate-call-id", "Two calls have the same id. OpenAI draws a new one for each."},
	{"two-kinds-of-calls", "A choice has both a function_call and tool_calls. OpenAI sends what the request offered: functions or tools."},
	{"arguments-not-text", "The arguments of a call are an object or another value that is not a text. OpenAI sends their JSON as a text."},
	{"arguments-not-json", "The arguments of a call are not JSON, although no finish says that they are cut short. OpenAI sends {} for a call without arguments."},
	{"arguments-not-object", "The arguments of a call are JSON, but not an object. OpenAI sends an object."},
	{"logprobs-do-not-spell-content", "The tokens of the log-probabilities, put together, are not the text beside them. OpenAI sends an entry for each token of the text."},
	{"logprob-entry-incomplete", "An entry of logprobs has no token or no logprob. OpenAI sends both."},
	{"logprob-entry-short", "An entry of logprobs has no bytes or no top_logprobs, in a chunk that is written whole or changed with set. OpenAI sends both; bytes may be null, top_logprobs an empty list. Entries under the key logprobs may leave them out."},
	{"logprob-bytes-mismatch", "The bytes of an entry of logprobs are not the UTF-8 of its token."},
	{"logprob-positive", "A logprob is larger than 0. The logarithm of a probability never is."},
	{"too-many-top-logprobs", "An entry of logprobs has more than 20 top_logprobs. OpenAI sends at most that many."},
	{"usage-with-choices", "A chunk has both usage and a choice. OpenAI sends usage alone, in a chunk with empty choices."},
	{"usage-not-last", "A chunk with a choice comes after the usage chunk. OpenAI sends usage last, apart from audio."},
	{"two-usages", "There is a second usage object. OpenAI sends one, for all choices."},
	{"usage-total-wrong", "total_tokens is not the sum of prompt_tokens and completion_tokens."},
	{"usage-incomplete", "A usage object lacks prompt_tokens, completion_tokens or total_tokens. OpenAI sends all three."},
	{"usage-not-numbers", "usage is not an object, or a number of tokens in it is not a whole number. OpenAI sends whole numbers."},
	{"usage-negative", "A number of tokens in usage is negative."},
	{"usage-detail-too-large", "A number in the details of usage is larger than the number that it is a part of."},
	{"choice-index-gap", "The choices are not numbered 0, 1, 2 without a gap. OpenAI numbers them so."},
	{"two-choices-in-one-chunk", "A chunk holds two choices. OpenAI sends one in each."},
	{"choices-not-a-list", "The choices of a chunk are missing, or are not a list of objects. OpenAI sends a list, which may be empty; only chunks with audio can lack it."},
	{"choice-incomplete", "A choice lacks its index, delta (in completions: text) or finish_reason, or its index is not a whole number. OpenAI sends all three; finish_reason is null until the end."},
	{"reasoning-member", "A delta has reasoning_content or reasoning. OpenAI does not stream reasoning in chat completions; other providers do."},
	{"unknown-delta-member", "A delta has a member that OpenAI does not send."},
	{"delta-member-type", "A delta is not an object, or a member of it has a type that OpenAI does not send, such as a number for content."},
	{"unknown-chunk-member", "A chunk has a member that neither OpenAI nor Azure sends."},
	{"chunk-without-envelope", "A chunk lacks id, object, created or model. OpenAI sends all four."},
	{"event-before-created", "On responses, an event comes before response.created. OpenAI begins every stream with it."},
	{"event-after-end", "On responses, an event comes after the one that ends the answer. OpenAI sends nothing more."},
	{"unknown-event", "On responses, an event has a type that OpenAI does not send, or sends only for tools that it runs itself."},
	{"sequence-number-wrong", "On responses, an event has no sequence_number, or not the next one. OpenAI counts from 0."},
	{"output-index-wrong", "On responses, the output_index of an event is not the position of its item. OpenAI counts items from 0."},
	{"item-not-open", "On responses, an event belongs to an item that was not opened, or is closed. OpenAI opens each item once, and first."},
	{"item-not-closed", "On responses, the answer ends and an item is still open. OpenAI closes every item, unless the answer fails."},
	{"item-events-wrong", "On responses, an event of a tool call comes out of order, belongs to items of another type, or is missing. OpenAI sends them in one order."},
	{"part-not-open", "On responses, an event belongs to a part that was not opened, or is closed. OpenAI opens each part once, in order."},
	{"part-not-closed", "On responses, an item is closed and a part of it is still open. OpenAI closes every part."},
	{"done-differs", "On responses, a done event differs from the deltas and parts before it."},
	{"output-differs", "On responses, the output of the finished answer is not the list of its items. OpenAI repeats them all."},
	{"status-does-not-fit", "On responses, the status, error or incomplete_details of an answer contradict its finish, or the event that brings it. OpenAI says the same everywhere."},
	{"opening-repeated", "On responses, response.created, queued or in_progress comes a second time, or later than at the start. OpenAI sends each once, and first."},
	{"in-progress-missing", "On responses, an item or the end comes before response.in_progress. OpenAI sends response.in_progress right after response.created."},
	{"response-id-changes", "On responses, the id of the answer is not the same in all events that bring it. OpenAI repeats it."},
	{"event-incomplete", "On responses, an event lacks a member that it needs, such as delta, or the member has a type that OpenAI does not send."},
	{"text-not-done", "On responses, a part or a call is closed, and no event such as output_text.done repeated its whole text. OpenAI sends one for each."},
	{"text-after-done", "On responses, a delta or the whole text comes after the event that repeated the whole text. OpenAI sends nothing more of that text."},
	{"annotation-index-wrong", "On responses, the annotation_index of an annotation is not the next one. OpenAI counts those of a part from 0."},
	{"status-not-an-error", "An error answers with a status below 400. OpenAI sends errors with 400 and above."},
	{"error-status-mismatch", "The code of an error belongs to another status."},
}
