package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// usageCodec reads a usage object, or null.
func usageCodec() codec[scenarios.Usage] {
	object := func(u *scenarios.Usage) *ojson.Value { return &u.Object }
	count := jsonCodec("a number or null", node.Number|node.Null)
	details := jsonCodec("a mapping or null", node.Mapping|node.Null)
	s := &section[scenarios.Usage]{
		name:        "usage",
		about:       "The token counts. What is left out is filled in as the real service would; other keys are sent as they are.",
		position:    func(u *scenarios.Usage) *diag.Pos { return &u.Pos },
		unknownKeys: object,
		fields: []field[scenarios.Usage]{
			member("prompt_tokens", "Tokens of the request.", count, object),
			member("completion_tokens", "Tokens of the answer.", count, object),
			member("total_tokens", "Default: the sum.", count, object),
			member("prompt_tokens_details", "Default: zeros.", details, object),
			member("completion_tokens_details", "Default: zeros.", details, object),
		},
		check: func(_ *decoder, _ members, u *scenarios.Usage) bool {
			if u.Object.IsAbsent() {
				u.Object = ojson.Object()
			}
			return true
		},
	}
	members := withWriter(s.codec("a mapping"), func(u scenarios.Usage) *yaml.Node {
		switch {
		case u.Null:
			return nil
		case u.Object.IsAbsent():
			return node.NewMapping(yaml.FlowStyle)
		}
		return node.FromJSON(u.Object)
	})
	none := mapped(nullCodec(), func(_ bool, p diag.Pos) scenarios.Usage { return scenarios.Usage{Null: true, Pos: p} },
		func(u scenarios.Usage) (bool, bool) { return true, u.Null })
	return anyOf(members, none)
}
