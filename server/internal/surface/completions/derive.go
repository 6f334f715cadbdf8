package completions

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Derive is the steps of the stream that the real service would send for a
// message: its text, with the finish reason on the last piece.
func (Surface) Derive(b *script.Builder, m *scenarios.Message) []scenarios.Step {
	d := script.Derivation{Logprobs: true, Own: spoken}
	choice := 0
	d.Open = func(m *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) {
		defer func() { choice++ }()
		if !b.Want.Echo {
			return nil, body
		}
		asked, text := echoed(b, choice)
		if text.Source == "" {
			return nil, body
		}
		echo := scenarios.Step{Content: scenarios.Some(text)}
		if b.WantsLogprobs(m, &d) {
			echo.Logprobs = &scenarios.Logprobs{Generate: true}
			if asked.tokens > 0 {
				entries := b.InventLogprobs(strings.SplitAfter(asked.text, "|>")[:asked.tokens])
				echo.Logprobs = &scenarios.Logprobs{Content: &entries}
			}
		}
		return []scenarios.Step{echo}, body
	}
	d.Close = closeOnLast
	return b.Message(m, d)
}

// spoken is the stream of a spoken answer: nothing that can be said here.
func spoken(m *scenarios.Message) (script.ChoiceStream, bool) {
	audio := ojson.Object()
	return script.ChoiceStream{Body: []scenarios.Step{{Audio: &audio}}}, m.Audio != nil
}

// closeOnLast puts the finish on the last step that says something.
func closeOnLast(body []scenarios.Step, finish scenarios.Step) (rest, closing []scenarios.Step) {
	last := len(body) - 1
	if last < 0 || body[last].Call() != nil {
		return body, []scenarios.Step{{Content: scenarios.Some(scenarios.Text{}), Finish: finish.Finish}}
	}
	closing = []scenarios.Step{body[last]}
	closing[0].Finish = finish.Finish
	return body[:last], closing
}

// echoed is the prompt of a choice, and its text.
func echoed(b *script.Builder, choice int) (prompt, scenarios.Text) {
	req := b.Request()
	if req == nil {
		return prompt{}, scenarios.Text{Literal: true}
	}
	prompts := promptsOf(req.Body.Get("prompt"))
	if len(prompts) == 0 {
		return prompt{}, scenarios.Text{Literal: true}
	}
	asked := prompts[choice/max(1, req.N)%len(prompts)]
	return asked, b.Echo(asked.text)
}

// prompt is one of the texts that a request wants to have completed.
type prompt struct {
	text   string
	tokens int // how many there are, of a prompt that is given as tokens
}

// promptsOf are the prompts of a request: a text, a list of texts, the numbers of
// tokens, or a list of lists of them.
func promptsOf(v ojson.Value) []prompt {
	switch {
	case v.Kind() == ojson.StringKind:
		return []prompt{{text: v.Text()}}
	case isTokens(v):
		return []prompt{promptOfTokens(v)}
	}
	var list []prompt
	for _, item := range v.Items() {
		if isTokens(item) {
			list = append(list, promptOfTokens(item))
		} else {
			list = append(list, prompt{text: item.Text()})
		}
	}
	return list
}

// isTokens reports whether a value is a list of numbers of tokens.
func isTokens(v ojson.Value) bool {
	return len(v.Items()) > 0 && v.Items()[0].Kind() == ojson.NumberKind
}

// promptOfTokens stands in for the text of tokens, which only the model's own
// vocabulary tells: each is written as <|number|>.
func promptOfTokens(v ojson.Value) prompt {
	var text strings.Builder
	for _, token := range v.Items() {
		text.WriteString("<|")
		text.WriteString(token.Text())
		text.WriteString("|>")
	}
	return prompt{text: text.String(), tokens: len(v.Items())}
}
