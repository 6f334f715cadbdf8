package responses

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// requestRules are the rules about several members together, in the order in which they are
// tried.
var requestRules = []request.Rule{
	promptIsKnown, inputIsSomething, PreviousIsAnID, modelTakesMembers, toolChoiceIsOffered, jsonObjectNeedsTheWord, itemsAreThereOnce, itemsInOrder, outputsHaveCalls,
}

// modelIsNamed: the request has a model, or a prompt that has one.
func modelIsNamed(r *scenarios.Request) *request.Error {
	model := r.Body.Get("model")
	switch {
	case r.Model != "":
		return nil
	case model.IsNull():
		return request.InvalidType("model", "a string", ojson.Object()) // the service calls null an object here
	case !model.IsAbsent():
		return request.Bad("model", "model_not_found", "The requested model '%s' does not exist.", model.Text())
	case !r.Body.Get("prompt").IsNullOrAbsent():
		return nil
	}
	return request.Bad("model", "missing_required_parameter", "Missing required parameter: 'model'.")
}

func inputIsThere(r *scenarios.Request) *request.Error {
	if r.Body.Get("input").IsAbsent() {
		return request.Bad("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	}
	return nil
}

// promptIsKnown: this server keeps no prompts.
func promptIsKnown(r *scenarios.Request) *request.Error {
	prompt := r.Body.Get("prompt")
	if prompt.IsNullOrAbsent() {
		return nil
	}
	return apierror.NotStored("Prompt", prompt.Get("id").Text())
}

func inputIsSomething(r *scenarios.Request) *request.Error {
	if input := r.Body.Get("input"); input.Text() != "" || len(input.Items()) > 0 || Previous(r) != "" || Conversation(r) != "" {
		return nil
	}
	return request.Bad("", "missing_required_parameter", `One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.`)
}

func cacheRetention(r *scenarios.Request, name string) *request.Error {
	if !surface.ModelNamed(r.Model).Reasoning || r.Body.Get(name).Text() != "in_memory" {
		return nil
	}
	return request.Bad(name, "invalid_parameter", surface.OnlyExtendedCaching)
}

var idPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$`) })

// PreviousIsAnID returns the error for a previous_response_id with other characters than
// letters, digits, underscores and dashes, or nil.
func PreviousIsAnID(r *scenarios.Request) *request.Error {
	const name = "previous_response_id"
	v := r.Body.Get(name)
	if v.IsNullOrAbsent() || idPattern().MatchString(v.Text()) {
		return nil
	}
	return request.Bad(name, "", "Invalid '%s': '%s'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.", name, v.Text())
}

func toolChoiceIsOffered(r *scenarios.Request) *request.Error {
	choice := r.Body.Get("tool_choice")
	kind := choice.Get("type").Text()
	if kind == "" || kind == "allowed_tools" {
		return nil
	}
	offered := func(t scenarios.Tool) bool {
		name := choice.Get("name").Text()
		return t.Type == kind && (name == "" || t.Name == name || kind == "mcp")
	}
	if slices.ContainsFunc(r.Tools, offered) {
		return nil
	}
	return request.Bad("tool_choice", "", "Tool choice '%s' not found in 'tools' parameter.", kind)
}

func jsonObjectNeedsTheWord(r *scenarios.Request) *request.Error {
	if r.Body.Get("text").Get("format").Get("type").Text() != "json_object" || !knowsWholePast(r) {
		return nil
	}
	if slices.ContainsFunc(r.Messages, func(m scenarios.RequestMessage) bool { return strings.Contains(strings.ToLower(m.Text), "json") }) {
		return nil
	}
	return request.Bad("input", "", "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.")
}

// itemsAreThereOnce: an item stands in the input once, and not at all if the previous response
// or the conversation already has it.
func itemsAreThereOnce(r *scenarios.Request) *request.Error {
	before, seen := map[string]bool{}, map[string]bool{}
	for _, item := range r.Before {
		before[item.Get("id").Text()] = true
	}
	for _, item := range r.Body.Get("input").Items() {
		id := item.Get("id").Text()
		if id != "" && (seen[id] || before[id] && !IsReference(item)) {
			return request.Bad("input", "", "Duplicate item found with id %s. Remove duplicate items from your input and try again.", id)
		}
		seen[id] = true
	}
	return nil
}

// knowsWholePast reports whether the request itself has all earlier items, and goes on from no
// response and no conversation.
func knowsWholePast(r *scenarios.Request) bool {
	return r.Body.Get("previous_response_id").IsNullOrAbsent() && r.Body.Get("conversation").IsNullOrAbsent() &&
		!slices.ContainsFunc(r.Body.Get("input").Items(), IsReference)
}

// outputsHaveCalls: the output of a call comes after the call.
func outputsHaveCalls(r *scenarios.Request) *request.Error {
	if !knowsWholePast(r) {
		return nil
	}
	called := map[string]bool{}
	for _, item := range r.Body.Get("input").Items() {
		tool, id, isOutput := toolOf(item)
		if tool != "" && isOutput && !called[id] {
			return request.Bad("input", "", "No tool call found for %s call output with call_id %s.", tool, id)
		}
		called[id] = called[id] || tool != ""
	}
	return nil
}

// toolOf returns, for a call of a tool of the client or its output, the kind of tool in words and the call_id. The tool
// is "" for any other item.
func toolOf(item ojson.Value) (tool, id string, isOutput bool) {
	kind, isOutput := strings.CutSuffix(item.Get("type").Text(), "_output")
	switch kind {
	case Function:
		tool = "function"
	case Custom:
		tool = "custom tool"
	}
	return tool, item.Get("call_id").Text(), isOutput
}

// modelTakesMembers: models that reason draw in their own way and give no log-probabilities; others have no effort.
func modelTakesMembers(r *scenarios.Request) *request.Error {
	facts, effort := surface.ModelNamed(r.Model), r.Body.Get("reasoning").Get("effort")
	if facts.Plain && !effort.IsNullOrAbsent() {
		return request.Bad("reasoning.effort", "unsupported_parameter", notWithThisModel, "reasoning.effort")
	}
	if !facts.Reasoning || cmp.Or(effort.Text(), facts.Effort) == "none" {
		return nil
	}
	for _, m := range []struct{ name, usual string }{{"temperature", "1"}, {"top_p", "1"}, {"presence_penalty", "0"}, {"frequency_penalty", "0"}} {
		if v := r.Body.Get(m.name); !v.IsNullOrAbsent() && !ojson.SameNumber(v.Text(), m.usual) {
			return request.Bad(m.name, "", notWithThisModel, m.name)
		}
	}
	name := "include"
	if !r.Logprobs {
		name = "top_logprobs"
	}
	if !r.Logprobs && r.Body.Get(name).IsNullOrAbsent() {
		return nil
	}
	return request.Bad(name, "unsupported_parameter", "logprobs are not supported with reasoning models.")
}

const notWithThisModel = "Unsupported parameter: '%s' is not supported with this model."

// itemsInOrder: every call has an output, and every reasoning item is followed by another item
// of its answer.
func itemsInOrder(r *scenarios.Request) *request.Error {
	items := slices.Concat(r.Before, resolved(r))
	answered := map[string]bool{}
	for _, item := range items {
		if strings.HasSuffix(item.Get("type").Text(), "_call_output") {
			answered[item.Get("call_id").Text()] = true
		}
	}
	for i, item := range items {
		tool, id, isOutput := toolOf(item)
		if tool != "" && !isOutput && !answered[id] {
			return request.Bad("input", "", "No tool output found for %s call %s.", tool, id)
		}
		if item.Get("type").Text() == Reasoning && (i+1 == len(items) || !followsReasoning(items[i+1])) {
			return request.Bad("input", "", "Item '%s' of type 'reasoning' was provided without its required following item.", item.Get("id").Text())
		}
	}
	return nil
}

// followsReasoning reports whether an item belongs to an answer, and can follow its reasoning.
func followsReasoning(item ojson.Value) bool {
	kind := item.Get("type").Text()
	if kind == "" || kind == Message {
		return item.Get("role").Text() == "assistant"
	}
	return !strings.HasSuffix(kind, "_output")
}

// checkHistory returns the error for items that cannot be the history of a conversation with
// tools, or nil. If the real service refuses such a request, the error has its words; else its
// code is fake_history.
func checkHistory(r *scenarios.Request) *request.Error {
	if err := itemsInOrder(r); err != nil {
		return err
	}
	calls := map[string]string{} // calls has the places of calls by their ids; "" for a call that has its output.
	// Without the items of the previous response or of the conversation, calls may be missing.
	whole := r.Before != nil || r.Body.Get("previous_response_id").IsNullOrAbsent() && r.Body.Get("conversation").IsNullOrAbsent()
	for _, item := range r.Before {
		if _, id, isOutput := toolOf(item); isOutput {
			calls[id] = ""
		} else if id != "" {
			calls[id] = "an item before the input"
		}
	}
	for i, item := range resolved(r) {
		path := fmt.Sprintf("input[%d]", i)
		if IsReference(item) {
			whole = false
		}
		if err := historyItem(calls, path, item, whole); err != nil {
			return err
		}
	}
	return nil
}

// historyItem checks one item. Whole says that all calls before it are known.
func historyItem(calls map[string]string, path string, item ojson.Value, whole bool) *request.Error {
	tool, id, isOutput := toolOf(item)
	bad := func(format string, args ...any) *request.Error {
		return request.Bad(path+".call_id", apierror.CodeHistory, "Invalid '%s.call_id': %s.", path, fmt.Sprintf(format, args...))
	}
	first, known := calls[id]
	switch {
	case tool == "":
		return roleIsNotTurned(path, item)
	case isOutput && !known && whole:
		return bad("there is no call '%s' before its output", id)
	case isOutput:
		calls[id] = ""
		return nil
	case id == "":
		return bad("the call has no id, so that no output can belong to it")
	case first != "":
		return bad("the id '%s' is that of another call, at '%s'", id, first)
	}
	calls[id] = path
	if tool == "function" {
		return request.ArgumentsAreJSON(path+".arguments", item.Get("arguments"))
	}
	return nil
}

// roleIsNotTurned checks that the texts of a message are those of its role: output_text is what the
// assistant says, and input_text what all others say.
func roleIsNotTurned(path string, item ojson.Value) *request.Error {
	role, wrong := item.Get("role").Text(), "output_text"
	if role == "assistant" {
		wrong = "input_text"
	}
	for i, part := range item.Get("content").Items() {
		if role != "" && part.Get("type").Text() == wrong {
			at := fmt.Sprintf("%s.content[%d].type", path, i)
			return request.Bad(at, apierror.CodeHistory, "Invalid '%s': a message with the role '%s' has no text of the type '%s'.", at, role, wrong)
		}
	}
	return nil
}

// Stores reports whether the request lets its response be stored.
func Stores(req *scenarios.Request) bool {
	store, isBool := req.Body.Get("store").Bool()
	return store || !isBool
}

// InBackground reports whether the request wants its response to be made even if the client
// leaves.
func InBackground(req *scenarios.Request) bool {
	background, _ := req.Body.Get("background").Bool()
	return background
}

// Previous returns the previous_response_id, or "".
func Previous(req *scenarios.Request) string { return req.Body.Get("previous_response_id").Text() }

// Conversation returns the id of the request's conversation, or "": requests to other APIs have none.
func Conversation(req *scenarios.Request) string {
	v := req.Body.Get("conversation")
	switch {
	case req.Surface != surfaceName:
		return ""
	case v.Kind() == ojson.ObjectKind:
		v = v.Get("id")
	}
	return v.Text()
}

// IsReference reports whether an item of an input is a reference to a kept item. A reference
// may have no type.
func IsReference(item ojson.Value) bool {
	kind := item.Get("type")
	return kind.Text() == itemReference || kind.IsNullOrAbsent() && item.Get("role").IsNullOrAbsent() && !item.Get("id").IsNullOrAbsent()
}

// References returns the ids in the item references of the input.
func References(req *scenarios.Request) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, item := range req.Body.Get("input").Items() {
			if IsReference(item) && !yield(item.Get("id").Text()) {
				return
			}
		}
	}
}

// resolved returns the items of the input, with known items in the place of their references.
func resolved(req *scenarios.Request) []ojson.Value {
	items := slices.Clone(req.Body.Get("input").Items())
	for i, item := range items {
		if referred, ok := req.Referred[item.Get("id").Text()]; ok && IsReference(item) {
			items[i] = referred
		}
	}
	return items
}
