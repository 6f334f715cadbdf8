package lint

import "embed"

// Rule is a rule of the protocol that streams are checked for when they are
// loaded. A scenario that breaks it on purpose lists its name under quirks.
type Rule struct {
	Name    string
	Doc     string // what is reported, and what OpenAI does instead
	Example string // a scenario that breaks the rule and no other
}

//go:embed rules/*.yaml
var ruleExamples embed.FS

// Rules are all rules, in the order in which they are tried.
func Rules() []Rule {
	var list []Rule
	for _, r := range rules() {
		example, _ := ruleExamples.ReadFile("rules/" + r.name + ".yaml")
		list = append(list, Rule{Name: r.name, Doc: r.doc, Example: string(example)})
	}
	return list
}

// A rule looks at a reply and reports each place that breaks it.
type rule struct {
	name, doc string
	check     func(t *talk, report func(breach))
}

func rules() []rule {
	var list []rule
	list = append(list, orderRules...)
	list = append(list, callRules...)
	list = append(list, logprobRules...)
	list = append(list, usageRules...)
	return append(list, shapeRules...)
}
