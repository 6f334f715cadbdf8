package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// usageCodec reads a usage object, or null.
func usageCodec() table.Codec[*scenarios.Usage] {
	object := func(u *scenarios.Usage) *ojson.Value { return &u.Object }
	count := table.JSONCodec("a number or null", node.Number|node.Null)
	details := table.JSONCodec("a mapping or null", node.Mapping|node.Null)
	s := &table.Section[*scenarios.Usage]{
		Name:        "usage",
		About:       "The token counts. What is left out is filled in as the real service would; other keys are sent as they are.",
		UnknownKeys: object,
		Fields: []table.Field[*scenarios.Usage]{
			table.Member("prompt_tokens", "Tokens of the request.", count, object),
			table.Member("completion_tokens", "Tokens of the answer.", count, object),
			table.Member("total_tokens", "Default: the sum.", count, object),
			table.Member("prompt_tokens_details", "Default: zeros.", details, object),
			table.Member("completion_tokens_details", "Default: zeros.", details, object),
		},
		Check: func(_ *table.Decoder, _ table.Members, u *scenarios.Usage) bool {
			if u.Object.IsAbsent() {
				u.Object = ojson.Object()
			}
			return true
		},
	}
	members := s.Codec("a mapping")
	members.Write = func(u *scenarios.Usage) *yaml.Node {
		switch {
		case u.Null:
			return nil
		case u.Object.IsAbsent():
			return node.NewMapping(yaml.FlowStyle)
		}
		return node.FromJSON(u.Object)
	}
	none := table.As(table.NullCodec(), func(u *scenarios.Usage) *bool { return &u.Null })
	return table.AnyOf(members, none)
}
