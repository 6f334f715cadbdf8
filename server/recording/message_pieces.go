package recording

import "github.com/fakeopenai/fakeopenai/scenarios/ojson"

// withoutText is a chunk without the value of its obfuscation and, if its only content is
// a piece of one text, without the piece, which is text.
func withoutText(v ojson.Value) (shell ojson.Value, text string) {
	shell = v.Clone()
	if !v.Get("obfuscation").IsAbsent() {
		shell.Set("obfuscation", ojson.String(""))
	}
	shell.Remove(ojson.Path{{Name: "sequence_number"}})
	if delta := v.Get("delta"); delta.Kind() == ojson.StringKind {
		shell.Set("delta", ojson.String(""))
		return shell, delta.Text()
	}
	choices := v.Get("choices").Items()
	if len(choices) != 1 || !choices[0].Get("finish_reason").IsNullOrAbsent() {
		return shell, ""
	}
	place := ojson.Path{{Name: "choices"}, {Index: 0, IsIndex: true}}
	if choices[0].Get("text").Kind() == ojson.StringKind {
		place = append(place, ojson.PathElement{Name: "text"})
	} else {
		within, ok := pieceIn(choices[0].Get("delta"))
		if !ok {
			return shell, ""
		}
		place = append(append(place, ojson.PathElement{Name: "delta"}), within...)
	}
	text = v.Find(place).Text()
	shell.Put(place, ojson.String(""))
	return shell, text
}

// pieceIn is the path of the text in a delta without other contents.
func pieceIn(delta ojson.Value) (place ojson.Path, ok bool) {
	members := delta.Members()
	if len(members) != 1 {
		return nil, false
	}
	name, value := members[0].Name, members[0].Value
	if value.Kind() == ojson.StringKind {
		return ojson.Path{{Name: name}}, true
	}
	calls := value.Items()
	if name != "tool_calls" || len(calls) != 1 || len(calls[0].Members()) != 2 || len(calls[0].Get("function").Members()) != 1 {
		return nil, false
	}
	place = ojson.Path{{Name: name}, {Index: 0, IsIndex: true}, {Name: "function"}, {Name: "arguments"}}
	return place, delta.Find(place).Kind() == ojson.StringKind
}
