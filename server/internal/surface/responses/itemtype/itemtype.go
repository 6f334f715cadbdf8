// Package itemtype names the types of items that steps fill, and the prefixes of their ids.
package itemtype

// The types of items.
const (
	Message   = "message"
	Reasoning = "reasoning"
	Function  = "function_call"
	Custom    = "custom_tool_call"
)

// IDPrefix returns the prefix of the ids of items of a type.
func IDPrefix(itemType string) string { return prefixes[itemType] }

var prefixes = map[string]string{Message: "msg_", Reasoning: "rs_", Function: "fc_", Custom: "ctc_"}
