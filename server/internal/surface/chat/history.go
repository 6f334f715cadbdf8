package chat

import (
	"encoding/json"
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// checkHistory returns the error for messages that no conversation with tools can have;
// nil for all others. Each result must follow its call, each call must have a result,
// the arguments of calls must be JSON, and no two calls may have the same id. Errors
// that the real service also reports have its words; the others have the code
// fake_history.
func checkHistory(r *scenarios.Request) *request.Error {
	if err := messagesInOrder(r); err != nil {
		return err
	}
	ids := map[string]string{} // the place of each call by its id
	for i, m := range r.Body.Get("messages").Items() {
		if m.Get("function_call").IsNullOrAbsent() && len(m.Get("tool_calls").Items()) == 0 {
			continue
		}
		at := fmt.Sprintf("messages[%d]", i)
		if err := argumentsAreJSON(at+".function_call.arguments", m.Get("function_call")); err != nil {
			return err
		}
		for i, call := range m.Get("tool_calls").Items() {
			at := fmt.Sprintf("%s.tool_calls[%d]", at, i)
			if err := idIsNew(ids, at+".id", call.Get("id").Text()); err != nil {
				return err
			}
			if err := argumentsAreJSON(at+".function.arguments", call.Get("function")); err != nil {
				return err
			}
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

func argumentsAreJSON(path string, function ojson.Value) *request.Error {
	arguments := function.Get("arguments")
	if function.IsNullOrAbsent() {
		return nil
	}
	if arguments.Kind() != ojson.StringKind {
		return request.InvalidType(path, "a string", arguments)
	}
	// This checks the text and makes no values of it, which could be many.
	if err := json.Unmarshal([]byte(arguments.Text()), new(json.RawMessage)); err != nil {
		return request.Bad(path, apierror.CodeHistory, "Invalid '%s': the arguments are not JSON: %v.", path, err)
	}
	return nil
}
