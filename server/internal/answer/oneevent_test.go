package answer

import (
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// twoItems is a stream of events of a message and of a call.
const twoItems = `
stream:
  - content: Hello
  - content: " there"
    wire: { frames: "content[0]", comment: first }
  - tool_call: { id: call_1, name: f, arguments: "{}" }
    wire: { frames: "response.output_item.done[-1]", comment: closes the message }
  - finish: tool_calls
`

// One of several events is named by its place among them wherever events are named: from 0, or from the end.
func TestOneOfSeveralEventsIsNamedByItsPlace(t *testing.T) {
	t.Parallel()
	const src = `
name: x
when: { surface: responses }
quirks: [event-incomplete, output-differs]
envelope:
  set: { "response.output_item.done[1].item.status": odd, "response.output_item.added[-1].item.more": 1 }
  omit: ["response.output_text.delta[0].logprobs"]
damage: [{ duplicate: "content[-1]" }, { drop: "response.output_item.added[0]" }, { move: { frames: "response.output_item.done[-1]", after: finish } }]
` + twoItems
	set := loaded(t, src)
	req, err := responses.Surface{}.Read(nil, []byte(`{"model":"gpt-4o","stream":true,"input":"hi","include":["message.output_text.logprobs"]}`))
	if err != nil {
		t.Fatal(err)
	}
	sel, none := set.Match(t.Context(), req, nil, "", 1)
	if none != nil {
		t.Fatal(none.Reason)
	}
	got := sent(t, NewMaker(), Ask(responses.Surface{}, sel, false))
	var order []string
	for _, event := range regexp.MustCompile(`(?m)^(: .*\n)?event: (?:response\.)?(\S+)\n(data: .*)$`).FindAllStringSubmatch(got, -1) {
		name := event[2]
		for _, mark := range []string{`"status":"odd"`, `"more":1`, `"logprobs"`} {
			if strings.Contains(event[3], mark) && (mark != `"logprobs"` || name == "output_text.delta") {
				name += " " + mark
			}
		}
		order = append(order, strings.TrimSuffix(strings.TrimPrefix(event[1], ": "), "\n")+"|"+name)
	}
	want := strings.Join([]string{
		"|created", "|in_progress", "|content_part.added", `|output_text.delta`, `first|output_text.delta "logprobs"`, `first|output_text.delta "logprobs"`,
		"|output_text.done", "|content_part.done", "closes the message|output_item.done", `|output_item.added "more":1`,
		"|function_call_arguments.delta", "|function_call_arguments.done", "|completed", `|output_item.done "status":"odd"`,
	}, "\n")
	if strings.Join(order, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(order, "\n"), want)
	}
}

// A name that events of several items have is noted where one of them alone can be named.
func TestNamesOfEventsOfSeveralItemsAreNoted(t *testing.T) {
	t.Parallel()
	for what, noted := range map[string]bool{
		"damage: [{ drop: response.output_item.done }]":                                         true,
		`damage: [{ drop: "response.output_item.done[0]" }]`:                                    false,
		"damage: [{ drop: response.output_text.delta }]":                                        false, // one item has all of them
		"damage: [{ drop: tool }]":                                                              false,
		"envelope: { set: { response.output_item.added.item.x: 1 } }":                           true,
		"quirks: [output-differs]\nenvelope: { omit: [response.output_item.done.item.status] }": true,
		"envelope: { set: { response.completed.response.x: 1 } }":                               false,
	} {
		set := loaded(t, "name: x\nwhen: { surface: responses }\n"+what+twoItems)
		notes := set.Scenarios()[0].Replies[0].Notes
		if (len(notes) > 0) != noted {
			t.Errorf("%s: %v, want a note: %t", what, notes, noted)
		}
		if noted && !strings.Contains(notes.Error(), "item 0, message; item 1, function_call") {
			t.Errorf("%s: %v, want one that names the items", what, notes)
		}
	}
}

// Damage and edits that change nothing in any form of request are mistakes, each with what to write instead.
func TestDamageAndEditsThatMissAreMistakes(t *testing.T) {
	t.Parallel()
	const onChat = "when: { surface: chat }\nstream:\n  - role: assistant\n  - content: Hello\n  - content: ' there'\n  - finish: stop\n"
	const onResponses = "when: { surface: responses }\nstream:\n  - content: Hello\n  - tool_call: { id: call_1, name: f, arguments: '{}' }\n  - finish: tool_calls\n"
	misses := map[string]map[string]string{
		onChat: {
			`drop: 9`: "the last frame is 5", `drop: -9`: "the last frame is 5", `drop: 0`: "1 is the first frame", `drop: refusal`: "the kinds of frames are",
			`drop: "content[2]"`: "the last is content[1]", `drop: "content[-3]"`: "the last is content[1]", `duplicate: "tool[0]"`: "the kinds of frames are",
			`drop: "conent[1]"`: `write "content[1]"`, `drop: content.0`: `write "content[0]"`, `drop: "content[x]"`: `write "content[0]" for the first`,
			`drop: "content[]"`: `write "content[0]"`, `drop: content[0]`: `write "content[0]", with quotes`, `drop: "all[0]"`: "write 1", `drop: "all[-1]"`: "write -1",
			`drop: "[0]"`: "1 is the first frame", `drop: [content, "content[0]"]`: "leave it out", `drop: [2, "content[0]"]`: "leave it out", `duplicate: [1, 99]`: "the last frame is 5",
			`drop: response.created`: "the kinds of frames are", `swap: [1, 1]`: "leave it out", `swap: [role, "role[0]"]`: "leave it out", `swap: [1, 12]`: "the last frame is 5",
			`move: { frames: finish, after: content }`: "leave it out", `move: { frames: "content[1]", after: "content[0]" }`: "leave it out", `move: { frames: done, after: -1 }`: "leave it out",
			`rename: { from: choices, to: choices }`: "leave it out", `rename: { from: id.x, to: y }`: "id is", `rename: { frames: content, from: delta.contnt, to: text }`: "did you mean",
			`retype: { at: id, to: string }`: "leave it out", `retype: { frames: done, at: id, to: "null" }`: "it is sent as it is written", `retype: { at: created, to: number }`: "leave it out",
			`replace: { frames: role, at: delta.role, to: assistant }`: "leave it out", `replace: { frames: 1, at: "choices[1].index", to: 3 }`: "did you mean",
			`keep: { members: [nothing] }`: "", `corrupt: { frames: tool }`: "the kinds of frames are", `drop: heartbeat`: "the kinds of frames are", `drop: finish, chance: 0`: "leave out",
		},
		onResponses: {
			`drop: "response.output_item.done[2]"`: "the last is response.output_item.done[1]", `drop: output_item.done`: "write response.output_item.done",
			`drop: "output_item.done[0]"`: `write "response.output_item.done[0]"`, `drop: response.output_item.don`: `did you mean "response.output_item.done"`,
			`move: { frames: "response.output_item.added[1]", after: "response.output_item.done[0]" }`: "leave it out",
			`replace: { frames: "response.output_item.done[0]", at: item.type, to: message }`:          "leave it out",
			`replace: { frames: "response.output_item.done[0]", at: item.arguments, to: x }`:           "item has",
		},
	}
	for reply, list := range misses {
		for damage, hint := range list {
			mistaken(t, "damage: [{ "+damage+" }]\n"+reply, hint)
		}
	}
	for edit, hint := range map[string]string{
		`{ set: { "response.output_item.done[7].item.status": x } }`:     "the last is response.output_item.done[1]",
		`{ set: { "response.output_item.done[0].itm.status": x } }`:      `did you mean "response.output_item.done[0].item.status"`,
		`{ omit: ["response.output_item.done[0].item.statu"] }`:          `did you mean "response.output_item.done[0].item.status"`,
		`{ set: { "response.output_item.done[0].item.type": message } }`: "leave it out",
		`{ set: { object: response } }`:                                  "leave it out",
	} {
		mistaken(t, "envelope: "+edit+"\n"+onResponses, hint)
	}
	mistaken(t, strings.Replace(onChat, "content: Hello", "{ content: Hello, set: { delta.content: Hello } }", 1), "leave it out")
	src := "name: x\ndamage: [{ drop: 1 }, { drop: -1 }, { drop: [content, 2] }]\n" + onChat
	if _, problems := yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte(src)}); len(problems) != 1 || !strings.Contains(problems.Error(), "named before it") {
		t.Errorf("got %v, want the frame that is named twice alone", problems)
	}
	const undoes = "name: base\nenvelope: { set: { object: odd } }\nmessage: Hi\n---\nname: child\nextends: base\nenvelope: { set: { object: chat.completion } }\n"
	loaded(t, undoes)
}

// What a reply and its conditions say together is a mistake where it can never be right.
func TestCallsThatTheirConditionsContradictAreMistakes(t *testing.T) {
	t.Parallel()
	const call = "message: { tool_calls: [{ id: call_1, name: f, arguments: {} }] }\n"
	mistaken(t, "when: { tool_result: call_1 }\n"+call, "give the call another id")
	mistaken(t, "when: { body: { tools: { exists: false } } }\n"+call, "leave the condition on tools out")
	loaded(t, "name: x\nwhen: { tool_result: call_0 }\n"+call)
	mistaken(t, "error: { status: 429, headers: { Retry-After: soon } }\n", `write Retry-After: '{{ http_date "30s" }}'`)
}

// Faults that no answer can have are mistakes.
func TestFaultsThatNoAnswerCanHaveAreMistakes(t *testing.T) {
	t.Parallel()
	const under = "\n---\nname: a\nwhen: { surface: chat, turn: 1 }\nmessage: Hi\n---\nname: b\nwhen: { path: '/v1/files/{id}' }\nwire: { body: '{}' }\nmessage: ''\n"
	for fault, wrong := range map[string]bool{
		"{ wire: {} }": true, "{ error: 200 }": true, "{ when: { path: /v1/chat/completion }, error: 500 }": true, "{ when: { path: '/v1/chat/**' }, error: 500 }": false,
		"{ when: { path: /v1/files/7 }, error: 500 }": false, "{ when: { path: '/v1/files/*' }, error: 500 }": false, "{ when: { surface: chat, turn: 2 }, error: 500 }": true,
		"{ error: 503 }": false,
	} {
		_, problems := yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte("faults:\n  - " + fault + under)})
		if (len(problems) > 0) != wrong {
			t.Errorf("%s: %v, want a problem: %t", fault, problems, wrong)
		}
	}
}

func mistaken(t *testing.T, src, hint string) {
	t.Helper()
	_, problems := yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\n" + src)})
	if len(problems) == 0 || !strings.Contains(problems.Error(), hint) {
		t.Errorf("%s\ngot %v, want a problem with the hint %q", src, problems, hint)
	}
}
