package recording

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// errorOf is the body of an error as an error in the scenario language.
func errorOf(body ojson.Value) scenarios.APIError {
	object := body.Get("error")
	var e scenarios.APIError
	for _, m := range body.Members() {
		if m.Name != "error" {
			put(&e.Beside, m)
		}
	}
	for _, m := range []struct {
		name string
		into *scenarios.Opt[scenarios.Text]
	}{{"message", &e.Message}, {"type", &e.Type}, {"param", &e.Param}, {"code", &e.Code}} {
		v := object.Get(m.name)
		if *m.into = textOf(v); m.into.Present {
			continue
		}
		path := scenarios.Path{Path: ojson.Path{{Name: m.name}}}
		if v.IsAbsent() {
			e.Omit = append(e.Omit, path)
		} else {
			e.Set = append(e.Set, scenarios.Assignment{Path: path, Value: v})
		}
	}
	for _, m := range object.Members() {
		switch m.Name {
		case "message", "type", "param", "code":
		default:
			put(&e.Extra, m)
		}
	}
	return e
}
