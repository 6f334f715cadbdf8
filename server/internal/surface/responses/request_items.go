package responses

import (
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// Types of items that only inputs have, or that only the reader of inputs looks into.
const (
	itemReference   = "item_reference"
	functionOutput  = "function_call_output"
	customOutput    = "custom_tool_call_output"
	approvalAsked   = "mcp_approval_request"
	approvalGiven   = "mcp_approval_response"
	additionalTools = "additional_tools"

	configurationUpdate = "configuration_update" // the service knows it and does not name it
)

var anObject = request.OpenObject()

var anArray = request.Objects(0, request.Unbounded, anObject)

// inputItem checks an item of the input. Messages and references may have no type.
func inputItem(c *request.Checker, v ojson.Value) {
	switch {
	case v.Get("type").Text() == configurationUpdate:
	case v.Kind() != ojson.ObjectKind || !v.Get("type").IsNullOrAbsent():
		inputItems()(c, v)
	case v.Get("role").IsAbsent() && !v.Get("id").IsAbsent():
		reference(c, v)
	default:
		message(c, v)
	}
}

var reference = request.Object(request.May("type", request.AnyValue), request.Need("id", request.Str()))

// inputItems are the checks of items, by their types. Items that clients write themselves have
// only these members. Items of tools of the service are sent back as they came; only their
// required members are checked.
var inputItems = sync.OnceValue(func() request.ValueCheck {
	str, orNull := request.Str(), request.OrNull
	callID := request.Need("call_id", request.StrWithin(1, 64))
	output := request.Need("output", request.TextOr("one of a string or array of objects", request.StrUpTo(10_485_760), ojson.ArrayKind, inputParts))
	id, need := request.Need("id", str), request.Need
	return request.ByType("an input item", map[string]request.ValueCheck{
		Message: message,
		Function: clientItem(request.May("id", orNull(request.IDStr("fc"))), callID, need("name", request.NameStr()), need("arguments", str),
			request.May("namespace", orNull(str)), request.May("async", orNull(request.Boolean()))),
		functionOutput: clientItem(callID, output, request.May("name", orNull(str)), request.May("namespace", orNull(str))),
		Custom: clientItem(request.May("id", orNull(request.IDStr("ctc"))), callID, need("name", request.NameStr()), need("input", str), request.May("namespace", orNull(str)),
			request.May("async", orNull(request.Boolean()))),
		customOutput: clientItem(callID, output),
		Reasoning: request.Object(request.May("type", request.AnyValue), need("id", request.IDStr("rs")),
			need("summary", request.Objects(0, request.Unbounded, request.Union("type", request.CaseOf("summary_text", need("text", str))))),
			request.May("encrypted_content", orNull(str)),
			request.May("content", orNull(request.Objects(0, request.Unbounded, request.Union("type", request.CaseOf("reasoning_text", need("text", str))))))),
		itemReference: reference,

		"file_search_call":      request.OpenObject(id, need("queries", request.Strs(0, request.Unbounded, str))),
		"web_search_call":       request.OpenObject(id, need("status", str)),
		"code_interpreter_call": request.OpenObject(id, need("container_id", str), need("code", orNull(str))),
		"image_generation_call": request.OpenObject(id, need("result", orNull(str))),
		"mcp_list_tools":        request.OpenObject(id, need("server_label", str), need("tools", anArray)),
		"mcp_call":              request.OpenObject(id, need("server_label", str), need("name", str), need("arguments", str)),
		approvalAsked:           request.OpenObject(id, need("server_label", str), need("name", str), need("arguments", str)),
		approvalGiven:           clientItem(need("approval_request_id", str), need("approve", request.Boolean()), request.May("reason", orNull(str))),
		"computer_call":         request.OpenObject(id, callID, request.May("action", orNull(anObject)), request.May("actions", orNull(anArray))),
		"computer_call_output":  clientItem(callID, need("output", screenshot), request.May("acknowledged_safety_checks", orNull(anArray))),
		"local_shell_call":      request.OpenObject(id, callID, need("action", anObject)),
		// In the schema of this output there is an id and no call_id; clients send either.
		"local_shell_call_output": request.OpenObject(need("output", str)),
		"shell_call":              request.OpenObject(callID, need("action", anObject)),
		"shell_call_output":       clientItem(callID, need("output", request.Objects(0, request.Unbounded, shellOutput)), request.May("max_output_length", orNull(request.Integer(0, 1<<53)))),
		"apply_patch_call":        request.OpenObject(callID, need("operation", anObject)),
		"apply_patch_call_output": request.OpenObject(callID, need("status", request.OneOf("completed", "failed")), request.May("output", orNull(str))),
		"tool_search_call":        request.OpenObject(need("arguments", request.AnyValue)),
		"tool_search_output":      request.OpenObject(need("tools", anArray)),
		"program":                 request.OpenObject(id, callID, need("code", str)),
		"program_output":          request.OpenObject(id, callID, need("result", str)),
		"compaction":              request.OpenObject(need("encrypted_content", str)),
		"compaction_trigger":      anObject,
		"agent_message":           anObject,
		"multi_agent_call":        anObject,
		"multi_agent_call_output": anObject,
		additionalTools:           request.OpenObject(need("role", request.OneOf("developer")), need("tools", request.Objects(0, request.Unbounded, tool))),
	})
})

// clientItem returns the check of an item that clients write themselves, with these members. It may also have an id, a
// status and a caller.
func clientItem(members ...request.Member) request.ValueCheck {
	return request.Object(append(members, request.May("type", request.AnyValue), request.May("id", request.OrNull(request.Str())),
		request.May("status", request.OrNull(request.OneOf("in_progress", "completed", "incomplete"))), request.May("caller", request.AnyValue))...)
}

// message checks a message, in the short form or in that of an answer. The role decides which
// content it can have.
func message(c *request.Checker, v ojson.Value) {
	switch role := v.Get("role"); role.Text() {
	case "assistant":
		answeredMessage(c, v)
	case "user", "system", "developer":
		saidMessage(c, v)
	default:
		oneOf("assistant", "system", "developer", "user")(c, role)
	}
}

// oneOf is [request.OneOf] for a member whose errors are at the place of the object around it.
func oneOf(values ...string) request.ValueCheck {
	check := request.OneOf(values...)
	return func(c *request.Checker, v ojson.Value) {
		if v.Kind() != ojson.StringKind {
			v = ojson.String("")
		}
		check(c, v)
	}
}

// answeredMessage checks a message of the assistant, saidMessage that of any other role.
var (
	answeredMessage = request.Later(func() request.ValueCheck {
		return messageOf(outputParts, request.May("phase", request.OrNull(request.OneOf("commentary", "final_answer"))))
	})
	saidMessage = request.Later(func() request.ValueCheck { return messageOf(inputParts) })
)

// messageOf returns the check of a message whose content is a text or a list of these parts, and that has these
// members beside the usual ones.
func messageOf(parts request.ValueCheck, members ...request.Member) request.ValueCheck {
	return request.Object(append(members,
		request.Need("role", request.Str()),
		request.Need("content", request.TextOr(expectedContent, request.Str(), ojson.ArrayKind, parts)),
		request.May("type", request.AnyValue), request.May("id", request.OrNull(request.IDStr("msg"))),
		request.May("status", request.OrNull(request.OneOf("in_progress", "completed", "incomplete"))),
	)...)
}

const expectedContent = "one of a string or array of objects"

// partsOf checks a list of parts. One of a known type that is not among these belongs to the other side.
func partsOf(checks map[string]request.ValueCheck, types ...string) request.ValueCheck {
	known := request.OpenObject(request.Need("type", request.OneOf("input_text", "input_image", "input_audio", "output_text", "refusal",
		"input_file", "computer_screenshot", "summary_text", "encrypted_content")))
	own := oneOf(types...)
	return request.Objects(0, request.Unbounded, func(c *request.Checker, v ojson.Value) {
		if check := checks[v.Get("type").Text()]; check != nil {
			check(c, v)
			return
		}
		known(c, v)
		own(c, v.Get("type"))
	})
}

// inputParts checks the parts of messages that are not of the assistant, outputParts those of the assistant.
var (
	inputParts = request.Later(func() request.ValueCheck {
		return partsOf(map[string]request.ValueCheck{
			"input_text": inputContent(request.Need("text", request.Str())),
			"input_image": inputContent(request.May("image_url", request.OrNull(request.Str())), request.May("file_id", request.OrNull(request.Str())),
				request.May("detail", request.OrNull(request.OneOf("low", "high", "auto", "original")))),
			"input_file": inputContent(request.May("file_id", request.OrNull(request.Str())), request.May("file_url", request.OrNull(request.Str())),
				request.May("file_data", request.OrNull(request.Str())), request.May("filename", request.OrNull(request.Str())), request.May("detail", request.OrNull(request.Str()))),
			"input_audio": anObject, "scoped_content": anObject, "computer_screenshot": screenshot,
		}, "input_text", "input_image", "input_file", "scoped_content", "input_audio")
	})
	outputParts = request.Later(func() request.ValueCheck {
		return partsOf(map[string]request.ValueCheck{
			"output_text": request.Object(request.May("type", request.AnyValue), request.Need("text", request.Str()),
				request.May("annotations", request.OrNull(anArray)), request.May("logprobs", request.OrNull(anArray))),
			"refusal": request.Object(request.May("type", request.AnyValue), request.Need("refusal", request.Str())),
		}, "output_text", "refusal")
	})
)

func inputContent(members ...request.Member) request.ValueCheck {
	return request.Object(append(members, request.May("type", request.AnyValue), request.May("prompt_cache_breakpoint", request.AnyValue))...)
}

var screenshot = request.OpenObject(request.Need("type", request.OneOf("computer_screenshot")),
	request.May("image_url", request.OrNull(request.Str())), request.May("file_id", request.OrNull(request.Str())))

var shellOutput = request.OpenObject(request.Need("stdout", request.Str()), request.Need("stderr", request.Str()),
	request.Need("outcome", request.Union("type", request.CaseOf("timeout"), request.CaseOf("exit", request.Need("exit_code", request.Integer(-1<<31, 1<<31))))))

// seenItem is what scenarios look at in an item of any type.
func seenItem(c *request.Checker, v ojson.Value) { seenItems()(c, v) }

var seenItems = sync.OnceValue(func() request.ValueCheck {
	str, contents := request.Str(), request.Contents(expectedContent)
	orObject := func(c *request.Checker, v ojson.Value) {
		if v.Kind() != ojson.ObjectKind {
			contents(c, v)
		}
	}
	return request.OpenObject(
		request.May("type", str).Seen(), request.May("role", str).Seen(), request.May("call_id", str).Seen(),
		request.May("content", orObject).Seen(), request.May("output", orObject).Seen(), request.May("result", orObject).Seen(),
		request.May("tools", seenTools).Seen(),
	)
})

// seenTools is what scenarios look at in a list of tools.
func seenTools(c *request.Checker, v ojson.Value) {
	request.ArrayOf(expectedTools, 0, request.Unbounded, request.OrNull(request.OpenObject(
		request.May("type", request.Str()).Seen(), request.May("name", request.Str()).Seen(),
		request.May("parameters", anObject).Seen(), request.May("tools", seenTools).Seen(),
	)))(c, v)
}
