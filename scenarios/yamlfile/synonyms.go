package yamlfile

import (
	_ "embed" // synonyms.txt
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

//go:embed synonyms.txt
var synonymsText string

// synonyms returns the rows of synonyms.txt.
func synonyms() map[string][]string {
	words := map[string][]string{}
	for line := range strings.Lines(synonymsText) {
		if word, targets, ok := strings.Cut(strings.TrimSpace(line), " -> "); ok {
			words[word] = strings.Split(targets, ", ")
		}
	}
	return words
}

// requestMembers is members of requests that are not words of the language.
var requestMembers = strings.Fields("frequency_penalty logit_bias max_completion_tokens max_tokens metadata modalities n parallel_tool_calls presence_penalty reasoning_effort response_format stop store stream_options temperature tool_choice top_logprobs top_p")

// requestMember returns a hint how to write a condition on a member of the request.
func requestMember(p table.Unknown) string {
	own := p.Own
	if !slices.Contains(requestMembers, p.Name) {
		return ""
	}
	if slices.ContainsFunc([]string{"gt", "gte", "lt", "lte", "min", "max", "above", "below", "not", "ne"}, func(key string) bool { return valueOf(p.Value, key) != nil }) {
		return "numbers are not compared: body: { " + p.Name + ": 0 } is one value, and body: { " + p.Name + ": { matches: '^0[.][5-9]' } } those that an expression fits"
	}
	place := p.Name
	value, ok := table.InLine(p.Value, table.MostInLine)
	switch {
	case !ok:
		value = "{ exists: true }"
	case place == "response_format" && node.ShapeOf(p.Value) == node.Text:
		place += ".type" // response_format itself is an object, which never equals a text
	}
	places := []string{place + ": " + value}
	if members := node.Members(p.Value); len(members) > 0 { // the request may have more in it
		places = nil
		for _, m := range members {
			inside, _ := table.InLine(m.Value, table.MostInLine)
			if node.ShapeOf(m.Value) == node.Mapping {
				inside = "{ equals: " + inside + " }"
			}
			places = append(places, place+"."+m.Name+": "+inside)
		}
	}
	condition := "body: { " + strings.Join(places, ", ") + " }"
	if !slices.Contains(own, "body") || !slices.Contains(own, "model") {
		condition = "when: { " + condition + " }"
	}
	return "write " + condition + "; " + p.Name + " is a member of the request"
}
