package surface

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Said is one thing that a chunk says.
type Said struct {
	Choice int
	Kind   string // Kind is the word of the language for it or, of a call, tool call or arguments; "empty" for a choice that says nothing.
	Text   string // Text is the text, the reason, the role, the arguments of a call, or the numbers of tokens.
	Call   int    // Call is the index of a call.
	Name   string // Name is the name of a function that is called.
}

// The kinds of what is said that have no word in the language.
const (
	SaidCall      = "tool call"
	SaidArguments = "arguments"
	SaidNothing   = "empty"
)

// SaidIn lists what was heard in a chunk, by choices, and its usage last.
func SaidIn(heard lint.Heard) []Said {
	var list []Said
	for _, choice := range heard.Said {
		before := len(list)
		for _, beat := range choice.Beats {
			if said := saidBy(beat); said.Kind != "" {
				said.Choice = choice.Choice
				list = append(list, said)
			}
		}
		if len(list) == before {
			list = append(list, Said{Choice: choice.Choice, Kind: SaidNothing})
		}
	}
	if u := heard.Usage; u != nil {
		prompt, _ := u.Prompt.Int()
		completion, _ := u.Completion.Int()
		list = append(list, Said{Kind: script.Word(u), Text: fmt.Sprintf("%d + %d tokens", prompt, completion)})
	}
	return list
}

// saidBy returns what a beat says; the zero value if it is null, or beside what is said.
func saidBy(beat script.Beat) Said {
	said := Said{Kind: script.Word(beat)}
	switch beat := beat.(type) {
	case script.Start:
		said.Text = beat.Role.Text()
		return unlessNull(said, beat.Role)
	case script.Text:
		said.Text = beat.Text.Text()
		return unlessNull(said, beat.Text)
	case script.Refusal:
		said.Text = beat.Text.Text()
		return unlessNull(said, beat.Text)
	case script.Reasoning:
		said.Text = beat.Text.Text()
		return unlessNull(said, beat.Text)
	case script.Finish:
		said.Text = beat.Reason.Text()
	case script.Literal:
		return unlessNull(said, beat.Value)
	case script.CallStart:
		said.Call, said.Name, said.Text = beat.Index, beat.Name.Text(), beat.Arguments.Text()
		if beat.Type != script.LegacyCall {
			said.Kind = SaidCall
		}
	case script.CallArguments:
		said.Call, said.Text = beat.Index, beat.Arguments.Text()
		if beat.Type != script.LegacyCall {
			said.Kind = SaidArguments
		}
	case script.Logprobs:
		return Said{}
	}
	return said
}

func unlessNull(said Said, v ojson.Value) Said {
	if v.IsNullOrAbsent() {
		return Said{}
	}
	return said
}
