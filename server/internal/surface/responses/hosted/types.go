package hosted

// The types that steps fill, or that are steps of their own.
const (
	Message   = "message"
	Reasoning = "reasoning"
	Function  = "function_call"
	Custom    = "custom_tool_call"
)

// CallPrefix is the prefix of a call_id.
const CallPrefix = "call_"

// Encrypted is the value of include that asks for encrypted_content.
const Encrypted = "reasoning.encrypted_content"

// types is the table of the types. Add a row to add a type.
var types = []Type{
	{
		Name: Message, Prefix: "msg_", Opens: true, Statuses: []string{incomplete},
		Members: []Member{{Name: "role", Is: Text}, {Name: "phase", Is: Text | Null}, {Name: "content", Instead: "write its text as the steps after it, as in - text: Hello."}},
	},
	{
		Name: Reasoning, Prefix: "rs_", Opens: true,
		Members: []Member{
			{Name: "encrypted_content", Is: Text | Null, Asked: Encrypted},
			{Name: "summary", Instead: "write it as the steps after it, as in - reasoning: Looking it up."},
			{Name: "content", Instead: "write it as the steps after it, as in - reasoning: Looking it up."},
		},
	},
	{Name: Function, Prefix: "fc_", Step: "tool_call"},
	{Name: Custom, Prefix: "ctc_", Step: "custom_tool"},
	{
		Name: "web_search_call", Prefix: "ws_", Statuses: []string{"in_progress", "searching", failed},
		Members: []Member{
			{
				Name: "action", Is: Object, Default: `{"type":"search","queries":[],"query":""}`, Added: Later,
				Inside: []Member{
					{Name: "type", Is: Text, Default: `"search"`}, {Name: "query", Is: Text}, {Name: "queries", Is: List, Each: Text, ListOf: "query"},
					{Name: "sources", Is: List | Null, Each: Object, Asked: "web_search_call.action.sources"},
					{Name: "url", Is: Text | Null}, {Name: "pattern", Is: Text},
				},
			},
			{Name: "results", Is: List | Null, Each: Object, Added: Later, Asked: "web_search_call.results"},
		},
		Course: []Event{announced{"web_search_call.in_progress", ""}, announced{"web_search_call.searching", ""}, announced{"web_search_call.completed", completed}},
	},
	{
		Name: "file_search_call", Prefix: "fs_", Statuses: []string{"in_progress", "searching", incomplete, failed},
		Members: []Member{
			{Name: "queries", Is: List, Each: Text, Default: `[]`, Added: `[]`},
			{Name: "results", Is: List | Null, Each: Object, Default: `null`, Added: `null`, Asked: "file_search_call.results", Unasked: `null`},
		},
		Course: []Event{announced{"file_search_call.in_progress", ""}, announced{"file_search_call.searching", ""}, announced{"file_search_call.completed", completed}},
	},
	{
		Name: "code_interpreter_call", Prefix: "ci_", Statuses: []string{"in_progress", "interpreting", incomplete, failed},
		Members: []Member{
			{Name: "code", Is: Text | Null, Default: `""`, Added: `""`},
			{Name: "container_id", Is: Text, Draw: "cntr_"},
			{Name: "outputs", Is: List | Null, Each: Object, Default: `[]`, Added: `[]`, Asked: "code_interpreter_call.outputs", Unasked: `null`},
		},
		Course: []Event{
			announced{"code_interpreter_call.in_progress", ""}, streamed{name: "code_interpreter_call_code", of: "code"},
			announced{"code_interpreter_call.interpreting", ""}, announced{"code_interpreter_call.completed", completed},
		},
	},
	{
		Name: "image_generation_call", Prefix: "ig_", Statuses: []string{"in_progress", "generating", failed},
		Members: []Member{
			{Name: "background", Is: Text, Default: `"opaque"`, Added: Later}, {Name: "output_format", Is: Text, Default: `"png"`, Added: Later},
			{Name: "quality", Is: Text, Default: `"medium"`, Added: Later}, {Name: "size", Is: Text, Default: `"1024x1024"`, Added: Later},
			{Name: "result", Is: Text | Null, Default: `null`, Added: Later}, {Name: "revised_prompt", Is: Text | Null, Added: Later},
			{Name: "partial_images", Is: List, Each: Text, Aside: true},
		},
		Course: []Event{
			announced{"image_generation_call.in_progress", ""}, announced{"image_generation_call.generating", ""}, images{},
			announced{"image_generation_call.completed", completed},
		},
	},
	{
		Name: "mcp_list_tools", Prefix: "mcpl_",
		Members: []Member{
			{Name: "server_label", Is: Text, Needed: true}, {Name: "tools", Is: List, Each: Object, Default: `[]`, Added: `[]`},
			{Name: "error", Is: Text | Object | Null, Added: Later},
		},
		Course: []Event{announced{"mcp_list_tools.in_progress", ""}, announced{"mcp_list_tools.completed", completed}, announced{"mcp_list_tools.failed", failed}},
	},
	{
		Name: "mcp_call", Prefix: "mcp_", Statuses: []string{"in_progress", "calling", incomplete, failed},
		Members: []Member{
			{Name: "approval_request_id", Is: Text | Null, Default: `null`}, {Name: "arguments", Is: JSONText, Default: `"{}"`, Added: `""`},
			{Name: "error", Is: Text | Object | Null, Default: `null`, Added: `null`}, {Name: "name", Is: Text, Needed: true},
			{Name: "output", Is: Text | Null, Default: `null`, Added: `null`}, {Name: "server_label", Is: Text, Needed: true},
		},
		Course: []Event{
			announced{"mcp_call.in_progress", ""}, streamed{name: "mcp_call_arguments", of: "arguments", whole: true, otherwise: "{}"},
			announced{"mcp_call.completed", completed}, announced{"mcp_call.failed", failed},
		},
	},
	{
		Name: "mcp_approval_request", Prefix: "mcpr_",
		Members: []Member{{Name: "arguments", Is: JSONText, Default: `"{}"`}, {Name: "name", Is: Text, Needed: true}, {Name: "server_label", Is: Text, Needed: true}},
	},
	{
		Name: "apply_patch_call", Prefix: "apc_", Statuses: []string{"in_progress"},
		Members: []Member{{Name: "call_id", Is: Text, Draw: CallPrefix}, {
			Name: "operation", Is: Object, Needed: true,
			Inside: []Member{{Name: "type", Is: Text, Needed: true}, {Name: "path", Is: Text, Needed: true}, {Name: "diff", Is: Text, Added: `""`}},
		}},
		Course: []Event{streamed{name: "apply_patch_call_operation_diff", in: "operation", of: "diff"}},
	},
	{
		Name: "shell_call", Prefix: "sh_", Statuses: []string{"in_progress", incomplete},
		Members: []Member{
			{Name: "call_id", Is: Text, Draw: CallPrefix},
			{Name: "action", Is: Object, Needed: true, Inside: []Member{
				{Name: "commands", Is: List, Each: Text, Needed: true, Added: `[]`},
				{Name: "max_output_length", Is: Number | Null, Default: `null`}, {Name: "timeout_ms", Is: Number | Null, Default: `null`},
			}},
			{Name: "environment", Is: Object | Null, Default: `null`},
		},
		Course: []Event{commands{}},
	},
	{
		Name: "shell_call_output", Prefix: "sho_", Statuses: []string{"in_progress", incomplete}, Begins: completed,
		Members: []Member{
			{Name: "call_id", Is: Text, Draw: CallPrefix, Answers: true}, {Name: "max_output_length", Is: Number | Null, Default: `null`},
			{Name: "output", Is: List, Each: Object, Default: `[]`, Added: `[]`},
		},
		Course: []Event{outputs{}},
	},
	{
		Name: "local_shell_call", Prefix: "lsh_", Statuses: []string{"in_progress", incomplete},
		Members: []Member{
			{Name: "call_id", Is: Text, Draw: CallPrefix},
			{Name: "action", Is: Object, Needed: true, Inside: []Member{
				{Name: "type", Is: Text, Default: `"exec"`}, {Name: "command", Is: List, Each: Text, Needed: true, Added: `[]`},
				{Name: "env", Is: Object, Default: `{}`, Added: `{}`}, {Name: "timeout_ms", Is: Number | Null},
				{Name: "user", Is: Text | Null}, {Name: "working_directory", Is: Text | Null},
			}},
		},
	},
	{
		Name: "computer_call", Prefix: "cu_", Statuses: []string{"in_progress", incomplete},
		Members: []Member{
			{Name: "call_id", Is: Text, Draw: CallPrefix}, {Name: "action", Is: Object}, {Name: "actions", Is: List, Each: Object},
			{Name: "pending_safety_checks", Is: List, Default: `[]`},
		},
	},
	{
		Name: "tool_search_call", Prefix: "tsc_", Statuses: []string{"in_progress", incomplete},
		Members: []Member{{Name: "arguments", Default: `{}`}, {Name: "call_id", Is: Text | Null, Default: `null`}, {Name: "execution", Is: Text, Default: `"server"`}},
	},
	{
		Name: "tool_search_output", Prefix: "tso_", Statuses: []string{"in_progress", incomplete},
		Members: []Member{{Name: "tools", Is: List, Each: Object, Default: `[]`}, {Name: "call_id", Is: Text | Null, Default: `null`}, {Name: "execution", Is: Text, Default: `"server"`}},
	},
	{
		Name: "program", Prefix: "cm_",
		Members: []Member{{Name: "call_id", Is: Text, Draw: CallPrefix}, {Name: "code", Is: Text, Default: `""`, Added: `""`}, {Name: "fingerprint", Is: Text, Default: `""`}},
	},
	{
		Name: "program_output", Prefix: "cmo_", Statuses: []string{incomplete}, Begins: completed,
		Members: []Member{{Name: "call_id", Is: Text, Draw: CallPrefix, Answers: true}, {Name: "result", Is: Text, Default: `""`}},
	},
	{
		Name: "compaction", Prefix: "cmp_",
		Members: []Member{{Name: "encrypted_content", Is: Text, Needed: true}},
	},
}
