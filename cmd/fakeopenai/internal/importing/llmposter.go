package importing

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// readLlmposter reads a file of fixtures of llmposter.
func readLlmposter(data []byte, a *adding) {
	doc, err := yamlDocument(a.redacted(data))
	if err != nil {
		a.unread("", err)
		return
	}
	list := fixtures{adding: a}
	all := items(member(doc, "fixtures"))
	for _, i := range inAskedOrder(all) {
		n := all[i]
		var r *scenarios.Reply
		v, err := jsonOf(n, 0)
		if err == nil {
			r, err = llmposterReply(v)
		}
		list.add(fmt.Sprintf("line %d, fixtures[%d]", n.Line, i), r, err)
	}
	list.finish()
}

// inAskedOrder returns the positions of fixtures in the order in which llmposter tries
// them: those with catch_all last, and within both groups the highest priority first.
func inAskedOrder(all []*yaml.Node) []int {
	order := make([]int, len(all))
	for i := range all {
		order[i] = i
	}
	catchesAll := func(i int) int {
		if c := member(all[i], "catch_all"); c != nil && c.Value == "true" {
			return 1
		}
		return 0
	}
	priority := func(i int) int {
		n := 0
		if p := member(all[i], "priority"); p != nil {
			_ = p.Decode(&n) // llmposterWords refuses a priority that is no number
		}
		return n
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(catchesAll(a)-catchesAll(b), cmp.Compare(priority(b), priority(a)))
	})
	return order
}

// errorHeaders reads the header fields of an error.
func errorHeaders(r *scenarios.Reply, v ojson.Value) error {
	for _, m := range v.Members() {
		text, err := plainText(m.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		apiError(r).Headers = append(apiError(r).Headers, scenarios.Header{Name: m.Name, Value: text})
	}
	return nil
}

// deepest is the largest depth of nested YAML.
const deepest = 100

// jsonOf converts a YAML value to JSON.
func jsonOf(n *yaml.Node, depth int) (ojson.Value, error) {
	if depth > deepest {
		return ojson.Value{}, errors.New("it nests too deep")
	}
	switch n.Kind {
	case yaml.MappingNode:
		var members []ojson.Member
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := jsonOf(n.Content[i+1], depth+1)
			if err != nil {
				return v, err
			}
			members = append(members, ojson.M(n.Content[i].Value, v))
		}
		return ojson.Object(members...), nil
	case yaml.SequenceNode:
		var items []ojson.Value
		for _, item := range n.Content {
			v, err := jsonOf(item, depth+1)
			if err != nil {
				return v, err
			}
			items = append(items, v)
		}
		return ojson.Array(items...), nil
	case yaml.ScalarNode:
		return jsonScalar(n), nil
	}
	return ojson.Value{}, fmt.Errorf("line %d: aliases are not read; write out what they stand for", n.Line)
}

// jsonScalar converts a scalar. Numbers in forms that JSON lacks become strings.
func jsonScalar(n *yaml.Node) ojson.Value {
	switch n.ShortTag() {
	case "!!null":
		return ojson.Null()
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return ojson.Bool(b)
		}
	case "!!int", "!!float":
		if v, err := ojson.Parse([]byte(n.Value)); err == nil {
			return v
		}
	}
	return ojson.String(n.Value)
}

// llmposterReply converts a fixture to a reply.
func llmposterReply(v ojson.Value) (*scenarios.Reply, error) {
	r := new(scenarios.Reply)
	switch provider := v.Get("provider").Text(); provider {
	case "", "openai", "responses":
	default:
		return nil, fmt.Errorf("provider %s: %w", provider, errSkipped)
	}
	err := eachWord(r, v, llmposterWords)
	if r.Wire.Body != nil {
		r.Message, r.End = nil, scenarios.End{} // the body replaces them
		r.Stream = &[]scenarios.Step{}
		return r, err
	}
	if err == nil && r.Message == nil && r.Error == nil {
		err = errors.New("the fixture has neither a response nor an error nor a refusal")
	}
	return r, err
}

// llmposterWords reads the members of a fixture.
var llmposterWords = map[string]word{
	"match": func(r *scenarios.Reply, v ojson.Value) error {
		if v.IsNull() {
			return nil
		}
		return eachWord(r, v, llmposterMatch)
	},
	"provider": func(r *scenarios.Reply, v ojson.Value) error {
		r.When.Surface = map[string]string{"openai": "chat", "responses": "responses"}[v.Text()]
		return nil
	},
	"response": func(r *scenarios.Reply, v ojson.Value) error {
		if stop := v.Get("stop_reason"); !stop.IsAbsent() && !v.Get("finish_reason").IsAbsent() {
			v = v.Clone() // stop_reason wins
			v.Set("finish_reason", stop)
		}
		return eachWord(r, v, map[string]word{
			"content": content, "tool_calls": toolCalls, "stop_reason": finishReason, "finish_reason": finishReason,
		})
	},
	"refusal": within(map[string]word{
		"reason": into(func(r *scenarios.Reply) *scenarios.Opt[scenarios.Text] { return &message(r).Refusal }),
	}),
	"error":     within(map[string]word{"status": status, "message": errorWords["message"], "headers": errorHeaders}),
	"catch_all": nothing, // inAskedOrder has put such a fixture last
	"priority": func(_ *scenarios.Reply, v ojson.Value) error { // inAskedOrder has sorted by it
		if _, ok := v.Int(); !ok {
			return fmt.Errorf("%s is no whole number", v)
		}
		return nil
	},
	"scenario": refuse("scenarios have no states that requests lead to; take it out and write when: {turn} or {tool_result}, or times, afterwards"),
	"streaming": within(map[string]word{
		"latency":    milliseconds(func(r *scenarios.Reply, d time.Duration) { r.Pace.Every = &d }),
		"chunk_size": chunkSize,
	}),
	"failure": within(llmposterFailure),
}

// llmposterMatch reads the conditions of a fixture: a text to contain, or
// {regex: expression}.
var llmposterMatch = map[string]word{
	"user_message": func(r *scenarios.Reply, v ojson.Value) error {
		m, err := llmposterText(v)
		r.When.User = m
		return err
	},
	"model": func(r *scenarios.Reply, v ojson.Value) error {
		m, err := llmposterText(v)
		switch {
		case err != nil:
			return err
		case m.Matches != nil:
			modelMatches(r, m.Matches)
		default:
			r.When.Model = "*" + glob(*m.Contains) + "*"
		}
		return nil
	},
}

func llmposterText(v ojson.Value) (*scenarios.TextMatch, error) {
	switch pattern := v.Get("regex"); {
	case v.Kind() == ojson.StringKind:
		return recording.Containing(v.Text()), nil
	case pattern.Kind() == ojson.StringKind && len(v.Members()) == 1:
		re, err := regexp.Compile(pattern.Text())
		if err != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		return &scenarios.TextMatch{Matches: re}, nil
	}
	return nil, errors.New("it is neither a text nor {regex: EXPRESSION}")
}

// llmposterFailure reads the faults of an answer.
var llmposterFailure = map[string]word{
	"latency_ms":            milliseconds(func(r *scenarios.Reply, d time.Duration) { r.Wire.HeaderDelay = &d }),
	"truncate_after_frames": truncate,
	"truncate_after_chunks": truncate, // its older name
	"disconnect_after_ms":   refuse(afterTime),
	"corrupt_body": func(r *scenarios.Reply, v ojson.Value) error {
		corrupt, ok := v.Bool()
		if !ok {
			return errors.New("it is neither true nor false")
		}
		if corrupt {
			r.Wire.Body = &scenarios.Text{Source: "overloaded", Literal: true}
			r.Wire.ContentType = &scenarios.Text{Source: "text/plain", Literal: true}
		}
		return nil
	},
}
