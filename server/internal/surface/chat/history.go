package chat

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

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
