package responses

// The itemTypes that steps fill, or that are steps of their own.
const (
	Message   = "message"
	Reasoning = "reasoning"
	Function  = "function_call"
	Custom    = "custom_tool_call"
)

// callPrefix is the prefix of a call_id.
const callPrefix = "call_"

// encryptedInclude is the value of include that asks for encrypted_content.
const encryptedInclude = "reasoning.encrypted_content"

// Members of items that scripts of the service or several clients can make.
var (
	caller    = ItemMember{Name: "caller", Is: isObject | isNull}
	createdBy = ItemMember{Name: "created_by", Is: isText}
	ofCalls   = []ItemMember{{Name: "call_id"}, {Name: "name"}, {Name: "async"}, {Name: "namespace"}, caller}
)

// itemTypes is the table of the itemTypes. Add a row to add a type.
var itemTypes = []ItemType{
	{
		Name: Message, Prefix: "msg_", Opens: true, Statuses: []string{statusIncomplete},
		Members: []ItemMember{{Name: "role", Is: isText}, {Name: "phase", Is: isText | isNull}, {Name: "content", Instead: "write its text as the steps after it, as in - text: Hello."}},
	},
	{
		Name: Reasoning, Prefix: "rs_", Opens: true,
		Members: []ItemMember{
			{Name: "encrypted_content", Is: isText | isNull, Asked: encryptedInclude},
			{Name: "summary", Instead: "write it as the steps after it, as in - reasoning: Looking it up."},
			{Name: "content", Instead: "write it as the steps after it, as in - reasoning: Looking it up."},
		},
	},
	{Name: Function, Prefix: "fc_", Step: "tool_call", Members: append([]ItemMember{{Name: "arguments"}}, ofCalls...)},
	{Name: Custom, Prefix: "ctc_", Step: "custom_tool", Members: append([]ItemMember{{Name: "input"}}, ofCalls...)},
	{
		Name: "web_search_call", Prefix: "ws_", Statuses: []string{"in_progress", "searching", statusFailed},
		Members: []ItemMember{
			{
				Name: "action", Is: isObject, Default: `{"type":"search","queries":[],"query":""}`, Added: later,
				Inside: []ItemMember{
					{Name: "type", Is: isText, Default: `"search"`}, {Name: "query", Is: isText}, {Name: "queries", Is: isList, Each: isText, ListOf: "query"},
					{Name: "sources", Is: isList | isNull, Each: isObject, Asked: "web_search_call.action.sources"},
					{Name: "url", Is: isText | isNull}, {Name: "pattern", Is: isText},
				},
			},
			{Name: "results", Is: isList | isNull, Each: isObject, Added: later, Asked: "web_search_call.results"},
		},
		Course: []courseEvent{announced{"web_search_call.in_progress", ""}, announced{"web_search_call.searching", ""}, announced{"web_search_call.completed", statusCompleted}},
	},
	{
		Name: "file_search_call", Prefix: "fs_", Statuses: []string{"in_progress", "searching", statusIncomplete, statusFailed},
		Members: []ItemMember{
			{Name: "queries", Is: isList, Each: isText, Default: `[]`, Added: `[]`},
			{Name: "results", Is: isList | isNull, Each: isObject, Default: `null`, Added: `null`, Asked: "file_search_call.results", Unasked: `null`},
		},
		Course: []courseEvent{announced{"file_search_call.in_progress", ""}, announced{"file_search_call.searching", ""}, announced{"file_search_call.completed", statusCompleted}},
	},
	{
		Name: "code_interpreter_call", Prefix: "ci_", Statuses: []string{"in_progress", "interpreting", statusIncomplete, statusFailed},
		Members: []ItemMember{
			{Name: "code", Is: isText | isNull, Default: `""`, Added: `""`},
			{Name: "container_id", Is: isText, Draw: "cntr_"},
			{Name: "outputs", Is: isList | isNull, Each: isObject, Default: `[]`, Added: `[]`, Asked: "code_interpreter_call.outputs", Unasked: `null`},
		},
		Course: []courseEvent{
			announced{"code_interpreter_call.in_progress", ""}, streamed{name: "code_interpreter_call_code", of: "code"},
			announced{"code_interpreter_call.interpreting", ""}, announced{"code_interpreter_call.completed", statusCompleted},
		},
	},
	{
		Name: "image_generation_call", Prefix: "ig_", Statuses: []string{"in_progress", "generating", statusFailed},
		Members: []ItemMember{
			{Name: "background", Is: isText, Default: `"opaque"`, Added: later}, {Name: "output_format", Is: isText, Default: `"png"`, Added: later},
			{Name: "quality", Is: isText, Default: `"medium"`, Added: later}, {Name: "size", Is: isText, Default: `"1024x1024"`, Added: later},
			{Name: "result", Is: isText | isNull, Default: `null`, Added: later}, {Name: "revised_prompt", Is: isText | isNull, Added: later},
			{Name: "action", Is: isText | isNull, Added: later}, {Name: "error", Is: isObject, Added: later}, {Name: "svg_usage", Is: isObject, Added: later},
			{Name: "partial_images", Is: isList, Each: isText, Aside: true},
		},
		Course: []courseEvent{
			announced{"image_generation_call.in_progress", ""}, announced{"image_generation_call.generating", ""}, images{},
			announced{"image_generation_call.completed", statusCompleted},
		},
	},
	{
		Name: "mcp_list_tools", Prefix: "mcpl_",
		Members: []ItemMember{
			{Name: "server_label", Is: isText, Needed: true}, {Name: "tools", Is: isList, Each: isObject, Default: `[]`, Added: `[]`},
			{Name: "error", Is: isText | isObject | isNull, Added: later},
		},
		Course: []courseEvent{announced{"mcp_list_tools.in_progress", ""}, announced{"mcp_list_tools.completed", statusCompleted}, announced{"mcp_list_tools.failed", statusFailed}},
	},
	{
		Name: "mcp_call", Prefix: "mcp_", Statuses: []string{"in_progress", "calling", statusIncomplete, statusFailed},
		Members: []ItemMember{
			{Name: "approval_request_id", Is: isText | isNull, Default: `null`}, {Name: "arguments", Is: isJSON, Default: `"{}"`, Added: `""`},
			{Name: "error", Is: isText | isObject | isNull, Default: `null`, Added: `null`}, {Name: "name", Is: isText, Needed: true},
			{Name: "output", Is: isText | isNull, Default: `null`, Added: `null`}, {Name: "server_label", Is: isText, Needed: true},
		},
		Course: []courseEvent{
			announced{"mcp_call.in_progress", ""}, streamed{name: "mcp_call_arguments", of: "arguments", whole: true, otherwise: "{}"},
			announced{"mcp_call.completed", statusCompleted}, announced{"mcp_call.failed", statusFailed},
		},
	},
	{
		Name: "mcp_approval_request", Prefix: "mcpr_",
		Members: []ItemMember{{Name: "arguments", Is: isJSON, Default: `"{}"`}, {Name: "name", Is: isText, Needed: true}, {Name: "server_label", Is: isText, Needed: true}},
	},
	{
		Name: "apply_patch_call", Prefix: "apc_", Statuses: []string{"in_progress"},
		Members: []ItemMember{{Name: "call_id", Is: isText, Draw: callPrefix}, {
			Name: "operation", Is: isObject, Needed: true,
			Inside: []ItemMember{{Name: "type", Is: isText, Needed: true}, {Name: "path", Is: isText, Needed: true}, {Name: "diff", Is: isText, Added: `""`}},
		}, caller, createdBy},
		Course: []courseEvent{streamed{name: "apply_patch_call_operation_diff", in: "operation", of: "diff"}},
	},
	{
		Name: "shell_call", Prefix: "sh_", Statuses: []string{"in_progress", statusIncomplete},
		Members: []ItemMember{
			{Name: "call_id", Is: isText, Draw: callPrefix},
			{Name: "action", Is: isObject, Needed: true, Inside: []ItemMember{
				{Name: "commands", Is: isList, Each: isText, Needed: true, Added: `[]`},
				{Name: "max_output_length", Is: isNumber | isNull, Default: `null`}, {Name: "timeout_ms", Is: isNumber | isNull, Default: `null`},
			}},
			{Name: "environment", Is: isObject | isNull, Default: `null`}, caller, createdBy,
		},
		Course: []courseEvent{commands{}},
	},
	{
		Name: "shell_call_output", Prefix: "sho_", Statuses: []string{"in_progress", statusIncomplete}, Begins: statusCompleted,
		Members: []ItemMember{
			{Name: "call_id", Is: isText, Draw: callPrefix, Answers: true}, {Name: "max_output_length", Is: isNumber | isNull, Default: `null`},
			{Name: "output", Is: isList, Each: isObject, Default: `[]`, Added: `[]`}, caller, createdBy,
		},
		Course: []courseEvent{outputs{}},
	},
	{
		Name: "local_shell_call", Prefix: "lsh_", Statuses: []string{"in_progress", statusIncomplete},
		Members: []ItemMember{
			{Name: "call_id", Is: isText, Draw: callPrefix},
			{Name: "action", Is: isObject, Needed: true, Inside: []ItemMember{
				{Name: "type", Is: isText, Default: `"exec"`}, {Name: "command", Is: isList, Each: isText, Needed: true, Added: `[]`},
				{Name: "env", Is: isObject, Default: `{}`, Added: `{}`}, {Name: "timeout_ms", Is: isNumber | isNull},
				{Name: "user", Is: isText | isNull}, {Name: "working_directory", Is: isText | isNull},
			}},
		},
	},
	{
		Name: "computer_call", Prefix: "cu_", Statuses: []string{"in_progress", statusIncomplete},
		Members: []ItemMember{
			{Name: "call_id", Is: isText, Draw: callPrefix}, {Name: "action", Is: isObject}, {Name: "actions", Is: isList, Each: isObject},
			{Name: "pending_safety_checks", Is: isList, Default: `[]`},
		},
	},
	{
		Name: "tool_search_call", Prefix: "tsc_", Statuses: []string{"in_progress", statusIncomplete},
		Members: []ItemMember{{Name: "arguments", Default: `{}`}, {Name: "call_id", Is: isText | isNull, Default: `null`}, {Name: "execution", Is: isText, Default: `"server"`}, createdBy},
	},
	{
		Name: "tool_search_output", Prefix: "tso_", Statuses: []string{"in_progress", statusIncomplete},
		Members: []ItemMember{{Name: "tools", Is: isList, Each: isObject, Default: `[]`}, {Name: "call_id", Is: isText | isNull, Default: `null`}, {Name: "execution", Is: isText, Default: `"server"`}, createdBy},
	},
	{
		Name: "program", Prefix: "cm_",
		Members: []ItemMember{{Name: "call_id", Is: isText, Draw: callPrefix}, {Name: "code", Is: isText, Default: `""`, Added: `""`}, {Name: "fingerprint", Is: isText, Default: `""`}},
	},
	{
		Name: "program_output", Prefix: "cmo_", Statuses: []string{statusIncomplete}, Begins: statusCompleted,
		Members: []ItemMember{{Name: "call_id", Is: isText, Draw: callPrefix, Answers: true}, {Name: "result", Is: isText, Default: `""`}},
	},
	{
		Name: "compaction", Prefix: "cmp_",
		Members: []ItemMember{{Name: "encrypted_content", Is: isText, Needed: true}, createdBy},
		Course:  []courseEvent{repeated{announced{"compaction.compacting", ""}}},
	},
}
