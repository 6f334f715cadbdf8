package sweep

import (
	"fmt"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Hold are the given cases with an answer that stops in its middle and never goes on: of the answers
// of the run of [AsWritten], which scenarios of the set gave, it is the last stream that is long enough to
// have a middle. A program that streams has then shown the first half; a program that collects the
// answer first shows nothing. Cases that send the answer as a whole, such as gzip-at-end, are left
// out. Without such an answer there are none.
func Hold(set *scenarios.Set, answers []Answer, cases []Case) ([]Case, error) {
	for _, a := range slices.Backward(answers) {
		if n := middle(set, a); n > 0 {
			return hold(a, n, cases)
		}
	}
	return nil, nil
}

func hold(held Answer, n int, cases []Case) ([]Case, error) {
	var list []Case
	for _, c := range cases {
		manner, err := c.Variant.Manner()
		if err != nil {
			return nil, err
		}
		if manner.Wire.Gzip == "buffer" {
			continue
		}
		v := Variant{
			Name:  c.Variant.Name + "-held",
			About: fmt.Sprintf("%s, and silence after %d events", c.Variant.About, n),
			YAML:  fmt.Sprintf("end: { stall: { for: 24h, after: %d } }", n),
		}
		if c.Variant.YAML != "" {
			v.YAML = c.Variant.YAML + ", " + v.YAML
		}
		list = append(list, Case{Name: v.Name, Variant: v, only: &held, holds: true})
	}
	return list, nil
}

// middle is the number of events, at least 2, after which about half of an answer is sent;
// 0 if the answer is no stream or too short.
func middle(set *scenarios.Set, a Answer) int {
	whole := len(Truncate(set, []Answer{a}, Truncations))/2 - 1 // the event with the end does not count
	if whole < 2 {
		return 0
	}
	return max(2, whole/2)
}
