package render

import (
	"maps"
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// templateNames are the names that a template can use below the dot.
var templateNames = []string{
	"match", "request", "last_user", "tool_results", "tool_result", "header", "api_key", "turn", "attempt", "usage",
}

// usageNames are the names below usage.
var usageNames = []string{"requests", "remaining_requests", "tokens", "remaining_tokens"}

// templateData is what the templates of an answer see.
func templateData(sel *scenarios.Selection) map[string]any {
	req := sel.Request
	results, last := toolResults(req)
	match := map[string]string{}
	maps.Copy(match, sel.Match)
	return map[string]any{
		"match":        match,
		"request":      requestData(req),
		"last_user":    req.LastUser,
		"tool_results": results,
		"tool_result":  last,
		"header":       headerData(req.Header),
		"api_key":      req.APIKey,
		"turn":         req.Turn,
		"attempt":      req.Attempt,
		"usage":        usageData(sel.Spending),
	}
}

// usageData is what the request's API key has spent of its limits, and what is
// left.
func usageData(s scenarios.Spending) map[string]any {
	return map[string]any{
		"requests": s.Requests, "remaining_requests": s.RemainingRequests,
		"tokens": s.Tokens, "remaining_tokens": s.RemainingTokens,
	}
}

// requestData is the request's body. Its model and user are always there,
// because the most common templates ask for them.
func requestData(req *scenarios.Request) map[string]any {
	data := map[string]any{"model": req.Model, "user": req.User}
	for _, m := range req.Body.Members() {
		data[m.Name] = plain(m.Value)
	}
	return data
}

// toolResults are the texts of the tool messages by their tool_call_id, and the
// text of the last one.
func toolResults(req *scenarios.Request) (byID map[string]string, last string) {
	byID = map[string]string{}
	for _, m := range req.Messages {
		switch m.Role {
		case "tool":
			byID[m.ToolCallID] = m.Text
			last = m.Text
		case "function":
			last = m.Text
		}
	}
	return byID, last
}

func headerData(header map[string][]string) map[string]string {
	data := make(map[string]string, len(header))
	for name, values := range header {
		if len(values) > 0 {
			data[name] = values[0]
		}
	}
	return data
}

// plain is a JSON value as templates handle it: whole numbers are int, others
// float64.
func plain(v ojson.Value) any {
	switch v.Kind() {
	case ojson.BoolKind:
		b, _ := v.Bool()
		return b
	case ojson.NumberKind:
		if n, ok := v.Int(); ok {
			return int(n)
		}
		f, err := strconv.ParseFloat(v.Text(), 64)
		if err != nil {
			return v.Text()
		}
		return f
	case ojson.StringKind, ojson.RawKind:
		return v.Text()
	case ojson.ArrayKind:
		items := make([]any, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = plain(item)
		}
		return items
	case ojson.ObjectKind:
		members := make(map[string]any, len(v.Members()))
		for _, m := range v.Members() {
			members[m.Name] = plain(m.Value)
		}
		return members
	}
	return nil
}

// fromPlain turns a template's value back into JSON; the members of a map are in
// alphabetical order.
func fromPlain(v any) (ojson.Value, bool) {
	switch v := v.(type) {
	case nil:
		return ojson.Null(), true
	case bool:
		return ojson.Bool(v), true
	case int:
		return ojson.Int(int64(v)), true
	case float64:
		return ojson.Number(strconv.FormatFloat(v, 'g', -1, 64)), true
	case string:
		return ojson.String(v), true
	case []string:
		list := ojson.Array()
		for _, text := range v {
			list.Push(ojson.String(text))
		}
		return list, true
	case []any:
		list := ojson.Array()
		for _, item := range v {
			value, ok := fromPlain(item)
			if !ok {
				return list, false
			}
			list.Push(value)
		}
		return list, true
	case map[string]string:
		object := ojson.Object()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			object.Set(name, ojson.String(v[name]))
		}
		return object, true
	case map[string]any:
		object := ojson.Object()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			value, ok := fromPlain(v[name])
			if !ok {
				return object, false
			}
			object.Set(name, value)
		}
		return object, true
	}
	return ojson.Value{}, false
}
