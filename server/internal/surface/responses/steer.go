package responses

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// asksClient reports whether an item of this type is a call that the client answers, with an item of its own.
func asksClient(kind string) bool {
	return slices.Contains([]string{Function, Custom, "computer_call", "local_shell_call", "shell_call", "apply_patch_call", approvalAsked}, kind)
}

// Required returns what a client must answer to these output items, each as an item of its input that has only the
// members which identify it.
func Required(output ojson.Value) (list []ojson.Value) {
	answered := map[string]bool{}
	for _, item := range output.Items() {
		if _, isCall := firstCallID(item); !isCall {
			answered[item.Get("call_id").Text()] = true
		}
	}
	for _, item := range output.Items() {
		id, isCall := firstCallID(item)
		kind := item.Get("type").Text()
		switch {
		case !isCall || answered[id.Text()]:
			continue
		case kind == approvalAsked:
			list = append(list, ojson.Object(ojson.M("type", ojson.String(approvalGiven)), ojson.M("approval_request_id", id)))
			continue
		}
		stub := ojson.Object(ojson.M("type", ojson.String(kind+"_output")), ojson.M("call_id", id))
		if name := item.Get("name"); !name.IsAbsent() {
			stub.Set("name", name)
		}
		list = append(list, stub)
	}
	return list
}

// firstCallID returns the id of a call that the client answers; isCall is false for other items.
func firstCallID(item ojson.Value) (id ojson.Value, isCall bool) {
	kind := item.Get("type").Text()
	if kind == approvalAsked {
		return item.Get("id"), true
	}
	return item.Get("call_id"), asksClient(kind)
}

// InputItems returns an input as a list of items.
func InputItems(input ojson.Value) []ojson.Value {
	if input.Kind() == ojson.StringKind {
		return []ojson.Value{ojson.Object(ojson.M("type", ojson.String("message")), ojson.M("role", ojson.String("user")), ojson.M("content", input))}
	}
	return input.Items()
}

// CheckSteer returns the error for a message response.steer that has another form than the API takes; nil if it has not.
func CheckSteer(message ojson.Value) *apierror.Error {
	wrong := func(param, text string) *apierror.Error { return apierror.Bad(param, "invalid_input", "%s", text) }
	for _, m := range message.Members() {
		if !slices.Contains([]string{"type", "previous_response_id", "input"}, m.Name) {
			return wrong(m.Name, "Unknown parameter: '"+m.Name+"'.")
		}
	}
	if message.Get("previous_response_id").Text() == "" {
		return wrong("previous_response_id", "Missing required parameter: 'previous_response_id'.")
	}
	input := message.Get("input")
	items := InputItems(input)
	if len(items) == 0 || input.Kind() == ojson.StringKind && input.Text() == "" {
		return wrong("input", "Invalid 'input': expected a string or a non-empty array of user messages.")
	}
	for _, item := range items {
		parts, isList := item.Get("content").Items(), item.Get("content").Kind() == ojson.ArrayKind
		isPart := func(p ojson.Value) bool {
			return slices.Contains([]string{"input_text", "input_image", "input_file"}, p.Get("type").Text())
		}
		kind := item.Get("type")
		switch {
		case !kind.IsAbsent() && kind.Text() != "message", item.Get("role").Text() != "user",
			!isList && item.Get("content").Text() == "", isList && len(parts) == 0,
			slices.ContainsFunc(parts, func(p ojson.Value) bool { return !isPart(p) }):
			return wrong("input", "Invalid 'input': only messages of the role 'user' are supported, with text, images and files.")
		}
	}
	return nil
}
