package chat_test

import (
	"reflect"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// heard returns the beats that the surface reads from the chunk of a group.
func heard(g script.Group) []script.Beat {
	return chat.Surface{}.Hear(&g, &surface.Options{}).Said[0].Beats
}

func TestAFragmentIsHeardAsTheSameJSONWrittenOut(t *testing.T) {
	t.Parallel()
	text := ojson.String
	for json, fragment := range map[string]script.CallFragment{
		`[{"index":1,"id":"a","type":"function","function":{"name":"f","arguments":""}}]`: {Index: ojson.Int(1), ID: text("a"), Type: text("function"), Name: text("f"), Arguments: text("")},
		`[{"index":1,"function":{"arguments":"{}"}}]`:                                     {Index: ojson.Int(1), Arguments: text("{}")},
		`[{"id":"a","custom":{"input":"ls"}}]`:                                            {ID: text("a"), Arguments: text("ls"), Custom: true},
		`[{"index":null,"type":"custom"}]`:                                                {Index: ojson.Null(), Type: text("custom"), Custom: true},
		`[{}]`:                                                                            {},
	} {
		want := heard(says(script.Literal{Surface: "chat", Member: "tool_calls", Value: object(t, json)}))
		if got := heard(says(fragment)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is heard as %#v, its fragment as %#v", json, want, got)
		}
	}
}

func TestTheInputOfALiteralCustomCallIsHeard(t *testing.T) {
	t.Parallel()
	calls := object(t, `[{"index":0,"id":"a","type":"custom","custom":{"name":"sh","input":"ls"}},{"index":0,"custom":{"input":" -l"}}]`)
	beats := heard(says(script.Literal{Surface: "chat", Member: "tool_calls", Value: calls}))
	start, opens := beats[0].(script.CallStart)
	more, goesOn := beats[1].(script.CallArguments)
	if !opens || !goesOn || start.Arguments.Text()+more.Arguments.Text() != "ls -l" || more.Type != script.CustomCall {
		t.Errorf("heard %#v", beats)
	}
}
