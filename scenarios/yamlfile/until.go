package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func untilCodec() table.Codec {
	codec := table.Later[scenarios.Until]("a mapping such as { message: response.steer }", untilSection)
	return table.OrRather(codec, func(_ *table.Decoder, n *yaml.Node) string {
		if text, ok := table.InLine(n, table.MostInLine); ok && node.ShapeOf(n) == node.Text {
			return "write until: { message: " + text + " } for a message of this type, until: { request: " + text + " } for a scenario, or hold: " + text
		}
		return ""
	})
}

func untilSection() *table.Section {
	return &table.Section{
		Name:  "until",
		Aside: true,
		About: "What a stream waits for: a message of the client or an answer to another request. The test can release it, too.",
		Misplaced: map[string]string{
			"type": "write message: $", "scenario": "write request: $", "hold": "write name: $", "body": "write message: $",
			"timeout": "write within: $", "for": "write within: $", "max": "write within: $",
		},
		Fields: []table.Field{
			table.Key("message", "A message that the client sends over WebSocket: its type, or conditions on places in it, as in when.body.", heardCodec()),
			table.Key("request", "The name of a scenario: waits until it has answered a request of the same API key that began later.", table.NameCodec("the name of a scenario")),
			table.Key("within", "How long it waits at most; then the stream goes on. Default: without an end."),
			table.Key("name", "The name by which tests await and release it. Default: the type of the message or the scenario.", table.NameCodec("a name")),
		},
		Check: table.Check(func(d *table.Decoder, m table.Members, u *scenarios.Until) bool {
			return d.ExactlyOne(m, "until", "message", "request")
		}),
	}
}

// heardCodec reads the type of a message, or conditions on it.
func heardCodec() table.Codec {
	ofType := table.Mapped(table.NameCodec("a type such as response.steer"), func(name string, p diag.Pos) []scenarios.BodyMatch {
		return []scenarios.BodyMatch{{Path: scenarios.Path{Path: ojson.Path{{Name: "type"}}, Pos: p}, Equals: new(ojson.String(name))}}
	}, func(list []scenarios.BodyMatch) (string, bool) {
		name := (&scenarios.Until{Message: list}).MessageType()
		return name, name != "" && len(list) == 1
	})
	conditions := table.Refusing(bodyMatchCodec(), func(list *[]scenarios.BodyMatch) bool { return len(*list) == 0 },
		"write the type of the message, as in message: response.steer", "there is no condition on the message")
	return table.AnyOf(ofType, conditions)
}
